package algorithms

// A Fill writes the mask of a position, at which no EOS was committed, over a row, but for the ids
// that end a text.
type Fill func(at *Position, row []uint64)

// NewFilling is a generation of an engine that makes each mask anew. begin makes the Fill of one
// generation, which may have memory of its own.
func NewFilling(p *Problem, begin func() Fill) State { return newFilling(NewPosition(p), begin) }

type filling struct {
	Position
	buffer *Buffer
	begin  func() Fill
	fill   Fill
}

func newFilling(at Position, begin func() Fill) *filling {
	return &filling{at, NewBuffer(at.problem.Vocabulary.Len()), begin, begin()}
}

// Mask implements State.
func (f *filling) Mask() Mask {
	f.Fill(f.buffer.Words())
	return f.buffer.Mask()
}

// Fill implements Filler.
func (f *filling) Fill(row []uint64) {
	if f.Ended {
		clear(row)
		return
	}
	f.fill(&f.Position, row)
	f.MarkEnd(row)
}

// Clone implements State.
func (f *filling) Clone() State { return newFilling(f.Position, f.begin) }
