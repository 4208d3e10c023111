package legality

import "slices"

// Debts: what a stack owes that had to be popped deeper than it is known.
//
// A debt branches over all states that may be uncovered, and what becomes of it leads to further debts. They are
// numbered, and what becomes of each is found out once for all that come to it. What becomes of a set of branches is
// then one search through the debts that any of them leads to: its cost is that of the debts, not of branches times
// debts. A debt that comes up again adds nothing: each one paid pops at least one state of a stack, which has finitely
// many, so going round is not for ever.

// debtID is the number of an owed debt.
type debtID int32

// A claim is an owed debt, and what is known of it.
type claim struct {
	owed
	met  int64    // the search that came to it last
	all  *payment // nil: not found out yet; see pay
	some *payment // see settle
}

// A payment is what becomes of a debt over all states that may be uncovered: the branches where the terminal is
// shifted, the debts that follow, and whether some stack refuses. Endless is whether a run was given up.
type payment struct {
	to               []branchID
	next             []debtID
	refuses, endless bool
}

// debt numbers an owed debt.
func (m *machine) debt(o owed) debtID {
	id, ok := m.byOwed[o]
	if !ok {
		id = debtID(len(m.claims))
		m.claims = append(m.claims, claim{owed: o})
		m.byOwed[o] = id
	}
	return id
}

// follow adds a debt to what the search has to do, once.
func (m *machine) follow(d debtID) {
	if c := &m.claims[d]; c.met != m.search {
		c.met = m.search
		m.todo = append(m.todo, d)
	}
}

// unfollowed takes a debt from what the search has to do.
func (m *machine) unfollowed() debtID {
	n := len(m.todo) - 1
	d := m.todo[n]
	m.todo = m.todo[:n]
	return d
}

// pay is what becomes of a debt where one way to go on is enough. If the parser forks, it ends with the first state on
// which the terminal is refused: then nothing else counts (see stepAll).
func (m *machine) pay(d debtID) *payment {
	if m.claims[d].all == nil {
		p := &payment{}
		m.claims[d].all = p
		m.uncovered(m.claims[d].owed, p, func(out *outcome) {
			switch {
			case len(out.shifted) > 0:
				p.to = append(p.to, m.branchOf(out.shifted))
			case len(out.debts) > 0:
				p.next = append(p.next, m.debt(out.debts[0]))
			default:
				p.refuses = true
			}
		}, func() bool { return p.refuses && m.forks })
	}
	return m.claims[d].all
}

// settle is what may become of a debt, every way on its own.
func (m *machine) settle(d debtID) *payment {
	if m.claims[d].some == nil {
		p := &payment{}
		m.claims[d].some = p
		m.uncovered(m.claims[d].owed, p, func(out *outcome) {
			for _, c := range out.shifted {
				p.to = append(p.to, m.single(c))
			}
			for _, next := range out.debts {
				p.next = append(p.next, m.debt(next))
			}
		}, func() bool { return false })
	}
	return m.claims[d].some
}

// uncovered runs the parser on all that a debt may uncover, one after the other, until it is enough.
func (m *machine) uncovered(o owed, p *payment, take func(*outcome), enough func() bool) {
	cells, refused := m.uncover(o)
	p.refuses = refused
	for _, c := range cells {
		if enough() {
			break
		}
		m.scratch.reset()
		m.run(&m.scratch, c, o.before)
		p.endless = p.endless || m.scratch.endless
		take(&m.scratch)
	}
	p.trim()
}

// trim drops what is there twice.
func (p *payment) trim() {
	slices.Sort(p.to)
	p.to = slices.Compact(p.to)
	slices.Sort(p.next)
	p.next = slices.Compact(p.next)
}
