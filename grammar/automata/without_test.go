package automata

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// TestWithout compares the strings of an automaton but some with the difference that they are.
func TestWithout(t *testing.T) {
	lists := [][]string{{""}, {"a"}, {"", "a", "ab", "b"}, {"ab", "ba", "abab"}, {"aa", "ab", "ba", "bb"}, {"é", "è", "\n", "😀a", "😀", "\x00"},
		{"x-a", "x-b", "x", "y-a"}, {"c", "\xff", "a\xc3"}}
	for _, pattern := range []string{`.*`, `(.|\n)*`, `a`, `a?b?`, `[ab]{2}`, `(ab|ba)+`, `x-.*`, `(a|b|é|è)*`, `(.*[^b])?`, `[^a]b*`} {
		d := MustCompile(pattern, 0)
		for _, list := range lists {
			finite, err := FromStrings(list, DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			want, err := d.Difference(finite, DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Without(list, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got.IsEmpty() != want.IsEmpty() || !got.Equal(want) {
				t.Errorf("%s without %q: %d states instead of %d", pattern, list, got.NumStates(), want.NumStates())
			}
			left := got.Distances()
			for _, s := range got.Near(got.NumStates()) {
				if left[s] < 0 {
					t.Errorf("%s without %q: nothing is accepted from state %d", pattern, list, s)
				}
			}
		}
	}
}

// TestWithoutRandom compares random strings taken out of random patterns with the difference.
func TestWithoutRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 5))
	for range seed.Rounds(50, 100, 2000) {
		d := randomDFA(r)
		if d == nil {
			continue
		}
		texts := make([]string, r.IntN(6))
		for i := range texts {
			for range r.IntN(5) {
				texts[i] += string("abcé"[r.IntN(4)])
			}
			if text, ok := d.Shortest(); ok && r.IntN(3) == 0 {
				texts[i] = string(text)
			}
		}
		got := must(d.Without(texts, Limits{}))
		if want := must(d.Difference(must(FromStrings(texts, Limits{})), Limits{})); !got.Equal(want) {
			t.Fatalf("%s without %q: %s\nwant %s", d, texts, got, want)
		}
	}
}
