package automata

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Flags change what a pattern means. The names are those of Python's re module.
type Flags uint8

const (
	// IgnoreCase (i) matches letters in either case, by simple folding.
	IgnoreCase Flags = 1 << iota
	// DotAll (s) lets . match a newline.
	DotAll
	// Multiline (m) lets $ hold before every line break.
	Multiline
	// Verbose (x) ignores white space and # comments in the pattern.
	Verbose
	// Unicode (u) is the default: \d, \w, \s and case cover all of Unicode.
	Unicode
	// ASCII (a) restricts \d, \w, \s and the effect of IgnoreCase to ASCII.
	ASCII
)

// flagLetters lists the letters in the order of the constants.
const flagLetters = "ismxua"

// ParseFlags reads flag letters, such as the "is" of Lark's /.../is. A letter
// may be repeated.
func ParseFlags(letters string) (Flags, error) {
	var flags Flags
	for _, c := range letters {
		f, err := flagOf(c)
		if err != nil {
			return 0, err
		}
		flags |= f
	}
	if flags&Unicode != 0 && flags&ASCII != 0 {
		return 0, errUnicodeASCII
	}
	return flags, nil
}

var errUnicodeASCII = fmt.Errorf("flags a and u exclude each other; u is the default, so drop one")

// flagOf returns the flag of one letter.
func flagOf(c rune) (Flags, error) {
	if i := strings.IndexRune(flagLetters, c); i >= 0 {
		return 1 << i, nil
	}
	if c == 'l' || c == 'L' {
		return 0, fmt.Errorf("flag %q (locale) depends on the machine; use u (default) or a", c)
	}
	return 0, fmt.Errorf("unknown flag %q; the flags are i s m x u a", c)
}

// String returns the letters of f.
func (f Flags) String() string {
	var b strings.Builder
	for i, c := range flagLetters {
		if f&(1<<i) != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// An Expr is a parsed regular expression. It is immutable, may be part of any
// number of other expressions, and may be used by several goroutines.
type Expr struct {
	op    op
	subs  []*Expr   // concat, alternate: any number; repeat, look: one
	set   runeSet   // class
	frag  *fragment // class: set in UTF-8
	bytes string    // literal
	min   int       // repeat
	max   int       // repeat; < 0 is unbounded
	lazy  bool      // a lazy quantifier occurs in it, outside of lookarounds
	few   bool      // repeat: the quantifier is lazy, so that fewer rounds are preferred
	parts bool      // alternate: each of subs is matched by its own rule (see Prefer)
	look  *lookaround
	dfa   *DFA // automaton
	depth int
}

// An op is the kind of an Expr.
type op uint8

const (
	opLiteral   op = iota // exactly the bytes; the empty string if there are none
	opClass               // one code point of a set; no string at all if it is empty
	opConcat              // all of subs, in order
	opAlternate           // one of subs
	opRepeat              // subs[0], min to max times
	opLook                // the empty string where subs[0] does (not) match next, or before
	opAutomaton           // the language of a DFA
)

// A lookaround says which assertion an opLook is, and where it was written.
type lookaround struct {
	negative bool
	behind   bool
	pattern  string
	offset   int
	text     string      // as written, for messages
	known    func() *DFA // its automaton, nil if newLook has to make it
}

// HasLazy reports whether a lazy quantifier (*? +? ?? {m,n}?) occurs in e, so
// that Compile matches it leftmost-first (order.go). Two kinds do not count since
// they have no choice to be lazy about: {n}?, and those in a lookaround, which
// consumes nothing.
func (e *Expr) HasLazy() bool { return e.lazy }

var emptyExpr = &Expr{op: opLiteral, depth: 1}

// Literal matches exactly the bytes of s. With IgnoreCase, its letters match in
// either case (within ASCII if that flag is set too); other flags have no effect.
func Literal(s string, flags Flags) *Expr {
	if flags&IgnoreCase == 0 {
		return &Expr{op: opLiteral, bytes: s, depth: 1}
	}
	var parts []*Expr
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			parts = append(parts, &Expr{op: opLiteral, bytes: s[:1], depth: 1})
		} else {
			parts = append(parts, char(r, flags))
		}
		s = s[n:]
	}
	return Concat(parts...)
}

// IsLiteral tells whether e was made as the text s.
func (e *Expr) IsLiteral(s string) bool { return e.op == opLiteral && e.bytes == s }

