package automata

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The parser takes the syntax of Python 3.11's re module, of which Lark's
// regular expressions are made, and \p{...} from the regex module, which Lark can
// be told to use. It reads what Python reads with the same meaning, down to a
// "{" that starts no repeat and stands for itself, and refuses what Python
// refuses. What Python has beyond regular languages is refused too, with a
// message that says what to write instead.

// A SyntaxError reports what is wrong with a pattern, and where.
type SyntaxError struct {
	// Pattern is the whole pattern.
	Pattern string
	// Offset is the place of the error in Pattern, in bytes.
	Offset int
	// Message says what is wrong and what to do about it.
	Message string
	front   bool // an assertion looks in front of the match
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("regex /%s/ at offset %d: %s", excerpt(e.Pattern, e.Offset), e.Offset, e.Message)
}

// excerpt shortens a long pattern to the surroundings of an offset.
func excerpt(pattern string, offset int) string {
	const width = 40 // bytes kept on either side
	from, to := max(0, offset-width), min(len(pattern), offset+width)
	if from > 0 {
		for from < to && !utf8.RuneStart(pattern[from]) {
			from++
		}
	}
	for to > from && to < len(pattern) && !utf8.RuneStart(pattern[to]) {
		to--
	}
	text := pattern[from:to]
	if from > 0 {
		text = "..." + text
	}
	if to < len(pattern) {
		text += "..."
	}
	return text
}

// Parse parses a pattern. The error, if any, is a *SyntaxError.
func Parse(pattern string, flags Flags) (*Expr, error) { return ParseExtended(pattern, flags, nil) }

// ParseExtended is Parse for a pattern in which some named groups are no plain ones: extension
// makes the expression of such a group, and reads its body for that. It returns nil for a group
// that is a plain one, of which it has read nothing.
func ParseExtended(pattern string, flags Flags, extension func(*Group) (*Expr, error)) (*Expr, error) {
	p := &parser{src: pattern, flags: flags, extension: extension}
	if flags&Unicode != 0 && flags&ASCII != 0 {
		return nil, p.errorf(0, "%v", errUnicodeASCII)
	}
	if i := invalidUTF8(pattern); i >= 0 {
		return nil, p.errorf(i, "the pattern is not valid UTF-8; write a byte that is no text as an automaton instead")
	}
	branches, err := p.branches(true)
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, p.errorf(p.pos, `unbalanced parenthesis; write \) for a literal one`)
	}
	return Alternate(branches...), nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// A parser is at byte pos of src.
type parser struct {
	src      string
	pos      int
	flags    Flags // in force here
	depth    int   // open groups
	inLook   bool  // inside of an assertion
	inBehind bool  // inside of a lookbehind

	extension func(*Group) (*Expr, error) // nil if there are none
}

