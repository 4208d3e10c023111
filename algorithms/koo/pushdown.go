package koo

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// A group is a part of what a text may have led to: any of the stacks, with any of the places of at.
// The stacks are those before the terminals that the places belong to.
type group struct {
	stacks lr.Stacks
	at     *lexical
}

// A configuration is all that a text may have led to: the union of its groups. It is immutable and
// has no two groups with the same at, or with equal stacks. The empty one is a text that begins no
// sentence.
type configuration []group

// pushdown is the character-level pushdown automaton of a grammar, in LR form: its control state is
// how far each terminal that may stand here was read, and its stack is the LR parser's. Reading a
// byte moves the control state; where a terminal may end, it is shifted, which pops and pushes what
// reducing takes. Both ways are kept where a terminal may end or go on, so that runs are sets.
type pushdown struct {
	*lexicon
	tables *lr.Tables
	// settled is, by LR state, the beginning of a terminal above it, if that depends on this state
	// alone: if all terminals it has an action on are shifted. Filled on first use.
	settled []atomic.Pointer[lexical]
}

func newPushdown(g *grammar.Grammar, tables *lr.Tables) (*pushdown, error) {
	t, err := newTerminals(g)
	if err != nil {
		return nil, err
	}
	return &pushdown{newLexicon(t, tables.SetWords()), tables, make([]atomic.Pointer[lexical], tables.NumStates())}, nil
}

// start is the configuration of the empty text.
func (p *pushdown) start() configuration {
	s := p.tables.Start()
	return configuration{{s, p.above(s)}}
}

// above is the state in which any terminal that the stacks accept may begin.
func (p *pushdown) above(s lr.Stacks) *lexical {
	top, single := s.Top()
	if single {
		if l := p.settled[top].Load(); l != nil {
			return l
		}
	}
	allowed := p.tables.NewSet()
	for i := range s.NumTops() {
		for w, word := range p.tables.Shiftable(s.TopNode(i).State) {
			allowed[w] |= word
		}
	}
	asked := p.ask(s, allowed)
	end := p.tables.End()
	allowed[end>>6] &^= 1 << (uint(end) & 63)
	l := p.begin(allowed)
	if single && !asked {
		p.settled[top].Store(l)
	}
	return l
}

// ask adds the terminals that have to be reduced for, and are then accepted, to those that are
// shifted at once. It tells whether there were any to ask about.
func (p *pushdown) ask(s lr.Stacks, allowed []uint64) (asked bool) {
	for i := range s.NumTops() {
		for w, word := range p.tables.Live(s.TopNode(i).State) {
			for word &^= allowed[w]; word != 0; word &= word - 1 {
				t := grammar.Terminal(w<<6 + bits.TrailingZeros64(word))
				if t == p.tables.End() {
					continue
				}
				asked = true
				if p.tables.Accepts(s, t) {
					allowed[w] |= word & -word
				}
			}
		}
	}
	return asked
}

// step is the configuration after a byte of a class. It is empty if there is none.
func (p *pushdown) step(c configuration, class uint8) configuration {
	var next configuration
	for _, g := range c {
		e := p.lexicon.step(g.at, class)
		if e.to != nil {
			next = p.add(next, group{g.stacks, e.to})
		}
		for _, t := range e.done {
			if s, ok := p.tables.Shift(g.stacks, t); ok {
				next = p.add(next, group{s, p.above(s)})
			}
		}
	}
	return next
}

// add unites a configuration that may be changed with a group.
func (p *pushdown) add(c configuration, g group) configuration {
	for i := 0; i < len(c); i++ {
		o := c[i]
		switch {
		case o.stacks.Key() == g.stacks.Key() && o.stacks.Equal(g.stacks):
			if g.at = p.union(o.at, g.at); g.at == o.at {
				return c
			}
		case o.at == g.at:
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

// equal tells whether two configurations have the same groups in the same order. Equal sets of runs
// may be divided into groups differently; then they are not recognised as equal, which costs work
// only.
func (c configuration) equal(o configuration) bool {
	return slices.EqualFunc(c, o, func(a, b group) bool {
		return a.at == b.at && a.stacks.Key() == b.stacks.Key() && a.stacks.Equal(b.stacks)
	})
}

// key is a hash: equal configurations have equal keys.
func (c configuration) key() uint64 {
	h := uint64(len(c))
	for _, g := range c {
		h = (h^g.stacks.Key())*0x9E3779B97F4A7C15 + uint64(g.at.id)
		h ^= h >> 29
	}
	return h
}
