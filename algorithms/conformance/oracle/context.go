package oracle

import (
	"fmt"
	"iter"
	"regexp/syntax"
	"slices"
	"strings"

	"gcdbench/grammar"
)

// What a terminal asks of the text after it: lookaheads, \b and $ at the end of an alternative.
// They are cut off before the rest is parsed, and followed by derivatives of their own. So are
// lookbehinds of one byte, \b and \B at the beginning of an alternative.

// A pattern is a terminal's expression.
type pattern struct {
	alternatives []alternative // one, unless some ask what follows
	lazy         bool          // a lazy quantifier occurs
}

// An alternative is a body and what must follow it.
type alternative struct {
	body  *term
	asks  []ask
	front []ask // of the byte before
}

// An ask is one assertion: some text, or no text, of a term must follow.
type ask struct {
	kind askKind
	t    *term
}

type askKind uint8

const (
	askText     askKind = iota // (?=t)
	askNot                     // (?!t)
	askEnd                     // $: t and then the end
	askBoundary                // \b: resolved by the character before
	askInside                  // \B, in front of a match only
)

// parsePattern reads a terminal's pattern with Go's parser.
func parsePattern(def *grammar.TerminalDef) (*pattern, error) {
	p := &pattern{}
	if t, ok, err := freeText(def); ok {
		p.alternatives = []alternative{{body: t}}
		return p, err
	}
	if t, ok, err := beyond(def.Source); ok && !def.Literal {
		p.alternatives = []alternative{{body: t}}
		return p, err
	}
	if def.Literal {
		t := empty
		for i := range len(def.Source) {
			var set [256]bool
			set[def.Source[i]] = true
			t = cat(t, bytesOf(set))
		}
		p.alternatives = []alternative{{body: t}}
		return p, nil
	}
	asks := false
	for _, source := range alternativesOf(def.Source) {
		a, err := p.alternative(source)
		if err != nil {
			return nil, err
		}
		p.alternatives = append(p.alternatives, a)
		asks = asks || len(a.asks)+len(a.front) > 0
	}
	switch {
	case !asks: // a lazy pattern's alternatives have an order
		body, err := p.term(def.Source)
		p.alternatives = []alternative{{body: body}}
		return p, err
	case p.lazy && len(p.alternatives) > 1:
		return nil, fmt.Errorf("the oracle does not understand lazy quantifiers beside alternatives that ask what follows")
	}
	return p, nil
}

// alternativesOf splits an expression at the bars outside of groups and classes.
func alternativesOf(source string) []string {
	var list []string
	from := 0
	for i, depth := range signs(source) {
		if source[i] == '|' && depth == 0 {
			list = append(list, source[from:i])
			from = i + 1
		}
	}
	return append(list, source[from:])
}

// signs are the places of an expression that are neither escaped nor in a class, each with the
// number of groups that are open behind it.
func signs(source string) iter.Seq2[int, int] {
	return func(yield func(i, depth int) bool) {
		depth, class := 0, false
		for i := 0; i < len(source); i++ {
			switch c := source[i]; {
			case c == '\\':
				i++
				continue
			case class:
				class = c != ']'
				continue
			case c == '[':
				class = true
			case c == '(':
				depth++
			case c == ')':
				depth--
			}
			if !yield(i, depth) {
				return
			}
		}
	}
}

// alternative reads one alternative, with its assertions from the last to the first.
func (p *pattern) alternative(source string) (a alternative, err error) {
	for {
		x, rest, ok := cutAsk(source)
		if !ok {
			break
		}
		if x.kind != askBoundary && x.kind != askEnd {
			if x.t, err = p.term(source[len(rest)+len("(?=") : len(source)-1]); err != nil {
				return a, err
			}
		}
		a.asks, source = append(a.asks, x), rest
	}
	for {
		x, behind, rest, ok := cutFront(source)
		if !ok {
			break
		}
		if behind != "" {
			if x.t, err = p.term(behind); err != nil {
				return a, err
			}
			if x.t.op != opByte {
				return a, fmt.Errorf("the oracle understands lookbehinds of one byte only")
			}
		}
		a.front, source = append(a.front, x), rest
	}
	a.body, err = p.term(source)
	return a, err
}

// cutFront cuts an assertion about the byte before off the beginning.
func cutFront(source string) (x ask, behind, rest string, ok bool) {
	for begin, kind := range map[string]askKind{`\b`: askBoundary, `\B`: askInside, "(?<=": askText, "(?<!": askNot} {
		after, found := strings.CutPrefix(source, begin)
		if !found {
			continue
		}
		if begin[0] == '(' {
			if behind, after, found = strings.Cut(after, ")"); !found {
				return x, "", "", false
			}
		}
		return ask{kind: kind}, behind, after, true
	}
	return x, "", "", false
}

// begins tells whether a match may begin with a byte behind another one, -1 for none.
func (a *alternative) begins(before int, b byte) bool {
	word := before >= 0 && wordByte.set[before]
	return !slices.ContainsFunc(a.front, func(x ask) bool {
		switch x.kind {
		case askBoundary:
			return word == wordByte.set[b]
		case askInside:
			return word != wordByte.set[b]
		case askText:
			return before < 0 || !x.t.set[before]
		}
		return before >= 0 && x.t.set[before]
	})
}

