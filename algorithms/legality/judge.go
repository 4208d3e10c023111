package legality

import (
	"math"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// What may become of a lexeme that is still pending: whether some terminal of a set would be
// accepted.
//
// The judgement of a set of stacks is two questions: may one of them accept, may one of them
// refuse. Where a stack has a choice, of reductions or of terminals, it accepts if one choice
// accepts and refuses if all refuse. Over the states that a debt may uncover, either question
// asks whether there is one state. Both are monotone, so debts that lead back to themselves are
// solved by iteration to the least fixed point. The least one is right for "may refuse" too:
// every debt pops part of a finite stack, so no stack comes back for ever.

// A judgement answers the two questions.
type judgement uint8

const (
	mayAccept judgement = 1 << iota
	mayRefuse
	known // set in every remembered judgement
)

// or is the judgement where there are two ways to accept.
func (j judgement) or(o judgement) judgement { return (j|o)&mayAccept | j&o&mayRefuse }

// A place is a state that a debt uncovered, the nonterminal to go to from there, and the
// terminals of which one must be accepted.
type place struct {
	state int32
	lhs   grammar.Nonterminal
	terms int32
}

type placeJudgement struct {
	is    judgement
	round int32
	open  bool // being judged
	final bool
}

// judging is the iteration under way.
type judging struct {
	round           int32
	changed, cyclic bool
	provisional     []*placeJudgement
	budget          int
}

// maxJudging bounds the work of one judgement where the parser forks: it may then reduce by the
// rules of a circle for ever. Beyond the bound both answers are yes, which proves nothing.
const maxJudging = 1 << 14

// judgeSet is the judgement over all branches of a set.
func (m *machine) judgeSet(set setID, terms int32) judgement {
	for int(set) >= len(m.judgedSet) {
		m.judgedSet = append(m.judgedSet, nil)
	}
	row := m.judgedSet[set]
	if int(terms) >= len(row) {
		row = append(row, make([]judgement, int(terms)+16-len(row))...)
		m.judgedSet[set] = row
	}
	if row[terms]&known == 0 {
		j := known
		for _, b := range m.branchesOf(set) {
			if j |= m.judge(b, terms); j == known|mayAccept|mayRefuse {
				break
			}
		}
		row[terms] = j
	}
	return row[terms] &^ known
}

// judge is the judgement of a branch.
func (m *machine) judge(b branchID, terms int32) judgement {
	if cells := m.cellsOf(b); len(cells) == 1 {
		if j, ok := m.judgeTop(m.cells[cells[0]].state, m.terms.At(terms)); ok {
			return j
		}
	}
	key := [2]int32{int32(b), terms}
	if j, ok := m.judged[key]; ok {
		return j
	}
	j := mayRefuse
	for _, c := range m.cellsOf(b) {
		j = j.or(m.judgeCell(c, terms))
	}
	m.judged[key] = j
	return j
}

// judgeTop is the judgement where the state on top decides.
func (m *machine) judgeTop(state int32, terms []uint64) (judgement, bool) {
	live := uint64(0)
	shifts, any := m.tables.Shiftable(state), m.tables.Live(state)
	for i, w := range terms {
		if w&shifts[i] != 0 {
			return mayAccept, true
		}
		live |= w & any[i]
	}
	return mayRefuse, live == 0
}

// judgeCell iterates to the fixed point, after which everything it met is final.
func (m *machine) judgeCell(c, terms int32) judgement {
	g := &m.judging
	g.provisional, g.budget = g.provisional[:0], math.MaxInt
	if m.forks {
		g.budget = maxJudging
	}
	var j judgement
	for {
		g.round++
		g.changed, g.cyclic = false, false
		j = m.look(c, m.terms.At(terms))
		if !g.changed || !g.cyclic {
			break
		}
	}
	for _, p := range g.provisional {
		p.final = true
		if g.budget < 0 { // not the fixed point
			p.is = mayAccept | mayRefuse
		}
	}
	return j
}

// look judges a known part of a stack.
func (m *machine) look(c int32, terms []uint64) judgement {
	for {
		if m.judging.budget--; m.judging.budget < 0 {
			return mayAccept | mayRefuse
		}
		state := m.cells[c].state
		if j, ok := m.judgeTop(state, terms); ok {
			return j
		}
		groups := m.tables.Reductions(state, terms)
		if len(groups) != 1 {
			return m.lookAll(c, groups)
		}
		var done bool
		var j judgement
		if c, j, done = m.lookUnder(c, groups[0]); done {
			return j
		}
		terms = groups[0].Terms
	}
}

// lookAll is the judgement where there are several ways to go on, or none.
func (m *machine) lookAll(c int32, groups []lr.Reduction) judgement {
	j := mayRefuse
	for _, g := range groups {
		to, one, done := m.lookUnder(c, g)
		if !done {
			one = m.look(to, g.Terms)
		}
		j = j.or(one)
	}
	return j
}

// lookUnder makes a reduction. It leads to another cell, or if done to a judgement.
func (m *machine) lookUnder(c int32, g lr.Reduction) (to int32, j judgement, done bool) {
	lhs, length := m.tables.Rule(g.Rule)
	for ; length > 0; length-- {
		if m.cells[c].under < 0 {
			return 0, m.lookBelow(debt{m.cells[c].state, int32(length), lhs}, g.Terms), true
		}
		c = m.cells[c].under
	}
	if !m.withoutLoops(m.cells[c].state, lhs, g.Terms) {
		return 0, mayRefuse, true
	}
	to = m.tables.Goto(m.cells[c].state, lhs)
	if to < 0 {
		return 0, mayRefuse, true
	}
	return m.cell(to, c), 0, false
}

// withoutLoops removes the terminals before which the parser would reduce for ever; false if none
// is left.
func (m *machine) withoutLoops(state int32, lhs grammar.Nonterminal, terms []uint64) bool {
	if !m.hasLoops {
		return true
	}
	left := false
	for x := range bitset.All[grammar.Terminal](terms) {
		if m.tables.Loops(state, lhs, x) {
			bitset.Remove(terms, x)
		} else {
			left = true
		}
	}
	return left
}

// lookBelow is the judgement over all states that a debt may uncover.
func (m *machine) lookBelow(d debt, terms []uint64) judgement {
	var j judgement
	for _, s := range m.below(d.base, d.depth) {
		if m.hasLoops {
			terms = append([]uint64(nil), terms...)
			if !m.withoutLoops(s, d.lhs, terms) {
				j |= mayRefuse
				continue
			}
		}
		j |= m.lookPlace(place{s, d.lhs, m.anyTerminal(terms)})
	}
	return j
}

// lookPlace is the judgement of a place, as far as it is known in this round.
func (m *machine) lookPlace(at place) judgement {
	p := m.places[at]
	if p == nil {
		p = &placeJudgement{}
		m.places[at] = p
	}
	g := &m.judging
	if p.final || p.round == g.round {
		g.cyclic = g.cyclic || p.open
		return p.is
	}
	if p.round == 0 || p.is == 0 && !p.open {
		g.provisional = append(g.provisional, p)
	}
	p.round, p.open = g.round, true
	to := m.tables.Goto(at.state, at.lhs)
	if to >= 0 {
		if j := p.is | m.look(m.cell(to, m.cell(at.state, -1)), m.terms.At(at.terms)); j != p.is {
			p.is = j
			g.changed = true
		}
	}
	p.open = false
	return p.is
}
