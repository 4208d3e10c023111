package unknown

import (
	"cmp"
	"slices"

	"gcdbench/algorithms/psc/table"
	"gcdbench/internal/bitset"
)

// A split is what becomes of all terminals on a cell: the number of the set that is accepted, and
// for each reduction that others wait for, ascending, the number of its shape and that of their
// set. It is the same for all groups that wait for a reduction, whatever they can become.
type split []int32

// NoSplit is the split that refuses every terminal.
const NoSplit int32 = 0

// Splitter makes splits.
type Splitter struct {
	sym   *Parser
	List  table.Numbered[int32] // splits
	parts table.Table           // split, set -> split

	// Scratch: a split in the making, and its words.
	accept  []uint64
	waiting []waits
	words   split
}

// NewSplitter is a splitter of a parser's answers.
func NewSplitter(p *Parser) *Splitter {
	s := &Splitter{sym: p, accept: p.tables.NewSet()}
	s.end()
	return s
}

// end interns the split in the making, and begins another one.
func (s *Splitter) end() int32 {
	s.words = append(s.words[:0], s.sym.SetOf(s.accept))
	slices.SortFunc(s.waiting, func(a, b waits) int { return cmp.Compare(a.shape, b.shape) })
	for _, w := range s.waiting {
		if slices.Max(w.set) != 0 {
			s.words = append(s.words, w.shape, s.sym.SetOf(w.set))
		}
	}
	clear(s.accept)
	s.waiting = s.waiting[:0]
	return s.List.Of(s.words)
}

// meet is what two sets have in common.
func meet(a, b []uint64) []uint64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] &= b[i]
	}
	return out
}

// PartOf is the part of a split for a set of terminals, by number.
func (s *Splitter) PartOf(id, set int32) int32 {
	part := s.parts.Get(table.Pair(id, set))
	if part == table.Absent {
		from, of := s.List.At(id), s.sym.Set(set)
		bitset.Unite(s.accept, meet(s.sym.Set(from[0]), of))
		for i := 1; i < len(from); i += 2 {
			s.waiting = append(s.waiting, waits{from[i], meet(s.sym.Set(from[i+1]), of)})
		}
		part = s.end()
		s.parts.Put(table.Pair(id, set), part)
	}
	return part
}

// OfAnswers is the split of the terminals that answers are about.
func (s *Splitter) OfAnswers(ans *Answers) int32 {
	if ans.split == table.Absent {
		bitset.Unite(s.accept, ans.shifted)
		s.waiting = append(s.waiting, ans.waits...)
		ans.split = s.end()
	}
	return ans.split
}

// Bytes is the memory held, roughly.
func (s *Splitter) Bytes() int64 { return s.parts.Bytes() + s.List.Bytes(4) }