// first is the alternatives after the first byte of a match.
func (p *pattern) first(before int, b byte) []*term {
	bodies := make([]*term, len(p.alternatives))
	for i := range p.alternatives {
		if bodies[i] = none; p.alternatives[i].begins(before, b) {
			bodies[i] = p.alternatives[i].body.after(b)
		}
	}
	return bodies
}

// cutAsk cuts an assertion off the end.
func cutAsk(source string) (x ask, rest string, ok bool) {
	switch {
	case strings.HasSuffix(source, `\$`):
		return x, source, false
	case strings.HasSuffix(source, "$"):
		return ask{askEnd, alt(empty, class([]rune{'\n', '\n'}))}, source[:len(source)-1], true
	case strings.HasSuffix(source, `\b`):
		return ask{kind: askBoundary}, source[:len(source)-2], true
	case strings.HasSuffix(source, `\)`) || !strings.HasSuffix(source, ")"):
		return x, source, false
	}
	i := strings.LastIndex(source, "(?")
	if i < 0 || i+2 == len(source) {
		return x, source, false
	}
	kind := map[byte]askKind{'=': askText, '!': askNot}
	x.kind, ok = kind[source[i+2]]
	return x, source[:i], ok
}

// term parses an expression without assertions.
func (p *pattern) term(source string) (*term, error) {
	re, err := syntax.Parse(source, syntax.PerlX|syntax.UnicodeGroups|syntax.OneLine)
	if err != nil {
		return nil, fmt.Errorf("the oracle does not understand it: %w", err)
	}
	if !isLazy(re) {
		return convert(re)
	}
	p.lazy = true
	t, err := inOrder(re)
	if err != nil {
		return nil, err
	}
	return try(t.attempts()), nil
}

// An obligation is a condition on the text after a lexeme: all asks of one of the lists.
type obligation [][]ask

// obligation is what follows a match that ends with a byte, of the alternatives with these
// derivatives.
func (p *pattern) obligation(bodies []*term, last byte) obligation {
	var d obligation
	for i, a := range p.alternatives {
		if !bodies[i].nullable() {
			continue
		}
		var asks []ask
		ok := true
		for _, x := range a.asks {
			if x.kind == askBoundary {
				x = ask{askText, wordByte}
				if wordByte.set[last] {
					x.kind = askNot
				}
			}
			asks = append(asks, x)
		}
		if asks, ok = settle(asks); ok {
			d = append(d, asks)
		}
	}
	return d
}

// wordByte is a character that \b tells from others.
var wordByte = class([]rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'})

// settle drops the asks that are met; ok is false if one is broken.
func settle(asks []ask) (left []ask, ok bool) {
	for _, x := range asks {
		switch matches := x.t.nullable(); {
		case x.kind == askText && matches || x.kind == askNot && x.t.op == opNone:
		case x.kind == askNot && matches || x.kind != askNot && x.t.op == opNone:
			return nil, false
		default:
			left = append(left, x)
		}
	}
	return left, true
}

// after is the obligation that remains after a byte. Before a special token a text is as at its
// end.
func (d obligation) after(b byte) obligation {
	if b == beginsSpecial && d.holdsAtEnd() {
		return obligation{nil}
	} else if b == beginsSpecial {
		return nil
	}
	var next obligation
	for _, asks := range d {
		moved := slices.Clone(asks)
		for i := range moved {
			moved[i].t = moved[i].t.after(b)
		}
		if left, ok := settle(moved); ok {
			next = append(next, left)
		}
	}
	return next
}

// broken tells whether no text meets the obligation any more.
func (d obligation) broken() bool { return len(d) == 0 }

// met tells whether any text does.
func (d obligation) met() bool {
	return slices.ContainsFunc(d, func(asks []ask) bool { return len(asks) == 0 })
}

// holdsAtEnd tells whether the end of the text meets the obligation.
func (d obligation) holdsAtEnd() bool {
	return slices.ContainsFunc(d, func(asks []ask) bool {
		return !slices.ContainsFunc(asks, func(x ask) bool {
			return x.kind == askText || x.kind == askEnd && !x.t.nullable()
		})
	})
}

func allHoldAtEnd(obligations []obligation) bool {
	return !slices.ContainsFunc(obligations, func(d obligation) bool { return !d.holdsAtEnd() })
}

// advanceAll lists the obligations that remain after a byte; ok is false if one is broken.
func advanceAll(obligations []obligation, b byte) (left []obligation, ok bool) {
	for _, d := range obligations {
		d = d.after(b)
		if d.broken() {
			return nil, false
		}
		if !d.met() {
			left = append(left, d)
		}
	}
	return left, true
}

func obligationKey(obligations []obligation) string {
	var b strings.Builder
	for _, d := range obligations {
		for _, asks := range d {
			for _, x := range asks {
				fmt.Fprintf(&b, "%d%s,", x.kind, x.t.key)
			}
			b.WriteByte('|')
		}
		b.WriteByte(';')
	}
	return b.String()
}
