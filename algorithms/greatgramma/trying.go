package greatgramma

import (
	"math/bits"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
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

// tryTop adds what one known stack takes. All terminals that call for the same reduction make it together.
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

// tryReductions makes all reductions that some terminals call for on a known stack; what remains known goes
// to m.tries.
func (m *symbolic) tryReductions(at int32, terms []uint64, can taking) {
	w := len(terms)
	for _, r := range m.reductions[m.cells[at].state] {
		if !intersect(r.terms, terms) {
			continue
		}
		lhs, length := m.tables.Rule(r.rule)
		under := at
		for ; length > 0 && m.cells[under].under >= 0; length-- {
			under = m.cells[under].under
		}
		if length > 0 {
			taken := m.under.gotosBelow(m.free, m.bottom, int32(length), r.rule).taken
			for i := range terms {
				can.perhaps[i] |= terms[i] & r.terms[i] & taken[i]
			}
			continue
		}
		g := m.tables.Goto(m.cells[under].state, lhs)
		if g < 0 {
			continue
		}
		m.tryTerms = m.tryTerms[:len(m.tries)*w]
		m.tries = append(m.tries, m.push(g, under))
		for i := range terms {
			m.tryTerms = append(m.tryTerms, terms[i]&r.terms[i])
		}
		m.dropLoops(m.cells[under].state, lhs, m.tryTerms[len(m.tryTerms)-w:])
	}
}

// dropLoops takes the terminals out that the parser would, from a goto on, reduce for ever without shifting.
func (m *symbolic) dropLoops(under int32, lhs grammar.Nonterminal, terms []uint64) {
	if !m.mayLoop {
		return
	}
	for i, w := range terms {
		for ; w != 0; w &= w - 1 {
			if m.tables.Loops(under, lhs, grammar.Terminal(i<<6+bits.TrailingZeros64(w))) {
				terms[i] &^= w & -w
			}
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
		if _, length := m.tables.Rule(r.rule); length == 0 {
			return false
		}
	}
	return true
}

// A reduction is a rule that a state reduces by, and before which terminals.
type reduction struct {
	rule  int32
	terms []uint64
}

// reductionsOf lists the reductions of all states. The end of input is left out: no sequence has it.
func reductionsOf(t *lr.Tables) [][]reduction {
	all := make([][]reduction, t.NumStates())
	for s := range all {
		all[s] = reductionsAt(t, int32(s))
	}
	return all
}

func reductionsAt(t *lr.Tables, state int32) []reduction {
	live, end := t.NewSet(), t.End()
	copy(live, t.Live(state))
	live[end>>6] &^= 1 << (uint(end) & 63)
	if rule, ok := t.DefaultReduction(state); ok && intersect(live, live) {
		return []reduction{{rule, live}}
	}
	var list []reduction
	for i, w := range live {
		for ; w != 0; w &= w - 1 {
			x := grammar.Terminal(i<<6 + bits.TrailingZeros64(w))
			for _, a := range t.Actions(state, x) {
				if a.Kind() == lr.KindReduce {
					list = addReduction(t, list, a.Target(), x)
				}
			}
		}
	}
	return list
}

// addReduction adds that a rule is reduced by before x.
func addReduction(t *lr.Tables, list []reduction, rule int32, x grammar.Terminal) []reduction {
	i := slices.IndexFunc(list, func(r reduction) bool { return r.rule == rule })
	if i < 0 {
		i = len(list)
		list = append(list, reduction{rule, t.NewSet()})
	}
	list[i].terms[x>>6] |= 1 << (uint(x) & 63)
	return list
}
