package result

import (
	"math"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// TestStatesPoolRawSteps: a state's figures are of all raw steps of its passes, of all documents
// together.
func TestStatesPoolRawSteps(t *testing.T) {
	set := one(t, func(r *cell.Record, traces []cell.Trace) {
		for i := range traces { // on document i: 1000, 1001, ... when it is new, and 10 to 30 later
			for p := range traces[i].Passes {
				for j := range traces[i].Passes[p].Mask {
					ns := uint32(10 * p)
					if p == 0 {
						ns = uint32(1000 + 40*i + j)
					}
					traces[i].Passes[p].Mask[j] = ns
				}
			}
		}
	})
	for _, c := range set.Cells {
		fresh, unseen, again, first := c.MaskNS.Fresh, c.MaskNS.New, c.MaskNS.Again, c.MaskNS.First
		if fresh.N != 40 || fresh.P50 != 1019 || fresh.Max != 1039 || fresh.P99 != nil {
			t.Errorf("%s: fresh %+v", c.Label, fresh)
		}
		// 120 values from 1040 on: by nearest rank the 60th, 108th and 119th.
		if unseen.N != 120 || unseen.P50 != 1099 || unseen.P90 != 1147 || *unseen.P99 != 1158 || unseen.Max != 1159 || unseen.P999 != nil {
			t.Errorf("%s: new %+v", c.Label, unseen)
		}
		// Were the passes averaged first, all would be 20.
		if again.N != 480 || again.P50 != 20 || again.P90 != 30 || again.Mean != 20 {
			t.Errorf("%s: again %+v", c.Label, again)
		}
		if first.N != 160 || first.P50 != 1079 || first.Max != 1159 {
			t.Errorf("%s: first %+v", c.Label, first)
		}
	}
}

// TestPassesChangeNoFigure: where the times are the same, five timed passes say what one says.
func TestPassesChangeNoFigure(t *testing.T) {
	with := func(passes int) *Set {
		return one(t, func(r *cell.Record, traces []cell.Trace) {
			for i := range traces {
				list := traces[i].Passes[:2]
				for range passes - 1 {
					list = append(list, list[1])
				}
				traces[i].Passes = list
			}
		})
	}
	once, often := with(1), with(5)
	for i, a := range once.Cells {
		b := often.Cells[i]
		if b.MaskNS.Again.N != 5*a.MaskNS.Again.N {
			t.Fatalf("%s: n %d and %d", a.Label, a.MaskNS.Again.N, b.MaskNS.Again.N)
		}
		for _, state := range StateNames {
			x, y := a.TBMNS.Of(state), b.TBMNS.Of(state)
			if x.P50 != y.P50 || x.P90 != y.P90 || x.Max != y.Max || math.Abs(x.Mean/y.Mean-1) > 1e-12 {
				t.Errorf("%s, %s: %+v and %+v", a.Label, state, x, y)
			}
			p, q := a.Values(StepTimes, state), b.Values(StepTimes, state)
			if x, y := stats.BootstrapMean(p, 1), stats.BootstrapMean(q, 1); math.Abs(x.Low-y.Low) > 1e-6*x.Low || math.Abs(x.High-y.High) > 1e-6*x.High {
				t.Errorf("%s, %s: intervals %v and %v", a.Label, state, x, y)
			}
			if a.Against == nil {
				continue
			}
			if x, y := a.Against.TBMIn[state], b.Against.TBMIn[state]; math.Abs(x.Value/y.Value-1) > 1e-12 || math.Abs(x.Interval.Low/y.Interval.Low-1) > 1e-9 && x.Interval.Valid() {
				t.Errorf("%s, %s: ratios %+v and %+v", a.Label, state, x, y)
			}
		}
		if math.Abs(*a.BuildingNS-*b.BuildingNS) > 1e-3 || a.Spent[1] != b.Spent[1] {
			t.Errorf("%s: built %v and %v, spent %v and %v", a.Label, *a.BuildingNS, *b.BuildingNS, a.Spent, b.Spent)
		}
	}
}
