package koo

import (
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// A place is a state of some terminal's automaton, in one numbering over all of them: how much of
// which terminal was read.
type place = int32

// terminals is the automata of a grammar's terminals, side by side and not combined: no terminal
// takes precedence over another here, and none has to be as long as it can.
type terminals struct {
	classes [256]uint8 // of a byte: bytes of one class are alike in every automaton
	width   int        // number of classes
	next    []place    // by place and class, -1 where there is no way on
	owner   []grammar.Terminal
	final   []bool  // by place: the terminal is complete
	open    []bool  // by place: the terminal can go on
	first   []place // by terminal: its start, -1 if it is declared only or matches nothing
	ignored []bool  // by terminal
	blanks  []place // the starts of the ignored terminals, ascending
}

// maxStates bounds the automaton of a terminal, which is written down whole. JSON's strings are the
// large ones: a host name of at most 253 characters has 178,125 states.
const maxStates = 1 << 18

// newTerminals compiles every terminal of a grammar.
func newTerminals(g *grammar.Grammar) (*terminals, error) {
	t := &terminals{first: make([]place, len(g.Terminals)), ignored: make([]bool, len(g.Terminals))}
	dfas := make([]*automata.DFA, len(g.Terminals))
	for i := range g.Terminals {
		def := &g.Terminals[i]
		t.ignored[i] = def.Ignored
		if def.Declared {
			continue
		}
		d, err := automata.Compile(def.Expr, automata.DefaultLimits)
		switch {
		case err != nil:
		case d.HasContexts():
			err = automata.ErrContext
		case !d.Within(maxStates):
			return nil, &algorithms.UnsupportedError{Algorithm: name,
				Reason: fmt.Sprintf("the automaton of terminal %s is written out, and has more than %d states", def.Name, maxStates)}
		}
		if err != nil {
			return nil, &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s: %v", def.Name, err)}
		}
		dfas[i] = d
	}
	representatives := t.refine(dfas)
	for i, d := range dfas {
		t.first[i] = -1
		if d != nil && d.NumStates() > 0 {
			t.add(grammar.Terminal(i), d, representatives)
		}
	}
	return t, nil
}

// refine computes the coarsest classes of bytes that no automaton tells apart, and a byte of each.
func (t *terminals) refine(dfas []*automata.DFA) (representatives []byte) {
	t.width = 1
	for _, d := range dfas {
		if d == nil {
			continue
		}
		of, _ := d.Classes()
		number := map[[2]uint8]uint8{}
		for b := range 256 {
			both := [2]uint8{t.classes[b], of[b]}
			c, ok := number[both]
			if !ok {
				c = uint8(len(number))
				number[both] = c
			}
			t.classes[b] = c
		}
		t.width = len(number)
	}
	representatives = make([]byte, t.width)
	for b := 255; b >= 0; b-- {
		representatives[t.classes[b]] = byte(b)
	}
	return representatives
}

// add appends the places of one terminal.
func (t *terminals) add(of grammar.Terminal, d *automata.DFA, representatives []byte) {
	base := place(len(t.owner))
	t.first[of] = base
	if t.ignored[of] {
		t.blanks = append(t.blanks, base)
	}
	for s := range int32(d.NumStates()) {
		open := false
		for _, b := range representatives {
			to := d.Next(s, b)
			if to != automata.Dead {
				open = true
				to += base
			}
			t.next = append(t.next, to)
		}
		t.owner = append(t.owner, of)
		t.final = append(t.final, d.Accepting(s))
		t.open = append(t.open, open)
	}
}

// follow computes, for each terminal, the bit set of those that the parser may take right after it,
// whatever lies on its stack.
func follow(t *lr.Tables) [][]uint64 {
	after := make([][]uint64, t.NumTerminals())
	for x := range after {
		after[x] = t.NewSet()
	}
	for q := range int32(t.NumStates()) {
		sym, ok := t.Accessing(q)
		if !ok || !sym.IsTerminal() {
			continue
		}
		bitset.Unite(after[sym.Terminal()], t.Live(q))
	}
	return after
}
