package lr

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
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
// to pop some states, of which the next is the first, and then to go to a nonterminal. Descents are
// numbered; shifted is the number of the first kind.
type descent struct {
	shifted bool
	lhs     grammar.Nonterminal
	pops    int32
}

const shifted = 0

// A TerminalPair is two terminals to ask TakeBoth about. One that is Always taken leaves the parser
// as it is: an ignored terminal.
type TerminalPair struct {
	A, B             grammar.Terminal
	AlwaysA, AlwaysB bool
}

// A takenBoth is a search for a stack. What a parser comes to before a terminal is found out once
// for all pairs that the terminal is in.
type takenBoth struct {
	t        *Tables
	descents intern.Keys[descent]
	reducers map[grammar.Terminal]*reducer
	both     intern.Keys[[2]int32] // the descents of two parsers

	// Of one pair of terminals: the places that the two parsers can come to.
	seen map[uint64]struct{} // both<<32 | state
	list []place
}

// A place is two parsers on the same stack, by number in takenBoth.both, and the next state below.
// above is the place that led there, ^top for the first below a top.
type place struct {
	both, state, above int32
}

// TakeBoth tells whether there is a stack on which the parser takes both terminals of one of the
// pairs. If so, found is the first such pair, by index, and after is the symbols on top of such a
// stack, the last one being the top; else found is -1. The error is a *LimitError. Where conflicts
// are kept stacks fork, and of two that a text leads to each may take one terminal: whether they do
// is not asked here.
func (t *Tables) TakeBoth(pairs []TerminalPair) (found int, after []grammar.Symbol, err error) {
	s := &takenBoth{t: t, reducers: map[grammar.Terminal]*reducer{}, seen: map[uint64]struct{}{}}
	s.descents.ID(descent{shifted: true})
	for i, p := range pairs {
		if after, both, err := s.search(p); both || err != nil {
			return i, after, err
		}
	}
	return -1, nil, nil
}

// search is TakeBoth for one pair.
func (s *takenBoth) search(p TerminalPair) (after []grammar.Symbol, both bool, err error) {
	clear(s.seen)
	s.list = s.list[:0]
	a, b := s.reducer(p.A), s.reducer(p.B)
	for _, top := range s.t.Tops() {
		live := s.t.Live(top)
		if !p.AlwaysA && !bitset.Has(live, p.A) || !p.AlwaysB && !bitset.Has(live, p.B) {
			continue
		}
		if s.meet(a.first(top, p.AlwaysA), b.first(top, p.AlwaysB), top, ^top) {
			return s.symbols(^top, top), true, nil
		}
	}
	for i := 0; i < len(s.list); i++ {
		x := s.list[i]
		descents := s.both.At(x.both)
		if s.meet(a.below(descents[0], x.state), b.below(descents[1], x.state), x.state, int32(i)) {
			return s.symbols(int32(i), x.state), true, nil
		}
		if len(s.list) > maxDescents {
			return nil, false, &LimitError{s.t.g.Name, "ways to tell two terminals apart that match the same text", maxDescents, "let fewer terminals match the same text"}
		}
	}
	return nil, false, nil
}

// meet combines the descents of both parsers past a state, and tells whether both have shifted. The
// others go on below the state.
func (s *takenBoth) meet(as, bs []int32, state, from int32) bool {
	for _, a := range as {
		for _, b := range bs {
			if a == shifted && b == shifted {
				return true
			}
			both, _ := s.both.ID([2]int32{a, b})
			for _, under := range s.t.Predecessors(state) {
				key := uint64(both)<<32 | uint64(under)
				if _, seen := s.seen[key]; !seen {
					s.seen[key] = struct{}{}
					s.list = append(s.list, place{both, under, from})
				}
			}
		}
	}
	return false
}

// symbols are those of the states from that of place i up to the top of the stack.
func (s *takenBoth) symbols(i, state int32) []grammar.Symbol {
	var list []grammar.Symbol
	states := []int32{state}
	for i >= 0 {
		if i = s.list[i].above; i >= 0 {
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
	*takenBoth
	term  grammar.Terminal
	known map[arrival]*outcomes
	round int32
	asked []*outcomes // in this round
	grew  bool        // in this round
}

// outcomes are the descents that an arrival can come to, as far as they are known: all of them if
// they are final, or when a round adds nothing to them.
type outcomes struct {
	descents []int32
	round    int32 // in which they were last asked for
	final    bool
}

// An arrival is a state that a parser comes to from below, with nothing known under it: by a
// terminal, or by going from it to a nonterminal, which then stands on it.
type arrival struct {
	state int32
	lhs   grammar.Nonterminal // noSymbol: none
}

const noSymbol grammar.Nonterminal = -1

func (s *takenBoth) reducer(term grammar.Terminal) *reducer {
	if s.reducers[term] == nil {
		s.reducers[term] = &reducer{takenBoth: s, term: term, known: map[arrival]*outcomes{}}
	}
	return s.reducers[term]
}

// first is what a parser comes to with a state on top, if it does not take the terminal always.
func (r *reducer) first(top int32, always bool) []int32 {
	if always {
		return []int32{shifted}
	}
	return r.from(arrival{top, noSymbol})
}

// below continues a descent at a state.
func (r *reducer) below(d, state int32) []int32 { return r.down(d, state, r.from) }

// from is what the parser comes to below a state that it arrived in. Reductions of nothing may lead
// round to an arrival that was asked about before; so they are followed until nothing new is found.
func (r *reducer) from(x arrival) []int32 {
	if o := r.known[x]; o != nil && o.final {
		return o.descents
	}
	for r.grew = true; r.grew; {
		r.round, r.asked, r.grew = r.round+1, r.asked[:0], false
		r.ask(x)
	}
	for _, o := range r.asked {
		o.final = true
	}
	return r.known[x].descents
}

// ask adds to what is known of an arrival, once a round.
func (r *reducer) ask(x arrival) []int32 {
	o := r.known[x]
	if o == nil {
		o = &outcomes{}
		r.known[x] = o
	}
	if o.final || o.round == r.round {
		return o.descents
	}
	o.round = r.round
	r.asked = append(r.asked, o)
	out := slices.Clone(o.descents)
	add := func(list ...int32) {
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
				add(shifted)
			case KindReduce:
				if lhs, n := r.t.Rule(a.Target()); n > 0 {
					add(r.number(lhs, int32(n)))
				} else {
					add(r.ask(arrival{x.state, lhs})...)
				}
			}
		}
	}
	r.grew = r.grew || len(out) > len(o.descents)
	o.descents = out
	return out
}

// number is the number of the descent that has to pop some states and then to go to lhs.
func (s *takenBoth) number(lhs grammar.Nonterminal, pops int32) int32 {
	id, _ := s.descents.ID(descent{lhs: lhs, pops: pops})
	return id
}

// down continues a descent at a state; ask tells where the parser arrives from there.
func (r *reducer) down(id, state int32, ask func(arrival) []int32) []int32 {
	d := r.descents.At(id)
	switch {
	case d.shifted:
		return []int32{shifted}
	case d.pops > 1:
		return []int32{r.number(d.lhs, d.pops-1)}
	}
	return ask(arrival{state, d.lhs})
}
