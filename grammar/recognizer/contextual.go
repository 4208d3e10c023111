package recognizer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// A contextual lexer reads a lexeme in a mode that the parser's state decides, the one that the
// last terminal was shifted into. Modes as they are elsewhere depend on the last terminal. So a
// terminal gets a copy for each mode that its shifts lead to, and the tables say which copy a state
// takes: exactly one, if it takes the terminal. An ignored terminal has a copy for each mode, after
// which that mode goes on. From there on nothing is special about the grammar: engines see a lexer
// with modes, and tables.

// split makes the grammar with modes of one with a contextual lexer, and its tables.
func split(ctx context.Context, g *grammar.Grammar, opt Options) (*grammar.Grammar, *lr.Tables, error) {
	t, err := lr.Build(ctx, g, lr.Options{Conflicts: opt.Conflicts})
	if err != nil {
		return nil, nil, err
	}
	everywhere := readEverywhere(g, t)
	set := t.NewSet()
	modeOf, modes, err := modesOf(ctx, g, t, opt.Lexer, 0, func(state int32) ([]uint64, error) { return readIn(set, g, t, state, everywhere), nil })
	if err != nil {
		return nil, nil, err
	}
	s := splitting{Grammar: *g, ignored: map[grammar.Terminal][]grammar.Terminal{}}
	s.Lexer = grammar.LexFirst
	if len(modes) == 1 && readsAll(g, modes[0]) {
		return &s.Grammar, t, nil
	}
	s.Split = &grammar.Split{Of: g}
	s.copy(t, modeOf, modes)
	s.mode(t, modeOf, modes)
	if err := s.undecided(t); err != nil {
		return nil, nil, err
	}
	copies := s.layOut(len(modes))
	t, err = t.Split(ctx, &s.Grammar, copies, func(x grammar.Terminal, state int32) bool {
		return s.Terminals[x].Next == modeOf[state] || int(x) < len(g.Terminals) && s.lineTerminal(x)
	})
	return &s.Grammar, t, err
}

// layOut makes the copies of the terminals of a layout. What a line break becomes may be several
// terminals, and the state that the last of them leads to decides. So that one is a copy for the
// mode behind it, and those before it are the terminals themselves. The result is the copies of all
// terminals that the parser shifts; a lexeme is a copy of the newline terminal.
func (s *splitting) layOut(modes int) (copies [][]grammar.Terminal) {
	copies = slices.Clone(s.Split.Copies)
	if s.Layout == nil {
		return copies
	}
	l := *s.Layout
	l.Ends = make([][3]grammar.Terminal, modes)
	for k, x := range [3]grammar.Terminal{l.Newline, l.Indent, l.Dedent} {
		copies[x] = []grammar.Terminal{x}
		for mode := range l.Ends {
			c := s.Terminals[x]
			c.Next, l.Ends[mode][k] = mode, grammar.Terminal(len(s.Terminals))
			s.Terminals, copies = append(s.Terminals, c), append(copies, nil)
			copies[x] = append(copies[x], l.Ends[mode][k])
		}
	}
	s.Layout = &l
	s.Split.Copies = append(s.Split.Copies, make([][]grammar.Terminal, len(s.Terminals)-len(s.Split.Copies))...)
	s.Split.Copies[l.Newline] = copies[l.Newline][1:]
	return copies
}

// lineTerminal tells whether x is one of the terminals of the layout.
func (s *splitting) lineTerminal(x grammar.Terminal) bool {
	return s.Layout != nil && (x == s.Layout.Newline || x == s.Layout.Indent || x == s.Layout.Dedent)
}

// modesOf finds the modes: by state of the parser its mode, -1 where no lexeme begins, and by mode
// the set of its terminals. readIn is what is read in a state. A few sets are modes of their own;
// more of them are gathered.
func modesOf(ctx context.Context, g *grammar.Grammar, t *lr.Tables, limits lexer.Limits, few int, readIn func(state int32) ([]uint64, error)) (modeOf []int, modes [][]uint64, err error) {
	modeOf = slices.Repeat([]int{-1}, t.NumStates())
	var sets intern.Lists[uint64]
	var last []uint64 // neighbours mostly read the same
	var id int32
	for _, s := range t.Tops() {
		set, err := readIn(s)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Equal(set, last) {
			id, _ = sets.ID(set)
			last = sets.At(id)
		}
		modeOf[s] = int(id)
	}
	if sets.Len() <= few {
		return modeOf, sets.All(), nil
	}
	list, modes, err := lexer.Modes(ctx, g, limits, sets.All())
	if err != nil {
		return nil, nil, err
	}
	for s, set := range modeOf {
		if set >= 0 {
			modeOf[s] = list[set]
		}
	}
	return modeOf, modes, nil
}

// readIn is the set of the terminals that are read in a state of the parser: those that it takes,
// and what is read everywhere of the grammars (grammar.Grammar.Scopes) of which it takes one. No
// ignored text begins a text where the grammar says so. The set is written over another one.
func readIn(set []uint64, g *grammar.Grammar, t *lr.Tables, state int32, everywhere [][]uint64) []uint64 {
	copy(set, t.Live(state))
	present := make([]bool, len(everywhere))
	present[0] = len(everywhere) == 1 || bitset.Has(set, t.End())
	bitset.Remove(set, t.End())
	if len(everywhere) > 1 {
		for x := range bitset.All[grammar.Terminal](set) {
			present[g.Terminals[x].Scope] = true
		}
	}
	for scope, more := range everywhere {
		if present[scope] {
			bitset.Unite(set, more)
		}
	}
	if _, entered := t.Accessing(state); g.SkipsLate && !entered {
		for x := range g.Terminals {
			if g.Terminals[x].Ignored {
				bitset.Remove(set, x)
			}
		}
	}
	return set
}

