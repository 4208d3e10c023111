package algorithms

// A Fill writes the mask of a position, at which no EOS was committed, over a row, but for the ids
// that end a text.
type Fill func(at *Position, row []uint64)

// A Filling is a generation of an engine that makes each mask anew.
type Filling struct {
	Position
	buffer *Buffer
	begin  func() Fill
	fill   Fill
}

// NewFilling is a generation before its first token. begin makes the Fill of one generation, which
// may have memory of its own.
func NewFilling(p *Problem, begin func() Fill) *Filling { return newFilling(NewPosition(p), begin) }

func newFilling(at Position, begin func() Fill) *Filling {
	return &Filling{at, NewBuffer(at.problem.Vocabulary.Len()), begin, begin()}
}

// Mask implements State.
func (f *Filling) Mask() Mask {
	f.Fill(f.buffer.Words())
	return f.buffer.Mask()
}

// Fill implements Filler.
func (f *Filling) Fill(row []uint64) {
	if f.Ended {
		clear(row)
		return
	}
	f.fill(&f.Position, row)
	f.MarkEnd(row)
}

// Clone implements State.
func (f *Filling) Clone() State { return newFilling(f.Position, f.begin) }
