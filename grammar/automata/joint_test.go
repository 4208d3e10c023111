package automata

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJoint: a text is in the one part whose combination has the patterns that match it, or in
// none, if it is not among all.
func TestJoint(t *testing.T) {
	all := MustCompile(`[a-dé]*`, 0)
	var list []*DFA
	for _, pattern := range []string{`.*a.*`, `.*b`, `(aa|é)*`, `c.*`, `.{3}`, ``, `x`} {
		list = append(list, MustCompile(pattern, 0))
	}
	j, ok := NewJoint(all, list, 10_000)
	if !ok {
		t.Fatal("too large")
	}
	combinations := j.Combinations()
	var chosen []int
	for p := range combinations {
		if p%4 != 1 {
			chosen = append(chosen, p)
		}
	}
	parts := j.Parts(chosen)
	rng := rand.New(rand.NewPCG(5, 6))
	found := map[int]bool{}
	for range 5000 {
		var text []rune
		for range rng.IntN(6) {
			text = append(text, []rune("abcdéx")[rng.IntN(6)])
		}
		var matching []int32
		for i, d := range list {
			if d.MatchString(string(text)) {
				matching = append(matching, int32(i))
			}
		}
		for i, p := range chosen {
			want := all.MatchString(string(text)) && slices.Equal(combinations[p], matching)
			if got := parts[i].MatchString(string(text)); got != want {
				t.Fatalf("%q: part %v has it: %v", string(text), combinations[p], got)
			}
			found[p] = found[p] || want
		}
	}
	if len(found) < 10 || slices.Contains(slices.Collect(maps.Values(found)), false) {
		t.Errorf("parts without a text: %v of %v", found, combinations)
	}
	if _, ok := NewJoint(all, list, 10); ok {
		t.Error("the limit does not hold")
	}
	if _, ok := NewJoint(all, []*DFA{must(all.WithLength(0, 9))}, 10_000); ok {
		t.Error("one on demand is taken")
	}
}
