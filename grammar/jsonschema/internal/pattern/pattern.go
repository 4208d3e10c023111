// Package pattern compiles regular expressions of ECMA-262 to automata over UTF-8. A pattern of a
// JSON schema matches anywhere in a string; the automaton accepts the whole strings in which it
// does.
//
// The way of a pattern: parse.go reads it into a tree (set.go has its sets of characters); ends.go
// and anchors.go simplify the tree; write.go writes it in the syntax of package automata, as an
// expression that matches whole strings; marks.go takes off what that needs at the ends of a
// string.
//
// Without lookaround, and with ^ and $ only where an alternative begins or ends, an alternative is
// padded with any text on the sides that are open. Any other pattern is matched against the string
// between two marks, which are characters that Unicode reserves. Then ^ and $ are lookarounds at
// the marks. Marks are inside of the match, so these lookarounds can be decided.
//
// What bounds it: the limits of package dfa, and maxGroups. What is not regular, and lookarounds
// about what lies beyond the pattern, are an *Unsupported.
package pattern

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/dfa"
)

// An Unsupported is a regular expression that no finite automaton decides, or that this package
// does not.
type Unsupported struct{ message string }

// Error says what the pattern has that is not supported.
func (e *Unsupported) Error() string { return e.message }

// An Error is a pattern that is not a regular expression.
type Error struct {
	pattern string
	offset  int // in characters
	message string
}

// Error quotes the pattern, 200 characters around the place if it is longer, and says what is
// wrong.
func (e *Error) Error() string {
	quoted := e.pattern
	if all := []rune(quoted); len(all) > 200 {
		from := max(0, min(e.offset-100, len(all)-200))
		quoted = "..." + string(all[from:from+200]) + "..."
	}
	return fmt.Sprintf("the pattern %q is not a regular expression: %s at character %d", quoted, e.message, e.offset+1)
}

type op uint8

const (
	opClass  op = iota // one character of set; of an empty one, no text at all
	opCat              // all of subs, one after the other; none is the empty text
	opAlt              // one of subs
	opRepeat           // min to max times subs[0]; max < 0 for no limit
	opStart
	opEnd
	opBoundary
	opNotBoundary
	opLook // lookaround for subs[0]
)

// A Node is a pattern, or a part of one. It is not changed once it is made.
type Node struct {
	op       op
	set      Set
	subs     []*Node
	min, max int
	open     string // of a lookaround: how it begins, "(?=" and the like
}

// Parse reads a pattern. The error is an *Error or an *Unsupported.
func Parse(pattern string) (*Node, error) {
	p := &parser{pattern: pattern, src: []rune(pattern)}
	return p.parse()
}

// Compile is the automaton of the strings in which a pattern matches somewhere; a large one is made
// on demand. Besides those of Parse there are errors of package automata, *automata.LimitError if
// the automaton is too large.
func Compile(pattern string) (*automata.DFA, error) {
	tree, err := Parse(pattern)
	if err != nil {
		return nil, err
	}
	return tree.automaton()
}

// automaton is the automaton of the strings in which a pattern matches. A lookahead at its
// beginning is an automaton of its own: each is minimal before they multiply, and if they are large
// a text comes to a few pairs of their states.
func (n *Node) automaton() (*automata.DFA, error) {
	first, rest, anchored, ok := n.lookFirst()
	if !ok {
		return n.compile()
	}
	all, err := rest.automaton()
	if err != nil {
		return n.compile()
	}
	seen, err := (&Node{op: opCat, subs: []*Node{{op: opStart}, first.subs[0]}}).automaton()
	if err != nil {
		return n.compile()
	}
	d, err := dfa.Product(all, seen, first.open == "(?!")
	if anchored || err != nil {
		return d, err
	}
	return dfa.Anywhere(d)
}

// lookFirst splits a pattern that begins with a lookahead, behind ^ if it is anchored: what it
// looks for, and the rest, which begins with ^ in any case. Without an anchor neither may ask what
// stands before. The anchor may stand inside, as in (?=^.{1,9}$)(^a).
func (n *Node) lookFirst() (first, rest *Node, anchored, ok bool) {
	subs := n.subs
	if anchored = n.op == opCat && len(subs) > 0 && subs[0].op == opStart; anchored {
		subs = subs[1:]
	}
	if n.op != opCat || len(subs) == 0 || subs[0].op != opLook || !subs[0].ahead() {
		return nil, nil, false, false
	}
	first, rest = subs[0], &Node{op: opCat, subs: subs[1:]}
	body, within := first.subs[0].behindStart()
	behind, starts := rest.behindStart()
	if anchored = anchored || starts || within && first.open == "(?="; anchored {
		first, rest = &Node{op: opLook, open: first.open, subs: []*Node{body}}, behind
	} else if n.asksBefore() {
		return nil, nil, false, false
	}
	return first, &Node{op: opCat, subs: []*Node{{op: opStart}, rest}}, anchored, true
}

