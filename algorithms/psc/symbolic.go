package psc

import (
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

	cells      []cell
	byCell     table64 // under, state -> cell
	byList     table64 // list of cells, one more cell -> that list; by number, 0 is empty
	byJoin     table64 // list under it, state -> cell
	base       []int32 // by state: its cell at the base, -1 not made
	goals      []goal
	shapes     []shape
	byShape    table64  // pops, nonterminal -> shape
	shapeBytes int64    // of their tables
	setWords   []uint64 // of sets, one after the other

	bySet       interned
	lists       [][]result
	answers     []*answers // by cell, of tables with one action per entry
	shifts      table64    // cell, terminal -> result, of other tables
	leaves      table64    // cell, set -> result, of other tables
	gotos       table64    // goal without pops, cell -> result
	entered     entering   // the last that decide looked at
	forest      forest
	runs        int64
	joins       int32 // lists of cells in byList
	answerBytes int64

	// reductions are by state, nil if not made; empty if there are none.
	reductions [][]lr.Reduction

	// Scratch of runAll and leaf.
	found    answers
	pending  []result
	frontier []looker
	scratch  []uint64 // sets
}

func newSymbolic(t *lr.Tables) *symbolic {
	s := &symbolic{tables: t, plain: t.Deterministic(), loops: len(t.Warnings()) > 0, entered: entering{from: -1}}
	s.know(int32(t.NumStates()) - 1)
	return s
}

// know makes room for a state: tables on demand get more of them.
func (s *symbolic) know(state int32) {
	for len(s.base) <= int(state) {
		s.base, s.reductions = append(s.base, -1), append(s.reductions, nil)
	}
}