// readEverywhere is, by grammar, the terminals that are read wherever one of its terminals is: the
// ignored ones, and all if its lexer is the basic one.
func readEverywhere(g *grammar.Grammar, t *lr.Tables) [][]uint64 {
	lexers := append([]grammar.LexerMode{g.Lexer}, g.Scopes...)
	sets := make([][]uint64, len(lexers))
	for i := range sets {
		sets[i] = bitset.New(int(t.End()) + 1)
	}
	for x := range g.Terminals {
		def := &g.Terminals[x]
		if def.Ignored || lexers[def.Scope] == grammar.LexFirst && !def.Declared || g.Layout != nil && grammar.Terminal(x) == g.Layout.Newline {
			bitset.Add(sets[def.Scope], x)
		}
	}
	return sets
}

// readsAll tells whether a mode has all terminals that a lexeme can be.
func readsAll(g *grammar.Grammar, mode []uint64) bool {
	for x := range g.Terminals {
		if !g.Terminals[x].Declared && !bitset.Has(mode, x) {
			return false
		}
	}
	return true
}

// A splitting is a grammar that is being split.
type splitting struct {
	grammar.Grammar
	ignored map[grammar.Terminal][]grammar.Terminal // by ignored terminal: its copies, one for each mode that reads it
}

// moreCopies is for how many copies there is room beside the terminals, to begin with.
const moreCopies = 32

// copy makes the copies of the terminals.
func (s *splitting) copy(t *lr.Tables, modeOf []int, modes [][]uint64) {
	leads := make([][]int, len(s.Terminals)) // by terminal: the modes after it
	for state, mode := range modeOf {
		if x, ok := t.Accessing(int32(state)); mode >= 0 && ok && !slices.Contains(leads[x.Terminal()], mode) {
			leads[x.Terminal()] = append(leads[x.Terminal()], mode)
		}
	}
	s.Terminals = append(make([]grammar.TerminalDef, 0, len(s.Terminals)+moreCopies), s.Terminals...)
	s.Split.Copies = make([][]grammar.Terminal, len(leads))
	for x, after := range leads {
		if s.lineTerminal(grammar.Terminal(x)) {
			after = nil // layOut makes its copies
		} else if s.Terminals[x].Ignored {
			after = nil
			for mode, set := range modes {
				if bitset.Has(set, x) {
					after = append(after, mode)
				}
			}
		}
		slices.Sort(after)
		s.Terminals[x].Next = 0
		copies := []grammar.Terminal{grammar.Terminal(x)}
		for i, mode := range after {
			if i > 0 {
				copies = append(copies, grammar.Terminal(len(s.Terminals)))
				s.Terminals = append(s.Terminals, s.Terminals[x])
			}
			s.Terminals[copies[i]].Next = mode
		}
		s.Split.Copies[x] = copies
		if s.Terminals[x].Ignored {
			s.ignored[copies[0]] = copies
		}
	}
	s.Split.Copies = append(s.Split.Copies, make([][]grammar.Terminal, len(s.Terminals)-len(leads))...)
	for _, copies := range s.ignored { // a lexeme is emitted as the one of its mode
		for i := range copies {
			s.Split.Copies[copies[i]] = copies[i : i+1]
		}
	}
}

// mode makes the modes. Each has a copy of its own of an ignored terminal, and of others the first
// copy, which stands for all.
func (s *splitting) mode(t *lr.Tables, modeOf []int, modes [][]uint64) {
	shifted := slices.Repeat([]bool{true}, len(modes))
	for state, mode := range modeOf {
		if mode >= 0 && shifted[mode] {
			shifted[mode] = bitset.Includes(t.Shiftable(int32(state)), modes[mode])
		}
	}
	for i, set := range modes {
		mode := grammar.Mode{Name: fmt.Sprintf("context %d", i), Shifted: shifted[i]}
		for x := range bitset.All[grammar.Terminal](set) {
			switch {
			case s.Terminals[x].Ignored:
				copies := s.ignored[x]
				x = copies[slices.IndexFunc(copies, func(c grammar.Terminal) bool { return s.Terminals[c].Next == i })]
			case s.Terminals[x].Declared:
				continue
			}
			mode.Terminals = append(mode.Terminals, x)
		}
		slices.Sort(mode.Terminals)
		s.Modes = append(s.Modes, mode)
	}
}

// undecided is the error of a grammar whose parser may be in states of several modes at once.
func (s *splitting) undecided(t *lr.Tables) error {
	if t.Deterministic() {
		return nil
	}
	for x, copies := range s.Split.Copies {
		if def := &s.Terminals[x]; len(copies) > 1 && !def.Ignored {
			return &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("the parser follows several ways, and after terminal %s they may read the text with different terminals", def.Name),
				Hint: "a contextual lexer needs tables without conflicts that are kept: %conflicts resolve, or the basic lexer: --lexer basic, or lexer: basic in a configuration"}
		}
	}
	return nil
}
