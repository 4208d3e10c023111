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

// Terminal is the DFA of terminal t alone, nil if t is declared without a pattern. It is shared:
// read only.
func (d *OnDemand) Terminal(t grammar.Terminal) *automata.DFA { return d.dfas[t] }
