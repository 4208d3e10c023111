package lr

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// Two terminals that match the same text can both be right only as long as the parser never takes
// both at one place. Whether it does is a question about all stacks. A parser reduces before a
// terminal until it shifts it, and each reduction goes further down the stack; so two parsers, one
// for each terminal, are followed down a stack of which only the top is known at first. What they
// are to do next depends on what lies below, and of that all possible states are tried: those that
// the automaton of LR states allows. There are finitely many ways to be on the way.

// maxKnown is how many states a run knows at most. A run pushes one for each nonterminal that derives
// nothing, and those that end push a few.
const maxKnown = 1 << 8

// maxDescents bounds the ways that are tried for a pair of terminals. Python's grammar needs some
// thousands.
const maxDescents = 1 << 20

// A descent is how far a parser has come down a stack: it has shifted its terminal; or it has still
// to pop some states, of which the next is the first, and then to go to a nonterminal.
type descent struct {
	shifted bool
	lhs     grammar.Nonterminal
	pops    int32
}

// A pairOfDescents is that of two parsers on the same stack, with the next state below.
type pairOfDescents struct {
	a, b  descent
	state int32
}

// A TerminalPair is two terminals to ask TakeBoth about. One that is Always taken leaves the parser
// as it is: an ignored terminal.
type TerminalPair struct {
	A, B             grammar.Terminal
	AlwaysA, AlwaysB bool
}

// A takenBoth is a search for a stack.
type takenBoth struct {
	t     *Tables
	pair  TerminalPair
	seen  map[pairOfDescents]bool
	list  []pairOfDescents
	above []int32 // by number in list: that of the way that led there, ^top for the first below a top
	steps int     // of runs
}

// TakeBoth tells whether there is a stack on which the parser takes both terminals of a pair. If so,
// after is the symbols on top of such a stack, the last one being the top. The error is a *LimitError.
func (t *Tables) TakeBoth(p TerminalPair) (after []grammar.Symbol, both bool, err error) {
	s := &takenBoth{t: t, pair: p, seen: map[pairOfDescents]bool{}}
	for _, top := range t.Tops() {
		live := t.Live(top)
		if !p.AlwaysA && !bitset.Has(live, p.A) || !p.AlwaysB && !bitset.Has(live, p.B) {
			continue
		}
		if s.meet(s.run([]int32{top}, p.A, p.AlwaysA), s.run([]int32{top}, p.B, p.AlwaysB), top, ^top) {
			return s.symbols(^top, top), true, nil
		}
	}
	for i := 0; i < len(s.list); i++ {
		x := s.list[i]
		if s.meet(s.down(x.a, x.state, p.A), s.down(x.b, x.state, p.B), x.state, int32(i)) {
			return s.symbols(int32(i), x.state), true, nil
		}
		if max(len(s.list), s.steps/maxSteps) > maxDescents {
			return nil, false, &LimitError{t.g.Name, "ways to tell two terminals apart that match the same text", maxDescents, "let fewer terminals match the same text"}
		}
	}
	return nil, false, nil
}

// meet combines the descents of both parsers past a state, and tells whether both have shifted. The
// others go on below the state.
func (s *takenBoth) meet(as, bs []descent, state, from int32) bool {
	for _, a := range as {
		for _, b := range bs {
			if a.shifted && b.shifted {
				return true
			}
			for _, under := range s.t.Predecessors(state) {
				x := pairOfDescents{a, b, under}
				if !s.seen[x] {
					s.seen[x] = true
					s.list = append(s.list, x)
					s.above = append(s.above, from)
				}
			}
		}
	}
	return false
}

// symbols are those of the states from that of way i up to the top of the stack.
func (s *takenBoth) symbols(i, state int32) []grammar.Symbol {
	var list []grammar.Symbol
	states := []int32{state}
	for i >= 0 {
		if i = s.above[i]; i >= 0 {
			states = append(states, s.list[i].state)
		} else {
			states = append(states, ^i)
		}
	}
	for _, q := range states {
		if x, ok := s.t.Accessing(q); ok {
			list = append(list, x)
		}
	}
	return list
}

// down is what becomes of a descent at a state.
func (s *takenBoth) down(d descent, state int32, term grammar.Terminal) []descent {
	if d.shifted {
		return []descent{d}
	}
	if d.pops--; d.pops > 0 {
		return []descent{d}
	}
	return s.enter([]int32{state}, d.lhs, term)
}

// enter goes to a nonterminal from the top of the known part of a stack, and on from there.
func (s *takenBoth) enter(known []int32, lhs grammar.Nonterminal, term grammar.Terminal) []descent {
	to := s.t.GotoBefore(known[len(known)-1], lhs, term)
	if to < 0 {
		return nil
	}
	return s.run(append(known[:len(known):len(known)], to), term, false)
}

// run is what a parser comes to on a stack of which only the upper states are known.
func (s *takenBoth) run(known []int32, term grammar.Terminal, always bool) []descent {
	if always {
		return []descent{{shifted: true}}
	}
	if s.steps++; len(known) > maxKnown || s.steps > maxSteps*maxDescents {
		return nil // reductions of nothing, without end, which read nothing; or TakeBoth gives up
	}
	var out []descent
	for _, a := range s.t.Actions(known[len(known)-1], term) {
		var more []descent
		switch a.Kind() {
		case KindShift:
			more = []descent{{shifted: true}}
		case KindReduce:
			lhs, n := s.t.Rule(a.Target())
			if n >= len(known) {
				more = []descent{{lhs: lhs, pops: int32(n - len(known) + 1)}}
			} else {
				more = s.enter(known[:len(known)-n], lhs, term)
			}
		}
		for _, d := range more {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}
