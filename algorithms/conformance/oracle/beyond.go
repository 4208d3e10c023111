package oracle

import (
	"fmt"
	"strings"
)

// What terminals have beyond regular expressions: (?&a)(?&b) is what both match, (?~a) what a does
// not match, (?*a) the shortest matches of a. The oracle understands them where they are a whole
// terminal, or a whole part of such a one. A term of this kind that matches nothing is none.

// beyond reads such a pattern; ok is false if it is another one.
func beyond(source string) (t *term, ok bool, err error) {
	var subs []*term
	kind := byte(0)
	for rest := source; rest != ""; {
		if len(rest) < 3 || rest[:2] != "(?" || strings.IndexByte("&~*", rest[2]) < 0 || kind != 0 && kind != rest[2] {
			if kind == 0 {
				return nil, false, nil
			}
			return nil, true, fmt.Errorf("the oracle does not understand %s", source)
		}
		kind = rest[2]
		end := closing(rest)
		sub, nested, err := beyond(rest[3:end])
		if !nested {
			sub, err = (&pattern{}).term(rest[3:end])
		}
		if err != nil {
			return nil, true, err
		}
		subs, rest = append(subs, sub), rest[end+1:]
	}
	if kind == 0 {
		return nil, false, nil
	}
	return beyondTerm(map[byte]op{'&': opBoth, '~': opNot, '*': opLazy}[kind], map[string]bool{}, subs), true, nil
}

// closing is the place of the bracket that closes the one at the beginning.
func closing(s string) int {
	for i, depth := range signs(s) {
		if s[i] == ')' && depth == 0 {
			return i
		}
	}
	return len(s) - 1
}

// beyondTerm is the term of an operator; some has what is known of others.
func beyondTerm(o op, some map[string]bool, subs []*term) *term {
	t := &term{op: o, subs: subs, key: fmt.Sprintf("%d{%s}", o, keys(subs, ",")), some: some}
	is, known := some[t.key]
	if !known {
		is = t.matchesSome()
		some[t.key] = is
	}
	if !is {
		return none
	}
	return t
}

// afterBeyond is the derivative.
func (t *term) afterBeyond(b byte) *term {
	if t.op == opNot && b > 127 || t.op == opLazy && t.subs[0].nullable() {
		return none
	}
	subs := make([]*term, len(t.subs))
	for i, s := range t.subs {
		subs[i] = s.after(b)
	}
	return beyondTerm(t.op, t.some, subs)
}

// matchesSome looks for a text that t matches, without asking for the derivatives of t itself.
func (t *term) matchesSome() bool {
	if t.op == opLazy {
		return t.subs[0].op != opNone
	}
	seen := map[string]bool{}
	var visit func(subs []*term) bool
	visit = func(subs []*term) bool {
		at := &term{op: t.op, subs: subs}
		key := keys(subs, ",")
		if at.nullable() {
			return true
		}
		if seen[key] {
			return false
		}
		seen[key] = true
		for b := range byte(128) {
			next := make([]*term, len(subs))
			for i, s := range subs {
				next[i] = s.after(b)
			}
			if visit(next) {
				return true
			}
		}
		return false
	}
	return visit(t.subs)
}