func (p *parser) errorf(offset int, format string, args ...any) error {
	return &SyntaxError{Pattern: p.src, Offset: offset, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) more() bool { return p.pos < len(p.src) }

// peek reports whether the rest starts with s.
func (p *parser) peek(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

// take consumes s if the rest starts with it.
func (p *parser) take(s string) bool {
	if p.peek(s) {
		p.pos += len(s)
		return true
	}
	return false
}

// next consumes one code point.
func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r
}

// takeWhile consumes the bytes of a set, at most limit of them.
func (p *parser) takeWhile(set string, limit int) string {
	start := p.pos
	for p.more() && p.pos-start < limit && strings.IndexByte(set, p.src[p.pos]) >= 0 {
		p.pos++
	}
	return p.src[start:p.pos]
}

const (
	digits    = "0123456789"
	octDigits = "01234567"
	hexDigits = "0123456789abcdefABCDEF"
)

// branches parses alternatives up to a ")" or the end. At the very top, global
// flags may precede the first.
func (p *parser) branches(top bool) ([]*Expr, error) {
	var branches []*Expr
	for {
		e, err := p.branch(top && len(branches) == 0)
		if err != nil {
			return nil, err
		}
		branches = append(branches, e)
		if !p.take("|") {
			return branches, nil
		}
	}
}

// A piece is an item of a branch, with what a quantifier must know of it.
type piece struct {
	expr       *Expr
	quantifier string // the quantifier it already has
	anchor     bool   // it is $ \Z \b or \B, which Python does not repeat
}

// branch parses a concatenation.
func (p *parser) branch(first bool) (*Expr, error) {
	var pieces []piece
	for p.more() && !p.peek("|") && !p.peek(")") {
		if p.flags&Verbose != 0 {
			if skipped, err := p.skipSpace(); err != nil {
				return nil, err
			} else if skipped {
				continue
			}
		}
		if strings.IndexByte("*+?{", p.src[p.pos]) >= 0 {
			var err error
			if pieces, err = p.quantify(pieces); err != nil {
				return nil, err
			}
			continue
		}
		start := p.pos
		e, err := p.item(first && len(pieces) == 0)
		if err != nil {
			return nil, err
		}
		if e != nil {
			pieces = append(pieces, piece{expr: e, anchor: slices.Contains(anchors, p.src[start:p.pos])})
		}
	}
	exprs := make([]*Expr, len(pieces))
	for i, piece := range pieces {
		exprs[i] = piece.expr
	}
	return Concat(exprs...), nil
}

// skipSpace consumes white space or a comment of the verbose syntax.
func (p *parser) skipSpace() (skipped bool, err error) {
	if p.takeWhile(" \t\n\r\v\f", 1) != "" {
		return true, nil
	}
	if !p.take("#") {
		return false, nil
	}
	_, err = p.skipTo('\n')
	return true, err
}

// skipTo consumes a comment and the byte that ends it, if there is one. As in
// Python, that byte does not end it after a backslash.
func (p *parser) skipTo(end byte) (found bool, err error) {
	for p.more() {
		start := p.pos
		switch p.next() {
		case rune(end):
			return true, nil
		case '\\':
			if !p.more() {
				return false, p.errorf(start, `bad escape: the pattern ends after \; write \\ for a backslash`)
			}
			p.next()
		}
	}
	return false, nil
}

// item parses one thing that can be repeated. It returns nil for what stands
// for nothing: a comment or global flags, which are allowed if first is set.
func (p *parser) item(first bool) (*Expr, error) {
	start := p.pos
	switch c := p.next(); c {
	case '.':
		if p.flags&DotAll != 0 {
			return anyChar(), nil
		}
		return anyButNewline(), nil
	case '[':
		return p.class(start)
	case '(':
		return p.group(start, first)
	case '\\':
		return p.escape(start)
	case '^', '$':
		return p.anchor(start, string(c))
	default:
		return char(c, p.flags), nil
	}
}

// quantify applies the quantifier at pos to the last piece; a brace that starts
// no repeat becomes a piece of its own.
func (p *parser) quantify(pieces []piece) ([]piece, error) {
	start := p.pos
	low, high, ok, err := p.bounds()
	if err != nil {
		return nil, err
	}
	if !ok {
		p.pos = start + 1
		return append(pieces, piece{expr: char('{', p.flags)}), nil
	}
	written := p.src[start:p.pos]
	if len(pieces) == 0 || pieces[len(pieces)-1].anchor {
		return nil, p.errorf(start, `nothing to repeat before %s; write \%s for the character itself`, written, written)
	}
	last := &pieces[len(pieces)-1]
	if last.quantifier != "" {
		return nil, p.errorf(start, "multiple repeat: %s follows %s; group the first with (?:...)", written, last.quantifier)
	}
	lazy := p.take("?")
	if !lazy && p.peek("+") {
		return nil, p.errorf(start, "possessive quantifier %s+ is not supported, since it depends on the order of attempts; write %s, and exclude what may follow from what is repeated", written, written)
	}
	last.quantifier = p.src[start:p.pos]
	last.expr = repeat(last.expr, low, high, lazy)
	return pieces, nil
}

// repeat is Repeat for quantifiers, which may be lazy.
func repeat(e *Expr, low, high int, lazy bool) *Expr {
	r := Repeat(e, low, high)
	if lazy && low != high {
		c := *r
		c.lazy, c.few = true, true
		r = &c
	}
	return r
}

// maxCount is a count beyond every limit; larger ones are read as this.
const maxCount = 1 << 40

// bounds reads a quantifier. It is not ok for a "{" that starts none.
func (p *parser) bounds() (low, high int, ok bool, err error) {
	start := p.pos
	switch p.next() {
	case '*':
		return 0, -1, true, nil
	case '+':
		return 1, -1, true, nil
	case '?':
		return 0, 1, true, nil
	}
	if p.peek("}") {
		return 0, 0, false, nil
	}
	lo := p.takeWhile(digits, len(p.src))
	hi := lo
	if p.take(",") {
		hi = p.takeWhile(digits, len(p.src))
	}
	if !p.take("}") {
		return 0, 0, false, nil
	}
	low, high = count(lo, 0), count(hi, -1)
	if high >= 0 && high < low {
		return 0, 0, false, p.errorf(start, "the minimum of repeat %s is greater than its maximum", p.src[start:p.pos])
	}
	return low, high, true, nil
}

// count reads a decimal number, cut off at maxCount.
func count(s string, missing int) int {
	if s == "" {
		return missing
	}
	n := 0
	for i := range len(s) {
		n = min(n*10+int(s[i]-'0'), maxCount)
	}
	return n
}
