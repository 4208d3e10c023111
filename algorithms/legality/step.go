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

// An outcome is all that may become of a known part of a stack before a terminal: none of them if it is
// refused.
type outcome struct {
	shifted []int32 // cells on which the terminal was shifted
	debts   []owed
	endless bool // the run was given up
	todo    []int32
	seen    map[int32]bool
}

func (o *outcome) reset() { o.shifted, o.debts, o.endless = o.shifted[:0], o.debts[:0], false }

// run adds to out what becomes of a cell before terminal x, in every way that the tables have.
func (m *machine) run(out *outcome, c int32, x grammar.Terminal) {
	m.runs++
	out.todo = append(out.todo[:0], c)
	if m.forks {
		out.seen = map[int32]bool{c: true}
	}
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
		if out.seen[to] {
			return
		}
		out.seen[to] = true
	}
	out.todo = append(out.todo, to)
}

// uncover lists the cells that a debt leads to, one for each state that may be uncovered. Refused is whether
// for some of these the terminal is refused at once.
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

// A branchStep is what reading a symbol does to a branch: the branches it divides into where it has to
// know more of the stack, and whether some stack refuses. Endless is whether a run was given up.
//
// Where the parser forks, one way to go on is enough, and so of several the ones that surely shift are kept, or
// else of several debts the first is followed. What is forgotten can only lose a proof; but then a stack
// that refuses, here or later, need not refuse, and the branches that are left do not cover all stacks that
// take the symbol.
type branchStep struct {
	to               []branchID
	refuses, endless bool
}

// stepBranch reads a symbol on a branch.
func (m *machine) stepBranch(b branchID, sym int32) branchStep {
	if !m.forks {
		// The two most frequent cases are told by the top alone, and cost less than remembering them.
		c := m.branches[b][0]
		switch a := m.tables.Action(m.cells[c].state, m.symbols[sym].parsed[0]); a.Kind() {
		case lr.KindNone:
			return branchStep{refuses: true}
		case lr.KindShift:
			m.one[0] = m.single(m.cell(a.Target(), c))
			return branchStep{to: m.one[:]}
		}
	}
	key := [2]int32{int32(b), sym}
	s, ok := m.steps[key]
	if !ok {
		s = m.computeStep(b, sym)
		m.steps[key] = s
	}
	return s
}

func (m *machine) computeStep(b branchID, sym int32) branchStep {
	out := &m.scratch
	out.reset()
	for _, c := range m.branches[b] {
		for _, x := range m.symbols[sym].parsed {
			m.run(out, c, x)
		}
	}
	if m.symbols[sym].skip {
		out.shifted = append(out.shifted, m.branches[b]...)
	}
	if len(out.shifted) > 0 {
		return branchStep{to: []branchID{m.branchOf(out.shifted)}}
	}
	if len(out.debts) == 0 {
		return branchStep{refuses: true, endless: out.endless}
	}
	first, endless := out.debts[0], out.endless
	step, ok := m.settled[first]
	if !ok {
		step = m.settle(first)
		m.settled[first] = step
	}
	step.endless = step.endless || endless
	return step
}

// branchOf is the branch of cells that exist side by side.
func (m *machine) branchOf(cells []int32) branchID {
	cells = slices.Clone(cells)
	slices.Sort(cells)
	cells = slices.Compact(cells)
	return m.branch(cells[:min(len(cells), maxForks)]...)
}

