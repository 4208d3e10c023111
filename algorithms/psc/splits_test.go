package psc

import (
	"slices"
	"testing"

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
		c := a.sym.baseOf(y)
		split := s.ofAnswers(a.sym.answersOf(c))
		for x := range grammar.Terminal(a.tables.NumTerminals()) {
			set := a.tables.NewSet(x)
			words := s.list.at(s.partOf(split, a.sym.setOf(set)))
			accepts, waits := bitset.Has(a.sym.set(words[0]), x), len(words) > 1
			r := a.sym.leaf(c, a.sym.setOf(set))
			if accepts != (r == accepted) || waits != (r.kind() == resultGoal) {
				t.Errorf("state %d, terminal %d: the parser says %v, the split %v", y, x, r, words)
			}
			others := a.tables.NewSet()
			for i := range others {
				others[i] = ^set[i]
			}
			rest := s.list.at(s.partOf(split, a.sym.setOf(others)))
			if bitset.Has(a.sym.set(rest[0]), x) || bitset.Has(a.sym.set(s.list.at(split)[0]), x) != accepts {
				t.Errorf("state %d, terminal %d: accepted in the split %v, its part %v, and the rest %v", y, x, s.list.at(split), words, rest)
			}
			checked++
		}
	}
	if checked < 100 || slices.Max(a.sym.set(s.list.at(noSplit)[0])) != 0 {
		t.Errorf("%d terminals checked", checked)
	}
}
