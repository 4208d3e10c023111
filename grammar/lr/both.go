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
}

// TakeBoth tells whether there is a stack on which the parser takes both terminals of a pair. If
// so, after is the symbols on top of such a stack, the last one being the top. The error is a
// *LimitError. Where conflicts are kept stacks fork, and of two that a text leads to each may take
// one terminal: whether they do is not asked here.
func (t *Tables) TakeBoth(p TerminalPair) (after []grammar.Symbol, both bool, err error) {
	s := &takenBoth{t: t, pair: p, seen: map[pairOfDescents]bool{}}
	a, b := newReducer(t, p.A), newReducer(t, p.B)
	for _, top := range t.Tops() {
		live := t.Live(top)
		if !p.AlwaysA && !bitset.Has(live, p.A) || !p.AlwaysB && !bitset.Has(live, p.B) {
			continue
		}
		if s.meet(a.first(top, p.AlwaysA), b.first(top, p.AlwaysB), top, ^top) {
			return s.symbols(^top, top), true, nil
		}
	}
	for i := 0; i < len(s.list); i++ {
		x := s.list[i]
		if s.meet(a.down(x.a, x.state, a.from), b.down(x.b, x.state, b.from), x.state, int32(i)) {
			return s.symbols(int32(i), x.state), true, nil
		}
		if len(s.list) > maxDescents {
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

// A reducer finds out what a parser comes to before one terminal.
type reducer struct {
	t    *Tables
	term grammar.Terminal
	// descents are what is known so far. It is all that there is of those that are final, and of
	// others when a round adds nothing to them.
	descents map[arrival][]descent
	final    map[arrival]bool
	asked    map[arrival]bool // in this round
	grew     bool
}

// An arrival is a state that a parser comes to from below, with nothing known under it: by a
// terminal, or by going from it to a nonterminal, which then stands on it.
type arrival struct {
	state int32
	lhs   grammar.Nonterminal // noSymbol: none
}

const noSymbol grammar.Nonterminal = -1

func newReducer(t *Tables, term grammar.Terminal) *reducer {
	return &reducer{t: t, term: term, descents: map[arrival][]descent{}, final: map[arrival]bool{}}
}

// first is what a parser comes to with a state on top, if it does not take the terminal always.
func (r *reducer) first(top int32, always bool) []descent {
	if always {
		return []descent{{shifted: true}}
	}
	return r.from(arrival{top, noSymbol})
}

// from is what the parser comes to below a state that it arrived in. Reductions of nothing may lead
// round to an arrival that was asked about before; so they are followed until nothing new is found.
func (r *reducer) from(x arrival) []descent {
	for r.grew = !r.final[x]; r.grew; {
		r.asked, r.grew = map[arrival]bool{}, false
		r.ask(x)
	}
	for y := range r.asked {
		r.final[y] = true
	}
	return r.descents[x]
}

// ask adds to what is known of an arrival, once a round.
func (r *reducer) ask(x arrival) []descent {
	if r.final[x] || r.asked[x] {
		return r.descents[x]
	}
	r.asked[x] = true
	out := slices.Clone(r.descents[x])
	add := func(list ...descent) {
		for _, d := range list {
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	if x.lhs != noSymbol {
		if to := r.t.GotoBefore(x.state, x.lhs, r.term); to >= 0 {
			for _, d := range r.ask(arrival{to, noSymbol}) {
				add(r.down(d, x.state, r.ask)...)
			}
		}
	} else {
		for _, a := range r.t.Actions(x.state, r.term) {
			switch a.Kind() {
			case KindShift:
				add(descent{shifted: true})
			case KindReduce:
				if lhs, n := r.t.Rule(a.Target()); n > 0 {
					add(descent{lhs: lhs, pops: int32(n)})
				} else {
					add(r.ask(arrival{x.state, lhs})...)
				}
			}
		}
	}
	r.grew = r.grew || len(out) > len(r.descents[x])
	r.descents[x] = out
	return out
}

// down is what becomes of a descent at a state.
func (r *reducer) down(d descent, state int32, ask func(arrival) []descent) []descent {
	if d.shifted {
		return []descent{d}
	}
	if d.pops--; d.pops > 0 {
		return []descent{d}
	}
	return ask(arrival{state, d.lhs})
}
