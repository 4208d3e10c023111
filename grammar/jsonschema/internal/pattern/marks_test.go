package pattern

import (
	"regexp"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestMarks: the characters that serve as marks are characters like any other where they are in a
// string.
func TestMarks(t *testing.T) {
	texts := []string{"", "a", "b", "\ufdd0", "\ufdd1", "\ufdd2", "a\ufdd1", "\ufdd0a", "a\ufdd1b", "ab\ufdd0", "\ufdd1\ufdd0a", "\ufdd3a", "a\n\ufdd0"}
	for _, c := range []struct{ pattern, plain string }{ // plain says the same to Go's package
		{`\ba`, `\ba`}, {`a\b`, `a\b`}, {`^a$|(b|^)x`, `^a$|(b|^)x`}, {`\Ba`, `\Ba`}, {`(a|^).\b`, `(a|^)[^\n\r\x{2028}\x{2029}]\b`}, {`^a$(?!x)`, `^a$`}, {`(?!x)a$`, `a$`},
	} {
		d, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		plain := regexp.MustCompile(c.plain)
		for _, text := range texts {
			if got, want := d.MatchString(text), plain.MatchString(text); got != want {
				t.Errorf("%s matches %q: %v", c.pattern, text, got)
			}
		}
	}
	for _, text := range texts {
		d := must.Get(Compile(`^(?!a)`))(t)
		if got := d.MatchString(text); got == strings.HasPrefix(text, "a") {
			t.Errorf("^(?!a) matches %q: %v", text, got)
		}
	}
	for _, pattern := range []string{`\b\ufdd0`, `x(?!y)[\ufdd1-\uffff]`, `x(?=[^\ufdd2])`} {
		if _, err := Compile(pattern); err == nil {
			t.Errorf("%s tells the marks apart, and compiles", pattern)
		}
	}
}

// TestLookFirst: a lookahead at the start is an automaton of its own, and makes the same one.
func TestLookFirst(t *testing.T) {
	for _, pattern := range []string{`^(?=ab)a.c`, `^(?!ab)a.c`, `^(?=.{2,3}$)a`, `^(?!.*b)(?=a)...`, `(?=ab)a.c`, `(?!ab)a.c`, `(?=.{2,3}$)a`, `(?!.*b)(?=a).x`, `(?=a|b$)..?$`, `(?=a)^b`, `(?=^.{2,3}$)(^a.)`, `(?!^0)^.x`, `(?=^a)a.c`, `(?=a|^b)(^.c)`} {
		tree := must.Get(Parse(pattern))(t)
		if _, _, _, ok := tree.lookFirst(); !ok {
			t.Fatalf("%s does not begin with a lookahead", pattern)
		}
		apart := must.Get(tree.automaton())(t)
		whole := must.Get(tree.compile())(t)
		if !apart.Equal(whole) {
			t.Errorf("%s: %d states, and %d with the lookahead apart", pattern, whole.NumStates(), apart.NumStates())
		}
	}
	for _, pattern := range []string{`(?=a)\bb`, `(?=(?<=x)a)b`, `a(?=b)`} {
		tree, err := Parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, ok := tree.lookFirst(); ok {
			t.Errorf("%s may ask what stands before its match", pattern)
		}
	}
}
