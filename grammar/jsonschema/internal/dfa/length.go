package dfa

import (
	"slices"
	"unicode/utf8"

	"gcdbench/grammar/automata"
)

// Lengths bounds the characters of the strings of an automaton: there are at least so many, and at
// most so many, -1 for any number. Both are estimates: least may be too small, greatest too large.
func Lengths(d *automata.DFA) (least, greatest int) {
	text, ok := d.Shortest()
	if !ok {
		return 0, 0
	}
	return len(text) / utf8.UTFMax, longest(d)
}

// longest is the length in bytes of the longest string of d, or -1 if there is a cycle, or d is an
// automaton on demand.
func longest(d *automata.DFA) int {
	const unseen, open, endless = -3, -2, -1
	if d.Rows() != nil {
		return endless
	}
	depth := slices.Repeat([]int{unseen}, d.NumStates())
	var visit func(s int32) int
	visit = func(s int32) int {
		if depth[s] != unseen {
			return depth[s]
		}
		depth[s] = open
		best := 0
		for _, next := range d.Row(s) {
			if next == automata.Dead {
				continue
			}
			n := visit(next)
			if n < 0 {
				depth[s] = endless
				return endless
			}
			best = max(best, n+1)
		}
		depth[s] = best
		return best
	}
	return visit(d.Start())
}
