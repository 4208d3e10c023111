package psc

import (
	"math/bits"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// The parser is run on a stack of which only the top is known: the symbol x that was read last,
// and the states pushed on it since. Such a known top is a cell. A run of the tables over a cell
// either ends above x (the terminal is shifted, or refused), or needs to pop x as well. In the
// latter case nothing is known any more, and a goal remains: how many more symbols to pop, and
// which nonterminal to go to then.
//
// This is the paper's P_a (algorithm 2) and P_epsilon (algorithm 1) in one. A state of the
// paper's is a known stack top, of any length. Here the two halves of such a state's life are
// separate: cells while the parser pushes, goals while it pops. Both are few, are shared by all
// sequences that lead to them, and every run from one is made once.

// A cell is a known part of a stack: a state and the cell under it. Cells are interned, except on
// cycles of a forked stack.
type cell struct {
	state int32
	under int32   // -1 at the base: the symbol read last, under which nothing is known
	more  []int32 // more cells under a cell of a forked stack
}

// A goal is a reduction that has to pop what is not yet known.
type goal struct {
	pops int32 // symbols to pop before the one the reduction goes on from
	lhs  int32 // the nonterminal to go to
	look int32 // leaf: an interned set, of which one terminal must be accepted; else a terminal
	leaf bool
}

// A result is the outcome of a run, packed: nothing, one cell, one goal, accepted, or a list of
// them.
type result int32

const (
	nothing  result = 0
	accepted result = 4

	resultCell = 1
	resultGoal = 2
	resultList = 3
)

func (r result) kind() int    { return int(r & 3) }
func (r result) value() int32 { return int32(r >> 2) }

// symbolic runs the tables on cells and remembers what came of it.
type symbolic struct {
	tables *lr.Tables
	plain  bool // one action per entry: runs do not fork
	loops  bool // some reductions never end (lr.Tables.Loops)

	cells    []cell
	byCell   table64 // under, state -> cell
	byList   table64 // list of cells, one more cell -> that list; by number, 0 is empty
	byJoin   table64 // list under it, state -> cell
	base     []int32 // by state: its cell at the base, -1 not made
	goals    []goal
	byGoal   interned
	pops     table64 // goal, number of pops -> the goal that is left
	sets     [][]uint64
	bySet    interned
	lists    [][]result
	shifts   table64 // cell, terminal -> result
	leaves   table64 // cell, set -> result
	gotos    table64 // goal without pops, state read -> result
	forest   forest
	runs     int64
	joins    int32    // lists of cells in byList
	pending  []result // scratch of runLeaf
	frontier []looker // scratch of runLeaf
	scratch  []uint64 // of runLeaf: sets
}

func newSymbolic(t *lr.Tables) *symbolic {
	s := &symbolic{tables: t, plain: t.Deterministic(), loops: len(t.Warnings()) > 0}
	s.base = make([]int32, t.NumStates())
	for i := range s.base {
		s.base[i] = -1
	}
	return s
}

// baseOf is the cell of a symbol that was just read.
func (s *symbolic) baseOf(x int32) int32 {
	if s.base[x] < 0 {
		s.base[x] = int32(len(s.cells))
		s.cells = append(s.cells, cell{state: x, under: -1})
	}
	return s.base[x]
}

// push is the cell of a state on another cell.
func (s *symbolic) push(state, under int32) int32 {
	key := pair(under, state)
	c := s.byCell.get(key)
	if c == absent {
		c = int32(len(s.cells))
		s.cells = append(s.cells, cell{state: state, under: under})
		s.byCell.put(key, c)
	}
	return c
}

// goalOf interns a goal.
func (s *symbolic) goalOf(g goal) int32 {
	h := index.Mix(pair(g.lhs, g.look)) ^ uint64(g.pops)<<1
	if g.leaf {
		h++
	}
	id := s.byGoal.find(h, func(id int32) bool { return s.goals[id] == g })
	if id < 0 {
		id = s.byGoal.add(h)
		s.goals = append(s.goals, g)
	}
	return id
}

// setOf interns a set of terminals.
func (s *symbolic) setOf(set []uint64) int32 {
	h := index.Hash(set)
	id := s.bySet.find(h, func(id int32) bool { return slices.Equal(s.sets[id], set) })
	if id < 0 {
		id = s.bySet.add(h)
		s.sets = append(s.sets, slices.Clone(set))
	}
	return id
}

// pack packs a list of results into one; it does not keep the list.
func (s *symbolic) pack(list []result) result {
	switch len(list) {
	case 0:
		return nothing
	case 1:
		return list[0]
	}
	s.lists = append(s.lists, append([]result(nil), list...))
	return result(len(s.lists)-1)<<2 | resultList
}

// each calls f for the parts of a result that are cells or goals.
func (s *symbolic) each(r result, f func(result)) {
	if r.kind() != resultList {
		if r.kind() != 0 {
			f(r)
		}
		return
	}
	for _, part := range s.lists[r.value()] {
		f(part)
	}
}

// shift is the result of reducing for a terminal on a cell, and shifting it.
func (s *symbolic) shift(c int32, t grammar.Terminal) result {
	if !bitset.Has(s.tables.Live(s.cells[c].state), t) {
		return nothing
	}
	key := pair(c, int32(t))
	r := s.shifts.get(key)
	if r == absent {
		r = int32(s.runShift(c, t))
		s.shifts.put(key, r)
	}
	return result(r)
}

func (s *symbolic) runShift(c int32, t grammar.Terminal) result {
	s.runs++
	if !s.plain {
		return s.forest.run(s, c, t, false)
	}
	for {
		a := s.tables.Action(s.cells[c].state, t)
		switch a.Kind() {
		case lr.KindShift:
			return result(s.push(a.Target(), c))<<2 | resultCell
		case lr.KindReduce:
		default:
			return nothing
		}
		lhs, length := s.tables.Rule(a.Target())
		under, pops := s.pop(c, length)
		if under < 0 {
			return result(s.goalOf(goal{pops, int32(lhs), int32(t), false}))<<2 | resultGoal
		}
		to := s.tables.GotoBefore(s.cells[under].state, lhs, t)
		if to < 0 {
			return nothing
		}
		c = s.push(to, under)
	}
}

// pop takes n states off a plain cell. under is -1 if the base went with them, and pops what is
// then left to pop.
func (s *symbolic) pop(c int32, n int) (under, pops int32) {
	for ; n > 0; n-- {
		if c = s.cells[c].under; c < 0 {
			return -1, int32(n - 1)
		}
	}
	return c, 0
}

// leaf is the result of asking whether one of a set of terminals would be accepted on a cell:
// accepted, nothing, or goals for what depends on the stack further down.
func (s *symbolic) leaf(c, set int32) result {
	if s.plain {
		if r, ok := s.atOnce(c, set); ok {
			return r
		}
	}
	key := pair(c, set)
	r := s.leaves.get(key)
	if r == absent {
		r = int32(s.runLeaf(c, set))
		s.leaves.put(key, r)
	}
	return result(r)
}

// atOnce is the result of leaf if the top of the cell alone decides it: it shifts one of the
// terminals, or has no action on any. Most are decided so, and need no memory.
func (s *symbolic) atOnce(c, set int32) (r result, ok bool) {
	top := s.cells[c].state
	shiftable, live := s.tables.Shiftable(top), s.tables.Live(top)
	any := uint64(0)
	for i, w := range s.sets[set] {
		if w&shiftable[i] != 0 {
			return accepted, true
		}
		any |= w & live[i]
	}
	return nothing, any == 0
}

// words are n words of scratch, zero, until the next runLeaf.
func (s *symbolic) words(n int) []uint64 {
	at := len(s.scratch)
	s.scratch = slices.Grow(s.scratch, n)[:at+n] // sets in the old memory stay where they are
	w := s.scratch[at : at+n : at+n]
	clear(w)
	return w
}

// A looker is a cell that a set of terminals is asked on.
type looker struct {
	cell int32
	set  []uint64
}

func (s *symbolic) runLeaf(c, set int32) result {
	s.runs++
	if !s.plain {
		return s.forest.runLeaf(s, c, set)
	}
	s.pending, s.scratch = s.pending[:0], s.scratch[:0]
	s.frontier = append(s.frontier[:0], looker{c, s.sets[set]})
	for len(s.frontier) > 0 {
		l := s.frontier[len(s.frontier)-1]
		s.frontier = s.frontier[:len(s.frontier)-1]
		if s.ask(l) {
			return accepted
		}
	}
	return s.pack(s.pending)
}

// ask tells whether the top as it is shifts one of the terminals. For the other terminals it
// makes their reductions, all terminals of one reduction together, and queues the results.
func (s *symbolic) ask(l looker) bool {
	state := s.cells[l.cell].state
	shiftable, live := s.tables.Shiftable(state), s.tables.Live(state)
	left := s.words(len(l.set))
	any := uint64(0)
	for i, w := range l.set {
		if w&shiftable[i] != 0 {
			return true
		}
		left[i] = w & live[i]
		any |= left[i]
	}
	if any == 0 {
		return false
	}
	if rule, ok := s.tables.DefaultReduction(state); ok {
		s.reduce(l.cell, rule, left)
		return false
	}
	for i := range left {
		for left[i] != 0 {
			t := grammar.Terminal(i<<6 + bits.TrailingZeros64(left[i]))
			a := s.tables.Action(state, t)
			same := s.words(len(left))
			for j := i; j < len(left); j++ {
				for w := left[j]; w != 0; w &= w - 1 {
					u := grammar.Terminal(j<<6 + bits.TrailingZeros64(w))
					if s.tables.Action(state, u) == a {
						same[j] |= w & -w
					}
				}
				left[j] &^= same[j]
			}
			s.reduce(l.cell, a.Target(), same)
		}
	}
	return false
}

// reduce makes one reduction for a set of terminals.
func (s *symbolic) reduce(c, rule int32, set []uint64) {
	lhs, length := s.tables.Rule(rule)
	under, pops := s.pop(c, length)
	if under < 0 {
		s.pending = append(s.pending, result(s.goalOf(goal{pops, int32(lhs), s.setOf(set), true}))<<2|resultGoal)
		return
	}
	s.enter(under, lhs, set)
}

// enter goes to a nonterminal on a cell, for a set of terminals, and queues the cell it comes to.
func (s *symbolic) enter(under int32, lhs grammar.Nonterminal, set []uint64) {
	from := s.cells[under].state
	to := s.tables.Goto(from, lhs)
	if to < 0 {
		return
	}
	if s.loops {
		own := s.words(len(set))
		copy(own, set)
		set = own
		for i := range set {
			for w := set[i]; w != 0; w &= w - 1 {
				if s.tables.Loops(from, lhs, grammar.Terminal(i<<6+bits.TrailingZeros64(w))) {
					set[i] &^= w & -w
				}
			}
		}
	}
	s.frontier = append(s.frontier, looker{s.push(to, under), set})
}

// popped is the goal with n symbols less to pop.
func (s *symbolic) popped(id, n int32) int32 {
	if n == 0 {
		return id
	}
	key := pair(id, n)
	p := s.pops.get(key)
	if p == absent {
		g := s.goals[id]
		g.pops -= n
		p = s.goalOf(g)
		s.pops.put(key, p)
	}
	return p
}

// follow is the result of a goal when symbol x is read.
func (s *symbolic) follow(id, x int32) result {
	g := s.goals[id]
	if g.pops > 0 {
		return result(s.popped(id, 1))<<2 | resultGoal
	}
	key := pair(id, x)
	r := s.gotos.get(key)
	if r == absent {
		r = int32(s.arrive(g, x))
		s.gotos.put(key, r)
	}
	return result(r)
}

// arrive goes to the goal's nonterminal from x and runs on.
func (s *symbolic) arrive(g goal, x int32) result {
	base := s.baseOf(x)
	lhs := grammar.Nonterminal(g.lhs)
	if !g.leaf {
		to := s.tables.GotoBefore(x, lhs, grammar.Terminal(g.look))
		if to < 0 {
			return nothing
		}
		return s.shift(s.push(to, base), grammar.Terminal(g.look))
	}
	to := s.tables.Goto(x, lhs)
	if to < 0 {
		return nothing
	}
	set := g.look
	if s.loops {
		s.frontier = s.frontier[:0]
		s.enter(base, lhs, s.sets[set])
		set = s.setOf(s.frontier[0].set)
	}
	return s.leaf(s.push(to, base), set)
}

// forget drops the results of all runs. Goals and sets keep their numbers.
func (s *symbolic) forget() {
	for i := range s.base {
		s.base[i] = -1
	}
	s.cells, s.lists, s.joins = nil, nil, 0
	for _, t := range []*table64{&s.byCell, &s.byList, &s.byJoin, &s.shifts, &s.leaves, &s.gotos} {
		*t = table64{}
	}
}

// bytes is the memory held, roughly.
func (s *symbolic) bytes() int64 {
	n := s.byCell.bytes() + s.byList.bytes() + s.byJoin.bytes() + s.byGoal.bytes() + s.bySet.bytes() + s.shifts.bytes() + s.leaves.bytes() + s.gotos.bytes() + s.pops.bytes()
	return n + 32*int64(len(s.cells)) + 16*int64(len(s.goals)) + int64(len(s.sets))*int64(8*s.tables.SetWords()+24) + 48*int64(len(s.lists))
}
