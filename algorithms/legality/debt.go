package legality

import (
	"slices"

	"gcdbench/internal/intern"
)

// Debts: what a stack owes that had to be popped deeper than it is known.
//
// A debt branches over all states that may be uncovered, and each of those may lead to further
// debts. Debts are numbered, and the outcome of each is found once. A set of branches is then
// one search through the debts that its branches lead to; the search costs as much as the
// debts, not as branches times debts. A debt that comes up again adds nothing. Each debt that
// is paid pops at least one state of a finite stack, so no chain of debts is endless.

// debtID is the number of an owed debt.
type debtID int32

// debts are the owed debts, and the search through them that is under way.
type debts struct {
	owed   intern.Keys[owed]
	claims []claim  // by debtID
	search int64    // the number of the search
	todo   []debtID // the debts that it has to follow
}

// A claim is an owed debt's outcome, in the two forms that were asked for.
type claim struct {
	met  int64    // the search that came to it last
	all  *payment // nil: not found out yet; see pay
	some *payment // see settle
}

// A payment is the outcome of a debt over all states that may be uncovered: the branches that shift
// the terminal, the debts that follow, and whether some stack refuses. Endless is whether a run was
// given up.
type payment struct {
	to               []branchID
	next             []debtID
	refuses, endless bool
}

// debt numbers an owed debt.
func (m *machine) debt(o owed) debtID {
	id, isNew := m.owed.ID(o)
	if isNew {
		m.claims = append(m.claims, claim{})
	}
	return debtID(id)
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

// pay is the outcome of a debt where one way to go on is enough. If the parser forks, pay stops
// at the first state on which the terminal is refused: then nothing else counts (see stepAll).
func (m *machine) pay(d debtID) *payment {
	if m.claims[d].all == nil {
		p := &payment{}
		m.claims[d].all = p
		m.uncovered(m.owed.At(int32(d)), p, func(out *outcome) {
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

// settle is the outcome of a debt with every way to go on kept.
func (m *machine) settle(d debtID) *payment {
	if m.claims[d].some == nil {
		p := &payment{}
		m.claims[d].some = p
		m.uncovered(m.owed.At(int32(d)), p, func(out *outcome) {
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

// uncovered runs the parser on all that a debt may uncover, one after the other, until it is
// enough.
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

// trim drops duplicates.
func (p *payment) trim() {
	slices.Sort(p.to)
	p.to = slices.Compact(p.to)
	slices.Sort(p.next)
	p.next = slices.Compact(p.next)
}
