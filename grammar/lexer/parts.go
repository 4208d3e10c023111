package lexer

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A Part is a terminal that is alive in a state, and the state that its own DFA is in.
type Part struct {
	Terminal grammar.Terminal
	State    int32
}

// Parts appends what q is made of to dst, by ascending terminal: the terminals that the bytes read
// so far have not ruled out. In LexAll mode q is nothing but its parts, and an engine may follow
// those it cares about on their own.
func (d *OnDemand) Parts(dst []Part, q State) []Part {
	live := d.node(q).live
	dst = slices.Grow(dst, len(live))
	for _, x := range live {
		dst = append(dst, Part{grammar.Terminal(x.terminal), x.state})
	}
	return dst
}

// Literals appends what is left of the literals that are alive in q to dst, in no order. It is ok
// if nothing else is alive or open in q, and wherever the lexeme began the parser shifts each of
// them (grammar.Mode.Shifted): then a text that goes on with some is as legal as one with others.
func (d *OnDemand) Literals(dst []string, q State) (left []string, ok bool) {
	n := d.node(q)
	if !n.alone || n.begins {
		return dst, false
	}
	for _, x := range n.live {
		if int(x.terminal) >= len(d.shifted) || !d.shifted[x.terminal] {
			return dst, false
		}
	}
	for _, x := range n.live {
		dst = append(dst, d.dfas[x.terminal].Text()[x.state:])
	}
	return dst, true
}

// Apart appends the parts of q to dst, each as all terminals that a lexeme of it may be emitted as.
// It is ok if each is emitted whatever the others match, and whatever stands in front of the lexeme
// or follows it; nothing must be pending beside them. g is the grammar of d.
func (d *OnDemand) Apart(dst []Part, q State, g *grammar.Grammar) (parts []Part, ok bool) {
	n := d.node(q)
	if d.Begins(q) || !n.alone {
		return dst, false
	}
	all := g.Lexer == grammar.LexAll && d.p.uniform
	for _, x := range n.live {
		t := grammar.Terminal(x.terminal)
		if !all && (!g.Terminals[t].All || d.dfas[t].HasContexts()) {
			return dst, false
		}
		for _, c := range g.Split.EmittedAs(t) {
			dst = append(dst, Part{c, x.state})
		}
	}
	return dst, true
}

// Embedded tells whether a lexeme in q is one of an embedded grammar, of which there may be more
// terminals later. g is the grammar of d.
func (d *OnDemand) Embedded(q State, g *grammar.Grammar) bool {
	live := d.node(q).live
	return len(live) > 0 && (int(live[0].terminal) >= len(g.Terminals) || g.Terminals[live[0].terminal].All)
}

// After is the state in which the next lexeme begins after one that was emitted as t and asks for
// nothing; None past the limit on states, or if that depends on the last bytes of the lexeme.
func (d *OnDemand) After(t grammar.Terminal) (q State) {
	switch {
	case d.p.uniform:
		return d.start
	case d.p.front != nil:
		return None
	}
	d.at(func() { q = d.p.start(d.p.g.Terminals[t].Next, nil, nil) })
	return q
}

// Nearer is a byte that leads a part, of which no lexeme is complete, nearer to the end of one.
func (d *OnDemand) Nearer(x Part) byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, _ := d.p.nearer(d.dfas[x.Terminal], x.State)
	return b
}

// Terminal is the DFA of terminal t alone, nil if t is declared without a pattern. It is shared:
// read only.
func (d *OnDemand) Terminal(t grammar.Terminal) *automata.DFA { return d.dfas[t] }
