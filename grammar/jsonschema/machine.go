package jsonschema

import "gcdbench/automata"

// machine builds an automaton from a transition function: states are values of S, found breadth first
// from start; step says where each byte of alphabet leads.
func machine[S comparable](start S, alphabet string, step func(S, byte) (S, bool), accept func(S) bool) (*automata.DFA, error) {
	number := map[S]int32{start: 0}
	order := []S{start}
	var transitions []automata.Transition
	var accepting []int32
	for i := 0; i < len(order); i++ {
		s := order[i]
		if accept(s) {
			accepting = append(accepting, int32(i))
		}
		for _, c := range []byte(alphabet) {
			next, ok := step(s, c)
			if !ok {
				continue
			}
			id, known := number[next]
			if !known {
				id = int32(len(order))
				number[next] = id
				order = append(order, next)
			}
			transitions = append(transitions, automata.Transition{From: int32(i), Lo: c, Hi: c, To: id})
		}
	}
	return automata.FromTransitions(len(order), accepting, transitions, automatonLimits)
}
