package gbnf

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// character reads a character of a literal or a class, which may be escaped. end is the quote or
// bracket that closes it.
func (p *parser) character(from int) (r rune, err error) {
	at := p.at
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	if size == 0 || r == '\n' {
		return 0, p.errorf(from, "write a line break as \\n", "this is not closed at the end of its line")
	}
	if r != '\\' {
		return r, nil
	}
	if p.at == len(p.text) {
		return 0, p.errorf(from, "", "this is not closed at the end of the file")
	}
	c := p.text[p.at]
	p.at++
	if i := strings.IndexByte("nrt0abefv", c); i >= 0 {
		return rune("\n\r\t\x00\a\b\x1b\f\v"[i]), nil
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 {
		if c == 'x' && p.xgrammar {
			rest := p.text[p.at:]
			digits = max(1, len(rest)-len(strings.TrimLeft(rest, "0123456789abcdefABCDEF")))
		}
		end := min(p.at+digits, len(p.text))
		n, err := strconv.ParseUint(p.text[p.at:end], 16, 32)
		if err != nil || end < p.at+digits || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return 0, p.errorf(at, "", "\\%c wants %d hexadecimal digits of a Unicode character", c, digits)
		}
		p.at = end
		return rune(n), nil
	}
	if c >= 0x80 || isLetter(c) || isDigit(c) {
		return 0, p.errorf(at, "the escapes are \\n \\r \\t \\0 \\a \\b \\e \\f \\v \\xNN \\uNNNN \\UNNNNNNNN, and any sign behind a backslash", "unknown escape")
	}
	return rune(c), nil
}

// quoted reads a text in quotes.
func (p *parser) quoted() (string, error) {
	from := p.at
	p.at++
	var b strings.Builder
	for !p.next(`"`) {
		r, err := p.character(from)
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// literal reads a literal.
func (p *parser) literal() ([]grammar.Symbol, error) {
	from := p.at
	text, err := p.quoted()
	if text == "" || err != nil {
		return nil, err
	}
	return p.terminal(grammar.TerminalDef{Name: strconv.Quote(text), Source: text, Literal: true,
		MaxWidth: utf8.RuneCountInString(text), Expr: automata.Literal(text, 0), Pos: p.position(from)}), nil
}

// class reads a class of characters.
func (p *parser) class() ([]grammar.Symbol, error) {
	from := p.at
	p.at++
	not := p.next("^")
	var ranges []automata.RuneRange
	for !p.next("]") {
		lo, err := p.character(from)
		if err != nil {
			return nil, err
		}
		hi := lo
		if !strings.HasPrefix(p.text[p.at:], "-]") && p.next("-") {
			if hi, err = p.character(from); err != nil {
				return nil, err
			}
			if hi < lo {
				return nil, p.errorf(from, "", "the range %q-%q is the wrong way round", lo, hi)
			}
		}
		ranges = append(ranges, automata.RuneRange{Lo: lo, Hi: hi})
	}
	if not {
		ranges = others(ranges)
	}
	return p.characters(p.text[from:p.at], ranges, from), nil
}

// any is the terminal of any character.
func (p *parser) any(at int) []grammar.Symbol {
	return p.characters(".", []automata.RuneRange{{Lo: 0, Hi: unicode.MaxRune}}, at)
}

// others are the characters that some ranges do not have.
func others(ranges []automata.RuneRange) (list []automata.RuneRange) {
	slices.SortFunc(ranges, func(a, b automata.RuneRange) int { return int(a.Lo - b.Lo) })
	next := rune(0)
	for _, r := range ranges {
		if r.Lo > next {
			list = append(list, automata.RuneRange{Lo: next, Hi: r.Lo - 1})
		}
		next = max(next, r.Hi+1)
	}
	if next <= unicode.MaxRune {
		list = append(list, automata.RuneRange{Lo: next, Hi: unicode.MaxRune})
	}
	return list
}

// characters is the terminal of a class.
func (p *parser) characters(source string, ranges []automata.RuneRange, at int) []grammar.Symbol {
	parts := make([]*automata.Expr, len(ranges))
	for i, r := range ranges {
		parts[i] = automata.Range(r.Lo, r.Hi)
	}
	return p.terminal(grammar.TerminalDef{Name: source, Source: source, MaxWidth: 1, Expr: automata.Alternate(parts...), Pos: p.position(at)})
}

// terminal is the terminal of that name, made of the definition if there is none yet.
func (p *parser) terminal(def grammar.TerminalDef) []grammar.Symbol {
	t, ok := p.terminals[def.Name]
	if !ok {
		t = grammar.Terminal(len(p.g.Terminals))
		p.terminals[def.Name] = t
		p.g.Terminals = append(p.g.Terminals, def)
	}
	return []grammar.Symbol{grammar.T(t)}
}
