package jsonschema

import (
	"encoding/binary"

	"gcdbench/grammar"
)

// A sequence writes the rules of a comma-separated list in brackets, whose members depend on a
// state S: the properties of an object or the items of an array. Each state has two nonterminals:
// the tail, which begins with a member, and more, which follows one:
//
//	more -> close | comma tail
//	tail -> member more' | tail'       (the latter skips what is optional)
//
// A parser decides by the next terminal, and the states of its automaton stay small, since the
// members that may come next are in no kernel. Members that do not change the state are a list of
// their own, left recursive, so that long texts take no stack.
type sequence[S comparable] struct {
	c       *emitter
	open    string                                               // the bracket before the list
	close   string                                               // the bracket after it
	between grammar.ItemRole                                     // of commas
	closes  grammar.ItemRole                                     // of the bracket after it; the one before it has a role if this one does
	ends    func(s S) bool                                       // nothing more is needed
	members func(s S, add func(next S, member []grammar.Symbol)) // the members that may come next
	skip    func(s S) (next S, ok bool)                          // leave out what comes next; nil: nothing is left out
	tails   map[S]grammar.Nonterminal
	mores   map[S]grammar.Nonterminal
	lists   map[string]grammar.Nonterminal // of members that do not change the state, by members
	todo    []S                            // states whose tail has no rules yet
	alive   map[S]bool                     // of live
}

// write adds the rules for nt, beginning in state start.
func (q *sequence[S]) write(nt grammar.Nonterminal, start S) error {
	q.tails, q.mores, q.lists, q.alive = map[S]grammar.Nonterminal{}, map[S]grammar.Nonterminal{}, map[string]grammar.Nonterminal{}, map[S]bool{}
	open, closing := q.c.literalTerminal(q.open), q.closing()
	if q.closes != grammar.NoItems {
		open = q.c.withRole(open, grammar.OpensItems)
	}
	if q.ends(start) {
		q.c.rule(nt, open, closing)
	}
	q.c.rule(nt, open, grammar.N(q.tail(start)))
	return q.drain(q.c.ruleBase + q.c.opt.Batch)
}

// drain writes the rules of tails. Where rules are written on demand, those beyond a number of
// rules in all are left to when a text comes to them, if it is sure that a list ends from there.
func (q *sequence[S]) drain(most int) error {
	for ; len(q.todo) > 0; q.todo = q.todo[1:] {
		s := q.todo[0]
		if q.c.later != nil && len(q.c.g.Rules) > most && q.live(s) {
			q.c.later(q.tails[s], func() {
				q.todo = []S{s}
				_ = q.drain(len(q.c.g.Rules) + q.c.opt.Batch/10) // it has no error where rules are written on demand
			})
			continue
		}
		q.state(s, q.tails[s])
		if q.c.later == nil && len(q.c.g.Rules)-q.c.ruleBase > maxRules {
			return refusal(reasonTooLarge, "%s%s needs more than %d rules", q.open, q.close, maxRules)
		}
	}
	return nil
}

// live tells whether a list that goes on from a state surely ends: a member follows, and after it
// an end can be reached.
func (q *sequence[S]) live(s S) bool {
	for ok := true; ok; {
		for _, next := range q.after(s) {
			if reaches(q.alive, next, q.ends, q.steps) {
				return true
			}
		}
		if ok = q.skip != nil; ok {
			s, ok = q.skip(s)
		}
	}
	return false
}

// after are the states after a member that surely has a value.
func (q *sequence[S]) after(s S) (states []S) {
	q.members(s, func(next S, member []grammar.Symbol) {
		if value := member[len(member)-1]; q.c.surely(value.Nonterminal()) {
			states = append(states, next)
		}
	})
	return states
}

// steps visits the states after a member, and that after what comes next is left out.
func (q *sequence[S]) steps(s S, visit func(S)) {
	for _, next := range q.after(s) {
		visit(next)
	}
	if q.skip == nil {
		return
	}
	if next, ok := q.skip(s); ok {
		visit(next)
	}
}

