package automata

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// randomDFA is the automaton of a small random pattern, nil if there is none.
func randomDFA(r *rand.Rand) *DFA {
	e, err := Parse(repeats(r, 3), 0)
	if err != nil {
		return nil
	}
	d, err := Compile(e, Limits{MaxSteps: 100_000})
	if err != nil || d.HasContexts() {
		return nil
	}
	return d
}

// checkOnDemand compares an automaton on demand with one that is written down, in the order in
// which a random text comes to its states first; and from each state something is accepted.
func checkOnDemand(t *testing.T, r *rand.Rand, name string, got, want *DFA) {
	t.Helper()
	if got.IsEmpty() != want.IsEmpty() {
		t.Fatalf("%s: it is empty: %v", name, got.IsEmpty())
	}
	for range 3 {
		a, b := got.Start(), want.Start()
		for range 20 {
			if a == Dead || b == Dead {
				break
			}
			if got.Accepting(a) != want.Accepting(b) {
				t.Fatalf("%s: state %d accepts: %v", name, a, got.Accepting(a))
			}
			var alive []byte
			for c := range 256 {
				if want.Next(b, byte(c)) != Dead {
					alive = append(alive, byte(c))
				}
			}
			c := byte(r.IntN(256))
			if len(alive) > 0 && r.IntN(8) > 0 {
				c = alive[r.IntN(len(alive))]
			}
			a, b = got.Next(a, c), want.Next(b, c)
			if (a == Dead) != (b == Dead) {
				t.Fatalf("%s: %#x leads to %d, want %d", name, c, a, b)
			}
		}
	}
	if !got.Equal(want) {
		t.Fatalf("%s: it is another language", name)
	}
	if got.IsEmpty() {
		return
	}
	left := got.Distances()
	for _, s := range got.Near(got.NumStates()) {
		if left[s] < 0 || int(s) >= got.Bound() {
			t.Fatalf("%s: state %d leads nowhere, or is above the bound", name, s)
		}
	}
}

// TestProductsOnDemand compares products of random patterns, also of products, with those that are
// written down.
func TestProductsOnDemand(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 6))
	ways := map[string]func(a, b bool) bool{"and": InBoth, "but": InFirst, "or": InEither}
	for range seed.Rounds(60, 150, 3000) {
		a, b, c := randomDFA(r), randomDFA(r), randomDFA(r)
		if a == nil || b == nil || c == nil {
			continue
		}
		for first, one := range ways {
			inner := must(a.besideOnDemand(b, one))
			want := must(a.beside(b, Limits{}, one))
			checkOnDemand(t, r, first, inner, want)
			if !inner.IsEmpty() {
				checkOnDemand(t, r, first+" by steps", must(a.besideOnDemand(b, one)).stepped(), want)
			}
			for second, other := range ways {
				checkOnDemand(t, r, first+", "+second, must(must(a.besideOnDemand(b, one)).besideOnDemand(c, other)), must(want.beside(c, Limits{}, other)))
			}
		}
	}
}

// TestSetsOnDemand compares random patterns on demand with those that are written down.
func TestSetsOnDemand(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 7))
	for range seed.Rounds(100, 300, 5000) {
		pattern := repeats(r, 3)
		e, err := Parse(pattern, 0)
		if err != nil {
			continue
		}
		want, err := Compile(e, Limits{MaxSteps: 100_000})
		if err != nil {
			continue
		}
		got, ok, err := CompileOnDemand(e, Limits{})
		switch {
		case err != nil:
			t.Fatal(pattern, err)
		case ok:
			checkOnDemand(t, r, pattern, got, want)
			if !got.IsEmpty() && !got.Stepped() {
				t.Errorf("%s: its steps are not known", pattern)
			}
		}
	}
	for _, pattern := range []string{`a[^\x00-\U0010ffff]|b`, `[^\x00-\U0010ffff]`, `(?:a[^\x00-\U0010ffff]?b)*`, ``} {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := CompileOnDemand(e, Limits{})
		if !ok || err != nil {
			t.Fatal(pattern, ok, err)
		}
		checkOnDemand(t, r, pattern, got, must(Compile(e, Limits{})))
	}
}

