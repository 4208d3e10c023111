package dialects

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gcdbench/grammar/automata"
)

// A notation is how a dialect writes expressions. Regular expressions and EBNF differ in what
// stands between the parts and in how characters are escaped, not in structure.
type notation struct {
	literal func(text string) string                 // of at least one character
	class   func(ranges []automata.RuneRange) string // of at least two characters
	empty   string                                   // what matches the empty string
	open    string                                   // what begins a group; ")" ends it
	join    string                                   // between the parts of a sequence
	bar     string                                   // between alternatives
	quoted  bool                                     // a literal has quotes, so that a repeat applies to all of it
}

// How tightly the place binds that an expression is written at.
const (
	asChoice = iota
	asSequence
	asOperand // of a repeat
)

// print writes an expression that pattern gave, for a place that binds as tightly as at.
func (n *notation) print(e *automata.Expr, at int) string {
	var b strings.Builder
	n.write(&b, e, at)
	return b.String()
}

func (n *notation) write(b *strings.Builder, e *automata.Expr, at int) {
	if text, ok := literalText(e); ok {
		n.writeLiteral(b, text, at)
		return
	}
	node := e.Node()
	switch node.Form {
	case automata.FormClass:
		b.WriteString(n.writtenClass(node.Ranges))
	case automata.FormConcat:
		n.group(b, at > asSequence, func() { n.list(b, joined(node.Subs), n.join, asSequence) })
	case automata.FormAlternate:
		n.group(b, at > asChoice, func() { n.list(b, node.Subs, n.bar, asSequence) })
	case automata.FormRepeat:
		n.group(b, at > asSequence, func() {
			n.write(b, node.Subs[0], asOperand)
			b.WriteString(counts(node.Min, node.Max))
		})
	}
}

func (n *notation) writeLiteral(b *strings.Builder, text string, at int) {
	if text == "" {
		b.WriteString(n.empty)
		return
	}
	several := !n.quoted && utf8.RuneCountInString(text) > 1
	n.group(b, several && at > asSequence, func() { b.WriteString(n.literal(text)) })
}

// writtenClass writes a class of one character as that character.
func (n *notation) writtenClass(ranges []automata.RuneRange) string {
	if len(ranges) == 1 && ranges[0].Lo == ranges[0].Hi {
		return n.literal(string(ranges[0].Lo))
	}
	return n.class(ranges)
}

func (n *notation) group(b *strings.Builder, needed bool, inside func()) {
	if needed {
		b.WriteString(n.open)
	}
	inside()
	if needed {
		b.WriteByte(')')
	}
}

func (n *notation) list(b *strings.Builder, subs []*automata.Expr, between string, at int) {
	for i, sub := range subs {
		if i > 0 {
			b.WriteString(between)
		}
		n.write(b, sub, at)
	}
}

// joined makes one literal of literals in a row, and leaves out empty ones.
func joined(subs []*automata.Expr) []*automata.Expr {
	var out []*automata.Expr
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, automata.Literal(text, 0))
		}
		text = ""
	}
	for _, sub := range subs {
		if n := sub.Node(); n.Form == automata.FormLiteral {
			text += n.Text
			continue
		}
		flush()
		out = append(out, sub)
	}
	flush()
	return out
}

// counts is a repeat's operator.
func counts(lo, hi int) string {
	switch {
	case lo == 0 && hi < 0:
		return "*"
	case lo == 1 && hi < 0:
		return "+"
	case lo == 0 && hi == 1:
		return "?"
	case hi < 0:
		return fmt.Sprintf("{%d,}", lo)
	case lo == hi:
		return fmt.Sprintf("{%d}", lo)
	}
	return fmt.Sprintf("{%d,%d}", lo, hi)
}

// writeClass writes a class in brackets, as what it excludes if that is shorter. char writes one
// character.
func writeClass(ranges []automata.RuneRange, everything string, char func(rune) string) string {
	var b strings.Builder
	b.WriteByte('[')
	if others := complement(ranges); len(others) == 0 {
		return everything
	} else if len(others) < len(ranges) {
		b.WriteByte('^')
		ranges = others
	}
	for _, r := range ranges {
		b.WriteString(char(r.Lo))
		if r.Hi > r.Lo {
			if r.Hi > r.Lo+1 {
				b.WriteByte('-')
			}
			b.WriteString(char(r.Hi))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// complement is what a class excludes. Surrogates are no characters, and in neither.
func complement(ranges []automata.RuneRange) []automata.RuneRange {
	var out []automata.RuneRange
	add := func(lo, hi rune) {
		if lo <= hi {
			out = append(out, automata.RuneRange{Lo: lo, Hi: hi})
		}
	}
	next := rune(0)
	for _, r := range ranges {
		add(next, min(r.Lo-1, 0xD7FF))
		add(max(next, 0xE000), r.Lo-1)
		next = r.Hi + 1
	}
	add(next, 0xD7FF)
	add(max(next, 0xE000), utf8.MaxRune)
	return joinAcrossSurrogates(out)
}

// joinAcrossSurrogates makes one range of two that only surrogates part.
func joinAcrossSurrogates(ranges []automata.RuneRange) []automata.RuneRange {
	for i := 1; i < len(ranges); i++ {
		if ranges[i-1].Hi == 0xD7FF && ranges[i].Lo == 0xE000 {
			ranges[i-1].Hi = ranges[i].Hi
			return append(ranges[:i:i], ranges[i+1:]...)
		}
	}
	return ranges
}
