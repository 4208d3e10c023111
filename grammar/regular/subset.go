package regular

import (
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/internal/intern"
)

// subsets is the subset construction of a builder's automaton. A set has the states that read
// something, and state 0 if it accepts.
type subsets struct {
	*builder
	classes []automata.Transition // a byte range of each class; only Lo and Hi are used
	seen    []int32               // by state: the closure that has it
	round   int32
	sets    intern.Lists[int32]
	steps   int
}

// determinize makes the automaton deterministic, and minimal.
func (b *builder) determinize(start int32) (*automata.DFA, error) {
	s := &subsets{builder: b, classes: b.byteRanges(), seen: make([]int32, len(b.states))}
	s.add([]int32{start})
	var transitions []automata.Transition
	var accepting []int32
	for at := int32(0); int(at) < s.sets.Len(); at++ {
		set := s.sets.At(at)
		if len(set) > 0 && set[0] == 0 {
			accepting = append(accepting, at)
		}
		if err := s.check(len(set) * len(s.classes)); err != nil {
			return nil, err
		}
		transitions = s.edges(transitions, at, set)
	}
	return automata.FromTransitions(s.sets.Len(), accepting, transitions, b.lim)
}

// check counts steps, and looks at the limits and at the context.
func (s *subsets) check(steps int) error {
	before := s.steps
	s.steps += steps
	hint := "use the grammar with its stack (automaton=pushdown)"
	switch {
	case s.steps > s.lim.MaxSteps:
		return &automata.LimitError{Name: "MaxSteps", Limit: s.lim.MaxSteps, What: "the subset construction takes too many steps", Hint: hint}
	case s.sets.Len() > s.lim.MaxStates:
		return &automata.LimitError{Name: "MaxStates", Limit: s.lim.MaxStates, What: "the grammar's automaton has too many states", Hint: hint}
	case before>>16 != s.steps>>16:
		return s.lim.Context.Err()
	}
	return nil
}

// edges appends the transitions of a set, those of neighbouring bytes as one.
func (s *subsets) edges(list []automata.Transition, at int32, set []int32) []automata.Transition {
	var moved []int32
	for _, c := range s.classes {
		moved = moved[:0]
		for _, q := range set {
			if d := s.states[q].dfa; d != nil {
				if to := d.Next(s.states[q].at, c.Lo); to != automata.Dead {
					moved = append(moved, q-s.states[q].at+to)
				}
			}
		}
		if len(moved) == 0 {
			continue
		}
		to := s.add(moved)
		if last := len(list) - 1; last >= 0 && list[last].From == at && list[last].To == to && list[last].Hi+1 == c.Lo {
			list[last].Hi = c.Hi
			continue
		}
		list = append(list, automata.Transition{From: at, Lo: c.Lo, Hi: c.Hi, To: to})
	}
	return list
}

// add is the number of the set that some states lead to without reading.
func (s *subsets) add(from []int32) int32 {
	s.round++
	var set []int32
	stack := slices.Clone(from)
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.seen[q] == s.round {
			continue
		}
		s.seen[q] = s.round
		stack = append(stack, s.states[q].jumps...)
		if q == 0 || s.reads(q) {
			set = append(set, q)
		}
	}
	slices.Sort(set)
	id, _ := s.sets.Take(set)
	return id
}

// reads reports whether a byte leads on from a state.
func (s *subsets) reads(q int32) bool {
	d := s.states[q].dfa
	return d != nil && slices.ContainsFunc(d.Row(s.states[q].at), func(to int32) bool { return to != automata.Dead })
}

// byteRanges are ranges of bytes that no terminal tells apart, in ascending order.
func (b *builder) byteRanges() []automata.Transition {
	cut := [257]bool{0: true, 256: true}
	for _, d := range b.words {
		if d == nil {
			continue
		}
		of, _ := d.Classes()
		for c := 1; c < 256; c++ {
			cut[c] = cut[c] || of[c] != of[c-1]
		}
	}
	var list []automata.Transition
	for lo := 0; lo < 256; {
		hi := lo + 1
		for !cut[hi] {
			hi++
		}
		list = append(list, automata.Transition{Lo: byte(lo), Hi: byte(hi - 1)})
		lo = hi
	}
	return list
}
