package automata

import (
	"strconv"
	"strings"
	"unicode"

	"gcdbench/internal/constants"
)

// Escapes and classes.

var (
	anyChar       = constants.Of(&fixed, func() *Expr { return class(allSet) })
	anyButNewline = constants.Of(&fixed, func() *Expr { return class(newlineSet.negate()) })
	wordChar      = constants.Of(&fixed, func() *Expr { return class(wordSet()) })
)

// escape parses what follows a backslash, outside of a class.
func (p *parser) escape(start int) (*Expr, error) {
	if !p.more() {
		return nil, p.errorf(start, `bad escape: the pattern ends after \; write \\ for a backslash`)
	}
	c := p.src[p.pos]
	switch {
	case strings.IndexByte("AZbB", c) >= 0:
		return p.anchor(start, p.src[start:start+2])
	case c == 'w' && p.flags&ASCII == 0:
		p.pos++
		return wordChar(), nil
	case c >= '1' && c <= '9':
		if r, ok, err := p.octal(start); err != nil || ok {
			return p.charOr(r, err)
		}
		return nil, p.errorf(start, `backreference \%s is not regular; write out what it may repeat (an octal escape has three digits, or starts with 0)`, p.takeWhile(digits, 2))
	case c == 'G' || c == 'K' || c == 'R' || c == 'X':
		return nil, p.errorf(start, `bad escape \%c: it belongs to the regex module and is not supported`, c)
	}
	if set, ok, err := p.setEscape(start); err != nil {
		return nil, err
	} else if ok {
		return class(set), nil
	}
	r, err := p.charEscape(start)
	return p.charOr(r, err)
}

func (p *parser) charOr(r rune, err error) (*Expr, error) {
	if err != nil {
		return nil, err
	}
	if surrogateMin <= r && r <= surrogateMax {
		return class(nil), nil // no UTF-8 text holds one
	}
	return char(r, p.flags), nil
}

// octal reads three octal digits; it is not ok, and reads nothing, if there are
// fewer.
func (p *parser) octal(start int) (r rune, ok bool, err error) {
	s := p.takeWhile(octDigits, 3)
	if len(s) < 3 {
		p.pos -= len(s)
		return 0, false, nil
	}
	n, _ := strconv.ParseUint(s, 8, 32)
	if n > 0o377 {
		return 0, false, p.errorf(start, `octal escape \%s is above \377`, s)
	}
	return rune(n), true, nil
}

// setEscape reads \d \w \s and \p{...} and their complements. It is not ok, and
// reads nothing, for any other escape.
func (p *parser) setEscape(start int) (set runeSet, ok bool, err error) {
	c := p.src[p.pos]
	if c == 'p' || c == 'P' {
		p.pos++
		set, err = p.property(start, c == 'P')
		return set, err == nil, err
	}
	set, ok = categorySet(c, p.flags&ASCII != 0)
	if ok {
		p.pos++
	}
	return set, ok, nil
}

// property reads what follows \p or \P.
func (p *parser) property(start int, negated bool) (runeSet, error) {
	var name string
	switch {
	case p.take("{"):
		end := strings.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return nil, p.errorf(start, "missing }, unterminated property name")
		}
		name = p.src[p.pos : p.pos+end]
		p.pos += end + 1
		if strings.HasPrefix(name, "^") {
			name, negated = name[1:], !negated
		}
	case p.more():
		name = string(p.next())
	}
	set, ok := propertySet(name)
	if !ok {
		return nil, p.errorf(start, `unknown Unicode property %q; categories (\p{L}, \p{Lu}), scripts (\p{Greek}) and properties such as \p{Alphabetic} are known`, name)
	}
	if p.flags&IgnoreCase != 0 {
		set = set.fold(p.flags&ASCII != 0)
	}
	if negated {
		set = set.negate()
	}
	return set, nil
}

// charEscape reads an escape that stands for one character.
func (p *parser) charEscape(start int) (rune, error) {
	c := p.next()
	switch c {
	case 'a':
		return '\a', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'x':
		return p.hex(start, 2)
	case 'u':
		return p.hex(start, 4)
	case 'U':
		return p.hex(start, 8)
	case 'N':
		return 0, p.errorf(start, `\N{name} is not supported; write \uHHHH with the number of the character`)
	case '0':
		n, _ := strconv.ParseUint("0"+p.takeWhile(octDigits, 2), 8, 32)
		return rune(n), nil
	}
	if c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
		return 0, p.errorf(start, `bad escape \%c; write %c for the character, \\ for a backslash`, c, c)
	}
	return c, nil
}

// hex reads exactly n hexadecimal digits.
func (p *parser) hex(start, n int) (rune, error) {
	s := p.takeWhile(hexDigits, n)
	if len(s) < n {
		return 0, p.errorf(start, "incomplete escape %s: it takes %d hexadecimal digits", p.src[start:p.pos], n)
	}
	v, _ := strconv.ParseUint(s, 16, 64)
	if v > unicode.MaxRune {
		return 0, p.errorf(start, `bad escape %s: the last character is \U0010ffff`, p.src[start:p.pos])
	}
	return rune(v), nil
}

// class parses a [...] that starts at start.
func (p *parser) class(start int) (*Expr, error) {
	negated := p.take("^")
	var ranges []runeRange
	for empty := true; ; empty = false {
		if !p.more() {
			return nil, p.errorf(start, `missing ], unterminated class; write \[ for a literal bracket`)
		}
		if p.peek("]") && !empty {
			p.pos++
			break
		}
		add, err := p.classItem(start)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, add...)
	}
	set := newRuneSet(ranges...)
	if p.flags&IgnoreCase != 0 {
		set = set.fold(p.flags&ASCII != 0)
	}
	if negated {
		set = set.negate()
	}
	return class(set), nil
}

// classItem parses a character, a range or a set escape of a class.
func (p *parser) classItem(start int) (runeSet, error) {
	from := p.pos
	lo, set, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	if !p.peek("-") || strings.HasPrefix(p.src[p.pos:], "-]") {
		if set == nil {
			set = runeSet{{lo, lo}}
		}
		return set, nil
	}
	p.pos++
	if !p.more() {
		return nil, p.errorf(start, `missing ], unterminated class; write \[ for a literal bracket`)
	}
	hi, setHigh, err := p.classAtom()
	if err != nil {
		return nil, err
	}
	written := p.src[from:p.pos]
	switch {
	case set != nil || setHigh != nil:
		return nil, p.errorf(from, `bad character range %s: a class such as \w is no end of a range; write \- for a literal hyphen`, written)
	case hi < lo:
		return nil, p.errorf(from, "bad character range %s: its ends are in the wrong order", written)
	}
	return runeSet{{lo, hi}}, nil
}

// classAtom parses a character of a class, or a set escape.
func (p *parser) classAtom() (rune, runeSet, error) {
	at := p.pos
	if !p.take(`\`) {
		return p.next(), nil, nil
	}
	if !p.more() {
		return 0, nil, p.errorf(at, `bad escape: the pattern ends after \; write \\ for a backslash`)
	}
	if set, ok, err := p.setEscape(at); err != nil || ok {
		if set == nil {
			set = runeSet{}
		}
		return 0, set, err
	}
	if r, ok, err := p.octal(at); err != nil || ok {
		return r, nil, err
	}
	if s := p.takeWhile(octDigits, 2); s != "" {
		n, _ := strconv.ParseUint(s, 8, 32)
		return rune(n), nil, nil
	}
	if p.take("b") {
		return '\b', nil, nil
	}
	r, err := p.charEscape(at)
	return r, nil, err
}
