package automata

import (
	"errors"
	"testing"
)

// fuzzLimits keep one run of a fuzz target short.
var fuzzLimits = Limits{MaxRepeat: 200, MaxPositions: 5000, MaxStates: 1000, MaxSteps: 100_000, MaxBytes: 1 << 22}

// FuzzParse checks that no pattern makes the parser panic or hang, and that
// errors point into the pattern.
func FuzzParse(f *testing.F) {
	for _, c := range patternCases {
		f.Add(c.pattern, c.flags)
	}
	f.Fuzz(func(t *testing.T, pattern, letters string) {
		flags, err := ParseFlags(letters)
		if err != nil {
			return
		}
		e, err := Parse(pattern, flags)
		var syntax *SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(pattern) || syntax.Error() == "") {
			t.Fatalf("%#v", err)
		}
		if err == nil && (e.String() == "" || e.HasLazy() != e.lazy) {
			t.Fatal("an expression without text")
		}
	})
}

// FuzzCompileMatch checks automata against the oracle on any pattern and text.
func FuzzCompileMatch(f *testing.F) {
	f.Add("0(?!....[1-9])", "1") // whose contexts, written out as trees, take all memory
	for _, c := range patternCases {
		f.Add(c.pattern, "ab")
		for _, s := range c.yes {
			f.Add(c.pattern, s)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		e, err := Parse(pattern, 0)
		if err != nil || len(text) > 20 {
			return
		}
		d, err := compile(e, newBudget(fuzzLimits), compileMode{})
		if err != nil {
			var limit *LimitError
			var syntax *SyntaxError
			if !errors.As(err, &limit) && !errors.As(err, &syntax) {
				t.Fatalf("%#v", err)
			}
			return
		}
		checkCanonical(t, d)
		if got, want := d.MatchString(text), newOracle(text).ends(e, 0)[len(text)]; got != want {
			t.Fatalf("/%s/ on %q: %v, the oracle says %v", pattern, text, got, want)
		}
		first, err := Compile(e, fuzzLimits)
		switch {
		case err != nil && e.HasLazy(): // beyond a limit
		case err != nil || !e.HasLazy() && !first.Equal(d):
			t.Fatalf("/%s/: %v, %v", pattern, first, err)
		case e.HasLazy() && len(text) < 10:
			checkMatch(t, pattern, first, text, newOracle(text).first(e))
		}
	})
}