// behindStart is a part without the ^ that it begins with; the part itself if it begins with none.
func (n *Node) behindStart() (rest *Node, ok bool) {
	switch {
	case n.op == opStart:
		return &Node{op: opCat}, true
	case n.op == opCat && len(n.subs) > 0:
		if first, ok := n.subs[0].behindStart(); ok {
			return &Node{op: opCat, subs: append([]*Node{first}, n.subs[1:]...)}, true
		}
	}
	return n, false
}

// asksBefore tells whether n has an assertion about what stands before a place.
func (n *Node) asksBefore() bool {
	switch n.op {
	case opStart, opBoundary, opNotBoundary:
		return true
	case opLook:
		if !n.ahead() {
			return true
		}
	}
	return slices.ContainsFunc(n.subs, (*Node).asksBefore)
}

// compile is the automaton of the strings in which a parsed pattern matches.
func (n *Node) compile() (*automata.DFA, error) {
	n = n.shortened(true, true)
	w := &writer{}
	w.padded(n, true, true)
	if !w.marks {
		return dfa.Text(w.b.String())
	}
	e, err := automata.Parse(markStart+"(?:"+marked(n)+")"+pastMark+"*", 0)
	if err != nil {
		return nil, err
	}
	d, err := automata.CompileFirst(e, dfa.Limits)
	var outside *automata.SyntaxError
	if errors.As(err, &outside) { // the pattern was parsed, and so was its translation
		return nil, &Unsupported{"the pattern asks inside of a lookaround what is outside of it"}
	}
	if err != nil {
		return nil, err
	}
	if n.tellsMarks() {
		return nil, &Unsupported{"the pattern has lookarounds, and tells U+FDD0 or U+FDD1 from U+FDD2"}
	}
	return unmark(d)
}

// Modest tells whether a pattern has at most limit places for a character or a word boundary,
// repetitions written out, and no lookaround: its automaton is then hardly ever too large.
func (n *Node) Modest(limit int) bool { return n.places(limit) <= limit && !n.tellsMarks() }

// places counts the places for a character, up to limit and some.
func (n *Node) places(limit int) int {
	total := 0
	switch n.op {
	case opClass, opBoundary, opNotBoundary:
		return 1
	case opLook:
		return limit + 1
	}
	for _, sub := range n.subs {
		if total += sub.places(limit); total > limit {
			return limit + 1
		}
	}
	if n.op == opRepeat {
		total *= min(max(n.min, n.max, 1), limit+1)
	}
	return total
}

// Lengths are some lengths in characters of strings in which a pattern plainly matches: a bit for
// each that is less than manyLengths, and the bit of that for all that are more. None says nothing.
func (n *Node) Lengths() uint64 { return n.lengths(true, true) }

// manyLengths is the number of the last bit of Lengths.
const manyLengths = 63

// lengths is Lengths of a part that may stand at the start or at the end of the string.
func (n *Node) lengths(first, last bool) (all uint64) {
	switch n.op {
	case opClass:
		return uint64(min(len(n.set), 1)) << 1
	case opStart, opEnd:
		if n.op == opStart && first || n.op == opEnd && last {
			return 1
		}
	case opRepeat:
		once, some := n.subs[0].lengths(false, false), uint64(1)
		for i := range 2 * manyLengths { // after so many rounds, more change nothing
			if i >= min(n.min, manyLengths) && (n.max < 0 || i <= n.max) {
				all |= some
			}
			some = sums(some, once)
		}
	case opAlt:
		for _, sub := range n.subs {
			all |= sub.lengths(first, last)
		}
	case opCat:
		all = 1
		for i, sub := range n.subs {
			before := !slices.ContainsFunc(n.subs[:i], func(o *Node) bool { return o.op != opStart })
			after := !slices.ContainsFunc(n.subs[i+1:], func(o *Node) bool { return o.op != opEnd })
			all = sums(all, sub.lengths(first && before, last && after))
		}
	}
	return all
}

// sums are the sums of a length of each of two sets.
func sums(a, b uint64) (all uint64) {
	for ; a != 0; a &= a - 1 {
		beyond, within := bits.Mul64(b, a&-a)
		all |= within | min(beyond, 1)<<manyLengths
	}
	return all
}
