package automata

import (
	"errors"
	"gcdbench/internal/seed"
	"runtime"
	"strings"
	"testing"
)

// TestLimits has patterns that would blow up: each is stopped by a limit. How
// quickly is not measured here, but the test would not end if one were not.
func TestLimits(t *testing.T) {
	for _, c := range seed.Some(t, []struct {
		pattern string
		lim     Limits
		name    string
	}{
		{`(a|b)*a(a|b){30}`, Limits{}, "MaxStates"},
		{`(?:(?:a|b)*a(?:a|b){30}){20}`, Limits{}, "MaxStates"},
		{`.*a.{30}`, Limits{}, "MaxStates"},
		{`(?!(a|b)*a(a|b){30})[ab]*c`, Limits{}, "MaxStates"},
		{`(?<=(a|b)*a(a|b){30})c`, Limits{}, "MaxStates"},
		{`(?:(?!.{3}a.{20}).)*x.{30}`, Limits{}, "MaxStates"},
		{`.{65536}`, Limits{}, "MaxPositions"},
		{`((a{1000}){1000}){1000}`, Limits{}, "MaxPositions"},
		{`((a{0,1000}){0,1000}){0,1000}`, Limits{}, "MaxPositions"},
		{`((((((((a{9999}){9999}){9999}){9999}){9999}){9999}){9999}){9999}){9999}`, Limits{}, "MaxPositions"},
		{`(((){60000}){60000}){60000}`, Limits{}, "MaxPositions"},
		{`\w{5000}`, Limits{}, "MaxPositions"},
		{`\w{1000}`, Limits{}, "MaxStates"},
		{`[^x]{100000}`, Limits{}, "MaxRepeat"},
		{`a{99999999999999999999999999}`, Limits{}, "MaxRepeat"},
		{`a{99999999999999999999,}`, Limits{}, "MaxRepeat"},
		{`(?:a?){5000}a{5000}`, Limits{}, "MaxSteps"},
		{`[ab]*a(?=[ab]{0,500}c)[ab]{0,500}`, Limits{MaxSteps: 1 << 20}, "MaxSteps"},
		{`(?:a(?=[ab]{0,300}c))+`, Limits{MaxSteps: 1 << 20}, "MaxSteps"},
		{`(?:(?:ab?)*?|y??){0,3000}z`, Limits{MaxSteps: 1 << 20}, "MaxSteps"},
		{`(?:[ab]*?a(?=[ab]{0,30}c)){0,30}`, Limits{MaxSteps: 1 << 20}, "MaxSteps"},
		{`a{11}`, Limits{MaxRepeat: 10}, "MaxRepeat"},
		{`a{11}`, Limits{MaxStates: 10}, "MaxStates"},
		{`abcdefghijk`, Limits{MaxPositions: 10}, "MaxPositions"},
		{`[a-z]+`, Limits{MaxSteps: 2}, "MaxSteps"},
		{`\w+`, Limits{MaxBytes: 10_000}, "MaxBytes"},
	}, 4, 1, 1) {

		e, err := Parse(c.pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Compile(e, c.lim)
		var limit *LimitError
		if !errors.As(err, &limit) {
			t.Errorf("/%s/: %v, %v; want to exceed %s", c.pattern, d, err, c.name)
			continue
		}
		if limit.Name != c.name || limit.Limit <= 0 || !strings.Contains(err.Error(), c.name) {
			t.Errorf("/%s/: %v; want %s", c.pattern, err, c.name)
		}
	}
}

// TestOrdinarySizes has patterns that must stay within the limits.
func TestOrdinarySizes(t *testing.T) {
	for pattern, states := range map[string]int{
		`[a-z]{1,256}`:   257,
		`.{0,1000}`:      8001,
		`[a-z]{0,65536}`: 65537,
		`.{1,10000}`:     80001,
		`\w{1,63}`:       63*318 + 1,
		`(?:.*){1000}`:   8,
		`(?:a*){0,1000}`: 1,
		// Repeats that overlap with themselves: sets of counts, of which one remains.
		`(?:a{0,1000}){0,60}`:  60001,
		`(?s).*[a-z].{0,100}x`: 810,
	} {
		if testing.Short() && states > 10000 {
			continue
		}
		if d := MustCompile(pattern, 0); d.NumStates() != states {
			t.Errorf("/%s/: %d states, want %d", pattern, d.NumStates(), states)
		}
	}
}

// TestLinear: eight times the count takes about eight times the steps and the states, up to large
// counts.
func TestLinear(t *testing.T) {
	for _, pattern := range seed.Some(t, []string{
		`(ab){2,N}c`, `[a-z]{0,N}c`, `[a-z]{N,}c`, `(?:a|ab){0,N}c`, `(ab|a){2,N}b`, `.{0,N}\n`,
		`[a-z]{0,N}?c`, `(ab){2,N}?c`, `"(?:\\[a-z]|[\\a-z]){0,N}?"`, `[a-z]{0,N}(?=c)`, `(?:(?!x)[a-z]){0,N}c`, `a(?![b-y]{0,N}z)`,
	}, 3, 1, 1) {
		measure := func(count string) (steps, states int) {
			e, err := Parse(strings.ReplaceAll(pattern, "N", count), 0)
			if err != nil {
				t.Fatal(err)
			}
			b := newBudget(Limits{})
			d, err := compile(e, b, compileMode{ordered: e.HasLazy()})
			if err != nil {
				t.Fatalf("/%s/ with %s: %v", pattern, count, err)
			}
			return b.steps, d.NumStates() + d.NumContexts()
		}
		steps, states := measure("1000")
		if more, larger := measure("8000"); more > 9*steps || larger > 9*states {
			t.Errorf("/%s/: from 1,000 to 8,000, steps grow from %d to %d and states from %d to %d", pattern, steps, more, states, larger)
		}
	}
	for _, pattern := range []string{`(ab){2,50000}c`, `[a-z]{0,50000}c`, `[a-z]{0,50000}?c`} {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := Compile(e, Limits{MaxSteps: 1_000_000}); err != nil || d.NumStates() > 100_002 {
			t.Errorf("/%s/: %v", pattern, err)
		}
	}
}

// TestLimitsOfMemory checks that what is allocated for a refused pattern is
// near what the limit allows.
func TestLimitsOfMemory(t *testing.T) {
	for _, pattern := range []string{`(?:a?){5000}a{5000}`, `(?s).*a.{30}`, `\w{1000}`, `(?:\w|\d){300}`} {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		const limit = 1 << 24
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Compile(e, Limits{MaxBytes: limit})
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("/%s/ stays within %d bytes", pattern, limit)
		}
		// Everything ever allocated: growing slices count about three times.
		if used := after.TotalAlloc - before.TotalAlloc; used > 6*limit {
			t.Errorf("/%s/ allocated %d bytes with a limit of %d", pattern, used, limit)
		}
	}
}

func TestLimitsOfOperations(t *testing.T) {
	tight := Limits{MaxStates: 20}
	a, b := MustCompile(`(?:a{7})*`, 0), MustCompile(`(?:a{5})*`, 0)
	for name, op := range map[string]func() (*DFA, error){
		"Union":           func() (*DFA, error) { return a.Union(b, tight) },
		"Intersect":       func() (*DFA, error) { return a.Intersect(b, tight) },
		"Difference":      func() (*DFA, error) { return a.Difference(b, tight) },
		"Concat":          func() (*DFA, error) { return a.Concat(b, tight) },
		"UnionAll":        func() (*DFA, error) { return UnionAll(tight, a, b) },
		"FromStrings":     func() (*DFA, error) { return FromStrings([]string{strings.Repeat("ab", 20)}, tight) },
		"FromTransitions": func() (*DFA, error) { return FromTransitions(21, nil, nil, tight) },
	} {
		var limit *LimitError
		if _, err := op(); !errors.As(err, &limit) || limit.Name != "MaxStates" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
