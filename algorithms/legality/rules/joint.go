package rules

import (
	"encoding/binary"
	"slices"

	"gcdbench/grammar"
)

// A Route is how two sequences were proved jointly legal.
type Route uint8

const (
	// NoRoute: it is not known whether they are.
	NoRoute Route = iota
	// ByAlways: one is a prefix of the other, whose rest is always legal after it (section 6.1).
	ByAlways
	// ByInterchange: they differ in interchangeable terminals only (section 6.2).
	ByInterchange
)

// String names the route.
func (r Route) String() string {
	return [...]string{"unknown", "always legal rest", "interchangeable terminals"}[r]
}

// AreJointlyLegal is the paper's are_jointly_legal as far as it is known: whether after every text
// that ends with x, either both sequences are legal or neither is, by the rules of the grammar.
func (d *DFT) AreJointlyLegal(x grammar.Terminal, s1, s2 Sequence, b Bounds) Route {
	if len(s1) > len(s2) {
		s1, s2 = s2, s1
	}
	classes := d.Interchangeable()
	switch {
	case sameSteps(s1, s2, classes):
		return ByInterchange
	case sameSteps(s1, s2[:len(s1)], classes) && d.alwaysAfter(x, s1, s2[len(s1):], b):
		return ByAlways
	}
	return NoRoute
}

// alwaysAfter tells whether rest is always legal after x and s: after each terminal that may be the
// last of them.
func (d *DFT) alwaysAfter(x grammar.Terminal, s, rest Sequence, b Bounds) bool {
	last := []grammar.Terminal{x}
	if len(s) > 0 {
		last = s[len(s)-1]
	}
	for _, y := range last {
		if !d.IsAlwaysLegal(y, rest, b) {
			return false
		}
	}
	return true
}

// sameSteps tells whether two sequences are equal up to classes of terminals.
func sameSteps(s1, s2 Sequence, classes []grammar.Terminal) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i := range s1 {
		if !slices.Equal(classesOf(s1[i], classes), classesOf(s2[i], classes)) {
			return false
		}
	}
	return true
}

func classesOf(step []grammar.Terminal, classes []grammar.Terminal) []grammar.Terminal {
	list := make([]grammar.Terminal, len(step))
	for i, t := range step {
		list[i] = classes[t]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Interchangeable finds the paper's interchangeable terminals (section 6.2): of each terminal the
// first that it is interchangeable with, itself if none is before it. Two terminals are if each
// rule with one of them is also there with the other in its place, for each place on its own. That
// is an equivalence: the places of a rule can be changed one after the other.
func (d *DFT) Interchangeable() []grammar.Terminal {
	known := map[string]bool{}
	with := make([][]int32, len(d.g.Terminals)) // by terminal: the rules that have it
	for _, r := range d.rules {
		rule := &d.g.Rules[r]
		known[ruleKey(rule, -1, 0)] = true
		for _, a := range rule.RHS {
			if a.IsTerminal() && (len(with[a]) == 0 || with[a][len(with[a])-1] != r) {
				with[a] = append(with[a], r)
			}
		}
	}
	replaceable := func(t, by grammar.Terminal) bool {
		for _, r := range with[t] {
			rule := &d.g.Rules[r]
			for i, a := range rule.RHS {
				if a == grammar.T(t) && !known[ruleKey(rule, i, by)] {
					return false
				}
			}
		}
		return true
	}
	first := make([]grammar.Terminal, len(d.g.Terminals))
	for t := range first {
		first[t] = grammar.Terminal(t)
		for u := range grammar.Terminal(t) {
			if first[u] == u && replaceable(u, grammar.Terminal(t)) && replaceable(grammar.Terminal(t), u) {
				first[t] = u
				break
			}
		}
	}
	return first
}

// ruleKey writes down a rule with the symbol at a place replaced by a terminal; place -1 replaces
// none.
func ruleKey(rule *grammar.Rule, place int, by grammar.Terminal) string {
	key := binary.AppendVarint(nil, int64(rule.LHS))
	for i, a := range rule.RHS {
		if i == place {
			a = grammar.T(by)
		}
		key = binary.AppendVarint(key, int64(a))
	}
	return string(key)
}
