package pattern

import (
	"strconv"
	"strings"
)

// anything is any text.
const anything = `[\x00-\U0010ffff]*`

// A writer writes a tree in the syntax of package automata.
type writer struct {
	b     strings.Builder
	marks bool // the text is between marks; or, after padded, that it has to be
}

// padded writes n for matching whole strings: left and right say whether any text may come before
// and after.
func (w *writer) padded(n *Node, left, right bool) {
	switch {
	case n.op == opAlt:
		w.paddedAlternatives(n.subs, left, right)
	case n.op == opStart && left:
		w.pad(right)
	case n.op == opEnd && right:
		w.pad(left)
	case n.op == opCat && len(n.subs) > 0:
		w.paddedCat(n.subs, left, right)
	default:
		w.pad(left)
		w.write(n)
		w.pad(right)
	}
}

// paddedAlternatives writes alternatives for matching whole strings. Those without anchors share
// their padding: one automaton looks for all of them at once. Padded one by one, each would stay in
// sight once it is found, and the sets of found ones multiply: 2^n states for n words.
func (w *writer) paddedAlternatives(subs []*Node, left, right bool) {
	floating := &Node{op: opAlt}
	w.b.WriteString("(?:")
	for i, sub := range subs {
		if !sub.anchored() {
			floating.subs = append(floating.subs, sub)
			continue
		}
		if i > len(floating.subs) { // not the first one here
			w.b.WriteByte('|')
		}
		w.padded(sub, left, right)
	}
	if n := len(floating.subs); n > 0 {
		if n < len(subs) {
			w.b.WriteByte('|')
		}
		w.pad(left)
		w.write(floating)
		w.pad(right)
	}
	w.b.WriteByte(')')
}

func (w *writer) pad(open bool) {
	if open {
		w.b.WriteString(anything)
	}
}

func (w *writer) paddedCat(subs []*Node, left, right bool) {
	first, last := subs[0], subs[len(subs)-1]
	switch {
	case len(subs) == 1:
		w.padded(first, left, right)
	case left && first.op == opStart:
		w.paddedCat(subs[1:], false, right)
	case right && last.op == opEnd:
		w.paddedCat(subs[:len(subs)-1], left, false)
	case left && first.anchored():
		w.padded(first, true, false)
		w.paddedCat(subs[1:], false, right)
	case right && last.anchored():
		w.paddedCat(subs[:len(subs)-1], left, false)
		w.padded(last, false, true)
	default:
		w.pad(left)
		for _, sub := range subs {
			w.write(sub)
		}
		w.pad(right)
	}
}

// anchored tells whether n is an alternation or sequence with an anchor in it.
func (n *Node) anchored() bool {
	if n.op == opStart || n.op == opEnd {
		return true
	}
	if n.op == opAlt || n.op == opCat {
		for _, sub := range n.subs {
			if sub.anchored() {
				return true
			}
		}
	}
	return false
}

const wordClass = `[0-9A-Z_a-z]`

// assertions says what anchors are between marks.
var assertions = map[op]string{
	opStart:       "(?<=" + markStart + ")",
	opEnd:         "(?=" + markEnd + ")",
	opBoundary:    "(?:(?<=" + wordClass + ")(?!" + wordClass + ")|(?<!" + wordClass + ")(?=" + wordClass + "))",
	opNotBoundary: "(?:(?<=" + wordClass + ")(?=" + wordClass + ")|(?<!" + wordClass + ")(?!" + wordClass + "))",
}

// write writes n as it stands.
func (w *writer) write(n *Node) {
	switch n.op {
	case opClass:
		set := n.set
		if w.marks {
			set = set.without(markRunes)
		}
		w.b.WriteString(set.String())
	case opCat, opAlt:
		w.b.WriteString("(?:")
		for i, sub := range n.subs {
			if i > 0 && n.op == opAlt {
				w.b.WriteByte('|')
			}
			w.write(sub)
		}
		w.b.WriteByte(')')
	case opRepeat:
		w.b.WriteString("(?:")
		w.write(n.subs[0])
		w.b.WriteString("){" + strconv.Itoa(n.min) + ",")
		if n.max >= 0 {
			w.b.WriteString(strconv.Itoa(n.max))
		}
		w.b.WriteByte('}')
	case opLook:
		w.b.WriteString(n.open)
		w.write(n.subs[0])
		w.b.WriteByte(')')
		w.marks = true
	default:
		w.b.WriteString(assertions[n.op])
		w.marks = true
	}
}
