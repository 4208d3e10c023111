package legality

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// A debt is a reduction to lhs that pops depth states under base, the lowest that is known.
type debt struct {
	base, depth int32
	lhs         grammar.Nonterminal
}

// An owed debt is one that arose before a terminal.
type owed struct {
	debt
	before grammar.Terminal
}

// An outcome is all that may become of a known part of a stack before a terminal: none of them if
// it is refused.
type outcome struct {
	shifted []int32 // cells on which the terminal was shifted
	debts   []owed
	endless bool // the run was given up
	todo    []int32
}

func (o *outcome) reset() { o.shifted, o.debts, o.endless = o.shifted[:0], o.debts[:0], false }

// run adds to out the successors of a cell before terminal x, in every way that the tables have.
func (m *machine) run(out *outcome, c int32, x grammar.Terminal) {
	m.runs++
	out.todo = append(out.todo[:0], c)
	m.cells[c].met = m.runs
	for steps := 0; len(out.todo) > 0; steps++ {
		if steps == maxRun {
			out.endless = true
			return
		}
		at := out.todo[len(out.todo)-1]
		out.todo = out.todo[:len(out.todo)-1]
		for _, a := range m.tables.Actions(m.cells[at].state, x) {
			switch a.Kind() {
			case lr.KindShift:
				out.shifted = append(out.shifted, m.cell(a.Target(), at))
			case lr.KindReduce:
				m.reduce(out, at, a.Target(), x)
			}
		}
	}
}

// reduce makes one reduction on a known stack: it leads on, or into debt.
func (m *machine) reduce(out *outcome, at, rule int32, x grammar.Terminal) {
	lhs, length := m.tables.Rule(rule)
	for ; length > 0; length-- {
		under := m.cells[at].under
		if under < 0 {
			out.debts = append(out.debts, owed{debt{m.cells[at].state, int32(length), lhs}, x})
			return
		}
		at = under
	}
	g := m.tables.GotoBefore(m.cells[at].state, lhs, x)
	if g < 0 {
		return
	}
	to := m.cell(g, at)
	if m.forks {
		if m.cells[to].met == m.runs {
			return
		}
		m.cells[to].met = m.runs
	}
	out.todo = append(out.todo, to)
}

// uncover lists the cells that a debt leads to, one for each state that may be uncovered. Refused
// is whether for some of these the terminal is refused at once.
func (m *machine) uncover(o owed) (cells []int32, refused bool) {
	cells, ok := m.expanded[o.debt]
	if !ok {
		for _, s := range m.below(o.base, o.depth) {
			if g := m.tables.Goto(s, o.lhs); g >= 0 {
				cells = append(cells, m.cell(g, m.cell(s, -1)))
			}
		}
		m.expanded[o.debt] = cells
	}
	if !m.hasLoops {
		return cells, false
	}
	var kept []int32
	for _, c := range cells {
		if m.tables.Loops(m.cells[m.cells[c].under].state, o.lhs, o.before) {
			refused = true
			continue
		}
		kept = append(kept, c)
	}
	return kept, refused
}

// A branchStep is the outcome of reading a symbol on a branch: the branch that it becomes, or
// the debt that must be paid first. Without either, every stack of the branch refuses. Endless
// is whether a run was given up.
//
// Where the parser forks, one way to go on is enough. So the ways that surely shift are kept;
// if there are none, the first debt is followed. Ways that are left out can only lose a proof.
// But a stack that then refuses, here or later, might have gone on another way, so the branches
// that are left do not cover all stacks that take the symbol.
type branchStep struct {
	to      branchID // -1: none
	owes    debtID   // -1: none
	endless bool
}

