package lexer

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// What a lexeme can end as, in a grammar with contexts or modes. Of the terminals that match, the
// preferred one is emitted whose context the next byte does not break (in LexAll mode all of
// these). So there is an End for each, and its start state excludes the bytes that come after a
// preferred one. Terminals that lead to different modes do not compete: each of them has its End,
// and the parser decides. In a grammar that was made of a contextual one (grammar.Split) the copies
// of a terminal do not compete, and others do.

// manyEnds lists the ends of a lexeme that has led to these pairs and matches the terminals, in
// order of preference.
func (p *product) manyEnds(live []pair, members []grammar.Terminal) []End {
	terminals := p.terminals(live)
	e := ender{p: p, obligations: live[len(terminals):], states: terminals}
	members = slices.Clone(members)
	if p.g.Lexer == grammar.LexAll {
		return e.all(members)
	}
	members = e.embedded(members)
	for len(members) > 0 {
		next := p.g.Terminals[members[0]].Next
		rest := members[:0:0]
		taken, last := make([]bool, len(p.repr)), false
		for _, t := range members {
			if p.g.Split == nil && p.g.Terminals[t].Next != next {
				rest = append(rest, t)
				continue
			}
			follows, atEnd := e.follows(t)
			for _, c := range p.g.Split.EmittedAs(t) {
				e.add([]grammar.Terminal{t}, []grammar.Terminal{c}, p.g.Terminals[c].Next, taken, atEnd && !last)
			}
			last = last || atEnd
			for class, ok := range follows {
				taken[class] = taken[class] || ok
			}
		}
		members = rest
	}
	return e.list
}

// embedded adds the ends of a lexeme of an embedded grammar, which is emitted as all terminals that
// it matches: one for each mode that these lead to. It returns the other members.
func (e *ender) embedded(members []grammar.Terminal) (others []grammar.Terminal) {
	var all []grammar.Terminal
	for _, t := range members {
		if e.p.g.Terminals[t].All {
			all = append(all, t)
		} else {
			others = append(others, t)
		}
	}
	byMode := map[int][]grammar.Terminal{}
	var modes []int
	for _, t := range all {
		for _, c := range e.p.g.Split.EmittedAs(t) {
			next := e.p.g.Terminals[c].Next
			if byMode[next] == nil {
				modes = append(modes, next)
			}
			byMode[next] = append(byMode[next], c)
		}
	}
	nothing := make([]bool, len(e.p.repr))
	for _, next := range modes {
		e.add(all, byMode[next], next, nothing, true)
	}
	return others
}

// An ender makes the ends of one state.
type ender struct {
	p           *product
	obligations []pair // of the state
	states      []pair // its terminals
	list        []End
}

// state is the state that the automaton of a terminal is in.
func (e *ender) state(t grammar.Terminal) int32 {
	i := slices.IndexFunc(e.states, func(x pair) bool { return x.terminal == int32(t) })
	return e.states[i].state
}

// follows tells by byte class whether the context of a terminal allows it next, and whether it
// allows the end of the text.
func (e *ender) follows(t grammar.Terminal) (classes []bool, atEnd bool) {
	classes = make([]bool, len(e.p.repr))
	x, asks := e.p.obligation(int32(t), e.state(t))
	for class, b := range e.p.repr {
		classes[class] = !asks || nextContext(e.p.dfas[t], x.state, b) != automata.Dead
	}
	return classes, !asks || e.p.dfas[t].ContextAtEnd(x.state)
}

// add adds the End of a lexeme that matches some terminals, with their obligations, and is emitted
// as others, unless nothing may follow it.
func (e *ender) add(members, emitted []grammar.Terminal, next int, excluded []bool, atEnd bool) {
	obligations := slices.DeleteFunc(slices.Clone(e.obligations), func(x pair) bool { return x.terminal == startMark })
	for _, t := range members {
		if x, asks := e.p.obligation(int32(t), e.state(t)); asks {
			obligations = append(obligations, x)
		}
	}
	sortPairs(obligations)
	obligations = slices.Compact(obligations)
	modes := e.p.modes[next : next+1]
	if e.p.g.Split != nil {
		// Whether a lexeme begins with a byte is asked of all modes together, so that it does not
		// depend on which states of the parser share one.
		modes = e.p.modes
	}
	live := slices.Concat(e.p.read(slices.Concat(modes...), obligations), obligations)
	any := false
	for class := range e.p.repr {
		any = any || !excluded[class] && e.p.moves(live, class)
	}
	atEnd = atEnd && e.p.atEnd(obligations)
	if !any && !atEnd {
		return
	}
	if start := e.p.start(next, obligations, excluded); start != None {
		e.list = append(e.list, End{e.p.setOf(emitted), start, atEnd})
	}
}

// all lists the ends of LexAll mode: one for each set of terminals that some byte, or the end of
// the text, leaves.
func (e *ender) all(members []grammar.Terminal) []End {
	n, start := len(e.p.repr), e.p.read(e.p.modes[0], e.obligations)
	left := make([][]grammar.Terminal, n+1) // by class, the end of the text last
	for _, t := range members {
		classes, atEnd := e.follows(t)
		for class, ok := range append(classes, atEnd) {
			if ok {
				left[class] = append(left[class], t)
			}
		}
	}
	var done [][]grammar.Terminal
	for _, set := range left {
		if len(set) == 0 || slices.ContainsFunc(done, func(o []grammar.Terminal) bool { return slices.Equal(o, set) }) {
			continue
		}
		done = append(done, set)
		excluded := make([]bool, n)
		for class := range excluded {
			excluded[class] = !slices.Equal(left[class], set) || !e.p.moves(start, class)
			if !excluded[class] && !e.agree(set, e.p.repr[class]) {
				return nil
			}
		}
		e.add(set, set, 0, excluded, slices.Equal(left[n], set))
	}
	return e.list
}

// agree tells whether the obligations of terminals that are emitted together are the same from the
// next byte on; else p.err says that they are not.
func (e *ender) agree(set []grammar.Terminal, b byte) bool {
	after := func(t grammar.Terminal) int32 {
		x, asks := e.p.obligation(int32(t), e.state(t))
		if !asks {
			return 0
		}
		return nextContext(e.p.dfas[t], x.state, b)
	}
	first := after(set[0])
	for _, t := range set[1:] {
		if c := after(t); c != first || c != 0 && e.p.dfas[t] != e.p.dfas[set[0]] {
			e.p.err = &grammar.Error{Pos: e.p.g.Terminals[t].Pos, Message: fmt.Sprintf("terminals %s and %s match the same text and ask for different text after it, beyond the next byte",
				e.p.g.Terminals[set[0]].Name, e.p.g.Terminals[t].Name), Hint: "%lexer all emits both at once; ask for one byte only, or for the same"}
			return false
		}
	}
	return true
}