// settle follows a debt, and those it leads to, until the terminal is shifted or refused on every branch. A
// debt that comes up again adds nothing: each one paid pops at least one state of a stack, which has
// finitely many, so going round is not for ever.
func (m *machine) settle(first owed) branchStep {
	var s branchStep
	seen := map[owed]bool{first: true}
	for queue := []owed{first}; len(queue) > 0; {
		p := m.pay(queue[len(queue)-1])
		queue = queue[:len(queue)-1]
		s.to = append(s.to, p.to...)
		s.refuses = s.refuses || p.refuses
		s.endless = s.endless || p.endless
		for _, next := range p.next {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	slices.Sort(s.to)
	s.to = slices.Compact(s.to)
	return s
}

// A payment is what becomes of a debt when it is paid, over all states that may be uncovered: the branches
// where the terminal is shifted, the debts that follow, and whether some stack refuses.
type payment struct {
	branchStep
	next []owed
}

// pay pays a debt, once for all that come to it.
func (m *machine) pay(o owed) *payment {
	p := m.paid[o]
	if p != nil {
		return p
	}
	p = &payment{}
	m.paid[o] = p
	cells, refused := m.uncover(o)
	p.refuses = refused
	out := &m.scratch
	for _, c := range cells {
		out.reset()
		m.run(out, c, o.before)
		p.endless = p.endless || out.endless
		switch {
		case len(out.shifted) > 0:
			p.to = append(p.to, m.branchOf(out.shifted))
		case len(out.debts) > 0:
			p.next = append(p.next, out.debts[0])
		default:
			p.refuses = true
		}
	}
	slices.Sort(p.to)
	p.to = slices.Compact(p.to)
	return p
}

// A step is what reading a symbol does to a set of branches.
type step struct {
	to      setID
	refuses bool
}

// stepAll reads a symbol on every branch of a set. The result covers every stack that takes the symbol;
// refuses is whether there may be one that does not.
func (m *machine) stepAll(set setID, sym int32) step {
	key := [2]int32{int32(set), sym}
	s, ok := m.setSteps[key]
	if ok {
		return s
	}
	var to []branchID
	restart := false
	for _, b := range m.sets[set] {
		one := m.stepBranch(b, sym)
		to = append(to, one.to...)
		s.refuses = s.refuses || one.refuses
		restart = restart || one.refuses && (m.forks || one.endless)
	}
	s.to = m.bounded(to, restart, sym)
	m.setSteps[key] = s
	return s
}

// bounded interns a set; or if it became too large, or does not cover every stack any more, all stacks on
// which the symbol was just shifted. (A symbol that may be skipped is never refused, and leaves the stacks
// as they were: its sets do not grow.)
func (m *machine) bounded(to []branchID, restart bool, sym int32) setID {
	slices.Sort(to)
	to = slices.Compact(to)
	if restart || len(to) > maxBranches && !m.symbols[sym].skip {
		m.collapses++
		return m.entry(m.symbols[sym].parsed)
	}
	return m.set(to)
}

// mayAll is the stacks on which a symbol may be taken, each on its own: where the parser forks, every way is
// followed, and only if none is left is the sequence never legal. Without forks stepAll says the same.
func (m *machine) mayAll(set setID, sym int32) setID {
	var to []branchID
	for _, b := range m.sets[set] {
		key := [2]int32{int32(b), sym}
		list, ok := m.mays[key]
		if !ok {
			list = m.computeMay(b, sym)
			m.mays[key] = list
		}
		to = append(to, list...)
	}
	return m.bounded(to, false, sym)
}

func (m *machine) computeMay(b branchID, sym int32) []branchID {
	var to []branchID
	out := &m.scratch
	seen := map[owed]bool{}
	var queue []owed
	endless := false
	collect := func() {
		endless = endless || out.endless
		for _, c := range out.shifted {
			to = append(to, m.branch(c))
		}
		for _, d := range out.debts {
			if !seen[d] {
				seen[d] = true
				queue = append(queue, d)
			}
		}
	}
	for _, c := range m.branches[b] {
		for _, x := range m.symbols[sym].parsed {
			out.reset()
			m.run(out, c, x)
			collect()
		}
	}
	for len(queue) > 0 {
		o := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		cells, _ := m.uncover(o)
		for _, c := range cells {
			out.reset()
			m.run(out, c, o.before)
			collect()
		}
	}
	if endless {
		to = append(to, m.sets[m.entry(m.symbols[sym].parsed)]...)
	}
	if m.symbols[sym].skip {
		to = append(to, b)
	}
	return to
}
