package draw

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/result"
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
		one := must.Get(result.Of(&cell.Record{Label: "psc", Workload: "w", Tokenizer: "v", GrammarNS: []int64{1e6}, VocabularyNS: 2e6,
			Problems: []cell.Problem{{Outcome: cell.OK, CompileNS: c.compile}}}, func(func(cell.Trace, error) bool) {}))(t)
		one.HeadlineState = result.StateNew
		one.MaskNS = &result.States{New: &stats.Summary{N: 9, Mean: 700}, Fresh: &stats.Summary{N: 9, Mean: 9000}, Again: &stats.Summary{N: 9, Mean: 500}}
		one.Intervals = &result.Intervals{MaskNS: stats.Intervals{Mean: stats.Interval{Low: 600, High: 800}}}
		costs := costs((&result.Set{Cells: []*result.Cell{one}}), "v")
		if len(costs) != 1 || costs[0].Online != one.Intervals.MaskNS.Mean || costs[0].OnlineNS != 700 || costs[0].OfflineNS != c.offline {
			t.Fatalf("%s: %+v", c.about, costs)
		}
		// By hand: mean 5.4 ms, standard deviation 1.14 ms, so 5.4 +- 2.776 * 0.51.
		if i := costs[0].Offline; i.Valid() != c.want || c.want && (math.Abs(i.Low-(8.4e6-1.4155e6)) > 1e3 || math.Abs(i.High-(8.4e6+1.4155e6)) > 1e3) {
			t.Errorf("%s: interval %v", c.about, i)
		}
	}
}

func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{"o200k_base[:2000]": "o200k_base--2000", "../../x": "x", "a b/c": "a-b-c", "llama3": "llama3", "azAZ09.-_x": "azAZ09.-_x", "`{@[/:é": "", "-.x.-": "x"} {
		if got := fileName(in); got != want || strings.Contains(got, "/") {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestStepSamples: one algorithm has its first and later steps in one panel, several have a panel
// for each.
func TestStepSamples(t *testing.T) {
	of := func(workload, tokenizer, label string) *result.Cell {
		c := loaded.CellOf(workload, tokenizer, label, result.SchemaFigures{})
		c.Steps = []result.Steps{{Passes: []cell.Pass{{State: cell.New, Step: []uint32{11}}, {State: cell.Again, Step: []uint32{11, 22}}}}}
		return c
	}
	for _, c := range []struct {
		about string
		cells []*result.Cell
		want  string
	}{
		{"one algorithm", []*result.Cell{of("w", "v", "psc")}, "w/psc, first[11] w/psc, again[11 22]"},
		{"on two workloads", []*result.Cell{of("w", "v", "psc"), of("x", "v", "psc")}, "w/psc, first[11] w/psc, again[11 22] x/psc, first[11] x/psc, again[11 22]"},
		{"two algorithms", []*result.Cell{of("w", "v", "psc"), of("w", "v", "trie")}, "first/psc[11] again/psc[11 22] first/trie[11] again/trie[11 22]"},
		{"two on two", []*result.Cell{of("w", "v", "psc"), of("x", "v", "trie")}, "w, first/psc[11] w, again/psc[11 22] x, first/trie[11] x, again/trie[11 22]"},
		{"of another vocabulary", []*result.Cell{of("w", "v", "psc"), of("w", "u", "trie")}, "w/psc, first[11] w/psc, again[11 22]"},
	} {
		var got []string
		samples, pairs := stepSamples((&result.Set{Cells: c.cells}), "v")
		if pairs != strings.HasPrefix(c.about, "two") {
			t.Errorf("%s: in pairs: %v", c.about, pairs)
		}
		for _, s := range samples {
			name := s.Label
			if s.State != "" {
				name += ", " + s.State
			}
			got = append(got, fmt.Sprintf("%s/%s%v", s.Panel, name, s.Values))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.about, strings.Join(got, " "), c.want)
		}
	}
}