// baseOf is the cell of a symbol that was just read.
func (s *symbolic) baseOf(x int32) int32 {
	if s.know(x); s.base[x] < 0 {
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

// setOf interns a set of terminals.
func (s *symbolic) setOf(set []uint64) int32 {
	h := index.Hash(set)
	id := s.bySet.find(h, func(id int32) bool { return slices.Equal(s.set(id), set) })
	if id < 0 {
		id = s.bySet.add(h)
		s.setWords = append(s.setWords, set...)
	}
	return id
}

// set is an interned set; read only.
func (s *symbolic) set(id int32) []uint64 {
	n := s.tables.SetWords()
	return s.setWords[int(id)*n : int(id+1)*n]
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

// Answers are what a run on a cell does with each terminal. One run makes them for all terminals
// together, as few of them part ways: the terminals of one reduction stay together. So a question
// about a terminal or a set of them is a look at a few bit sets. A terminal that is in no set is
// refused.
type answers struct {
	shifted []uint64 // all terminals that are shifted on a known state
	reduced []uint64 // all terminals that wait
	shifts  []looker // and on which
	waits   []waits
	split   int32 // see splitter.ofAnswers
}

// Waits are the terminals that wait for a reduction that pops more than is known, by the number
// of its shape.
type waits struct {
	shape int32
	set   []uint64
}

// answersOf are the answers of a cell, found at the first call. Only for tables with one action per
// entry.
func (s *symbolic) answersOf(c int32) *answers {
	for len(s.answers) <= int(c) {
		s.answers = append(s.answers, nil)
	}
	if s.answers[c] == nil {
		s.answers[c] = s.runAll(c)
	}
	return s.answers[c]
}

// A looker is a cell that a set of terminals is asked on; nil is all terminals.
type looker struct {
	cell int32
	set  []uint64
}

func (s *symbolic) runAll(c int32) *answers {
	s.runs++
	s.found, s.scratch = answers{shifts: s.found.shifts[:0], waits: s.found.waits[:0]}, s.scratch[:0]
	s.found.shifted = s.words()
	s.frontier = append(s.frontier[:0], looker{c, nil})
	for len(s.frontier) > 0 {
		l := s.frontier[len(s.frontier)-1]
		s.frontier = s.frontier[:len(s.frontier)-1]
		s.ask(l)
	}
	n := s.tables.SetWords()
	kept := make([]uint64, n*(len(s.found.shifts)+len(s.found.waits)+2))
	keep := func(set []uint64) []uint64 {
		to := kept[:n:n]
		kept = kept[n:]
		copy(to, set)
		return to
	}
	r := &answers{shifted: keep(s.found.shifted), reduced: keep(nil), shifts: slices.Clone(s.found.shifts), waits: slices.Clone(s.found.waits), split: absent}
	for i := range r.shifts {
		r.shifts[i].set = keep(r.shifts[i].set)
	}
	for i := range r.waits {
		w := &r.waits[i]
		w.set = keep(w.set)
		bitset.Unite(r.reduced, w.set)
	}
	s.answerBytes += 110 + 16*int64(n) + (32+8*int64(n))*int64(len(r.shifts)+len(r.waits))
	return r
}

// ask takes note of the terminals that the top as it is shifts. For the other terminals it makes
// their reductions and queues the results.
func (s *symbolic) ask(l looker) {
	state := s.cells[l.cell].state
	if own := s.meet(l.set, s.tables.Shiftable(state)); own != nil {
		bitset.Unite(s.found.shifted, own)
		s.found.shifts = append(s.found.shifts, looker{l.cell, own})
	}
	for i := range s.reductionsOf(state) {
		r := &s.reductions[state][i]
		if set := s.meet(l.set, r.Terms); set != nil {
			s.reduce(l.cell, r.Rule, set)
		}
	}
}

// meet is what two sets have in common, in scratch; nil for nothing. The first may be nil for all.
func (s *symbolic) meet(set, with []uint64) []uint64 {
	if set != nil && !bitset.Intersect(set, with) {
		return nil
	}
	common, any := s.words(), uint64(0)
	for i := range common {
		common[i] = with[i]
		if set != nil {
			common[i] &= set[i]
		}
		any |= common[i]
	}
	if any == 0 {
		return nil
	}
	return common
}

// words is a set in scratch, empty, until the next run.
func (s *symbolic) words() []uint64 {
	at, n := len(s.scratch), s.tables.SetWords()
	s.scratch = slices.Grow(s.scratch, n)[:at+n] // sets in the old memory stay where they are
	w := s.scratch[at : at+n : at+n]
	clear(w)
	return w
}

// reductionsOf are the reductions of a state, by rule.
func (s *symbolic) reductionsOf(state int32) []lr.Reduction {
	if s.know(state); s.reductions[state] == nil {
		rest := slices.Clone(s.tables.Live(state))
		for i, w := range s.tables.Shiftable(state) {
			rest[i] &^= w
		}
		s.reductions[state] = append([]lr.Reduction{}, s.tables.Reductions(state, rest)...)
	}
	return s.reductions[state]
}

// reduce makes one reduction for a set of terminals, which is in scratch.
func (s *symbolic) reduce(c, rule int32, set []uint64) {
	lhs, length := s.tables.Rule(rule)
	under, pops := s.pop(c, length)
	if under >= 0 {
		s.enter(under, lhs, set)
		return
	}
	s.found.waits = wait(s.found.waits, s.shapeOf(pops, int32(lhs)), set)
}

// wait adds terminals that wait for a reduction to a list, which may keep them.
func wait(list []waits, shape int32, set []uint64) []waits {
	for i := range list {
		if list[i].shape == shape {
			bitset.Unite(list[i].set, set)
			return list
		}
	}
	return append(list, waits{shape, set})
}

// enter goes to a nonterminal on a cell, for a set of terminals, and queues the cell it comes to.
func (s *symbolic) enter(under int32, lhs grammar.Nonterminal, set []uint64) {
	from := s.cells[under].state
	to := s.tables.Goto(from, lhs)
	if to < 0 {
		return
	}
	if s.loops {
		s.endless(from, lhs, set)
	}
	s.frontier = append(s.frontier, looker{s.push(to, under), set})
}

// endless takes the terminals out of a set before which the tables would reduce for ever after
// going from a state to a nonterminal.
func (s *symbolic) endless(from int32, lhs grammar.Nonterminal, set []uint64) {
	for t := range bitset.All[grammar.Terminal](set) {
		if s.tables.Loops(from, lhs, t) {
			bitset.Remove(set, t)
		}
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

// shift is the result of reducing for a terminal on a cell, and shifting it.
func (s *symbolic) shift(c int32, t grammar.Terminal) result {
	if s.plain {
		return s.shiftPlain(c, t)
	}
	key := pair(c, int32(t))
	r := s.shifts.get(key)
	if r == absent {
		s.runs++
		r = int32(s.forest.run(s, c, t, false))
		s.shifts.put(key, r)
	}
	return result(r)
}

func (s *symbolic) shiftPlain(c int32, t grammar.Terminal) result {
	a := s.answersOf(c)
	for _, l := range a.shifts {
		if bitset.Has(l.set, t) {
			return result(s.push(s.tables.Action(s.cells[l.cell].state, t).Target(), l.cell))<<2 | resultCell
		}
	}
	for _, w := range a.waits {
		if bitset.Has(w.set, t) {
			return result(s.goalIn(w.shape, int32(t), false))<<2 | resultGoal
		}
	}
	return nothing
}

// leaf is the result of asking whether one of a set of terminals would be accepted on a cell:
// accepted, nothing, or goals for what depends on the stack further down.
func (s *symbolic) leaf(c, set int32) result {
	if s.plain {
		return s.leafPlain(c, set)
	}
	key := pair(c, set)
	r := s.leaves.get(key)
	if r == absent {
		s.runs++
		r = int32(s.forest.runLeaf(s, c, set))
		s.leaves.put(key, r)
	}
	return result(r)
}

func (s *symbolic) leafPlain(c, set int32) result {
	var some [4]int32
	goals, yes := s.goalsOf(some[:0], c, set)
	if yes {
		return accepted
	}
	s.pending = s.pending[:0]
	for _, g := range goals {
		s.pending = append(s.pending, result(g)<<2|resultGoal)
	}
	return s.pack(s.pending)
}

// goalsOf is leaf for tables with one action per entry: it appends the goals to dst, or tells that
// one of the set is accepted.
func (s *symbolic) goalsOf(dst []int32, c, set int32) (goals []int32, yes bool) {
	answers, asked := s.answersOf(c), s.set(set)
	if bitset.Intersect(asked, answers.shifted) {
		return dst, true
	}
	for _, w := range answers.waits {
		if bitset.Intersect(asked, w.set) {
			dst = append(dst, s.goalIn(w.shape, s.common(set, w.set), true))
		}
	}
	return dst, false
}

// common is the interned set of what an interned set has in common with another one.
func (s *symbolic) common(set int32, with []uint64) int32 {
	s.scratch = s.scratch[:0]
	common, whole := s.words(), true
	for i, w := range s.set(set) {
		common[i] = w & with[i]
		whole = whole && common[i] == w
	}
	if whole {
		return set
	}
	return s.setOf(common)
}

// follow is the result of a goal when symbol x is read.
func (s *symbolic) follow(id, x int32) result { return s.followOn(id, 0, s.baseOf(x)) }

// followOn is the result of a goal of which n symbols were popped, on a cell of tables with one
// action per entry, or on the base of any.
func (s *symbolic) followOn(id, n, c int32) result {
	g := &s.goals[id]
	if pops := g.pops - n; pops > 0 {
		under, left := s.pop(c, int(pops))
		if under < 0 {
			return result(s.popped(id, g.pops-left))<<2 | resultGoal
		}
		c = under
	}
	if s.plain && !s.loops {
		if r, sure := s.decide(c, g); sure {
			return r
		}
	}
	id = s.popped(id, g.pops)
	key := pair(id, c)
	r := s.gotos.get(key)
	if r == absent {
		r = int32(s.arrive(s.goals[id], c))
		s.gotos.put(key, r)
	}
	return result(r)
}

// An entering is a cell and a nonterminal to go to from there, and the cell that this leads to with
// its answers; nil if there is none.
type entering struct {
	from, lhs, to int32
	answers       *answers
}

// goTo has entered be what comes of going to a nonterminal from a cell.
func (s *symbolic) goTo(c, lhs int32) {
	e := &s.entered
	if e.from == c && e.lhs == lhs {
		return
	}
	*e = entering{from: c, lhs: lhs}
	if to := s.tables.Goto(s.cells[c].state, grammar.Nonterminal(lhs)); to >= 0 {
		e.to = s.push(to, c)
		e.answers = s.answersOf(e.to)
	}
}

// decide is the result of a goal without pops on a cell: shifting a terminal after going to the
// goal's nonterminal, or whether one of a set would be accepted, if what is known of the stack
// decides that, as it does for most leaves. The items of a state mostly wait for the same
// reduction, so that where it leads is looked up once for all.
func (s *symbolic) decide(c int32, g *goal) (r result, sure bool) {
	s.goTo(c, g.lhs)
	answers := s.entered.answers
	if answers == nil {
		return nothing, true
	}
	if !g.leaf {
		return s.shiftPlain(s.entered.to, grammar.Terminal(g.look)), true
	}
	asked := s.set(g.look)
	if bitset.Intersect(asked, answers.shifted) {
		return accepted, true
	}
	if !bitset.Intersect(asked, answers.reduced) {
		return nothing, true
	}
	var some [8]int32
	if goals, _ := s.goalsOf(some[:0], s.entered.to, g.look); len(goals) == 1 {
		return result(goals[0])<<2 | resultGoal, true
	}
	return nothing, false
}

// arrive goes to the goal's nonterminal from a cell and runs on.
func (s *symbolic) arrive(g goal, c int32) result {
	x, lhs := s.cells[c].state, grammar.Nonterminal(g.lhs)
	if !g.leaf {
		to := s.tables.GotoBefore(x, lhs, grammar.Terminal(g.look))
		if to < 0 {
			return nothing
		}
		return s.shift(s.push(to, c), grammar.Terminal(g.look))
	}
	to := s.tables.Goto(x, lhs)
	if to < 0 {
		return nothing
	}
	set := g.look
	if s.loops {
		left := slices.Clone(s.set(set))
		s.endless(x, lhs, left)
		set = s.setOf(left)
	}
	return s.leaf(s.push(to, c), set)
}

// forget drops the results of all runs. Goals and sets keep their numbers.
func (s *symbolic) forget() {
	for i := range s.base {
		s.base[i] = -1
	}
	s.cells, s.lists, s.joins, s.answers, s.answerBytes = nil, nil, 0, nil, 0
	s.entered = entering{from: -1}
	for _, t := range []*table64{&s.byCell, &s.byList, &s.byJoin, &s.shifts, &s.leaves, &s.gotos} {
		*t = table64{}
	}
}

// bytes is the memory held, roughly.
func (s *symbolic) bytes() int64 {
	n := s.byCell.bytes() + s.byList.bytes() + s.byJoin.bytes() + s.byShape.bytes() + s.shapeBytes + s.bySet.bytes() + s.shifts.bytes() + s.leaves.bytes() + s.gotos.bytes()
	return n + s.answerBytes + 8*int64(cap(s.answers)) + 32*int64(len(s.cells)) + 16*int64(len(s.goals)) + 8*int64(cap(s.setWords)) + 48*int64(len(s.lists))
}
