package lark

import (
	"unicode/utf8"

	"gcdbench/grammar/automata"
)

// Widths decide which of two terminals that match the same lexeme wins, and the order of
// alternatives in a composed regexp. The order of alternatives matters to a lazy quantifier, and to
// the text: a regexp in a rule is recognised as a terminal by it (anonymous.go).

// A width is how many characters the matches of a pattern have.
type width struct{ min, max int }

// unbounded stands for every width at or above it: no counted repeat of a usable pattern is as
// wide.
const unbounded = 1 << 32

// times is the width of lo to hi repetitions; hi is negative if there is no limit.
func (w width) times(lo, hi int) width {
	if hi < 0 {
		hi = unbounded
	}
	return width{saturatedProduct(w.min, lo), saturatedProduct(w.max, hi)}
}

// saturatedProduct is a*b for numbers up to unbounded, and at most that.
func saturatedProduct(a, b int) int {
	if a != 0 && b > unbounded/a {
		return unbounded
	}
	return min(a*b, unbounded)
}

// then is the width of what is w wide with o behind it.
func (w width) then(o width) width {
	return width{min(w.min+o.min, unbounded), min(w.max+o.max, unbounded)}
}

// or is the width of alternatives.
func (w width) or(o width) width { return width{min(w.min, o.min), max(w.max, o.max)} }

// width measures a pattern. A regexp that is wrong has none, and is found when it is compiled.
func (p *pattern) width() width {
	if p.literal {
		n := utf8.RuneCountInString(p.value)
		return width{n, n}
	}
	if p.beyond {
		return p.composedWidth()
	}
	e, err := p.parsed()
	if err != nil {
		return width{}
	}
	return widthOf(e)
}

// widthOf measures an expression as it is written, as Python does. Assertions have no width.
func widthOf(e *automata.Expr) (w width) {
	switch n := e.Node(); n.Form {
	case automata.FormLiteral:
		c := utf8.RuneCountInString(n.Text)
		return width{c, c}
	case automata.FormClass:
		return width{1, 1}
	case automata.FormConcat:
		for _, sub := range n.Subs {
			w = w.then(widthOf(sub))
		}
	case automata.FormAlternate:
		w.min = unbounded
		for _, sub := range n.Subs {
			w = w.or(widthOf(sub))
		}
	case automata.FormRepeat:
		return widthOf(n.Subs[0]).times(n.Min, n.Max)
	}
	return w
}

// composedWidth measures a pattern by its parts. It is 0 at least exactly if the empty text
// matches.
func (p *pattern) composedWidth() width {
	w := p.parts[0].width()
	switch p.form {
	case fNot:
		return width{min: 1 - min(w.min, 1), max: unbounded}
	case fRepeat:
		return w.times(p.min, p.max)
	}
	for _, part := range p.parts[1:] {
		o := part.width()
		switch p.form {
		case fSequence:
			w = w.then(o)
		case fChoice:
			w = w.or(o)
		case fBoth:
			w = width{max(w.min, o.min), min(w.max, o.max)}
		}
	}
	return w
}
