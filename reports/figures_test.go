package reports

import (
	"slices"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/plots"
	"gcdbench/reports/stats"
)

// TestCostIntervals: a point of the trade-off has the interval of repeated compiles of one grammar,
// or over schemas, and none of a single compile.
func TestCostIntervals(t *testing.T) {
	for _, c := range []struct {
		about    string
		problems []cell.Problem
		want     bool
	}{
		{"once", []cell.Problem{{CompileNS: []int64{5e6}}}, false},
		{"five times", []cell.Problem{{CompileNS: []int64{5e6, 4e6, 7e6, 5e6, 6e6}}}, true},
		{"two schemas, twice each", []cell.Problem{{CompileNS: []int64{5e6, 4e6}}, {CompileNS: []int64{7e6, 5e6}}}, false},
		{"four schemas", []cell.Problem{{CompileNS: []int64{5e6}}, {CompileNS: []int64{4e6}}, {CompileNS: []int64{7e6}}, {}, {CompileNS: []int64{6e6}}}, true},
	} {
		one := cellOf("w", "v", "psc", SchemaFigures{})
		one.record.Problems = c.problems
		one.addTimes()
		one.MaskNS = &stats.Summary{N: 9, Mean: 700}
		one.Intervals = &Intervals{MaskNS: stats.Intervals{Mean: stats.Interval{Low: 600, High: 800}}}
		costs := (&Set{Cells: []*Cell{one}}).costs("v")
		if len(costs) != 1 || costs[0].Online != one.Intervals.MaskNS.Mean || costs[0].OnlineNS != 700 {
			t.Fatalf("%s: %+v", c.about, costs)
		}
		if i := costs[0].Offline; i.Valid() != c.want || c.want && (!i.Holds(costs[0].OfflineNS) || i.Low < 4e6 || i.High > 7e6 || i.Low >= i.High) {
			t.Errorf("%s: offline %v, interval %v", c.about, costs[0].OfflineNS, i)
		}
	}
}

// TestLinesOfFigures: in all figures of a report a label has one look, that of its algorithm.
func TestLinesOfFigures(t *testing.T) {
	set := load(t, schemaSet.store(t))
	looks := map[string]plots.Style{}
	for _, f := range set.Figures() {
		for _, p := range f.Panels {
			for _, s := range p.Series {
				look, ok := looks[s.Label]
				if looks[s.Label] = s.Style; ok && (look.Color != s.Style.Color || look.Marker != s.Style.Marker || !slices.Equal(look.Dash, s.Style.Dash)) {
					t.Errorf("%s: %s looks %v here and %v before", f.Name, s.Label, s.Style, look)
				}
			}
		}
	}
	if a, b := looks["trie"], looks["trie #2"]; a.Color != b.Color || a.Color != plots.StyleOf("trie", 0).Color || slices.Equal(a.Dash, b.Dash) {
		t.Errorf("trie looks %v and once more %v", a, b)
	}
	if len(looks) != 4 {
		t.Errorf("looks of %d labels", len(looks))
	}
}
