package dfa

import (
	"slices"
	"unicode/utf8"

	"gcdbench/automata"
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

// longest is the length in bytes of the longest string of d, or -1 if there is a cycle.
func longest(d *automata.DFA) int {
	const unseen, open, endless = -3, -2, -1
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

// OfLength is every string of n to m characters; m < 0 for no limit. A character is a chain of
// states for its UTF-8, so the automaton is written down directly.
func OfLength(n, m int) (*automata.DFA, error) {
	last := n
	if m >= 0 {
		last = m
	}
	const size = 8 // states of a character: before it, then the tails
	var t []automata.Transition
	var accepting []int32
	for i := 0; i <= last; i++ {
		if i >= n {
			accepting = append(accepting, int32(i*size))
		}
		if i < last {
			t = appendCharacter(t, int32(i)*size, int32(i)*size, int32(i+1)*size)
		}
	}
	states := last*size + 1 // no character follows the last
	switch {
	case m < 0 && n == 0:
		return automata.AnyText(), nil
	case m < 0: // what follows shares its tails with the character before
		end := int32(last) * size
		t = appendCharacter(t, end, end-size, end)
	}
	return automata.FromMinimal(states, accepting, t, Limits)
}

// appendCharacter adds one character of UTF-8 that leads from a state to next, through the states
// s+1 to s+7. Those states are added if s is from.
func appendCharacter(t []automata.Transition, from, s, next int32) []automata.Transition {
	add := func(from int32, lo, hi byte, to int32) {
		t = append(t, automata.Transition{From: from, Lo: lo, Hi: hi, To: to})
	}
	add(from, 0, 0x7f, next)
	add(from, 0xc2, 0xdf, s+1)
	add(from, 0xe0, 0xe0, s+2)
	add(from, 0xe1, 0xec, s+3)
	add(from, 0xed, 0xed, s+4)
	add(from, 0xee, 0xef, s+3)
	add(from, 0xf0, 0xf0, s+5)
	add(from, 0xf1, 0xf3, s+6)
	add(from, 0xf4, 0xf4, s+7)
	if s != from {
		return t
	}
	add(s+1, 0x80, 0xbf, next)
	add(s+2, 0xa0, 0xbf, s+1)
	add(s+3, 0x80, 0xbf, s+1)
	add(s+4, 0x80, 0x9f, s+1)
	add(s+5, 0x90, 0xbf, s+3)
	add(s+6, 0x80, 0xbf, s+3)
	add(s+7, 0x80, 0x8f, s+3)
	return t
}
