package lark

import (
	"strings"
	"unicode/utf8"
)

// Widths decide which of two terminals that match the same lexeme wins, and the order of
// alternatives in a composed regexp. The order of alternatives matters to a lazy quantifier, and to
// the text: a regexp in a rule is recognised as a terminal by it (anonymous.go).

// A width is how many characters the matches of a pattern have.
type width struct{ min, max int }

// unbounded stands for every width at or above it: no counted repeat of a usable pattern is as
// wide.
const unbounded = 1 << 32

func (w width) times(lo, hi int) width {
	return width{saturatedProduct(w.min, lo), saturatedProduct(w.max, hi)}
}

// saturatedProduct is a*b for numbers up to unbounded, and at most that.
func saturatedProduct(a, b int) int {
	if a != 0 && b > unbounded/a {
		return unbounded
	}
	return min(a*b, unbounded)
}

// width measures a pattern. Lark sorts alternatives by it, so it is read off the text with as
// little understanding of regexps as that takes; a text that is wrong is found when it is compiled.
func (p *pattern) width() width {
	if p.literal {
		n := utf8.RuneCountInString(p.value)
		return width{n, n}
	}
	if p.beyond {
		return p.composedWidth()
	}
	m := measurer{s: p.regexp()}
	return m.alternatives(0)
}

// composedWidth measures a pattern by its parts. It is 0 at least exactly if the empty text
// matches.
func (p *pattern) composedWidth() width {
	w := p.parts[0].width()
	switch p.form {
	case fNot:
		return width{min: 1 - min(w.min, 1), max: unbounded}
	case fRepeat:
		if p.max < 0 {
			return w.times(p.min, unbounded)
		}
		return w.times(p.min, p.max)
	}
	for _, part := range p.parts[1:] {
		o := part.width()
		switch p.form {
		case fSequence:
			w = width{min(w.min+o.min, unbounded), min(w.max+o.max, unbounded)}
		case fChoice:
			w = width{min(w.min, o.min), max(w.max, o.max)}
		case fBoth:
			w = width{max(w.min, o.min), min(w.max, o.max)}
		}
	}
	return w
}

// A measurer reads a regexp and adds up widths.
type measurer struct {
	s       string
	i       int
	verbose bool
}

// alternatives measures up to a ")" or the end.
func (m *measurer) alternatives(depth int) width {
	w := width{min: unbounded}
	for {
		branch := m.branch(depth)
		w.min, w.max = min(w.min, branch.min), max(w.max, branch.max)
		if m.i == len(m.s) || m.s[m.i] != '|' {
			return w
		}
		m.i++
	}
}

// branch measures one alternative.
func (m *measurer) branch(depth int) (sum width) {
	for m.i < len(m.s) && m.s[m.i] != '|' && m.s[m.i] != ')' {
		if m.verbose && m.blank() {
			continue
		}
		item := m.quantified(m.item(depth))
		sum.min = min(sum.min+item.min, unbounded)
		sum.max = min(sum.max+item.max, unbounded)
	}
	return sum
}

// blank skips what the x flag lets a regexp contain for the reader's sake.
func (m *measurer) blank() bool {
	switch c := m.s[m.i]; {
	case strings.IndexByte(" \t\n\r\v\f", c) >= 0:
		m.i++
	case c == '#':
		m.i += (strings.IndexByte(m.s[m.i:]+"\n", '\n'))
	default:
		return false
	}
	return true
}

// item measures one thing that can be repeated.
func (m *measurer) item(depth int) width {
	switch m.s[m.i] {
	case '[':
		m.class()
	case '\\':
		return m.escape()
	case '^', '$':
		m.i++
		return width{}
	case '(':
		if depth < maxDepth {
			return m.group(depth)
		}
		m.i++
	default:
		_, n := utf8.DecodeRuneInString(m.s[m.i:])
		m.i += n
	}
	return width{1, 1}
}

// class skips a character class. A "]" that comes first belongs to it, and nothing else in it
// matters but where it ends.
func (m *measurer) class() {
	m.i++
	if strings.HasPrefix(m.s[m.i:], "^") {
		m.i++
	}
	for first := true; m.i < len(m.s) && (first || m.s[m.i] != ']'); first = false {
		if m.s[m.i] == '\\' {
			m.i++
		}
		m.i++
	}
	m.i = min(m.i+1, len(m.s))
}