// stepBranch reads a symbol on a branch.
func (m *machine) stepBranch(b branchID, sym int32) branchStep {
	if !m.forks {
		// The two most frequent cases are told by the top alone.
		c := m.cellsOf(b)[0]
		switch a := m.tables.Action(m.cells[c].state, m.symbols[sym].parsed[0]); a.Kind() {
		case lr.KindNone:
			return branchStep{to: -1, owes: -1}
		case lr.KindShift:
			return branchStep{to: m.single(m.cell(a.Target(), c)), owes: -1}
		}
	}
	out := &m.scratch
	m.runAll(out, b, sym)
	if m.symbols[sym].skip {
		out.shifted = append(out.shifted, m.cellsOf(b)...)
	}
	s := branchStep{-1, -1, out.endless}
	switch {
	case len(out.shifted) > 0:
		s.to = m.branchOf(out.shifted)
	case len(out.debts) > 0:
		s.owes = m.debt(out.debts[0])
	}
	return s
}

// runAll is all that may become of a branch before a symbol.
func (m *machine) runAll(out *outcome, b branchID, sym int32) {
	out.reset()
	for _, c := range m.cellsOf(b) {
		for _, x := range m.symbols[sym].parsed {
			m.run(out, c, x)
		}
	}
}

// branchOf is the branch of cells that exist side by side.
func (m *machine) branchOf(cells []int32) branchID {
	cells = slices.Clone(cells)
	slices.Sort(cells)
	cells = slices.Compact(cells)
	return m.branch(cells[:min(len(cells), maxForks)]...)
}

// A step is the effect of a symbol on a set of branches.
type step struct {
	to      setID
	refuses bool
}

// stepAll reads a symbol on every branch of a set. The result covers every stack that takes the
// symbol; refuses is whether there may be one that does not.
func (m *machine) stepAll(set setID, sym int32) step {
	key := [2]int32{int32(set), sym}
	s, ok := m.setSteps[key]
	if ok {
		return s
	}
	var to []branchID
	endless := false
	m.search++
	for _, b := range m.branchesOf(set) {
		one := m.stepBranch(b, sym)
		endless = endless || one.endless
		switch {
		case one.to >= 0:
			to = append(to, one.to)
		case one.owes >= 0:
			m.follow(one.owes)
		default:
			s.refuses = true
		}
		if s.refuses && m.forks {
			break // nothing else counts
		}
	}
	for len(m.todo) > 0 && !(s.refuses && m.forks) {
		p := m.pay(m.unfollowed())
		to = append(to, p.to...)
		s.refuses, endless = s.refuses || p.refuses, endless || p.endless
		for _, next := range p.next {
			m.follow(next)
		}
	}
	m.todo = m.todo[:0]
	s.to = m.bounded(to, s.refuses && (m.forks || endless), sym)
	m.setSteps[key] = s
	return s
}

// bounded interns a set. A set that became too large, or that no longer covers every stack, is
// replaced by all stacks on which the symbol was just shifted. (A symbol that may be skipped is
// never refused and leaves the stacks as they were, so its sets do not grow.)
func (m *machine) bounded(to []branchID, restart bool, sym int32) setID {
	slices.Sort(to)
	to = slices.Compact(to)
	if restart || len(to) > maxBranches && !m.symbols[sym].skip {
		m.collapses++
		return m.entry(m.symbols[sym].parsed)
	}
	return m.set(to)
}

// mayAll is the stacks that may take a symbol, each on its own. Where the parser forks, every
// way is followed, and the sequence is never legal only if no way is left. Without forks
// stepAll gives the same.
func (m *machine) mayAll(set setID, sym int32) setID {
	key := [2]int32{int32(set), sym}
	if s, ok := m.setMays[key]; ok {
		return s
	}
	var to []branchID
	endless := false
	m.search++
	out := &m.scratch
	for _, b := range m.branchesOf(set) {
		m.runAll(out, b, sym)
		endless = endless || out.endless
		for _, c := range out.shifted {
			to = append(to, m.single(c))
		}
		for _, d := range out.debts {
			m.follow(m.debt(d))
		}
		if m.symbols[sym].skip {
			to = append(to, b)
		}
	}
	for len(m.todo) > 0 {
		p := m.settle(m.unfollowed())
		to = append(to, p.to...)
		endless = endless || p.endless
		for _, next := range p.next {
			m.follow(next)
		}
	}
	if endless {
		to = append(to, m.branchesOf(m.entry(m.symbols[sym].parsed))...)
	}
	s := m.bounded(to, false, sym)
	m.setMays[key] = s
	return s
}
