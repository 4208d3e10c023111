// Package unknown is an LR parser on a stack with only its top known.
//
// What is known is the symbol x that was read last, and the states pushed on it since. Such a known
// top is a cell. A run of the tables over a cell either ends above x (the terminal is shifted, or
// refused), or needs to pop x as well. In the latter case nothing is known any more, and a goal
// remains: how many more symbols to pop, and which nonterminal to go to then.
//
// This is P_a (algorithm 2) and P_epsilon (algorithm 1) of the paper "PSC" in one. A state of the
// paper's is a known stack top, of any length. Here the two halves of such a state's life are
// separate: cells while the parser pushes, goals while it pops. Both are few, are shared by all
// sequences that lead to them, and every run from one is made once.
//
// symbolic.go runs tables with one action per entry, forest.go those that fork. goals.go numbers
// goals, and splits.go what becomes of all terminals on a cell.
package unknown

import (
	"slices"

	"gcdbench/algorithms/psc/table"
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/arena"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A Cell is a known part of a stack: a state and the cell under it. Cells are interned, except on
// cycles of a forked stack.
type Cell struct {
	State int32
	Under int32   // -1 at the base: the symbol read last, under which nothing is known
	More  []int32 // more cells under a cell of a forked stack
}

// A Result is the outcome of a run, packed: nothing, one cell, one goal, accepted, or a list of
// them.
type Result int32

const (
	Nothing  Result = 0
	Accepted Result = 4

	ResultCell = 1
	ResultGoal = 2
	ResultList = 3
)

// Kind is one of ResultCell, ResultGoal and ResultList, or 0.
func (r Result) Kind() int { return int(r & 3) }

// Value is the number of the cell, the goal or the list.
func (r Result) Value() int32 { return int32(r >> 2) }

// Parser runs the tables on cells and remembers what came of it.
type Parser struct {
	tables *lr.Tables
	Plain  bool // one action per entry: runs do not fork
	Loops  bool // some reductions never end (lr.Tables.Loops)

	Cells      []Cell
	byCell     table.Table // under, state -> cell
	byList     table.Table // list of cells, one more cell -> that list; by number, 0 is empty
	byJoin     table.Table // list under it, state -> cell
	base       []int32     // by state: its cell at the base, -1 not made
	Goals      []Goal
	shapes     []shape
	byShape    table.Table // pops, nonterminal -> shape
	shapeBytes int64       // of their tables
	setWords   []uint64    // of sets, one after the other

	bySet       index.Index
	Lists       [][]Result
	answers     []*Answers          // by cell, of tables with one action per entry
	words       arena.Arena[uint64] // of answers
	lookers     arena.Arena[looker] // likewise
	waiting     arena.Arena[waits]  // likewise
	shifts      table.Table         // cell, terminal -> result, of other tables
	leaves      table.Table         // cell, set -> result, of other tables
	gotos       table.Table         // goal without pops, cell -> result
	entered     entering            // the last that decide looked at
	forest      forest
	Runs        int64
	joins       int32 // lists of cells in byList
	answerBytes int64

	// reductions are by state, nil if not made; empty if there are none.
	reductions [][]lr.Reduction

	// Scratch of runAll and leaf.
	found    Answers
	pending  []Result
	frontier []looker
	scratch  []uint64 // sets
}

// New is a parser on tables, of which nothing was asked yet.
func New(t *lr.Tables) *Parser {
	s := &Parser{tables: t, Plain: t.Deterministic(), Loops: len(t.Warnings()) > 0, entered: entering{from: -1}}
	s.know(int32(t.NumStates()) - 1)
	return s
}

// know makes room for a state: tables on demand get more of them.
func (s *Parser) know(state int32) {
	for len(s.base) <= int(state) {
		s.base, s.reductions = append(s.base, -1), append(s.reductions, nil)
	}
}

// BaseOf is the cell of a symbol that was just read.
func (s *Parser) BaseOf(x int32) int32 {
	if s.know(x); s.base[x] < 0 {
		s.base[x] = int32(len(s.Cells))
		s.Cells = append(s.Cells, Cell{State: x, Under: -1})
	}
	return s.base[x]
}

// push is the cell of a state on another cell.
func (s *Parser) push(state, under int32) int32 {
	key := table.Pair(under, state)
	c := s.byCell.Get(key)
	if c == table.Absent {
		c = int32(len(s.Cells))
		s.Cells = append(s.Cells, Cell{State: state, Under: under})
		s.byCell.Put(key, c)
	}
	return c
}

// SetOf interns a set of terminals.
func (s *Parser) SetOf(set []uint64) int32 {
	h := index.Hash(set)
	id := s.bySet.Find(h, func(id int32) bool { return slices.Equal(s.Set(id), set) })
	if id < 0 {
		id = s.bySet.Add(h)
		s.setWords = append(s.setWords, set...)
	}
	return id
}

// Set is an interned set; read only.
func (s *Parser) Set(id int32) []uint64 {
	n := s.tables.SetWords()
	return s.setWords[int(id)*n : int(id+1)*n]
}

// pack packs a list of results into one; it does not keep the list.
func (s *Parser) pack(list []Result) Result {
	switch len(list) {
	case 0:
		return Nothing
	case 1:
		return list[0]
	}
	s.Lists = append(s.Lists, append([]Result(nil), list...))
	return Result(len(s.Lists)-1)<<2 | ResultList
}

// Each calls f for the parts of a result that are cells or goals.
func (s *Parser) Each(r Result, f func(Result)) {
	if r.Kind() != ResultList {
		if r.Kind() != 0 {
			f(r)
		}
		return
	}
	for _, part := range s.Lists[r.Value()] {
		f(part)
	}
}

// Answers are what a run on a cell does with each terminal. One run makes them for all terminals
// together, as few of them part ways: the terminals of one reduction stay together. So a question
// about a terminal or a set of them is a look at a few bit sets. A terminal that is in no set is
// refused.
type Answers struct {
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

// AnswersOf are the answers of a cell, found at the first call. Only for tables with one action per
// entry.
func (s *Parser) AnswersOf(c int32) *Answers {
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

func (s *Parser) runAll(c int32) *Answers {
	s.Runs++
	s.found, s.scratch = Answers{shifts: s.found.shifts[:0], waits: s.found.waits[:0]}, s.scratch[:0]
	s.found.shifted = s.empty()
	s.frontier = append(s.frontier[:0], looker{c, nil})
	for len(s.frontier) > 0 {
		l := s.frontier[len(s.frontier)-1]
		s.frontier = s.frontier[:len(s.frontier)-1]
		s.ask(l)
	}
	n := s.tables.SetWords()
	kept := s.words.Take(n * (len(s.found.shifts) + len(s.found.waits) + 2))
	keep := func(set []uint64) []uint64 {
		to := kept[:n:n]
		kept = kept[n:]
		copy(to, set)
		return to
	}
	r := &Answers{shifted: keep(s.found.shifted), reduced: keep(nil), shifts: s.lookers.Clone(s.found.shifts), waits: s.waiting.Clone(s.found.waits), split: table.Absent}
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
func (s *Parser) ask(l looker) {
	state := s.Cells[l.cell].State
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
func (s *Parser) meet(set, with []uint64) []uint64 {
	if set != nil && !bitset.Intersect(set, with) {
		return nil
	}
	common, any := s.empty(), uint64(0)
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

// empty is a set in scratch, until the next run.
func (s *Parser) empty() []uint64 {
	at, n := len(s.scratch), s.tables.SetWords()
	s.scratch = slices.Grow(s.scratch, n)[:at+n] // sets in the old memory stay where they are
	w := s.scratch[at : at+n : at+n]
	clear(w)
	return w
}

// reductionsOf are the reductions of a state, by rule.
func (s *Parser) reductionsOf(state int32) []lr.Reduction {
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
func (s *Parser) reduce(c, rule int32, set []uint64) {
	lhs, length := s.tables.Rule(rule)
	under, pops := s.Pop(c, length)
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
func (s *Parser) enter(under int32, lhs grammar.Nonterminal, set []uint64) {
	from := s.Cells[under].State
	to := s.tables.Goto(from, lhs)
	if to < 0 {
		return
	}
	if s.Loops {
		s.endless(from, lhs, set)
	}
	s.frontier = append(s.frontier, looker{s.push(to, under), set})
}

// endless takes the terminals out of a set before which the tables would reduce for ever after
// going from a state to a nonterminal.
func (s *Parser) endless(from int32, lhs grammar.Nonterminal, set []uint64) {
	for t := range bitset.All[grammar.Terminal](set) {
		if s.tables.Loops(from, lhs, t) {
			bitset.Remove(set, t)
		}
	}
}

// Pop takes n states off a plain cell. under is -1 if the base went with them, and pops what is
// then left to pop.
func (s *Parser) Pop(c int32, n int) (under, pops int32) {
	for ; n > 0; n-- {
		if c = s.Cells[c].Under; c < 0 {
			return -1, int32(n - 1)
		}
	}
	return c, 0
}

// Shift is the result of reducing for a terminal on a cell, and shifting it.
func (s *Parser) Shift(c int32, t grammar.Terminal) Result {
	if s.Plain {
		return s.shiftPlain(c, t)
	}
	key := table.Pair(c, int32(t))
	r := s.shifts.Get(key)
	if r == table.Absent {
		s.Runs++
		r = int32(s.forest.run(s, c, t, false))
		s.shifts.Put(key, r)
	}
	return Result(r)
}

func (s *Parser) shiftPlain(c int32, t grammar.Terminal) Result {
	a := s.AnswersOf(c)
	for _, l := range a.shifts {
		if bitset.Has(l.set, t) {
			return Result(s.push(s.tables.Action(s.Cells[l.cell].State, t).Target(), l.cell))<<2 | ResultCell
		}
	}
	for _, w := range a.waits {
		if bitset.Has(w.set, t) {
			return Result(s.GoalIn(w.shape, int32(t), false))<<2 | ResultGoal
		}
	}
	return Nothing
}

// Leaf is the result of asking whether one of a set of terminals would be accepted on a cell:
// accepted, nothing, or goals for what depends on the stack further down.
func (s *Parser) Leaf(c, set int32) Result {
	if s.Plain {
		return s.leafPlain(c, set)
	}
	key := table.Pair(c, set)
	r := s.leaves.Get(key)
	if r == table.Absent {
		s.Runs++
		r = int32(s.forest.runLeaf(s, c, set))
		s.leaves.Put(key, r)
	}
	return Result(r)
}

func (s *Parser) leafPlain(c, set int32) Result {
	var some [4]int32
	goals, yes := s.GoalsOf(some[:0], c, set)
	if yes {
		return Accepted
	}
	s.pending = s.pending[:0]
	for _, g := range goals {
		s.pending = append(s.pending, Result(g)<<2|ResultGoal)
	}
	return s.pack(s.pending)
}

// GoalsOf is leaf for tables with one action per entry: it appends the goals to dst, or tells that
// one of the set is accepted.
func (s *Parser) GoalsOf(dst []int32, c, set int32) (goals []int32, yes bool) {
	answers, asked := s.AnswersOf(c), s.Set(set)
	if bitset.Intersect(asked, answers.shifted) {
		return dst, true
	}
	for _, w := range answers.waits {
		if bitset.Intersect(asked, w.set) {
			dst = append(dst, s.GoalIn(w.shape, s.common(set, w.set), true))
		}
	}
	return dst, false
}

// common is the interned set of what an interned set has in common with another one.
func (s *Parser) common(set int32, with []uint64) int32 {
	s.scratch = s.scratch[:0]
	common, whole := s.empty(), true
	for i, w := range s.Set(set) {
		common[i] = w & with[i]
		whole = whole && common[i] == w
	}
	if whole {
		return set
	}
	return s.SetOf(common)
}

// Follow is the result of a goal when symbol x is read.
func (s *Parser) Follow(id, x int32) Result { return s.FollowOn(id, 0, s.BaseOf(x)) }

// FollowOn is the result of a goal of which n symbols were popped, on a cell of tables with one
// action per entry, or on the base of any.
func (s *Parser) FollowOn(id, n, c int32) Result {
	g := &s.Goals[id]
	if pops := g.Pops - n; pops > 0 {
		under, left := s.Pop(c, int(pops))
		if under < 0 {
			return Result(s.Popped(id, g.Pops-left))<<2 | ResultGoal
		}
		c = under
	}
	if s.Plain && !s.Loops {
		if r, sure := s.decide(c, g); sure {
			return r
		}
	}
	id = s.Popped(id, g.Pops)
	key := table.Pair(id, c)
	r := s.gotos.Get(key)
	if r == table.Absent {
		r = int32(s.arrive(s.Goals[id], c))
		s.gotos.Put(key, r)
	}
	return Result(r)
}

// An entering is a cell and a nonterminal to go to from there, and the cell that this leads to with
// its answers; nil if there is none.
type entering struct {
	from, lhs, to int32
	answers       *Answers
}

// GoTo is the answers of the cell that a cell leads to by a nonterminal, nil if there is none.
func (s *Parser) GoTo(c, lhs int32) *Answers {
	e := &s.entered
	if e.from == c && e.lhs == lhs {
		return e.answers
	}
	*e = entering{from: c, lhs: lhs}
	if to := s.tables.Goto(s.Cells[c].State, grammar.Nonterminal(lhs)); to >= 0 {
		e.to = s.push(to, c)
		e.answers = s.AnswersOf(e.to)
	}
	return e.answers
}

// decide is the result of a goal without pops on a cell: shifting a terminal after going to the
// goal's nonterminal, or whether one of a set would be accepted, if what is known of the stack
// decides that, as it does for most leaves. The items of a state mostly wait for the same
// reduction, so that where it leads is looked up once for all.
func (s *Parser) decide(c int32, g *Goal) (r Result, sure bool) {
	answers := s.GoTo(c, g.Lhs)
	if answers == nil {
		return Nothing, true
	}
	if !g.Leaf {
		return s.shiftPlain(s.entered.to, grammar.Terminal(g.Look)), true
	}
	asked := s.Set(g.Look)
	if bitset.Intersect(asked, answers.shifted) {
		return Accepted, true
	}
	if !bitset.Intersect(asked, answers.reduced) {
		return Nothing, true
	}
	var some [8]int32
	if goals, _ := s.GoalsOf(some[:0], s.entered.to, g.Look); len(goals) == 1 {
		return Result(goals[0])<<2 | ResultGoal, true
	}
	return Nothing, false
}

// arrive goes to the goal's nonterminal from a cell and runs on.
func (s *Parser) arrive(g Goal, c int32) Result {
	x, lhs := s.Cells[c].State, grammar.Nonterminal(g.Lhs)
	if !g.Leaf {
		to := s.tables.GotoBefore(x, lhs, grammar.Terminal(g.Look))
		if to < 0 {
			return Nothing
		}
		return s.Shift(s.push(to, c), grammar.Terminal(g.Look))
	}
	to := s.tables.Goto(x, lhs)
	if to < 0 {
		return Nothing
	}
	set := g.Look
	if s.Loops {
		left := slices.Clone(s.Set(set))
		s.endless(x, lhs, left)
		set = s.SetOf(left)
	}
	return s.Leaf(s.push(to, c), set)
}

// Forget drops the results of all runs. Goals and sets keep their numbers.
func (s *Parser) Forget() {
	for i := range s.base {
		s.base[i] = -1
	}
	s.Cells, s.Lists, s.joins, s.answers, s.answerBytes = nil, nil, 0, nil, 0
	s.entered, s.words, s.lookers, s.waiting = entering{from: -1}, arena.Arena[uint64]{}, arena.Arena[looker]{}, arena.Arena[waits]{}
	for _, t := range []*table.Table{&s.byCell, &s.byList, &s.byJoin, &s.shifts, &s.leaves, &s.gotos} {
		*t = table.Table{}
	}
}

// Bytes is the memory held, roughly.
func (s *Parser) Bytes() int64 {
	n := s.byCell.Bytes() + s.byList.Bytes() + s.byJoin.Bytes() + s.byShape.Bytes() + s.shapeBytes + s.bySet.Bytes() + s.shifts.Bytes() + s.leaves.Bytes() + s.gotos.Bytes()
	return n + s.answerBytes + 8*int64(cap(s.answers)) + 32*int64(len(s.Cells)) + 16*int64(len(s.Goals)) + 8*int64(cap(s.setWords)) + 48*int64(len(s.Lists))
}
