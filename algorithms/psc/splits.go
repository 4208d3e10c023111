package psc

import (
	"cmp"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// What a symbol does to a group that waits for a reduction is decided terminal by terminal: some
// are accepted, some wait for other reductions, the rest is refused. It is the same for all groups
// that wait for that reduction, whatever they can become. So a reduction has one row of splits over
// a list of symbols, and what becomes of a state's groups is read off it (SQL and Llama 3: a set of
// items has 37 in the mean; there are 900 reductions, with 2,300 splits). This is for tables with
// one action per entry that end.

// A reduction is a goal of any terminals.
type reduction struct{ pops, lhs int32 }

// A split is what becomes of all terminals: the number of the set that is accepted, and for each
// reduction that others wait for, ascending, its number and that of their set.
type split []int32

// noSplit is the split that refuses every terminal.
const noSplit int32 = 0

// A bundle is groups that wait for the same reduction: set<<32 | group, each with the set of
// terminals of which one must be accepted. Those that are met again have a number.
type bundle struct {
	of, id int32
	items  []uint64
}

// splitter makes splits.
type splitter struct {
	auto        *automaton
	reductions  []reduction
	byReduction table64
	list        []split
	bySplit     interned
	rows        table64 // reduction, number of a list of symbols -> row
	made        []moveRow
	fates       table64 // reduction, symbol read last -> split
	vias        table64 // state entered -> split
	parts       table64 // split, set -> split
	unions      table64 // two splits -> split
	held        int64   // bytes of splits and rows

	// Scratch: a split in the making, and its words.
	accept  []uint64
	waiting []waitingSet
	words   split
}

// A waitingSet is the terminals that wait for a reduction, in the making.
type waitingSet struct {
	of  int32
	set []uint64
}

func newSplitter(a *automaton) *splitter {
	s := &splitter{auto: a}
	s.begin()
	s.end()
	return s
}

// numberOf numbers a reduction.
func (s *splitter) numberOf(pops, lhs int32) int32 {
	id := s.byReduction.get(pair(pops, lhs))
	if id == absent {
		id = int32(len(s.reductions))
		s.reductions = append(s.reductions, reduction{pops, lhs})
		s.byReduction.put(pair(pops, lhs), id)
	}
	return id
}

// begin begins a split.
func (s *splitter) begin() {
	if s.accept == nil {
		s.accept = s.auto.tables.NewSet()
	}
	clear(s.accept)
	s.waiting = s.waiting[:0]
}

// wait adds terminals that wait for a reduction to the split in the making.
func (s *splitter) wait(of int32, set []uint64) {
	for i := range s.waiting {
		if s.waiting[i].of == of {
			bitset.Unite(s.waiting[i].set, set)
			return
		}
	}
	s.waiting = append(s.waiting, waitingSet{of, slices.Clone(set)})
}

// end interns the split in the making.
func (s *splitter) end() int32 {
	sym := s.auto.sym
	s.words = append(s.words[:0], sym.setOf(s.accept))
	slices.SortFunc(s.waiting, func(a, b waitingSet) int { return cmp.Compare(a.of, b.of) })
	for _, w := range s.waiting {
		if slices.Max(w.set) != 0 {
			s.words = append(s.words, w.of, sym.setOf(w.set))
		}
	}
	h := index.Hash(s.words)
	id := s.bySplit.find(h, func(id int32) bool { return slices.Equal(s.list[id], s.words) })
	if id < 0 {
		id = s.bySplit.add(h)
		s.list = append(s.list, slices.Clone(s.words))
		s.held += 4*int64(len(s.words)) + 40
	}
	return id
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
	from := s.list[id]
	bitset.Unite(s.accept, meet(s.auto.sym.set(from[0]), set))
	for i := 1; i < len(from); i += 2 {
		s.wait(from[i], meet(s.auto.sym.set(from[i+1]), set))
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
	if a > b {
		a, b = b, a
	}
	if a == noSplit || a == b {
		return b
	}
	both := s.unions.get(pair(a, b))
	if both == absent {
		all := s.all()
		s.begin()
		s.add(a, all)
		s.add(b, all)
		both = s.end()
		s.unions.put(pair(a, b), both)
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

// fate is what becomes of a reduction after x was read last, whatever symbols are below; see
// automaton.fate.
func (s *splitter) fate(of, x int32) int32 {
	id := s.fates.get(pair(of, x))
	if id == absent {
		id = s.findFate(of, x)
		s.fates.put(pair(of, x), id)
	}
	return id
}

// findFate is fate for the first time. Terminals that all symbols accept are accepted, those that
// wait for one and the same reduction on all of them go on to its fate, and the others stay.
func (s *splitter) findFate(of, x int32) int32 {
	a, r := s.auto, s.reductions[of]
	if r.pops > maxAhead {
		s.begin()
		s.wait(of, s.all())
		return s.end()
	}
	accept, live, first := s.all(), a.tables.NewSet(), true
	var moved []waitingSet // what waits for the same reduction on all symbols
	for _, y := range a.under(x, r.pops+1) {
		to := a.tables.Goto(y, grammar.Nonterminal(r.lhs))
		if to < 0 {
			continue
		}
		ans := a.sym.answersOf(a.sym.push(to, a.sym.baseOf(y)))
		accept = meet(accept, ans.shifted)
		bitset.Unite(live, ans.shifted)
		bitset.Unite(live, ans.reduced)
		here := s.waits(ans)
		if first {
			moved, first = here, false
			for i := range moved {
				moved[i].set = slices.Clone(moved[i].set)
			}
			continue
		}
		for i := range moved {
			k := slices.IndexFunc(here, func(w waitingSet) bool { return w.of == moved[i].of })
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
		next := s.reductions[m.of]
		fate := noSplit
		if slices.Max(m.set) != 0 {
			without(m.set, accept)
			without(live, m.set)
			fate = s.fate(s.numberOf(next.pops+r.pops+1, next.lhs), x)
		}
		later = append(later, fate)
	}
	s.begin()
	bitset.Unite(s.accept, accept)
	s.wait(of, live)
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

// waits is the reductions that the terminals of answers wait for.
func (s *splitter) waits(ans *answers) (list []waitingSet) {
	for i := range ans.parts {
		if p := &ans.parts[i]; p.cell < 0 {
			list = append(list, waitingSet{s.numberOf(p.pops, p.lhs), p.set})
		}
	}
	return list
}

// via is what all terminals come to in a state that is entered, as if the state were the symbol
// read; see columns.viaOf.
func (s *splitter) via(to int32) int32 {
	id := s.vias.get(uint64(to))
	if id == absent {
		ans := s.auto.sym.answersOf(s.auto.sym.baseOf(to))
		list := s.waits(ans)
		fates := make([]int32, len(list))
		for i, w := range list {
			fates[i] = s.fate(w.of, to)
		}
		s.begin()
		bitset.Unite(s.accept, ans.shifted)
		for i, w := range list {
			s.add(fates[i], w.set)
		}
		id = s.end()
		s.vias.put(uint64(to), id)
	}
	return id
}

// rowOf is the splits of a reduction over a list of symbols.
func (s *splitter) rowOf(c *columns, of, list int32) moveRow {
	id := s.rows.get(pair(of, list))
	if id == absent {
		row := make(moveRow, len(s.auto.decider.lists[list]))
		s.fill(c, row, of, list)
		id = int32(len(s.made))
		s.made = append(s.made, row)
		s.rows.put(pair(of, list), id)
		s.held += 4*int64(len(row)) + 60
	}
	return s.made[id]
}

// fill finds the splits of a row; it is columns.fill for all terminals at once.
func (s *splitter) fill(c *columns, row moveRow, of, list int32) {
	r := s.reductions[of]
	if r.pops > 0 {
		under := s.numberOf(r.pops-1, r.lhs)
		for i, y := range s.auto.decider.lists[list] {
			row[i] = s.fate(under, y)
		}
		return
	}
	for _, part := range c.partsOf(c.gotosOf(r.lhs, list), list) {
		via := s.list[s.via(part.to)]
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

// bundle adds the groups of some items to bundles, n symbols of their goals popped. It returns the
// other items too.
func (s *splitter) bundle(dst []bundle, items []uint64, n int32) (bundles []bundle, others []uint64) {
	for _, item := range items {
		g := &s.auto.sym.goals[item>>32]
		if !g.leaf {
			others = append(others, item)
			continue
		}
		of := s.numberOf(g.pops-n, g.lhs)
		k := slices.IndexFunc(dst, func(b bundle) bool { return b.of == of })
		if k < 0 {
			k = len(dst)
			dst = append(dst, bundle{of: of})
		}
		dst[k].items = append(dst[k].items, pair(g.look, int32(uint32(item))))
	}
	return dst, others
}

// apply adds what a split makes of a bundle to the scratch of the automaton.
func (s *splitter) apply(id int32, b *bundle) {
	a, sp := s.auto, s.list[id]
	accept := a.sym.set(sp[0])
	for _, item := range b.items {
		look, at := int32(item>>32), int32(uint32(item))
		if bitset.Intersect(a.sym.set(look), accept) {
			a.accepts = append(a.accepts, at)
			continue
		}
		for i := 1; i < len(sp); i += 2 {
			if set := a.sym.set(sp[i+1]); bitset.Intersect(a.sym.set(look), set) {
				r := s.reductions[sp[i]]
				a.items = append(a.items, pair(a.sym.goalOf(goal{r.pops, r.lhs, a.sym.common(look, set), true}), at))
			}
		}
	}
}

// bytes is the memory held, roughly.
func (s *splitter) bytes() int64 {
	return s.held + s.rows.bytes() + s.fates.bytes() + s.vias.bytes() + s.parts.bytes() + s.unions.bytes() + s.bySplit.bytes()
}
