package koo

import (
	"slices"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A group is a part of a configuration: any of the stacks, with any of the places of at. The
// stacks are those before the terminals that the places belong to.
type group struct {
	stacks lr.Stacks
	at     *lexical
	// many is whether the group came out of a merge. Such groups are merged at once, so that a
	// text with many readings stays one graph.
	many bool
}

// A configuration is everything that a text may have led to: the union of its groups. It is
// immutable and has no two groups with equal stacks. The empty configuration is that of a text
// that begins no sentence.
type configuration []group

// pushdown is the character-level pushdown automaton of a grammar, in LR form: its control state is
// how far each terminal that may stand here was read, and its stack is the LR parser's. Reading a
// byte moves the control state; where a terminal may end, it is shifted, which pops and pushes what
// reducing takes. Both ways are kept where a terminal may end or go on, so that runs are sets.
//
// The allowed terminals of a run's lexical are those that the tops of its stacks have an action on.
// Whether one is accepted is asked when its first byte was read: most never are.
type pushdown struct {
	*lexicon
	tables *lr.Tables
	begun  [][]grammar.Terminal      // by class: parser terminals that may begin with it
	above1 []atomic.Pointer[lexical] // by LR state: above for a stack with this top
}

func newPushdown(g *grammar.Grammar, tables *lr.Tables) (*pushdown, error) {
	t, err := newTerminals(g)
	if err != nil {
		return nil, err
	}
	p := &pushdown{newLexicon(t, tables.SetWords()), tables, make([][]grammar.Terminal, t.width), make([]atomic.Pointer[lexical], tables.NumStates())}
	for x, at := range t.first {
		for class := 0; class < t.width && at >= 0 && !t.ignored[x]; class++ {
			if t.next[int(at)*t.width+class] >= 0 {
				p.begun[class] = append(p.begun[class], grammar.Terminal(x))
			}
		}
	}
	return p, nil
}

// start is the configuration of the empty text.
func (p *pushdown) start() configuration {
	s := p.tables.Start()
	return configuration{{stacks: s, at: p.above(s)}}
}

// above is the state in which a terminal may begin above some stacks.
func (p *pushdown) above(s lr.Stacks) *lexical {
	top, single := s.Top()
	if single {
		if l := p.above1[top].Load(); l != nil {
			return l
		}
	}
	allowed := p.tables.NewSet()
	for i := range s.NumTops() {
		bitset.Unite(allowed, p.tables.Live(s.TopNode(i).State))
	}
	end := p.tables.End()
	bitset.Remove(allowed, end)
	l := p.begin(allowed)
	if single {
		p.above1[top].Store(l)
	}
	return l
}

// accepts is Tables.Accepts with the usual case, a terminal that a top shifts, first. Here and
// below, r notes the nodes that are looked at, unless it is nil.
func (p *pushdown) accepts(s lr.Stacks, t grammar.Terminal, r *reads) bool {
	r.tops(s)
	for i := range s.NumTops() {
		if bitset.Has(p.tables.Shiftable(s.TopNode(i).State), t) {
			return true
		}
	}
	r.terminal(s, t)
	return p.tables.Accepts(s, t)
}

// settle drops the terminals from a group's state that its stacks do not accept, so that every
// place in it leads on to a sentence.
func (p *pushdown) settle(g group, r *reads) group {
	if g.at.allowed == nil {
		return g
	}
	refused := p.tables.NewSet()
	allowed := slices.Clone(g.at.allowed)
	some := false
	for t := range bitset.All[grammar.Terminal](g.at.allowed) {
		if !p.accepts(g.stacks, t, r) {
			bitset.Add(refused, t)
			bitset.Remove(allowed, t)
			some = true
		}
	}
	if some {
		g.at = p.restrict(g.at, allowed, refused)
	}
	return g
}

// step is the configuration after a byte of a class. It is empty if there is none.
func (p *pushdown) step(c configuration, class uint8) configuration {
	next := make(configuration, 0, len(c)+1)
	for _, g := range c {
		p.successors(g, class, nil, func(to group) { next = p.add(next, to, maxPlainText) })
	}
	return next
}

// successors finds what a group becomes on a byte of a class: its terminals go on, and after those
// that may end here others may begin.
func (p *pushdown) successors(g group, class uint8, r *reads, found func(group)) {
	e := p.edge(g, class, r)
	if e.to != nil {
		found(group{g.stacks, e.to, g.many})
	}
	for _, t := range e.done {
		r.terminal(g.stacks, t)
		if s, ok := p.tables.Shift(g.stacks, t); ok {
			found(group{s, p.above(s), g.many})
		}
	}
}

// edge is the step of a group's state on a class, without the terminals that begin with it and are
// refused.
func (p *pushdown) edge(g group, class uint8, r *reads) *edge {
	if g.at.fresh {
		var refused []uint64
		for _, t := range p.begun[class] {
			if bitset.Has(g.at.allowed, t) && !p.accepts(g.stacks, t, r) {
				if refused == nil {
					refused = p.tables.NewSet()
				}
				bitset.Add(refused, t)
			}
		}
		if refused != nil {
			return p.stepWithout(g.at, class, refused)
		}
	}
	return p.lexicon.step(g.at, class)
}

// Groups in the same lexical state are merged into one, with a graph of stacks, from so many groups
// on: without that, a run of dashes that may be minus signs or decrements would have exponentially
// many. Below it they are kept apart: a parser on a plain stack is several times faster than on a
// graph, most groups end within a few bytes, and masks are remembered for plain stacks only.
const (
	maxPlain     = 16 // while a mask is made
	maxPlainText = 64 // in the configurations of texts, of which there is one at a time
)

// add unites a configuration that may be changed with a group. With more than plain groups, all
// those in the same lexical state are merged, and so are their successors from then on.
func (p *pushdown) add(c configuration, g group, plain int) configuration {
	c = p.unite(c, g)
	if len(c) <= plain {
		return c
	}
	all := c
	c = make(configuration, 0, len(all))
	for _, g := range all {
		g.many = true
		c = p.unite(c, g)
	}
	return c
}

// unite is add without a bound.
func (p *pushdown) unite(c configuration, g group) configuration {
	for i := 0; i < len(c); i++ {
		o := c[i]
		switch {
		case o.stacks.Key() == g.stacks.Key() && o.stacks.Equal(g.stacks):
			if g.at = p.union(o.at, g.at); g.at == o.at {
				return c
			}
		case o.at == g.at && o.many && g.many:
			g.stacks = p.tables.Merge(o.stacks, g.stacks)
		default:
			continue
		}
		// The group has grown and may now unite with one passed over before.
		c = slices.Delete(c, i, i+1)
		i = -1
	}
	return append(c, g)
}

// read is the configuration after some bytes.
func (p *pushdown) read(c configuration, text []byte) configuration {
	for _, b := range text {
		if c = p.step(c, p.classes[b]); len(c) == 0 {
			return nil
		}
	}
	return c
}

// end tells whether the text may end.
func (p *pushdown) end(c configuration) bool {
	for _, g := range c {
		if g.at.fresh && p.tables.AcceptsEnd(g.stacks) {
			return true
		}
	}
	return false
}

// equal tells whether two groups have the same stacks, in the same state.
func (g group) equal(o group) bool {
	return g.at == o.at && g.stacks.Key() == o.stacks.Key() && g.stacks.Equal(o.stacks)
}

// key is a hash: equal groups have equal keys.
func (g group) key() uint64 { return index.Mix(g.stacks.Key() ^ uint64(g.at.id)) }
