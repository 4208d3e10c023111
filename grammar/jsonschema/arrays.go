package jsonschema

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gcdbench/grammar"
)

// maxCounted bounds the items, and the properties, that are counted: each takes a rule and a few LR
// states.
const maxCounted = 10_000

// Arrays. What an item must satisfy depends on its place, and on what was counted before it. So the
// state is the number of items, as far as it matters: all places after the last prefix and the last
// bound are alike, and a list without bounds has one state, whatever its length. contains
// multiplies the states by its counts, and uniqueItems of few values by the sets of those that
// occurred.

// An arrayState is a place inside an array.
type arrayState struct {
	at   int    // items so far, as far as they matter
	seen string // contains literals: items that satisfied each, as far as they matter, 4 bytes a number
	used uint64 // unique items of few values: those that occurred
}

// count is how many items satisfied contains literal i.
func (st arrayState) count(i int) int { return int(binary.NativeEndian.Uint32([]byte(st.seen[4*i:]))) }

// counted is the state with one more.
func (st arrayState) counted(i int) arrayState {
	seen := []byte(st.seen)
	binary.NativeEndian.PutUint32(seen[4*i:], uint32(st.count(i)+1))
	st.seen = string(seen)
	return st
}

// An arrayEmitter writes the rules of one clause.
type arrayEmitter struct {
	c        *emitter
	items    []*literal       // opItems of the clause
	contains []*literal       // opContains of the clause
	ways     [][]bool         // the sets of those that an item can satisfy
	values   []ref            // unique items: the values of all places, if they are few
	other    grammar.ItemRole // of what stands between items: AfterOther if the recognizer compares them
	closes   grammar.ItemRole // of the bracket after them
	n, m     int              // least and most items; m < 0 for no limit
	top      int              // places from here on are alike
}

func (c *emitter) emitArray(nt grammar.Nonterminal, x clause) error {
	e := &arrayEmitter{c: c}
	e.n, e.m = limits(x)
	unique := false
	for _, l := range x {
		switch l.op {
		case opItems:
			e.items = append(e.items, l)
			e.top = max(e.top, len(l.prefix))
		case opContains:
			e.contains = append(e.contains, l)
			e.top = max(e.top, l.at)
		case opUnique:
			if unique = !l.not; l.not {
				e.closes = grammar.AfterEqual
			}
		}
	}
	if err := e.limit(x); err != nil {
		return err
	}
	if unique {
		e.makeUnique()
		e.closes = e.other
	}
	e.top = max(e.top, e.n, e.m+1)
	q := &sequence[arrayState]{c: c, open: "[", close: "]", between: e.other, closes: e.closes, ends: e.ends, members: e.item}
	if err := q.write(nt, arrayState{seen: string(make([]byte, 4*len(e.contains)))}); err != nil {
		return locate(x, err)
	}
	return nil
}

// limit holds the counts of an array to the limits.
func (e *arrayEmitter) limit(x clause) error {
	if e.findWays(nil, nil); len(e.ways) > maxChoices {
		return locate(x, refusal("too many constraints count items", "an item can satisfy them in more than %d ways", maxChoices))
	}
	if err := e.c.countable(x, "items"); err != nil {
		return err
	}
	// Items that contains asks for may be different ones, so as many are counted as all ask for
	// together.
	least := e.n
	for _, l := range e.contains {
		least += l.n
	}
	e.m = e.c.mostCounted(x, e.m, least, "items")
	return nil
}

// countable refuses minima that are not counted. Where rules are written on demand, a text comes to
// as many states as it has members; but an end must be found among those that are looked at.
func (c *emitter) countable(x clause, what string) error {
	most := maxCounted
	if c.later != nil {
		most = maxVisited / 2
	}
	for _, l := range x {
		if l.op == opLength && l.n > most || l.op == opContains && (l.n > most || l.m > most && c.later == nil) {
			return refusal(reasonUncounted, "at most %d %s are", most, what).at(l.node, l.keyword)
		}
	}
	return nil
}

// ends tells whether no item is missing in a state.
func (e *arrayEmitter) ends(st arrayState) bool {
	for i, l := range e.contains {
		if st.count(i) < l.n {
			return false
		}
	}
	return st.at >= e.n
}

// item calls add for the ways in which an item can come next.
func (e *arrayEmitter) item(st arrayState, add func(arrayState, []grammar.Symbol)) {
	if e.m >= 0 && st.at >= e.m {
		return
	}
	next := st
	next.at = min(st.at+1, e.top)
	values := itemValues(e.items, st.at)
	if e.values == nil {
		e.choose(st, next, values, add)
		return
	}
	e.different(st, next, values, add)
}

// findWays finds the sets of contains literals that an item can satisfy, or a few more than are
// allowed. Of the first literals it is said whether it does, with what its value then satisfies.
func (e *arrayEmitter) findWays(said []bool, values []ref) {
	if len(e.ways) > maxChoices {
		return
	}
	if len(said) == len(e.contains) {
		e.ways = append(e.ways, slices.Clone(said))
		return
	}
	l := e.contains[len(said)]
	e.findWays(append(said, false), values)
	if values = append(values, l.goal); len(values) == 1 || e.c.inhabited(values, scope{pairs: maxPairs}, aliveDepth) {
		e.findWays(append(said, true), values)
	}
}

// choose calls add for the ways in which an item satisfies contains literals, or not.
func (e *arrayEmitter) choose(st, next arrayState, values []ref, add func(arrayState, []grammar.Symbol)) {
	for _, way := range e.ways {
		after, all, ok := next, values, true
		for i, l := range e.contains {
			at := st.count(i)
			switch {
			case way[i] && (st.at < l.at || l.m >= 0 && at >= l.m || l.m < 0 && at >= l.n):
				ok = false // it is not counted, or not any more
			case way[i]:
				after, all = after.counted(i), append(slices.Clone(all), l.goal)
			case l.m >= 0 && st.at >= l.at:
				// To count up to a minimum only takes items that satisfy the goal; a maximum must tell
				// the others apart.
				all = append(slices.Clone(all), l.goal.not())
			}
		}
		if !ok {
			continue
		}
		if g, ok := e.c.goalOf(all); ok {
			add(after, []grammar.Symbol{grammar.N(g.nt)})
		}
	}
}

// mostCounted is how many of the members that a clause allows are counted, at least as many as it
// asks for: m, or fewer, which is noted.
func (c *emitter) mostCounted(x clause, m, least int, what string) int {
	if c.later != nil {
		return m
	}
	limit := max(c.budget.of(maxCounted), least)
	c.budget.shrinks = c.budget.shrinks || m > max(limit/10, least)
	if m <= limit {
		return m
	}
	for _, l := range x {
		if l.op == opLength && l.m > limit {
			c.cut = true
			c.narrow(l, fmt.Sprintf("no more than %d %s are counted", limit, what))
		}
	}
	return limit
}