// TestLargeOnDemand has patterns that are too large to be written down, and texts of them.
func TestLargeOnDemand(t *testing.T) {
	long := strings.Repeat("a", 70_000)
	for _, c := range []struct {
		pattern string
		in, out []string
	}{
		{`[a-z]{1,100000}`, []string{"a", long}, []string{"", "A", long + long}},
		{`(?:a|b)*a(?:a|b){30}c`, []string{"a" + strings.Repeat("b", 30) + "c", strings.Repeat("ba", 40) + "c"}, []string{"a" + strings.Repeat("b", 31) + "c", "c"}},
		{`(?:\S+\s+){0,3000}`, []string{"", "a ", strings.Repeat("é ", 3000)}, []string{" ", strings.Repeat("é ", 3001)}},
	} {
		e, err := Parse(c.pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, ok, err := CompileOnDemand(e, Limits{MaxRepeat: 1 << 17, MaxPositions: 1 << 21})
		if !ok || err != nil {
			t.Fatal(c.pattern, ok, err)
		}
		all := must(AnyText().besideOnDemand(d, InFirst))
		for i, text := range slices.Concat(c.in, c.out) {
			if in := i < len(c.in); d.MatchString(text) != in || all.MatchString(text) == in {
				t.Errorf("%s: %.50s (%d bytes) is accepted: %v", c.pattern, text, len(text), !in)
			}
		}
	}
}

// TestLengthsOnDemand counts the characters of automata on demand, which are compared with those
// that are written down.
func TestLengthsOnDemand(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 8))
	for range seed.Rounds(40, 100, 2000) {
		a, b := randomDFA(r), randomDFA(r)
		if a == nil || b == nil {
			continue
		}
		least := r.IntN(4)
		most := least + r.IntN(6) - 1
		onDemand, whole := must(a.besideOnDemand(b, InEither)), must(a.Union(b, Limits{}))
		if whole.IsEmpty() {
			continue
		}
		want := must(whole.WithLength(least, most))
		checkOnDemand(t, r, "a length", must(onDemand.WithLength(least, most)), want.Whole())
		text := must(AnyText().WithLength(least, most))
		checkOnDemand(t, r, "beside lengths", must(onDemand.besideOnDemand(text, InBoth)), want.Whole())
	}
}

// TestPeriodicLengths has languages whose lengths come again and again, and counts beyond what is
// looked at one by one.
func TestPeriodicLengths(t *testing.T) {
	for _, c := range []struct {
		pattern     string
		least, most int
		empty       bool
	}{
		{`(?:abc)*`, 30_000_000, 30_000_000, false}, {`(?:abc)*`, 30_000_001, 30_000_001, true}, {`(?:abc)*`, 30_000_001, 30_000_003, false},
		{`(?:aa|bbb)*c`, 9_999_999, 9_999_999, false}, {`(?:a{6}|b{10})*`, 1_000_001, 1_000_001, true}, {`(?:a{6}|b{10})*`, 1_000_002, 1_000_002, false},
		{`(?:a{6}|b{10})*`, 8, 8, true}, {`(?:a{7}x)*|(?:b{4}y)*`, 1_000_003, 1_000_004, true}, {`(?:a{7}x)*|(?:b{4}y)*`, 1_000_003, 1_000_005, false},
	} {
		d := must(MustCompile(c.pattern, 0).WithLength(c.least, c.most))
		if d.IsEmpty() != c.empty {
			t.Errorf("/%s/ of %d to %d characters is empty: %v", c.pattern, c.least, c.most, d.IsEmpty())
		}
	}
	d := must(MustCompile(`(?:abc)*`, 0).WithLength(60_000, 60_001))
	if text := strings.Repeat("abc", 20_000); !d.MatchString(text) || d.MatchString(text+"abc") || d.MatchString(text[3:]) {
		t.Error("60,000 characters are not counted")
	}
}
