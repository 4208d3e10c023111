package jsonschema

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/jsontext"
)

// uniqueItems. A grammar cannot compare two items that may be anything, but it can count, so there
// are three ways to keep items apart. A place of an array whose values no other place can have
// needs nothing: [name, size] is unique if one is a string and the other a number. Where there are
// few values, a state of the array is the set of values that occurred. Where there are more, they
// must come in one order, each at most once, which is narrower, and reported.
//
// Anything else is refused. It could be narrowed to lists of one item, or to items that differ in
// their first character, and no duplicate would be accepted. But then a model with two items to
// write is cut off in the middle of its list, or made to write another item than it means, without
// a word. Most real schemas with such lists have instances of two items or more. The error says
// what to do instead.

const (
	// maxSubsetRules bounds the rules of an array whose states are sets of values: any list of
	// different values out of 8, up to three out of 21, two out of 44.
	maxSubsetRules = 2048
	// maxSubsetValues is how many bits such a set has.
	maxSubsetValues = 64
	// maxUniqueValues bounds the values that are enumerated, each a schema with a terminal.
	maxUniqueValues = 1000
	// maxUniquePlaces bounds the places of an array that are compared with each other.
	maxUniquePlaces = 16
)

// uniqueness is how an array keeps its items apart; nil if it need not.
type uniqueness struct {
	values  []ref  // those of all places that are not free
	free    []bool // by place: no other place has a value of this one
	ordered bool   // values in their order, each at most once
}

// makeUnique prepares for items that must differ.
func (e *arrayEmitter) makeUnique(l *literal) error {
	places := e.places()
	if places <= 1 {
		return nil
	}
	u := &uniqueness{free: e.freePlaces(places)}
	known := newValueSet()
	for i := range e.top + 1 {
		if i < places && !u.isFree(i) && !e.c.enumerate(itemValues(e.items, i), known, 0) {
			return e.c.unsupported(l.node, l.keyword, refusal("items are unbounded", "a grammar cannot tell apart items that have any of unboundedly many values; give them an enum or maxItems 1, or let duplicates pass and check for them"))
		}
	}
	if len(known.list) == 0 {
		return nil
	}
	// The set of values that occurred is a state as long as there are few sets; else the last
	// value is.
	u.ordered = subsetRules(len(known.list), places) > maxSubsetRules
	if u.ordered && e.top > 0 {
		return e.c.unsupported(l.node, l.keyword, refusal("items are unbounded", "the places of the array share too many values"))
	}
	for _, v := range known.list {
		u.values = append(u.values, e.c.doc.synthetic(objectValue("const", v), origin{}))
	}
	if u.ordered {
		e.c.narrow(l, fmt.Sprintf("items must come in one order, that of the enum if they have one, since there are %d values", len(u.values)))
	}
	if e.m >= len(u.values) && e.top == 0 {
		e.m = -1 // there are no more values than that
	}
	e.unique = u
	return nil
}

func (u *uniqueness) isFree(i int) bool { return i < len(u.free) && u.free[i] }

// places is how many items there can be; maxUniqueValues + 1 if that is not bounded.
func (e *arrayEmitter) places() int {
	n := maxUniqueValues + 1
	if e.m >= 0 {
		n = min(n, e.m)
	}
	for i := range min(n, e.top+1) {
		if slices.Contains(itemValues(e.items, i), falseRef) {
			return i
		}
	}
	return n
}

// freePlaces finds the places with values that no other place has.
func (e *arrayEmitter) freePlaces(places int) []bool {
	n := min(places, e.top+1) // the last one stands for all places after it
	if n > maxUniquePlaces {
		return nil
	}
	free := slices.Repeat([]bool{true}, n)
	if places > n {
		free[n-1] = false
	}
	for i := range n {
		for j := range i {
			if (free[i] || free[j]) && e.c.inhabited(slices.Concat(itemValues(e.items, i), itemValues(e.items, j)), outermost(jsontext.Null), aliveDepth) {
				free[i], free[j] = false, false
			}
		}
	}
	return free
}

// subsetRules is how many rules it takes to remember which of n values occurred in an array of so
// many places: in each set of fewer values, each value that is not in it may come next.
func subsetRules(n, places int) int {
	if n > maxSubsetValues {
		return maxSubsetRules + 1
	}
	rules, sets := 0, 1
	for size := range min(n, places) {
		if rules += sets * (n - size); rules > maxSubsetRules {
			break
		}
		sets = sets * (n - size) / (size + 1)
	}
	return rules
}

// different calls add for the ways in which an item can come next that differs from those before.
func (e *arrayEmitter) different(st, next arrayState, values []ref, add func(arrayState, []grammar.Symbol)) {
	u := e.unique
	switch {
	case u.isFree(st.at):
		e.choose(st, next, values, 0, add)
	case u.ordered:
		if int(st.used) < len(u.values) {
			next.used = st.used + 1
			e.choose(st, next, append(slices.Clone(values), u.values[st.used]), 0, add)
		}
	default:
		for i, r := range u.values {
			if st.used&(1<<i) == 0 {
				next.used = st.used | 1<<i
				e.choose(st, next, append(slices.Clone(values), r), 0, add)
			}
		}
	}
}

// skip leaves out the next value of an ordered set.
func (e *arrayEmitter) skip(st arrayState) (arrayState, bool) {
	ok := e.unique != nil && e.unique.ordered && int(st.used) < len(e.unique.values)
	st.used++
	return st, ok
}
