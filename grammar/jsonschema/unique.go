package jsonschema

import (
	"slices"

	"gcdbench/grammar"
)

// uniqueItems. A grammar cannot compare two items that may be anything. So the brackets and commas
// of an array whose items must differ are terminals of their own, and the recognizer compares the
// items (grammar.ItemRole). It does the same for the negation: two items are equal.
//
// What such a grammar does not see is that no other value is left: an array of the values a and b
// goes on behind both with a comma, and then nothing may follow. Where there are few values, a
// state of the array is the set of those that occurred, which compares nothing and has no such end.
// Where there are more, but not many, no more items are counted than there are values.

const (
	// maxSubsetRules bounds the rules of an array whose states are sets of values: any list of
	// different values out of 8, up to three out of 21, two out of 44.
	maxSubsetRules = 2048
	// maxSubsetValues is how many bits such a set has, and how many values are enumerated.
	maxSubsetValues = 64
)

// makeUnique prepares for items that must differ.
func (e *arrayEmitter) makeUnique() {
	places := e.places()
	if places <= 1 {
		return
	}
	e.other = grammar.AfterOther
	known := newValueSet()
	for i := range min(places, e.top+1) {
		if !e.c.enumerate(itemValues(e.items, i), known, 0) {
			return
		}
	}
	switch few := len(known.list); {
	case few == 0:
		e.other = grammar.NoItems // there are no items
	case subsetRules(few, places) <= maxSubsetRules:
		e.other = grammar.NoItems
		for _, v := range known.list {
			e.values = append(e.values, e.c.doc.synthetic(objectValue("const", v), origin{}))
		}
		if e.top == 0 && e.m >= few {
			e.m = -1 // there are no more values than that
		}
	case len(e.contains) == 0 && (e.m < 0 || e.m > few):
		e.m = few
	}
}

// places is how many items there can be; maxSubsetValues + 1 if that is not bounded.
func (e *arrayEmitter) places() int {
	n := maxSubsetValues + 1
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
	for i, r := range e.values {
		if st.used&(1<<i) == 0 {
			next.used = st.used | 1<<i
			e.choose(st, next, append(slices.Clone(values), r), add)
		}
	}
}