// maxVisited bounds the states among which an end is looked for. It is mostly a few steps away.
const maxVisited = 100_000

// reaches tells whether steps lead from a state to an end, as far as is found. known has what was
// found out about states, and gets what is found out here.
func reaches[S comparable](known map[S]bool, start S, ends func(S) bool, steps func(s S, visit func(S))) bool {
	if found, ok := known[start]; ok {
		return found
	}
	before := map[S]S{start: start}
	for todo := []S{start}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(before) > maxVisited {
			known[start] = false
			return false
		}
		if known[at] || ends(at) {
			for known[at] = true; at != start; known[at] = true {
				at = before[at]
			}
			return true
		}
		steps(at, func(to S) {
			found, ok := known[to]
			if _, seen := before[to]; !seen && (found || !ok) {
				before[to] = at
				todo = append(todo, to)
			}
		})
	}
	for s := range before { // nor from any of those
		known[s] = false
	}
	return false
}

func (q *sequence[S]) closing() grammar.Symbol {
	return q.c.withRole(q.c.literalTerminal(q.close), q.closes)
}

func (q *sequence[S]) comma() grammar.Symbol { return q.c.withRole(q.c.comma(), q.between) }

func (q *sequence[S]) tail(s S) grammar.Nonterminal {
	nt, ok := q.tails[s]
	if !ok {
		nt = q.c.numbered("tail")
		q.tails[s] = nt
		q.todo = append(q.todo, s)
	}
	return nt
}

func (q *sequence[S]) more(s S) grammar.Nonterminal {
	nt, ok := q.mores[s]
	if !ok {
		nt = q.c.numbered("more")
		q.mores[s] = nt
		if q.ends(s) {
			q.c.rule(nt, q.closing())
		}
		q.c.rule(nt, q.comma(), grammar.N(q.tail(s)))
	}
	return nt
}

// state writes the rules of one tail.
func (q *sequence[S]) state(s S, nt grammar.Nonterminal) {
	var rest, loop [][]grammar.Symbol
	q.members(s, func(next S, member []grammar.Symbol) {
		if next == s {
			loop = append(loop, member)
		} else {
			rest = append(rest, append(member, grammar.N(q.more(next))))
		}
	})
	if q.skip != nil {
		if next, ok := q.skip(s); ok {
			rest = append(rest, []grammar.Symbol{grammar.N(q.tail(next))})
		}
	}
	if len(loop) > 0 && len(rest) > 2 { // the list is the same before all of them
		first := q.c.numbered("first")
		for _, rhs := range rest {
			q.c.rule(first, rhs...)
		}
		rest = [][]grammar.Symbol{{grammar.N(first)}}
	}
	for _, rhs := range rest {
		q.c.rule(nt, rhs...)
	}
	if len(loop) == 0 {
		return
	}
	list := q.list(loop)
	if q.ends(s) {
		q.c.rule(nt, grammar.N(list), q.closing())
	}
	for _, rhs := range rest {
		q.c.rule(nt, append([]grammar.Symbol{grammar.N(list), q.comma()}, rhs...)...)
	}
}

// list is a list of at least one of some members.
func (q *sequence[S]) list(members [][]grammar.Symbol) grammar.Nonterminal {
	var some [128]byte
	key := some[:0]
	for _, member := range members {
		key = binary.AppendUvarint(key, uint64(len(member)))
		for _, s := range member {
			key = binary.AppendVarint(key, int64(s))
		}
	}
	if nt, ok := q.lists[string(key)]; ok {
		return nt
	}
	nt := q.c.numbered("list")
	q.lists[string(key)] = nt
	for _, member := range members {
		q.c.rule(nt, member...)
		q.c.rule(nt, append([]grammar.Symbol{grammar.N(nt), q.comma()}, member...)...)
	}
	return nt
}