// Range matches one code point from lo to hi, both included. Surrogates, which
// have no UTF-8, are left out; if nothing is left, it matches no string.
func Range(lo, hi rune) *Expr { return class(newRuneSet(runeRange{lo, hi})) }

// class matches one code point of a set.
func class(set runeSet) *Expr {
	return &Expr{op: opClass, set: set, frag: newFragment(set), depth: 1}
}

// char matches a single code point under flags.
func char(r rune, flags Flags) *Expr {
	if flags&IgnoreCase != 0 {
		if set := (runeSet{{r, r}}).fold(flags&ASCII != 0); len(set) > 1 || set[0].lo != set[0].hi {
			return class(set)
		}
	}
	return &Expr{op: opLiteral, bytes: string(r), depth: 1}
}

// Concat matches the given expressions one after the other; with none, the
// empty string.
func Concat(exprs ...*Expr) *Expr {
	return combine(opConcat, emptyExpr, exprs)
}

// Alternate matches any one of the given expressions; with none, no string.
func Alternate(exprs ...*Expr) *Expr {
	return combine(opAlternate, noneExpr, exprs)
}

var noneExpr = class(nil)

// combine builds an n-ary node; members of the same kind are merged into it,
// so that chains of calls do not nest.
func combine(o op, none *Expr, exprs []*Expr) *Expr {
	switch len(exprs) {
	case 0:
		return none
	case 1:
		return exprs[0]
	}
	e := &Expr{op: o, subs: make([]*Expr, 0, len(exprs))}
	for _, sub := range exprs {
		if sub.op == o {
			e.subs = append(e.subs, sub.subs...)
		} else {
			e.subs = append(e.subs, sub)
		}
	}
	for _, sub := range e.subs {
		e.lazy = e.lazy || sub.lazy
		e.depth = max(e.depth, sub.depth+1)
	}
	return e
}

// Repeat matches e from min to max times; max < 0 means any number from min.
// It matches no string if max is less than min and not negative.
func Repeat(e *Expr, min, max int) *Expr {
	if min < 0 {
		min = 0
	}
	switch {
	case max >= 0 && max < min:
		return noneExpr
	case max == 0:
		return emptyExpr
	case min == 1 && max == 1:
		return e
	}
	if max < 0 {
		max = -1
	}
	return &Expr{op: opRepeat, subs: []*Expr{e}, min: min, max: max, lazy: e.lazy, depth: e.depth + 1}
}

// FromDFA matches the language of d, so that an automaton built in another way
// can be (part of) a terminal.
func FromDFA(d *DFA) *Expr {
	if d.demand != nil {
		return &d.demand.expr
	}
	return &Expr{op: opAutomaton, dfa: d, depth: 1}
}

// String returns e in a syntax like that of patterns, for debugging.
func (e *Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *Expr) write(b *strings.Builder) {
	switch e.op {
	case opLiteral:
		fmt.Fprintf(b, "%q", e.bytes)
	case opClass:
		writeClass(b, e.set)
	case opConcat, opAlternate:
		separator := " "
		if e.op == opAlternate {
			separator = " | "
		}
		b.WriteByte('(')
		for i, sub := range e.subs {
			if i > 0 {
				b.WriteString(separator)
			}
			sub.write(b)
		}
		b.WriteByte(')')
	case opRepeat:
		e.subs[0].write(b)
		if e.max < 0 {
			fmt.Fprintf(b, "{%d,}", e.min)
		} else {
			fmt.Fprintf(b, "{%d,%d}", e.min, e.max)
		}
	case opLook:
		b.WriteString(e.look.text)
	case opAutomaton:
		const many = 1000 // states
		if !e.dfa.Within(many) && e.dfa.demand != nil {
			fmt.Fprintf(b, "<automaton of more than %d states>", many)
			return
		}
		fmt.Fprintf(b, "<automaton of %d states>", e.dfa.NumStates())
	}
}

// writeClass writes at most a few ranges of a set.
func writeClass(b *strings.Builder, set runeSet) {
	const shown = 8
	b.WriteByte('[')
	for i, r := range set {
		if i == shown {
			fmt.Fprintf(b, " and %d ranges more", len(set)-shown)
			break
		}
		if r.lo == r.hi {
			fmt.Fprintf(b, "%q", r.lo)
		} else {
			fmt.Fprintf(b, "%q-%q", r.lo, r.hi)
		}
	}
	b.WriteByte(']')
}
