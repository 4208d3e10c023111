package koo

import (
	"fmt"
	"strings"

	"gcdbench/grammar/automata"
)

// A label is a symbol of pattern automata that stands for one whole token of a kind (section 2.5.1:
// "token IDs disjoint from V that map to pre-computed masks"). Labels are written as bytes that
// occur in no UTF-8, so that the byte automata and all their operations serve for them too.
type label byte

const (
	textToken      label = 0xF8 // any token that is text
	paragraphToken label = 0xF9 // any token that is text without a line break
	// maxTextByte is the last byte that is no label.
	maxTextByte byte = 0xF7
)

// labels are all labels.
var labels = []label{textToken, paragraphToken}

// A patternError is a mistake in the use of an extension.
func patternError(pattern string, offset int, format string, args ...any) error {
	return &automata.SyntaxError{Pattern: pattern, Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// ParsePattern parses a regular expression, in Python's syntax as package automata takes it, in
// which named groups may be extensions (see extensions.go for what each means):
//
//	(?P<QUOTED_TEXT>)  (?P<UNQUOTED_TEXT>)  (?P<TEXT_TOKEN>)  (?P<PARAGRAPH_TOKEN>)
//	(?P<TEXT_UNTIL>stop phrase)  (?P<SUBSTRING_OF>text)
//	(?P<DELIMITED_LIST>delimiter|item)  (?P<DELIMITED_SUBSEQUENCE_OF>delimiter|item|item...)
//	(?P<JSON_VALUE>objects,arrays)
//
// Names in capitals that are no extension are errors; other named groups are plain groups. The
// result is for this package's Compile: its automaton reads labels beside bytes. Errors are
// *automata.SyntaxError or *automata.LimitError.
func ParsePattern(pattern string) (*automata.Expr, error) {
	p := &patternParser{src: pattern}
	if m := strings.Index(pattern, ")"); strings.HasPrefix(pattern, "(?") && m > 0 {
		if f, err := automata.ParseFlags(pattern[2:m]); err == nil && m > 2 {
			p.flags, p.pos = f, m+1
		}
	}
	e, err := p.alternatives()
	if err == nil && p.pos < len(p.src) {
		err = p.errorf(p.pos, `unbalanced parenthesis; write \) for a literal one`)
	}
	return e, err
}

// patternParser splits a pattern around its extensions. The longest pieces without an extension
// go to package automata as they are written.
type patternParser struct {
	src   string
	pos   int
	flags automata.Flags
	depth int
}

// maxGroups is the deepest nesting of groups around an extension: patterns written by people stay
// below 20.
const maxGroups = 200

func (p *patternParser) errorf(offset int, format string, args ...any) error {
	return patternError(p.src, offset, format, args...)
}

// alternatives parses up to the ")" that closes a group, or the end.
func (p *patternParser) alternatives() (*automata.Expr, error) {
	branches, err := p.branches()
	return automata.Alternate(branches...), err
}

func (p *patternParser) branches() ([]*automata.Expr, error) {
	if p.depth++; p.depth > maxGroups {
		return nil, p.errorf(p.pos, "groups are nested more than %d deep", maxGroups)
	}
	defer func() { p.depth-- }()
	var branches []*automata.Expr
	for {
		e, err := p.branch()
		if err != nil {
			return nil, err
		}
		branches = append(branches, e)
		if p.pos == len(p.src) || p.src[p.pos] != '|' {
			return branches, nil
		}
		p.pos++
	}
}

// branch parses a concatenation.
func (p *patternParser) branch() (*automata.Expr, error) {
	var parts []*automata.Expr
	begin := p.pos
	flush := func() error {
		if begin == p.pos {
			return nil
		}
		e, err := automata.Parse(p.src[begin:p.pos], p.flags)
		if err != nil {
			return p.place(err, begin)
		}
		parts = append(parts, e)
		return nil
	}
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if c == '|' || c == ')' {
			break
		}
		if c != '(' {
			p.pos = p.after(p.pos)
			continue
		}
		end, extended := p.scan(p.pos)
		if !extended {
			p.pos = end
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
		e, err := p.group()
		if err == nil {
			e, err = p.quantified(e)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, e)
		begin = p.pos
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return automata.Concat(parts...), nil
}

// place moves an error in a piece to where it is in the whole pattern.
func (p *patternParser) place(err error, begin int) error {
	if s, ok := err.(*automata.SyntaxError); ok {
		return p.errorf(begin+s.Offset, "%s", s.Message)
	}
	return err
}

// after is the offset after the character, escape or class at an offset.
func (p *patternParser) after(i int) int {
	switch p.src[i] {
	case '\\':
		return min(i+2, len(p.src))
	case '[':
		j := i + 1
		if j < len(p.src) && p.src[j] == '^' {
			j++
		}
		for first := j; j < len(p.src); j++ {
			if p.src[j] == '\\' {
				j++
			} else if p.src[j] == ']' && j > first {
				return j + 1
			}
		}
		return len(p.src)
	}
	return i + 1
}

// scan finds the end of the group at an offset, and whether an extension is in it.
func (p *patternParser) scan(i int) (end int, extended bool) {
	depth := 0
	for i < len(p.src) {
		switch p.src[i] {
		case '(':
			depth++
			if name, ok := groupName(p.src[i:]); ok && isExtension(name) {
				extended = true
			}
			i++
		case ')':
			if i++; depth == 1 {
				return i, extended
			}
			depth--
		default:
			i = p.after(i)
		}
	}
	return i, extended
}

// groupName is the name of the group that s starts with.
func groupName(s string) (string, bool) {
	s, ok := strings.CutPrefix(s, "(?P<")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(s, ">")
	return name, ok
}

// isExtension tells whether a name is one, or is meant to be: all capitals and underscores.
func isExtension(name string) bool {
	return len(name) > 1 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// group parses a group that is an extension or has one inside.
func (p *patternParser) group() (*automata.Expr, error) {
	start := p.pos
	if name, ok := groupName(p.src[p.pos:]); ok {
		p.pos += len("(?P<>") + len(name)
		if isExtension(name) {
			return p.extension(name, start)
		}
	} else if strings.HasPrefix(p.src[p.pos:], "(?:") {
		p.pos += 3
	} else if strings.HasPrefix(p.src[p.pos:], "(?") {
		return nil, p.errorf(start, "an extension cannot stand inside of this kind of group; use (...), (?:...) or a named one")
	} else {
		p.pos++
	}
	e, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	return e, p.close(start)
}

// close takes the parenthesis that ends a group.
func (p *patternParser) close(start int) error {
	if p.pos == len(p.src) {
		return p.errorf(start, "missing ), unterminated group")
	}
	p.pos++
	return nil
}

// quantified applies the quantifier after a group, if there is one.
func (p *patternParser) quantified(e *automata.Expr) (*automata.Expr, error) {
	if p.pos == len(p.src) {
		return e, nil
	}
	low, high := 1, 1
	at := p.pos
	switch p.src[p.pos] {
	case '*':
		low, high = 0, -1
		p.pos++
	case '+':
		high = -1
		p.pos++
	case '?':
		low = 0
		p.pos++
	case '{':
		var ok bool
		var n int
		if low, high, n, ok = braces(p.src[p.pos:]); !ok {
			return e, nil // a "{" that starts no repeat stands for itself
		}
		p.pos += n
	default:
		return e, nil
	}
	if p.pos < len(p.src) && strings.IndexByte("*+?", p.src[p.pos]) >= 0 {
		return nil, p.errorf(at, "lazy, possessive and doubled quantifiers are not for groups with extensions; group the first with (?:...)")
	}
	if high >= 0 && low > high {
		return nil, p.errorf(at, "the minimum of the repeat is greater than its maximum")
	}
	return automata.Repeat(e, low, high), nil
}

// braces reads a counted repeat: {m}, {m,}, {,n} or {m,n}, and its length.
func braces(s string) (low, high, length int, ok bool) {
	body, _, found := strings.Cut(s[1:], "}")
	lo, hi, two := strings.Cut(body, ",")
	if !found || strings.Trim(body, "0123456789,") != "" || strings.Contains(hi, ",") || !two && lo == "" {
		return 0, 0, 0, false
	}
	low, high = number(lo, 0), number(hi, -1)
	if !two {
		high = low
	}
	return low, high, len(body) + 2, true
}

// number reads digits, cut off above every limit on repeats.
func number(s string, missing int) int {
	if s == "" {
		return missing
	}
	n := 0
	for i := range len(s) {
		n = min(n*10+int(s[i]-'0'), 1<<30)
	}
	return n
}
