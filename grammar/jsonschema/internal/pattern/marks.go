package pattern

import (
	"slices"

	"gcdbench/grammar/automata"
)

// Patterns with lookarounds, or with anchors in their middle, are matched against the string
// between two marks. The marks are noncharacters of Unicode, which a string may hold like any
// others. While the pattern is compiled nothing else matches them. At the end the marks are taken
// off, and strings that hold the two characters are treated as if they held a third one, U+FDD2, in
// their place. That is right for all patterns that do not tell these three apart; a pattern that
// does is refused.

const (
	markStart = "\ufdd0"
	markEnd   = "\ufdd1"
	noMarks   = `[^\ufdd0\ufdd1]`
	pastMark  = `[^\ufdd0]`
)

// An unmarked is a state of the texts in which a pattern matches that stands between marks: of the
// first match, and any text after it.
type unmarked struct {
	firsts *automata.Firsts
	at     int32
	char   place // of a mark
	past   bool  // the match is over; at is then a state of the automaton of all texts
}

// A place is how much was read of the text of a mark. In UTF-8 the marks and the character that
// stands for them differ in the last of three bytes.
type place uint8

const (
	noMark place = iota
	markFirst
	markSecond
)

const first, second, last = 0xef, 0xb7, 0x92 // of U+FDD2

// withoutMarks is the automaton of the texts in which a pattern matches, out of its matches between
// the marks. It is written down if it has few states.
func withoutMarks(firsts *automata.Firsts) (*automata.DFA, error) {
	start := unmarked{firsts: firsts, at: firsts.Start()}
	if start.at = start.mark(markStart); firsts.Matches(start.at) {
		return automata.AnyText(), nil
	}
	apart := []int{first, first + 1, second, second + 1, last - 2, last, last + 1}
	text, _ := automata.AnyText().Classes()
	var classOf [256]uint8
	for b, class := 1, uint8(0); b < 256; b++ {
		if !firsts.Same(byte(b-1), byte(b)) || text[b-1] != text[b] || slices.Contains(apart, b) {
			class++
		}
		classOf[b] = class
	}
	d, err := automata.FromTextSteps(start, classOf)
	if err != nil {
		return nil, err
	}
	if d.Within(fewStates) {
		return d.Whole(), d.Failed()
	}
	return d, d.Failed()
}

// fewStates is how many states of a pattern with lookarounds are written down.
const fewStates = 200

// mark is the state after a mark.
func (u unmarked) mark(text string) int32 {
	s := u.at
	for i := 0; i < len(text) && !u.firsts.Matches(s); i++ {
		s = u.firsts.Next(s, text[i])
	}
	return s
}

// Step implements automata.Stepper. The characters of the marks lead where U+FDD2 leads.
func (u unmarked) Step(b byte) (unmarked, bool) {
	text := automata.AnyText()
	if u.past {
		u.at = text.Next(u.at, b)
		return u, u.at != automata.Dead
	}
	if u.char == markSecond && b < last && b >= last-2 {
		b = last
	}
	switch {
	case b == first:
		u.char = markFirst
	case b == second && u.char == markFirst:
		u.char = markSecond
	default:
		u.char = noMark
	}
	if u.at = u.firsts.Next(u.at, b); u.firsts.Matches(u.at) {
		return unmarked{firsts: u.firsts, past: true, at: text.Start()}, true
	}
	return u, u.at != automata.Dead
}

// Accepts implements automata.Stepper.
func (u unmarked) Accepts() bool {
	if u.past {
		return automata.AnyText().Accepting(u.at)
	}
	return u.firsts.Matches(u.mark(markEnd))
}

// Outlook implements automata.Stepper.
func (u unmarked) Outlook() automata.Outlook {
	if u.past {
		return automata.Free
	}
	return automata.Unknown
}

// Near is an estimate of the bytes to acceptance: see automata.Stepper.
func (u unmarked) Near() int32 {
	if u.past {
		return 0
	}
	return u.firsts.Near(u.at)
}

// marked is the expression between the marks, up to the end of the match.
func marked(tree *Node) string {
	w := &writer{marks: true}
	if !tree.asksStart(false) {
		w.b.WriteString(noMarks + "*")
		w.write(tree)
		return w.b.String()
	}
	first, _ := tree.resolved(atTheStart, false)
	later, _ := tree.resolved(pastStart, false)
	w.write(first)
	w.b.WriteString("|" + noMarks + "+")
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
