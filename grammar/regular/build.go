package regular

import (
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// builder holds a nondeterministic automaton that is being written.
type builder struct {
	g     *grammar.Grammar
	lim   automata.Limits
	rules [][]*grammar.Rule // by left-hand side
	group []int32           // by nonterminal: its group
	kinds []kind            // by group
	words []*automata.DFA   // by terminal; nil: never read

	states []state
	begun  map[request]int32
	blank  map[int32]int32 // by state: that state with ignored terminals before it
	err    error           // a limit that was exceeded
}

// A state is one of the nondeterministic automaton. State 0 accepts.
type state struct {
	dfa   *automata.DFA // what is read here; nil: nothing
	at    int32         // the state of dfa
	jumps []int32       // followed without reading
}

// A request asks for the state from which the words of a symbol lead to the state to.
type request struct {
	symbol grammar.Symbol
	to     int32
}

func newBuilder(g *grammar.Grammar, lim automata.Limits) *builder {
	b := &builder{
		g: g, lim: lim, rules: make([][]*grammar.Rule, len(g.Nonterminals)), words: make([]*automata.DFA, len(g.Terminals)),
		begun: map[request]int32{}, blank: map[int32]int32{},
	}
	if b.lim.MaxPositions <= 0 {
		b.lim.MaxPositions = automata.DefaultLimits.MaxPositions
	}
	if b.lim.MaxStates <= 0 {
		b.lim.MaxStates = automata.DefaultLimits.MaxStates
	}
	if b.lim.MaxSteps <= 0 {
		b.lim.MaxSteps = automata.DefaultLimits.MaxSteps
	}
	for i := range g.Rules {
		r := &g.Rules[i]
		b.rules[r.LHS] = append(b.rules[r.LHS], r)
	}
	return b
}

// build writes the automaton of the start symbol, and returns where it begins.
func (b *builder) build() (int32, error) {
	accept := b.state(state{})
	start := b.symbol(grammar.N(b.g.Start), b.blanks(accept))
	return start, b.err
}

// state adds a state. Beyond the limit it adds none: what is written then is not used.
func (b *builder) state(s state) int32 {
	if b.err == nil && len(b.states) >= b.lim.MaxPositions {
		b.exceeded()
	}
	if b.err == nil && len(b.states)%4096 == 0 {
		b.err = b.lim.Context.Err()
	}
	if b.err != nil && len(b.states) > 0 {
		return 0
	}
	b.states = append(b.states, s)
	return int32(len(b.states) - 1)
}

// exceeded notes that there are too many states.
func (b *builder) exceeded() {
	b.err = &automata.LimitError{Name: "MaxPositions", Limit: b.lim.MaxPositions, What: "the grammar written out has too many positions",
		Hint: "use the grammar with its stack (automaton=pushdown)"}
}

// jump has a state go on to another without reading.
func (b *builder) jump(from, to int32) {
	if b.err == nil {
		b.states[from].jumps = append(b.states[from].jumps, to)
	}
}

// symbol answers a request.
func (b *builder) symbol(s grammar.Symbol, to int32) int32 {
	if b.err != nil {
		return 0
	}
	q := request{s, to}
	if at, ok := b.begun[q]; ok {
		return at
	}
	if s.IsTerminal() {
		at := b.blanks(b.copyOf(s.Terminal(), to))
		b.begun[q] = at
		return at
	}
	n := s.Nonterminal()
	at := b.state(state{})
	b.begun[q] = at // before the rules: one that ends with n comes back here
	if b.kinds[b.group[n]] == left {
		b.leftGroup(b.group[n], n, at, to)
		return at
	}
	for _, r := range b.rules[n] {
		b.jump(at, b.sequence(r.RHS, to))
	}
	return at
}

// sequence is the state from which the words of a sequence lead to the state to.
func (b *builder) sequence(symbols []grammar.Symbol, to int32) int32 {
	for i := len(symbols) - 1; i >= 0; i-- {
		to = b.symbol(symbols[i], to)
	}
	return to
}

// leftGroup writes the words of n, whose group is recursive at the left end, from the state at to
// the state to. Each member has a state in which it has just ended; a rule that begins with a
// member goes on from there, any other from at.
func (b *builder) leftGroup(group int32, n grammar.Nonterminal, at, to int32) {
	ended := map[grammar.Nonterminal]int32{}
	for m := range grammar.Nonterminal(len(b.rules)) {
		if b.group[m] == group {
			ended[m] = b.state(state{})
		}
	}
	for m := range grammar.Nonterminal(len(b.rules)) {
		if b.group[m] != group {
			continue
		}
		for _, r := range b.rules[m] {
			from, rest := at, r.RHS
			if len(rest) > 0 && !rest[0].IsTerminal() && b.group[rest[0].Nonterminal()] == group {
				from, rest = ended[rest[0].Nonterminal()], rest[1:]
			}
			b.jump(from, b.sequence(rest, ended[m]))
		}
	}
	b.jump(ended[n], to)
}

// copyOf copies the automaton of a terminal, with to after its words. A terminal that is only
// declared has no words: the copy leads nowhere.
func (b *builder) copyOf(t grammar.Terminal, to int32) int32 {
	d := b.words[t]
	if d == nil || d.IsEmpty() {
		return b.state(state{})
	}
	if b.err == nil && !d.Within(b.lim.MaxPositions) {
		b.exceeded()
	}
	if b.err != nil {
		return 0
	}
	first := int32(len(b.states))
	for s := range int32(d.NumStates()) {
		var jumps []int32
		if d.Accepting(s) {
			jumps = []int32{to}
		}
		b.state(state{d, s, jumps})
	}
	return first
}

// blanks is a state from which words of ignored terminals, if any, lead to the state to.
func (b *builder) blanks(to int32) int32 {
	if at, ok := b.blank[to]; ok {
		return at
	}
	at := to
	for t := range b.g.Terminals {
		if !b.g.Terminals[t].Ignored {
			continue
		}
		if at == to {
			at = b.state(state{jumps: []int32{to}})
		}
		b.jump(at, b.copyOf(grammar.Terminal(t), at))
	}
	b.blank[to] = at
	return at
}
