package automata_test

import (
	"testing"

	"gcdbench/grammar/automata"
)

// TestFront begins matches behind texts.
func TestFront(t *testing.T) {
	for _, c := range []struct {
		pattern, before, match string
		want                   bool
	}{
		{`\b[a-z]+`, "", "ab", true}, {`\b[a-z]+`, "x", "ab", false}, {`\b[a-z]+`, "x ", "ab", true}, {`\b[a-z]+`, "é", "ab", false}, {`\b[a-z]+`, "–", "ab", true},
		{`\B[a-z]+`, "", "ab", false}, {`\B[a-z]+`, "x", "ab", true},
		{`(?<!-)--`, "-", "--", false}, {`(?<!-)--`, "a", "--", true}, {`(?<!-)--`, "", "--", true},
		{`(?<=ab)c|d`, "ab", "c", true}, {`(?<=ab)c|d`, "b", "c", false}, {`(?<=ab)c|d`, "b", "d", true}, {`(?<=ab)c|d`, "xab", "c", true},
		{`(?<=é)x`, "é", "x", true}, {`(?<=é)x`, "\xc3", "x", false},
		{`(?<!a)b*?c`, "a", "bbc", false}, {`(?<!a)b*?c`, "b", "bbc", true},
	} {
		e, err := automata.Parse(c.pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := automata.Compile(e, automata.DefaultLimits); !automata.LooksInFront(err) {
			t.Errorf("%s: %v", c.pattern, err)
		}
		f, err := automata.NewFront([]*automata.Expr{e}, automata.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		s := int32(0)
		for i := range len(c.before) {
			s = f.Next(s, c.before[i])
		}
		if got := d.MatchString(string([]byte{f.Kind(s)}) + c.match); got != c.want {
			t.Errorf("%s behind %q matches %q: %v (kind %d of %d)", c.pattern, c.before, c.match, got, f.Kind(s), f.Kinds())
		}
	}
}
