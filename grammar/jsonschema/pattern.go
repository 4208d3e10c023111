package jsonschema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gcdbench/automata"
)

// Patterns are regular expressions of ECMA-262, which match anywhere in a string. They are parsed here,
// into a tree of few forms, and written again in the syntax of package automata as an expression
// that matches whole strings.
//
// Without lookaround, and with ^ and $ only where an alternative begins or ends, an alternative is
// padded with any text on the sides that are open. Other patterns are matched against the string
// between two marks, characters that Unicode reserves and that no pattern matches: then ^ and $ are
// lookarounds at the marks, which are inside of the match and so decidable; the marks are taken off
// the automaton at the end.

// A patternUnsupported is an error about what a finite automaton does not do.
type patternUnsupported struct{ message string }

func (e *patternUnsupported) Error() string { return e.message }

// A patternError is a pattern that is not a regular expression.
type patternError struct {
	pattern string
	offset  int // in characters
	message string
}

func (e *patternError) Error() string {
	if runes := []rune(e.pattern); len(runes) > 200 { // what is around the place
		from := max(0, min(e.offset-100, len(runes)-200))
		return fmt.Sprintf("the pattern %q is not a regular expression: %s at character %d", "..."+string(runes[from:from+200])+"...", e.message, e.offset+1)
	}
	return fmt.Sprintf("the pattern %q is not a regular expression: %s at character %d", e.pattern, e.message, e.offset+1)
}

type reOp uint8

const (
	reClass reOp = iota // one character of set
	reCat
	reAlt
	reRepeat // min to max times; max < 0 for no limit
	reStart
	reEnd
	reBoundary
	reNotBoundary
	reLook // open holds (?= and the like
)

type re struct {
	op       reOp
	set      runes
	subs     []*re
	min, max int
	open     string
}

// patternLanguage is the language of strings in which a pattern matches.
func (c *compiler) patternLanguage(pattern string) *language {
	if l := c.patterns[pattern]; l != nil {
		return l
	}
	l := &language{name: "pattern " + pattern, build: func() (*automata.DFA, error) {
		return c.kept.patterns.get(pattern, func() (*automata.DFA, error) { return compilePattern(pattern) })
	}, c: c}
	c.patterns[pattern] = l
	return l
}

// compilePattern is the automaton of the strings in which the pattern matches somewhere.
func compilePattern(pattern string) (*automata.DFA, error) {
	p := &reParser{pattern: pattern, src: []rune(pattern)}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	d, err := compileTree(tree)
	var limit *automata.LimitError
	if first, rest, ok := tree.lookFirst(); ok && errors.As(err, &limit) {
		return compileLook(first, rest)
	}
	return d, err
}

// lookFirst takes a lookahead at the start of the text off a pattern.
func (n *re) lookFirst() (first, rest *re, ok bool) {
	if n.op != reCat || len(n.subs) < 2 || n.subs[0].op != reStart || n.subs[1].op != reLook || !n.subs[1].ahead() {
		return nil, nil, false
	}
	return n.subs[1], &re{op: reCat, subs: append([]*re{n.subs[0]}, n.subs[2:]...)}, true
}

// compileLook is the automaton of a pattern that begins with ^ and a lookahead, from the automata of both: they
// are minimal before they multiply.
func compileLook(first, rest *re) (*automata.DFA, error) {
	all, err := compileTree(rest)
	if err != nil {
		return nil, err
	}
	seen, err := compileTree(&re{op: reCat, subs: []*re{{op: reStart}, first.subs[0]}})
	if err != nil {
		return nil, err
	}
	return product(all, seen, first.open == "(?!")
}

// compileTree is the automaton of the strings in which a parsed pattern matches.
func compileTree(tree *re) (*automata.DFA, error) {
	tree = tree.shortened(true, true)
	w := &reWriter{}
	w.padded(tree, true, true)
	if !w.marks {
		return compileText(w.b.String())
	}
	e, err := automata.Parse(markStart+"(?:"+marked(tree)+")"+behindMark+"*", 0)
	if err != nil {
		return nil, err
	}
	marked, err := automata.CompileFirst(e, automatonLimits)
	var outside *automata.SyntaxError
	if errors.As(err, &outside) { // the pattern was parsed, and so was its translation
		return nil, &patternUnsupported{"the pattern asks inside of a lookaround what is outside of it"}
	}
	if err != nil {
		return nil, err
	}
	if marked, err = unmark(marked); err != nil {
		return nil, err
	}
	if tree.tellsMarks() {
		return nil, &patternUnsupported{"the pattern has lookarounds, and tells U+FDD0 or U+FDD1 from U+FDD2"}
	}
	return likeMarks(marked)
}

