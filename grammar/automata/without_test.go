package automata

import "testing"

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
			got, err := d.Without(list)
			if err != nil {
				t.Fatal(err)
			}
			if got.IsEmpty() != want.IsEmpty() || !got.Equal(want) {
				t.Errorf("%s without %q: %d states instead of %d", pattern, list, got.NumStates(), want.NumStates())
			}
			left := got.Distances()
			for _, s := range got.reached() {
				if left[s] < 0 {
					t.Errorf("%s without %q: nothing is accepted from state %d", pattern, list, s)
				}
			}
		}
	}
}
