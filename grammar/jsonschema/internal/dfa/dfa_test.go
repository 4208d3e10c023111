package dfa

import (
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
)

// of is the automaton of a pattern.
func of(t *testing.T, pattern string) *automata.DFA {
	t.Helper()
	d, err := Text(pattern)
	if err != nil {
		t.Fatal(pattern, err)
	}
	return d
}

// TestPatterns: a pattern is of Unicode or of ASCII, and one that is none is an error.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		text_, ascii  bool
	}{
		{`\d`, "7", true, true},
		{`\d`, "٧", true, false},
		{`\w+`, "é", true, false},
		{`[\u0080-\U0010ffff]`, "é", true, true},
		{`a{2,3}`, "aa", true, true},
		{`a{2,3}`, "aaaa", false, false},
	} {
		ascii := must.Get(ASCII(c.pattern))(t)
		if got := of(t, c.pattern).MatchString(c.text); got != c.text_ {
			t.Errorf("%s, %q: %v", c.pattern, c.text, got)
		}
		if got := ascii.MatchString(c.text); got != c.ascii {
			t.Errorf("%s over ASCII, %q: %v", c.pattern, c.text, got)
		}
	}
	for _, pattern := range []string{"(", "[b-a]", "a{3,2}"} {
		if _, err := Text(pattern); err == nil {
			t.Errorf("%s is a pattern", pattern)
		}
	}
}

// TestBooleans is a table of conjunctions, differences and unions.
func TestBooleans(t *testing.T) {
	a, b := of(t, "a*b?"), of(t, "(ab|b|c)*")
	both := must.Get(Product(a, b, false))(t)
	only := must.Get(Product(a, b, true))(t)
	union := func(list ...*automata.DFA) *automata.DFA {
		d := must.Get(Union(list))(t)
		return d
	}
	either := union(a, b)
	for _, c := range []struct {
		text     string
		inA, inB bool
	}{{"", true, true}, {"b", true, true}, {"ab", true, true}, {"aab", true, false}, {"a", true, false}, {"c", false, true}, {"abab", false, true}, {"ba", false, false}} {
		if got := both.MatchString(c.text); got != (c.inA && c.inB) {
			t.Errorf("%q is in both: %v", c.text, got)
		}
		if got := only.MatchString(c.text); got != (c.inA && !c.inB) {
			t.Errorf("%q is in the first only: %v", c.text, got)
		}
		if got := either.MatchString(c.text); got != (c.inA || c.inB) {
			t.Errorf("%q is in one: %v", c.text, got)
		}
	}
	if !union().IsEmpty() || union(a) != a {
		t.Error("a union of no automata has a string, or that of one is another")
	}
	var many, few []*automata.DFA
	for _, word := range []string{"one", "two", "three", "four", "five", "six"} {
		many = append(many, of(t, word))
	}
	few = append(few, union(many[:3]...), union(many[3:]...))
	if !union(many...).Equal(union(few...)) {
		t.Error("a union of many is another than one of two")
	}
}

// TestLengths: the estimates hold all strings between them.
func TestLengths(t *testing.T) {
	for _, c := range []struct {
		pattern         string
		least, greatest int // the estimates
	}{
		{"", 0, 0},
		{"abcd", 1, 4},          // at most four bytes to a character
		{"a{8}|b{20}", 2, 20},   // of the shortest, and of the longest
		{"é{3,5}", 1, 10},       // bytes, where characters are meant
		{"[^a]", 0, 4},          // a byte may be a whole character
		{"a*", 0, -1},           // no longest string
		{"x(ab)+y", 1, -1},      // nor here
		{"(a|bb){4}", 1, 8},     // no cycle
		{"a|b(c|d(e|f))", 0, 3}, // a tree
	} {
		least, greatest := Lengths(of(t, c.pattern))
		if least != c.least || greatest != c.greatest {
			t.Errorf("%s: %d to %d characters, want %d to %d", c.pattern, least, greatest, c.least, c.greatest)
		}
	}
	none := must.Get(Union(nil))(t)
	if least, greatest := Lengths(none); least != 0 || greatest != 0 {
		t.Errorf("of no strings: %d to %d characters", least, greatest)
	}
}