// escape measures a backslash with the characters that belong to it.
func (m *measurer) escape() width {
	if m.i+1 == len(m.s) {
		m.i++
		return width{1, 1}
	}
	c, n := utf8.DecodeRuneInString(m.s[m.i+1:])
	m.i += 1 + n
	switch {
	case strings.ContainsRune("AbBZ", c):
		return width{}
	case c == 'x' || c == 'u' || c == 'U':
		digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[c]
		m.i = min(m.i+digits, len(m.s))
	case '0' <= c && c <= '3': // octal: up to three digits, of which a zero may lack some
		end := m.i + octalDigits(m.s[m.i:min(m.i+2, len(m.s))])
		if c == '0' || end == m.i+2 {
			m.i = end
		}
	}
	return width{1, 1}
}

// octalDigits counts the octal digits at the start of s.
func octalDigits(s string) int { return len(s) - len(strings.TrimLeft(s, "01234567")) }

// group measures what is in parentheses. Assertions and comments have no width, whatever they
// contain.
func (m *measurer) group(depth int) width {
	rest := m.s[m.i:]
	outer, empty := m.verbose, false
	switch {
	case strings.HasPrefix(rest, "(?#"):
		m.i += strings.IndexByte(rest+")", ')')
		empty = true
	case strings.HasPrefix(rest, "(?="), strings.HasPrefix(rest, "(?!"):
		m.i += 3
		empty = true
	case strings.HasPrefix(rest, "(?<="), strings.HasPrefix(rest, "(?<!"):
		m.i += 4
		empty = true
	case strings.HasPrefix(rest, "(?P<"):
		m.i += strings.IndexByte(rest+">", '>') + 1
	case strings.HasPrefix(rest, "(?"):
		n := strings.IndexAny(rest+")", ":)")
		on, off, _ := strings.Cut(rest[:min(n, len(rest))], "-")
		m.verbose = (m.verbose || strings.Contains(on, "x")) && !strings.Contains(off, "x")
		m.i += n
		if strings.HasPrefix(rest[min(n, len(rest)):], ":") {
			m.i++
		} else {
			outer = m.verbose // (?x) holds for the rest
		}
	default:
		m.i++
	}
	m.i = min(m.i, len(m.s))
	w := m.alternatives(depth + 1)
	m.verbose = outer
	m.i = min(m.i+1, len(m.s)) // the ")"
	if empty {
		return width{}
	}
	return w
}

// quantified applies the quantifiers that follow an item.
func (m *measurer) quantified(w width) width {
	for m.i < len(m.s) {
		if m.verbose && m.blank() {
			continue
		}
		lo, hi, n := quantifier(m.s[m.i:])
		if n == 0 {
			break
		}
		m.i += n
		if strings.HasPrefix(m.s[m.i:], "?") || strings.HasPrefix(m.s[m.i:], "+") {
			m.i++
		}
		w = w.times(lo, hi)
	}
	return w
}

// quantifier reads a quantifier and returns its counts and length; a "{" may be none.
func quantifier(s string) (lo, hi, n int) {
	switch s[0] {
	case '*':
		return 0, unbounded, 1
	case '+':
		return 1, unbounded, 1
	case '?':
		return 0, 1, 1
	case '{':
	default:
		return 0, 0, 0
	}
	end := strings.IndexByte(s, '}')
	if end < 2 || strings.Trim(s[1:end], "0123456789,") != "" {
		return 0, 0, 0
	}
	first, second, two := strings.Cut(s[1:end], ",")
	lo = repeatCount(first, 0)
	if !two {
		return lo, lo, end + 1
	}
	return lo, repeatCount(second, unbounded), end + 1
}

// repeatCount is a decimal number, at most unbounded.
func repeatCount(s string, missing int) int {
	if s == "" {
		return missing
	}
	n := 0
	for _, c := range s {
		n = min(n*10+int(c-'0'), unbounded)
	}
	return n
}
