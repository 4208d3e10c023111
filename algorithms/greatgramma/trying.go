package greatgramma

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// taking is the terminals that a configuration takes: surely on a known stack, perhaps on another.
type taking struct{ surely, perhaps []uint64 }

// canTake finds out what a configuration takes, once.
func (m *symbolic) canTake(c config) taking {
	w := m.tables.SetWords()
	at := m.takes[2*w*int(c):][:2*w]
	can := taking{at[:w:w], at[w:]}
	if m.tried[c] {
		return can
	}
	m.tried[c] = true
	s := m.configs[c]
	m.tryTop(s.first, can)
	for _, top := range s.more {
		m.tryTop(top, can)
	}
	m.free.addTaken(s.maybe, can.perhaps)
	return can
}

// tryTop adds what one known stack takes. All terminals that call for the same reduction make it
// together.
func (m *symbolic) tryTop(top int32, can taking) {
	w := len(can.surely)
	cells := len(m.cells)
	m.tries = append(m.tries[:0], top)
	m.tryTerms = append(m.tryTerms[:0], m.tables.Live(m.cells[top].state)...)
	for steps := 0; len(m.tries) > 0; steps++ {
		n := len(m.tries) - 1
		at, terms := m.tries[n], m.tryTerms[n*w:]
		if steps == maxSteps {
			for i := range m.tryTerms {
				can.perhaps[i%w] |= m.tryTerms[i]
			}
			break
		}
		m.tries = m.tries[:n]
		state := m.cells[at].state
		live := false
		for i, s := range m.tables.Shiftable(state) {
			can.surely[i] |= s & terms[i]
			terms[i] &^= can.surely[i]
			live = live || terms[i] != 0
		}
		if live {
			m.terms = append(m.terms[:0], terms...)
			m.tryReductions(at, m.terms, can)
		}
		m.tryTerms = m.tryTerms[:len(m.tries)*w]
	}
	m.cells = m.cells[:cells]
}

// tryReductions makes all reductions that some terminals call for on a known stack; what remains
// known goes to m.tries.
func (m *symbolic) tryReductions(at int32, terms []uint64, can taking) {
	w := len(terms)
	for _, r := range m.reductions[m.cells[at].state] {
		if !bitset.Intersect(r.Terms, terms) {
			continue
		}
		lhs, length := m.tables.Rule(r.Rule)
		under := at
		for ; length > 0 && m.cells[under].under >= 0; length-- {
			under = m.cells[under].under
		}
		if length > 0 {
			taken := m.under.gotosBelow(m.free, m.bottom, int32(length), r.Rule).taken
			for i := range terms {
				can.perhaps[i] |= terms[i] & r.Terms[i] & taken[i]
			}
			continue
		}
		g := m.tables.Goto(m.cells[under].state, lhs)
		if g < 0 {
			continue
		}
		m.tryTerms = m.tryTerms[:len(m.tries)*w]
		m.cells = append(m.cells, cell{g, under}) // for this try only
		m.tries = append(m.tries, int32(len(m.cells)-1))
		for i := range terms {
			m.tryTerms = append(m.tryTerms, terms[i]&r.Terms[i])
		}
		m.dropLoops(m.cells[under].state, lhs, m.tryTerms[len(m.tryTerms)-w:])
	}
}

// dropLoops takes the terminals out that the parser would, from a goto on, reduce for ever without
// shifting.
func (m *symbolic) dropLoops(under int32, lhs grammar.Nonterminal, terms []uint64) {
	if !m.mayLoop {
		return
	}
	for x := range bitset.All[grammar.Terminal](terms) {
		if m.tables.Loops(under, lhs, x) {
			bitset.Remove(terms, x)
		}
	}
}

// popsItself tells whether a state shifts nothing, and every reduction with it on top pops it.
func (m *symbolic) popsItself(state int32) bool {
	for i, w := range m.tables.Shiftable(state) {
		if x := m.tables.End(); int(x>>6) == i {
			w &^= 1 << (uint(x) & 63)
		}
		if w != 0 {
			return false
		}
	}
	for _, r := range m.reductions[state] {
		if _, length := m.tables.Rule(r.Rule); length == 0 {
			return false
		}
	}
	return true
}

// reductionsOf lists the reductions of all states. The end of input is left out: no sequence has
// it.
func reductionsOf(t *lr.Tables) [][]lr.Reduction {
	all := make([][]lr.Reduction, t.NumStates())
	for s := range all {
		live := slices.Clone(t.Live(int32(s)))
		bitset.Remove(live, t.End())
		all[s] = t.Reductions(int32(s), live)
	}
	return all
}
