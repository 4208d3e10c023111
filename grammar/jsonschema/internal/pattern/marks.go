package pattern

import (
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
)

// Patterns with lookarounds, or with anchors in their middle, are matched against the string
// between two marks. The marks are noncharacters of Unicode, which a string may hold like any
// others. While the pattern is compiled nothing else matches them. At the end the marks are taken
// off, and strings that hold the two characters are treated as if they held a third one, U+FDD2, in
// their place. That is right for all patterns that do not tell these three apart; a pattern that
// does is refused.

const (
	markStart = `\ufdd0`
	markEnd   = `\ufdd1`
	unmarked  = `[^\ufdd0\ufdd1]`
	pastMark  = `[^\ufdd0]`
)

// unmark takes the marks off an automaton of first matches, lets any text follow a match, and lets
// the characters of the marks lead where asMarks leads.
func unmark(d *automata.DFA) (*automata.DFA, error) {
	follow := func(s int32, text string) int32 {
		for i := 0; i < len(text) && !d.Accepting(s); i++ {
			s = d.Next(s, text[i])
		}
		return s
	}
	start := follow(d.Start(), "\ufdd0")
	switch {
	case start == automata.Dead:
		return automata.FromStrings(nil, dfa.Limits)
	case d.Accepting(start):
		return automata.AnyText(), nil
	}
	// The states are those of d after one that is the start, those of any text, and those inside of
	// the marks' characters.
	text := automata.AnyText()
	rest := int32(d.NumStates()) + 1
	u := &unmarking{d: d, states: rest + int32(text.NumStates()), of: func(next int32) int32 {
		if d.Accepting(next) {
			return rest
		}
		return next + 1
	}}
	var accepting []int32
	for s := int32(-1); s < int32(d.NumStates()); s++ {
		from := s
		if s < 0 {
			from = start
		}
		u.state(from, s+1)
		if d.Accepting(follow(from, "\ufdd1")) {
			accepting = append(accepting, s+1)
		}
	}
	for s := range int32(text.NumStates()) {
		u.t = appendRow(u.t, text, s, rest+s, func(next int32) int32 { return rest + next })
		if text.Accepting(s) {
			accepting = append(accepting, rest+s)
		}
	}
	return automata.FromTransitions(int(u.states), accepting, u.t, dfa.Limits)
}

// appendRow adds the transitions of state s of d as those of state from. A transition leads to what
// of makes of its target.
func appendRow(t []automata.Transition, d *automata.DFA, s, from int32, of func(int32) int32) []automata.Transition {
	for lo := 0; lo < 256; {
		next, hi := d.Next(s, byte(lo)), lo
		for hi < 255 && d.Next(s, byte(hi+1)) == next {
			hi++
		}
		if next != automata.Dead {
			t = append(t, automata.Transition{From: from, Lo: byte(lo), Hi: byte(hi), To: of(next)})
		}
		lo = hi + 1
	}
	return t
}

// marked is the expression between the marks, up to the end of the match.
func marked(tree *Node) string {
	w := &writer{marks: true}
	if !tree.asksStart(false) {
		w.b.WriteString(unmarked + "*")
		w.write(tree)
		return w.b.String()
	}
	first, _ := tree.resolved(atTheStart, false)
	later, _ := tree.resolved(pastStart, false)
	w.write(first)
	w.b.WriteString("|" + unmarked + "+")
	w.write(later)
	return w.b.String()
}

// asMarks is the character that strings with the marks are treated as if they held.
const asMarks = 0xfdd2

// tellsMarks tells whether a class of a pattern holds some of the three characters, but not all.
func (n *Node) tellsMarks() bool {
	if n.op == opClass {
		in := func(r rune) bool {
			for i := 0; i < len(n.set); i += 2 {
				if n.set[i] <= r && r <= n.set[i+1] {
					return true
				}
			}
			return false
		}
		return in(markRunes[0]) != in(asMarks) || in(markRunes[1]) != in(asMarks)
	}
	for _, sub := range n.subs {
		if sub.tellsMarks() {
			return true
		}
	}
	return false
}

// An unmarking makes the transitions of d, whose targets become what of makes of them.
type unmarking struct {
	d      *automata.DFA
	of     func(int32) int32
	states int32 // so far
	t      []automata.Transition
}

// state adds the transitions of state s of d as those of state from. In UTF-8 the marks differ from
// asMarks in the last of three bytes. The states after the first two bytes are copied for each
// state, since others may share them.
func (u *unmarking) state(s, from int32) {
	const first, second, last = 0xef, 0xb7, 0x92
	afterFirst := u.d.Next(s, first)
	afterSecond := u.d.Next(afterFirst, second)
	if afterSecond == automata.Dead {
		u.t = appendRow(u.t, u.d, s, from, u.of)
		return
	}
	one, two := u.states, u.states+1
	u.states += 2
	u.rowBut(s, from, first, first, one)
	u.rowBut(afterFirst, one, second, second, two)
	to := u.d.Next(afterSecond, last)
	if to != automata.Dead {
		to = u.of(to)
	}
	u.rowBut(afterSecond, two, last-2, last-1, to)
}

// rowBut adds the transitions of state s as those of state from, but for the bytes lo..hi, which
// lead to to.
func (u *unmarking) rowBut(s, from int32, lo, hi byte, to int32) {
	for _, x := range appendRow(nil, u.d, s, from, u.of) {
		below, above := x, x
		below.Hi, above.Lo = min(x.Hi, lo-1), max(x.Lo, hi+1)
		for _, part := range []automata.Transition{below, above} {
			if part.Lo <= part.Hi {
				u.t = append(u.t, part)
			}
		}
	}
	if to != automata.Dead {
		u.t = append(u.t, automata.Transition{From: from, Lo: lo, Hi: hi, To: to})
	}
}
