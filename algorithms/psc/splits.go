package psc

import (
	"cmp"
	"slices"

	"gcdbench/internal/bitset"
)

// A split is what becomes of all terminals on a cell: the number of the set that is accepted, and
// for each reduction that others wait for, ascending, the number of its shape and that of their set.
// It is the same for all groups that wait for a reduction, whatever they can become.
type split []int32

// noSplit is the split that refuses every terminal.
const noSplit int32 = 0

// splitter makes splits.
type splitter struct {
	sym   *symbolic
	list  numbered[int32] // splits
	parts table64         // split, set -> split

	// Scratch: a split in the making, and its words.
	accept  []uint64
	waiting []waits
	words   split
}

func newSplitter(a *automaton) *splitter {
	s := &splitter{sym: a.sym, accept: a.tables.NewSet()}
	s.end()
	return s
}

// end interns the split in the making, and begins another one.
func (s *splitter) end() int32 {
	s.words = append(s.words[:0], s.sym.setOf(s.accept))
	slices.SortFunc(s.waiting, func(a, b waits) int { return cmp.Compare(a.shape, b.shape) })
	for _, w := range s.waiting {
		if slices.Max(w.set) != 0 {
			s.words = append(s.words, w.shape, s.sym.setOf(w.set))
		}
	}
	clear(s.accept)
	s.waiting = s.waiting[:0]
	return s.list.of(s.words)
}

// meet is what two sets have in common.
func meet(a, b []uint64) []uint64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] &= b[i]
	}
	return out
}

// partOf is the part of a split for a set of terminals, by number.
func (s *splitter) partOf(id, set int32) int32 {
	part := s.parts.get(pair(id, set))
	if part == absent {
		from, of := s.list.at(id), s.sym.set(set)
		bitset.Unite(s.accept, meet(s.sym.set(from[0]), of))
		for i := 1; i < len(from); i += 2 {
			s.waiting = append(s.waiting, waits{from[i], meet(s.sym.set(from[i+1]), of)})
		}
		part = s.end()
		s.parts.put(pair(id, set), part)
	}
	return part
}

// ofAnswers is the split of the terminals that answers are about.
func (s *splitter) ofAnswers(ans *answers) int32 {
	if ans.split == absent {
		bitset.Unite(s.accept, ans.shifted)
		s.waiting = append(s.waiting, ans.waits...)
		ans.split = s.end()
	}
	return ans.split
}

// bytes is the memory held, roughly.
func (s *splitter) bytes() int64 { return s.parts.bytes() + s.list.bytes(4) }