// anything is any text.
const anything = `[\x00-\U0010ffff]*`

func compileText(text string) (*automata.DFA, error) {
	e, err := automata.Parse(text, 0)
	if err != nil {
		return nil, err
	}
	return automata.Compile(e, automatonLimits)
}

// A reWriter writes a tree in the syntax of package automata.
type reWriter struct {
	b     strings.Builder
	marks bool // the text is between marks; or, after padded, that it has to be
}

// padded writes n for matching whole strings: left and right say whether any text may come before
// and after.
func (w *reWriter) padded(n *re, left, right bool) {
	switch {
	case n.op == reAlt:
		w.paddedAlternatives(n.subs, left, right)
	case n.op == reStart && left:
		w.pad(right)
	case n.op == reEnd && right:
		w.pad(left)
	case n.op == reCat && len(n.subs) > 0:
		w.paddedCat(n.subs, left, right)
	default:
		w.pad(left)
		w.write(n)
		w.pad(right)
	}
}

// paddedAlternatives writes alternatives for matching whole strings. Those without anchors share their
// padding: one automaton that looks for all of them at once. Padded one by one, each would stay in sight once
// it is found, and what is found multiplies: 2^n states for n words.
func (w *reWriter) paddedAlternatives(subs []*re, left, right bool) {
	floating := &re{op: reAlt}
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

func (w *reWriter) pad(open bool) {
	if open {
		w.b.WriteString(anything)
	}
}

func (w *reWriter) paddedCat(subs []*re, left, right bool) {
	first, last := subs[0], subs[len(subs)-1]
	switch {
	case len(subs) == 1:
		w.padded(first, left, right)
	case left && first.op == reStart:
		w.paddedCat(subs[1:], false, right)
	case right && last.op == reEnd:
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
func (n *re) anchored() bool {
	if n.op == reStart || n.op == reEnd {
		return true
	}
	if n.op == reAlt || n.op == reCat {
		for _, sub := range n.subs {
			if sub.anchored() {
				return true
			}
		}
	}
	return false
}

const wordClass = `[0-9A-Z_a-z]`

// write writes n as it stands.
func (w *reWriter) write(n *re) {
	switch n.op {
	case reClass:
		if w.marks {
			n.set.without(markRunes).write(&w.b)
		} else {
			n.set.write(&w.b)
		}
	case reCat:
		w.b.WriteString("(?:")
		for _, sub := range n.subs {
			w.write(sub)
		}
		w.b.WriteByte(')')
	case reAlt:
		if len(n.subs) == 0 { // nothing
			w.b.WriteString(`[^\x00-\U0010ffff]`)
			return
		}
		w.b.WriteString("(?:")
		for i, sub := range n.subs {
			if i > 0 {
				w.b.WriteByte('|')
			}
			w.write(sub)
		}
		w.b.WriteByte(')')
	case reRepeat:
		w.b.WriteString("(?:")
		w.write(n.subs[0])
		w.b.WriteString("){" + strconv.Itoa(n.min) + ",")
		if n.max >= 0 {
			w.b.WriteString(strconv.Itoa(n.max))
		}
		w.b.WriteByte('}')
	case reLook:
		w.b.WriteString(n.open)
		w.write(n.subs[0])
		w.b.WriteByte(')')
		w.marks = true
	case reStart:
		w.b.WriteString("(?<=" + markStart + ")")
		w.marks = true
	case reEnd:
		w.b.WriteString("(?=" + markEnd + ")")
		w.marks = true
	case reBoundary:
		w.b.WriteString("(?:(?<=" + wordClass + ")(?!" + wordClass + ")|(?<!" + wordClass + ")(?=" + wordClass + "))")
		w.marks = true
	case reNotBoundary:
		w.b.WriteString("(?:(?<=" + wordClass + ")(?=" + wordClass + ")|(?<!" + wordClass + ")(?!" + wordClass + "))")
		w.marks = true
	}
}
