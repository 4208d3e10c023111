package oracle

import (
	"fmt"
	"regexp/syntax"
	"slices"
)

// Patterns with lazy quantifiers, which match what a backtracking matcher takes first. Such a
// pattern is the list of its attempts, in order: each reads a byte and then goes on as some term,
// or is the end of a match, after which nothing more is tried. The derivative of a list is the list
// of what its attempts go on as (Antimirov's partial derivatives, 1996, in order).

// isLazy tells whether a lazy quantifier occurs.
func isLazy(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		if re.Flags&syntax.NonGreedy != 0 {
			return true
		}
	}
	return slices.ContainsFunc(re.Sub, isLazy)
}

// inOrder is convert for a pattern whose alternatives and quantifiers have an order.
func inOrder(re *syntax.Regexp) (*term, error) {
	subs := make([]*term, len(re.Sub))
	for i, s := range re.Sub {
		var err error
		if subs[i], err = inOrder(s); err != nil {
			return nil, err
		}
	}
	few := re.Flags&syntax.NonGreedy != 0
	switch re.Op {
	case syntax.OpCapture:
		return subs[0], nil
	case syntax.OpConcat:
		return cat(subs...), nil
	case syntax.OpAlternate:
		return either(subs...), nil
	case syntax.OpStar:
		return rounds(subs[0], few), nil
	case syntax.OpPlus:
		return cat(subs[0], rounds(subs[0], few)), nil
	case syntax.OpQuest:
		return perhaps(subs[0], few), nil
	case syntax.OpRepeat:
		return counted(subs[0], re.Min, re.Max, few), nil
	case syntax.OpEmptyMatch, syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return convert(re)
	}
	return nil, fmt.Errorf("the oracle does not understand %s", re)
}

// either is alt in the given order.
func either(subs ...*term) *term {
	return &term{op: opAlt, subs: subs, key: "(" + keys(subs, "/") + ")"}
}

// perhaps is t or nothing, by preference.
func perhaps(t *term, few bool) *term {
	if few {
		return either(empty, t)
	}
	return either(t, empty)
}

// rounds is star, by preference.
func rounds(t *term, few bool) *term {
	key := "{" + t.key + "}*"
	if few {
		key += "?"
	}
	return &term{op: opStar, subs: []*term{t}, key: key, few: few}
}

func counted(t *term, lo, hi int, few bool) *term {
	var more *term
	if hi < 0 {
		more = rounds(t, few)
	} else {
		more = empty
		for range hi - lo {
			more = perhaps(cat(t, more), few)
		}
	}
	for range lo {
		more = cat(t, more)
	}
	return more
}

// attempts lists what t tries, in order: empty, or a byte and a rest.
func (t *term) attempts() []*term {
	switch t.op {
	case opEmpty, opByte:
		return []*term{t}
	case opAlt:
		var list []*term
		for _, s := range t.subs {
			list = append(list, s.attempts()...)
		}
		return list
	case opStar:
		var list []*term
		for _, first := range t.subs[0].attempts() {
			if first.op != opEmpty { // else the round is the last one
				first = cat(first, t)
			}
			list = append(list, first)
		}
		if t.few {
			return append([]*term{empty}, list...)
		}
		return append(list, empty)
	case opCat:
		var list []*term
		rest := cat(t.subs[1:]...)
		for _, first := range t.subs[0].attempts() {
			if first.op == opEmpty {
				list = append(list, rest.attempts()...)
			} else {
				list = append(list, cat(first, rest))
			}
		}
		return list
	}
	return nil
}

// try is the pattern of some attempts: none twice, and none after the end of a match.
func try(list []*term) *term {
	var subs []*term
	for _, t := range list {
		if !slices.ContainsFunc(subs, func(s *term) bool { return s.key == t.key }) {
			subs = append(subs, t)
		}
		if t.op == opEmpty {
			break
		}
	}
	if len(subs) == 0 {
		return none
	}
	return &term{op: opTry, subs: subs, key: "<" + keys(subs, "/") + ">"}
}

// afterAttempt is the derivative of the pattern of some attempts.
func afterAttempt(subs []*term, b byte) *term {
	var list []*term
	for _, t := range subs {
		first, rest := t, empty
		if t.op == opCat {
			first, rest = t.subs[0], cat(t.subs[1:]...)
		}
		if first.op == opByte && first.set[b] {
			list = append(list, rest.attempts()...)
		}
	}
	return try(list)
}
