package psc

import (
	"slices"
	"testing"

	"gcdbench/algorithms/psc/unknown"
	"gcdbench/grammar"
	"gcdbench/internal/bitset"
)

// TestSplits compares the splits of cells with what the symbolic parser says of each terminal: what
// it accepts and refuses at once is in the split, what waits is in one of the sets that wait. Parts
// of a split for a set and for all others have together what the split has.
func TestSplits(t *testing.T) {
	a := compile(t, nested(t), nil).core.Load().auto
	s, checked := a.splits, 0
	for y := range int32(a.tables.NumStates()) {
		c := a.sym.BaseOf(y)
		split := s.OfAnswers(a.sym.AnswersOf(c))
		for x := range grammar.Terminal(a.tables.NumTerminals()) {
			set := a.tables.NewSet(x)
			words := s.List.At(s.PartOf(split, a.sym.SetOf(set)))
			accepts, waits := bitset.Has(a.sym.Set(words[0]), x), len(words) > 1
			r := a.sym.Leaf(c, a.sym.SetOf(set))
			if accepts != (r == unknown.Accepted) || waits != (r.Kind() == unknown.ResultGoal) {
				t.Errorf("state %d, terminal %d: the parser says %v, the split %v", y, x, r, words)
			}
			others := a.tables.NewSet()
			for i := range others {
				others[i] = ^set[i]
			}
			rest := s.List.At(s.PartOf(split, a.sym.SetOf(others)))
			if bitset.Has(a.sym.Set(rest[0]), x) || bitset.Has(a.sym.Set(s.List.At(split)[0]), x) != accepts {
				t.Errorf("state %d, terminal %d: accepted in the split %v, its part %v, and the rest %v", y, x, s.List.At(split), words, rest)
			}
			checked++
		}
	}
	if checked < 100 || slices.Max(a.sym.Set(s.List.At(unknown.NoSplit)[0])) != 0 {
		t.Errorf("%d terminals checked", checked)
	}
}
