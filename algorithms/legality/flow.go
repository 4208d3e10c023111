package legality

import (
	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// What may become of every terminal alone, for all terminals at once.
//
// judge.go answers for one set of terminals by a search through the debts that the set leads to.
// For each of some hundred terminals that is a search through much the same debts. Here each debt
// has the set of the terminals that some stack accepts, and of those that some stack refuses. They
// are what is decided without a further debt, and what the further debts have, cut to the terminals
// before which the parser comes there. The sets grow until nothing changes: the least fixed point,
// as in judge.go, and for single terminals and a parser that does not fork the same answers.
//
// A debt of depth 0 is a place of judge.go: the state is uncovered, and the nonterminal follows.

// A flow has the fates of all terminals by debt.
type flow struct {
	machine *machine
	all     []uint64 // the terminals
	debts   intern.Keys[debt]
	fates   []*fate // by debt
}

// A fate has the possible outcomes of the terminals on a set of stacks.
type fate struct {
	accepts, refuses []uint64 // by some stack
	links            []link
}

// A link leads to a debt before some terminals. Reversed, it leads to the debt that has the link.
type link struct {
	to    int32
	terms []uint64
}

// flowFrom returns the fates of some sets of cells. The machine's parser must not fork.
func flowFrom(m *machine, sets [][]int32) []*fate {
	f := &flow{machine: m, all: m.tables.NewSet()}
	for x := range m.tables.NumTerminals() {
		bitset.Add(f.all, x)
	}
	list := make([]*fate, len(sets))
	for i, cells := range sets {
		list[i] = f.fate()
		for _, c := range cells {
			f.run(list[i], c, f.all)
		}
	}
	for d := 0; d < len(f.fates); d++ { // which finds more debts
		f.expand(int32(d))
	}
	f.solve()
	for _, one := range list {
		for _, l := range one.links {
			one.add(f.fates[l.to], l.terms)
		}
	}
	return list
}

// fate is the fate before anything is known.
func (f *flow) fate() *fate {
	return &fate{accepts: f.machine.tables.NewSet(), refuses: f.machine.tables.NewSet()}
}

// add adds what another fate has of some terminals, and tells whether that is more.
func (f *fate) add(o *fate, terms []uint64) (grew bool) {
	for i, w := range terms {
		accepts, refuses := f.accepts[i]|o.accepts[i]&w, f.refuses[i]|o.refuses[i]&w
		grew = grew || accepts != f.accepts[i] || refuses != f.refuses[i]
		f.accepts[i], f.refuses[i] = accepts, refuses
	}
	return grew
}

// owe makes a fate depend on a debt, before some terminals.
func (f *flow) owe(of *fate, d debt, terms []uint64) {
	id, isNew := f.debts.ID(d)
	if isNew {
		f.fates = append(f.fates, f.fate())
	}
	of.links = append(of.links, link{id, terms})
}

// expand finds the immediate outcomes of a debt, and the debts that it leads to.
func (f *flow) expand(id int32) {
	m, d, of := f.machine, f.debts.At(id), f.fates[id]
	if d.depth > 0 {
		for _, s := range m.below(d.base, d.depth) {
			f.owe(of, debt{s, 0, d.lhs}, f.all)
		}
		return
	}
	terms := f.withoutLoops(of, d.base, d.lhs, f.all)
	if to := m.tables.Goto(d.base, d.lhs); to >= 0 {
		f.run(of, m.cell(to, m.cell(d.base, -1)), terms)
	}
}

// withoutLoops are those of some terminals before which the parser does not reduce for ever; the
// others are refused.
func (f *flow) withoutLoops(of *fate, state int32, lhs grammar.Nonterminal, terms []uint64) []uint64 {
	if !f.machine.hasLoops {
		return terms
	}
	left := f.machine.tables.NewSet()
	for x := range bitset.All[grammar.Terminal](terms) {
		if f.machine.tables.Loops(state, lhs, x) {
			bitset.Add(of.refuses, x)
		} else {
			bitset.Add(left, x)
		}
	}
	return left
}

// run follows the parser from a known part of a stack before some terminals.
func (f *flow) run(of *fate, c int32, terms []uint64) {
	m := f.machine
	state := m.cells[c].state
	shifts, live := m.tables.Shiftable(state), m.tables.Live(state)
	left := m.tables.NewSet()
	for i, w := range terms {
		of.accepts[i] |= w & shifts[i]
		of.refuses[i] |= w &^ live[i]
		left[i] = w & live[i] &^ shifts[i]
	}
	for _, g := range m.tables.Reductions(state, left) {
		f.reduce(of, c, g.Rule, g.Terms)
	}
}

// reduce makes a reduction before some terminals: it leads on, or into debt.
func (f *flow) reduce(of *fate, c, rule int32, terms []uint64) {
	m := f.machine
	lhs, length := m.tables.Rule(rule)
	for ; length > 0; length-- {
		if m.cells[c].under < 0 {
			f.owe(of, debt{m.cells[c].state, int32(length), lhs}, terms)
			return
		}
		c = m.cells[c].under
	}
	terms = f.withoutLoops(of, m.cells[c].state, lhs, terms)
	if to := m.tables.Goto(m.cells[c].state, lhs); to >= 0 {
		f.run(of, m.cell(to, c), terms)
		return
	}
	bitset.Unite(of.refuses, terms)
}

// solve lets the fates of debts grow until nothing changes.
func (f *flow) solve() {
	users := make([][]link, len(f.fates))
	todo := make([]int32, len(f.fates))
	waiting := make([]bool, len(f.fates))
	for id, of := range f.fates {
		todo[id], waiting[id] = int32(id), true
		for _, l := range of.links {
			users[l.to] = append(users[l.to], link{int32(id), l.terms})
		}
	}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo, waiting[d] = todo[:len(todo)-1], false
		for _, u := range users[d] {
			if f.fates[u.to].add(f.fates[d], u.terms) && !waiting[u.to] {
				todo, waiting[u.to] = append(todo, u.to), true
			}
		}
	}
}
