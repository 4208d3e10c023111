package reports

import (
	"math"
	"slices"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/reports/plots"
)

// TestCosts: a point of the trade-off is the sum of all that is paid offline and the delivered mask
// on new documents. The sum has the interval of repeated compiles, moved by what is paid beside
// them.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		about   string
		compile []int64
		offline float64
		want    bool // an interval
	}{
		{"once", []int64{5e6}, 8e6, false},
		{"twice", []int64{5e6, 4e6}, 7.5e6, false},
		{"five times", []int64{5e6, 4e6, 7e6, 5e6, 6e6}, 8.4e6, true},
	} {
		one := must.Get(newCell(&cell.Record{Label: "psc", Workload: "w", Tokenizer: "v", GrammarNS: []int64{1e6}, VocabularyNS: 2e6,
			Problems: []cell.Problem{{Outcome: cell.OK, CompileNS: c.compile}}}, func(func(cell.Trace, error) bool) {}))(t)
		one.HeadlineState = stateNew
		one.MaskNS = &States{New: &stats.Summary{N: 9, Mean: 700}, Fresh: &stats.Summary{N: 9, Mean: 9000}, Again: &stats.Summary{N: 9, Mean: 500}}
		one.Intervals = &Intervals{MaskNS: stats.Intervals{Mean: stats.Interval{Low: 600, High: 800}}}
		costs := (&Set{Cells: []*Cell{one}}).costs("v")
		if len(costs) != 1 || costs[0].Online != one.Intervals.MaskNS.Mean || costs[0].OnlineNS != 700 || costs[0].OfflineNS != c.offline {
			t.Fatalf("%s: %+v", c.about, costs)
		}
		// By hand: mean 5.4 ms, standard deviation 1.14 ms, so 5.4 +- 2.776 * 0.51.
		if i := costs[0].Offline; i.Valid() != c.want || c.want && (math.Abs(i.Low-(8.4e6-1.4155e6)) > 1e3 || math.Abs(i.High-(8.4e6+1.4155e6)) > 1e3) {
			t.Errorf("%s: interval %v", c.about, i)
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
