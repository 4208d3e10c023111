package harness

import (
	"context"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/speculate"
	"gcdbench/internal/must"
)

// TestSpeculate: all engines walk the same drafts, what they emit is the document, and a wrong mask
// on a drafted token gets no time.
func TestSpeculate(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(t, "right, psc, rare, flips", "warmup: 1, repeat: 2")
	cells := map[string]*speculate.SpeculativeCell{}
	must.OK(t, speculate.Speculate(context.Background(), cfg, speculate.SpeculateOptions{Options: w.options(), Drafts: []int{3}, Accept: 0.5}, func(c *speculate.SpeculativeCell) error {
		cells[c.Label] = c
		return nil
	}))
	right, psc := cells["right"], cells["psc"]
	for _, c := range []*speculate.SpeculativeCell{right, psc} {
		rounds := len(c.First.Round)
		if c.Outcome != cell.OK || rounds < 10 || len(c.Again.Round) != 2*rounds || len(c.Again.Rollback) != 2*rounds || len(c.Again.Step) == 0 || len(c.Again.Clone) == 0 {
			t.Errorf("%s: %s %s, %d rounds, %d again, %d steps, %d clones", c.Label, c.Outcome, c.Detail, rounds, len(c.Again.Round), len(c.Again.Step), len(c.Again.Clone))
		}
		if c.Masks <= 2*rounds || c.Masks > 4*rounds || c.Emitted < rounds || c.Emitted > 4*rounds {
			t.Errorf("%s: %d masks and %d tokens in %d rounds of 3 tokens", c.Label, c.Masks, c.Emitted, rounds)
		}
	}
	if right.Masks != psc.Masks || right.Emitted != psc.Emitted {
		t.Errorf("the drafts differ: %d and %d masks", right.Masks, psc.Masks)
	}
	if c := cells["flips"]; c.Outcome != cell.WrongMask {
		t.Errorf("flips: %s", c.Outcome)
	}
}
