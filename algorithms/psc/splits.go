package psc

import (
	"cmp"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// What a symbol does to the terminals that wait for a reduction is a split. It is the same for all
// groups that wait for that reduction, whatever they can become. So offline a reduction has one row
// of splits over a list of symbols, and what becomes of a state's groups is read off it (SQL and
// Llama 3: a set of items has 37 in the mean; there are 900 reductions, with 2,300 splits). A lazy
// engine has the splits of answers, and parts of them.

// A split is what becomes of all terminals: the number of the set that is accepted, and for each
// reduction that others wait for, ascending, the number of its shape and that of their set.
type split []int32

// noSplit is the split that refuses every terminal.
const noSplit int32 = 0

// splitter makes splits.
type splitter struct {
	auto   *automaton
	list   numbered[int32] // splits
	rows   table64         // shape, number of a list of symbols -> row
	made   []moveRow
	fates  table64 // shape, symbol read last -> split
	vias   table64 // state entered -> split
	parts  table64 // split, set -> split
	unions unions
	held   int64 // bytes of rows

	// Scratch: a split in the making, and its words.
	accept  []uint64
	waiting []waits
	words   split
}

func newSplitter(a *automaton) *splitter {
	s := &splitter{auto: a, accept: a.tables.NewSet()}
	s.begin()
	s.end()
	return s
}

// begin begins a split.
func (s *splitter) begin() {
	clear(s.accept)
	s.waiting = s.waiting[:0]
}

// end interns the split in the making.
func (s *splitter) end() int32 {
	sym := s.auto.sym
	s.words = append(s.words[:0], sym.setOf(s.accept))
	slices.SortFunc(s.waiting, func(a, b waits) int { return cmp.Compare(a.shape, b.shape) })
	for _, w := range s.waiting {
		if slices.Max(w.set) != 0 {
			s.words = append(s.words, w.shape, sym.setOf(w.set))
		}
	}
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

// add adds what a split does with a set of terminals to the one in the making.
func (s *splitter) add(id int32, set []uint64) {
	from := s.list.at(id)
	bitset.Unite(s.accept, meet(s.auto.sym.set(from[0]), set))
	for i := 1; i < len(from); i += 2 {
		s.waiting = wait(s.waiting, from[i], meet(s.auto.sym.set(from[i+1]), set))
	}
}

// partOf is the part of a split for a set of terminals, by number.
func (s *splitter) partOf(id, set int32) int32 {
	part := s.parts.get(pair(id, set))
	if part == absent {
		s.begin()
		s.add(id, s.auto.sym.set(set))
		part = s.end()
		s.parts.put(pair(id, set), part)
	}
	return part
}

// unite is the union of two splits.
func (s *splitter) unite(a, b int32) int32 {
	return s.unions.of(a, b, func() int32 {
		all := s.all()
		s.begin()
		s.add(a, all)
		s.add(b, all)
		return s.end()
	})
}

// unions are those of two numbered things each, of which 0 is the empty one.
type unions struct{ table64 }

// of is the union of two things, which unite makes.
func (u *unions) of(a, b int32, unite func() int32) int32 {
	if a > b {
		a, b = b, a
	}
	if a == 0 || a == b {
		return b
	}
	both := u.get(pair(a, b))
	if both == absent {
		both = unite()
		u.put(pair(a, b), both)
	}
	return both
}

// all is the set of all terminals.
func (s *splitter) all() []uint64 {
	all := s.auto.tables.NewSet()
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}

// ofAnswers is the split of the terminals that answers are about.
func (s *splitter) ofAnswers(ans *answers) int32 {
	if ans.split == absent {
		s.begin()
		bitset.Unite(s.accept, ans.shifted)
		s.waiting = append(s.waiting, ans.waits...)
		ans.split = s.end()
	}
	return ans.split
}

// fate is what becomes of a reduction after x was read last, whatever symbols are below; see
// automaton.fate.
func (s *splitter) fate(shape, x int32) int32 {
	id := s.fates.get(pair(shape, x))
	if id == absent {
		id = s.findFate(shape, x)
		s.fates.put(pair(shape, x), id)
	}
	return id
}

// findFate is fate for the first time. Terminals that all symbols accept are accepted, those that
// wait for one and the same reduction on all of them go on to its fate, and the others stay.
func (s *splitter) findFate(number, x int32) int32 {
	a, r := s.auto, s.auto.sym.shapes[number]
	if r.pops > maxAhead {
		s.begin()
		s.waiting = append(s.waiting, waits{number, s.all()})
		return s.end()
	}
	accept, live, first := s.all(), a.tables.NewSet(), true
	var moved []waits // what waits for the same reduction on all symbols
	for _, y := range a.under(x, r.pops+1) {
		to := a.tables.Goto(y, grammar.Nonterminal(r.lhs))
		if to < 0 {
			continue
		}
		ans := a.sym.answersOf(a.sym.push(to, a.sym.baseOf(y)))
		accept = meet(accept, ans.shifted)
		bitset.Unite(live, ans.shifted)
		bitset.Unite(live, ans.reduced)
		here := ans.waits
		if first {
			for _, w := range here {
				moved = append(moved, waits{w.shape, slices.Clone(w.set)})
			}
			first = false
			continue
		}
		for i := range moved {
			k := slices.IndexFunc(here, func(w waits) bool { return w.shape == moved[i].shape })
			if k < 0 {
				clear(moved[i].set)
			} else {
				moved[i].set = meet(moved[i].set, here[k].set)
			}
		}
	}
	if first {
		return noSplit
	}
	without(live, accept)
	var later []int32 // fates of what is moved
	for _, m := range moved {
		next := a.sym.shapes[m.shape]
		fate := noSplit
		if slices.Max(m.set) != 0 {
			without(m.set, accept)
			without(live, m.set)
			fate = s.fate(a.sym.shapeOf(next.pops+r.pops+1, next.lhs), x)
		}
		later = append(later, fate)
	}
	s.begin()
	bitset.Unite(s.accept, accept)
	s.waiting = wait(s.waiting, number, live)
	for i, m := range moved {
		s.add(later[i], m.set)
	}
	return s.end()
}

// without takes the terminals of a set out of another.
func without(set, out []uint64) {
	for i := range set {
		set[i] &^= out[i]
	}
}

// via is what all terminals come to in a state that is entered, as if the state were the symbol
// read; see columns.viaOf.
func (s *splitter) via(to int32) int32 {
	id := s.vias.get(uint64(to))
	if id == absent {
		ans := s.auto.sym.answersOf(s.auto.sym.baseOf(to))
		fates := make([]int32, len(ans.waits))
		for i, w := range ans.waits {
			fates[i] = s.fate(w.shape, to)
		}
		s.begin()
		bitset.Unite(s.accept, ans.shifted)
		for i, w := range ans.waits {
			s.add(fates[i], w.set)
		}
		id = s.end()
		s.vias.put(uint64(to), id)
	}
	return id
}

// rowOf is the splits of a reduction over a list of symbols.
func (s *splitter) rowOf(c *columns, shape, list int32) moveRow {
	id := s.rows.get(pair(shape, list))
	if id == absent {
		row := make(moveRow, len(s.auto.decider.lists.at(list)))
		s.fill(c, row, shape, list)
		id = int32(len(s.made))
		s.made = append(s.made, row)
		s.rows.put(pair(shape, list), id)
		s.held += 4*int64(len(row)) + 60
	}
	return s.made[id]
}

// fill finds the splits of a row; it is columns.fill for all terminals at once.
func (s *splitter) fill(c *columns, row moveRow, shape, list int32) {
	r := s.auto.sym.shapes[shape]
	if r.pops > 0 {
		under := s.auto.sym.shapeOf(r.pops-1, r.lhs)
		for i, y := range s.auto.decider.lists.at(list) {
			row[i] = s.fate(under, y)
		}
		return
	}
	for _, part := range c.partsOf(c.gotosOf(r.lhs, list), list) {
		via := s.list.at(s.via(part.to))
		s.begin()
		bitset.Unite(s.accept, s.auto.sym.set(via[0]))
		accepted := s.end()
		for _, i := range part.at {
			row[i] = accepted
		}
		for w := 1; w < len(via); w += 2 {
			on := s.rowOf(c, via[w], part.list)
			for k, i := range part.at {
				row[i] = s.unite(row[i], s.partOf(on[k], via[w+1]))
			}
		}
	}
}

// bytes is the memory held, roughly.
func (s *splitter) bytes() int64 {
	return s.held + s.rows.bytes() + s.fates.bytes() + s.vias.bytes() + s.parts.bytes() + s.unions.bytes() + s.list.bytes(4)
}
