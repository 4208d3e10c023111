package result

import (
	"math"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/internal/made"
)

// TestRequests computes whole requests once more from what is stored: the time to the first mask,
// the steps after it, and what was built between them.
func TestRequests(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	some := 0
	for _, c := range set.Cells {
		if c.SchemaFigures == nil || c.Request == nil {
			continue
		}
		walks := map[int]float64{} // of the instance that found the engine as it was compiled
		for i := range c.Steps {
			pass := c.Steps[i].passesIn(StateFirst)[0]
			if p := c.Record.Samples[c.Steps[i].sample].Problem; pass.State == cell.Fresh {
				walks[p] = float64(pass.IdleNS)
				for _, ns := range pass.Step[1:] {
					walks[p] += float64(ns)
				}
			}
		}
		sum, n := 0.0, 0
		for p, walk := range walks {
			if problem := &c.Record.Problems[p]; len(problem.CompileNS) > 0 && problem.Outcome == cell.OK {
				sum += median(sums(problem.GrammarNS, problem.CompileNS, problem.FirstMaskNS)) + walk
				n++
			}
		}
		got := c.Request.Mean * float64(c.Request.N)
		if c.Request.N != n || math.Abs(got-sum) > 1e-3*sum {
			t.Errorf("%s: %d requests of %v ns, want %d of %v", c.Label, c.Request.N, got, n, sum)
		}
		some += c.Request.N
	}
	if some == 0 {
		t.Error("no cell has a request")
	}
}
