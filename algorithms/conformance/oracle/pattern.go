package oracle

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"
)

// A term is a regular expression in a form whose derivatives stay small: alternatives are sorted
// and distinct, concatenations are flat, and a term that matches nothing never occurs inside
// another.
type term struct {
	op   op
	set  [256]bool // for opByte
	subs []*term
	key  string
	text *text           // for opText
	some map[string]bool // for opBoth and others: by key, whether a term matches anything
	few  bool            // for opStar in a pattern with lazy quantifiers: fewer rounds are tried first
}

type op uint8

const (
	opNone  op = iota // matches nothing
	opEmpty           // matches the empty string
	opByte            // matches one byte of set
	opCat             // subs one after the other
	opAlt             // one of subs
	opStar            // subs[0], any number of times
	opText            // free text
	opTry             // subs in order: each begins with a byte, or is the end of a match and the last one
	opBoth            // all of subs
	opNot             // a text of ASCII that subs[0] does not match
	opLazy            // a match of subs[0] that begins with no other one
)

var (
	none  = &term{op: opNone, key: "!"}
	empty = &term{op: opEmpty, key: "e"}
)

func bytesOf(set [256]bool) *term {
	var b strings.Builder
	b.WriteByte('[')
	for c, in := range set {
		if in {
			fmt.Fprintf(&b, "%02x", c)
		}
	}
	b.WriteByte(']')
	if b.Len() == 2 {
		return none
	}
	return &term{op: opByte, set: set, key: b.String()}
}

func cat(subs ...*term) *term {
	var flat []*term
	for _, s := range subs {
		switch s.op {
		case opNone:
			return none
		case opEmpty:
		case opCat:
			flat = append(flat, s.subs...)
		default:
			flat = append(flat, s)
		}
	}
	switch len(flat) {
	case 0:
		return empty
	case 1:
		return flat[0]
	}
	return &term{op: opCat, subs: flat, key: "(" + keys(flat, ".") + ")"}
}

func alt(subs ...*term) *term {
	var flat []*term
	for _, s := range subs {
		switch s.op {
		case opNone:
		case opAlt:
			flat = append(flat, s.subs...)
		default:
			flat = append(flat, s)
		}
	}
	sort.Slice(flat, func(i, j int) bool { return flat[i].key < flat[j].key })
	flat = slices.CompactFunc(flat, func(a, b *term) bool { return a.key == b.key })
	switch len(flat) {
	case 0:
		return none
	case 1:
		return flat[0]
	}
	return &term{op: opAlt, subs: flat, key: "(" + keys(flat, "|") + ")"}
}

func star(s *term) *term {
	switch s.op {
	case opNone, opEmpty:
		return empty
	case opStar:
		return s
	}
	return &term{op: opStar, subs: []*term{s}, key: s.key + "*"}
}

func keys(subs []*term, sep string) string {
	list := make([]string, len(subs))
	for i, s := range subs {
		list[i] = s.key
	}
	return strings.Join(list, sep)
}

// nullable tells whether t matches the empty string.
func (t *term) nullable() bool {
	switch t.op {
	case opEmpty, opStar:
		return true
	case opText:
		return t.text.nullable()
	case opTry:
		return t.subs[len(t.subs)-1].op == opEmpty
	case opNot:
		return !t.subs[0].nullable()
	case opLazy:
		return t.subs[0].nullable()
	case opCat, opBoth:
		return !slices.ContainsFunc(t.subs, func(s *term) bool { return !s.nullable() })
	case opAlt:
		return slices.ContainsFunc(t.subs, (*term).nullable)
	}
	return false
}

// after is the derivative by b: what may follow once b was read (Brzozowski 1964).
func (t *term) after(b byte) *term {
	switch t.op {
	case opText:
		return t.text.after(b)
	case opByte:
		if t.set[b] {
			return empty
		}
	case opAlt:
		out := make([]*term, len(t.subs))
		for i, s := range t.subs {
			out[i] = s.after(b)
		}
		return alt(out...)
	case opStar:
		return cat(t.subs[0].after(b), t)
	case opTry:
		return afterAttempt(t.subs, b)
	case opBoth, opNot, opLazy:
		return t.afterBeyond(b)
	case opCat:
		first := cat(append([]*term{t.subs[0].after(b)}, t.subs[1:]...)...)
		if !t.subs[0].nullable() {
			return first
		}
		return alt(first, cat(t.subs[1:]...).after(b))
	}
	return none
}

func convert(re *syntax.Regexp) (*term, error) {
	subs := make([]*term, len(re.Sub))
	for i, s := range re.Sub {
		var err error
		if subs[i], err = convert(s); err != nil {
			return nil, err
		}
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return none, nil
	case syntax.OpEmptyMatch:
		return empty, nil
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re.Rune), nil
	case syntax.OpAnyChar:
		return class([]rune{0, 127}), nil
	case syntax.OpAnyCharNotNL:
		return class([]rune{0, '\n' - 1, '\n' + 1, 127}), nil
	case syntax.OpCapture:
		return subs[0], nil
	case syntax.OpConcat:
		return cat(subs...), nil
	case syntax.OpAlternate:
		return alt(subs...), nil
	case syntax.OpStar:
		return star(subs[0]), nil
	case syntax.OpPlus:
		return cat(subs[0], star(subs[0])), nil
	case syntax.OpQuest:
		return alt(subs[0], empty), nil
	case syntax.OpRepeat:
		return repeat(subs[0], re.Min, re.Max), nil
	}
	return nil, fmt.Errorf("the oracle does not understand %s", re)
}

func repeat(t *term, lo, hi int) *term {
	out := empty
	for range lo {
		out = cat(out, t)
	}
	if hi < 0 {
		return cat(out, star(t))
	}
	more := empty
	for range hi - lo {
		more = alt(empty, cat(t, more))
	}
	return cat(out, more)
}

func literal(re *syntax.Regexp) (*term, error) {
	out := empty
	for _, r := range re.Rune {
		if r > 127 {
			return nil, fmt.Errorf("the oracle knows ASCII only, not %q", r)
		}
		pair := []rune{r, r}
		if re.Flags&syntax.FoldCase != 0 {
			lower, upper := []rune(strings.ToLower(string(r)))[0], []rune(strings.ToUpper(string(r)))[0]
			pair = []rune{lower, lower, upper, upper}
		}
		out = cat(out, class(pair))
	}
	return out, nil
}

// class is one ASCII character of the ranges; what lies beyond ASCII is left out, since the
// vocabularies of the oracle's tests have nothing there.
func class(ranges []rune) *term {
	var set [256]bool
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r <= 127; r++ {
			set[r] = true
		}
	}
	return bytesOf(set)
}
