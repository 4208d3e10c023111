package tables

import (
	"math"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// TestSpent adds the first mask and the first passes up by hand, in the order of the documents.
func TestSpent(t *testing.T) {
	set := loaded.Load(t, made.ManyTokens.Store(t))
	for _, c := range set.Cells {
		spent, n := c.Offline.Sum+float64(c.Record.Problems[0].FirstMaskNS[len(c.Record.Problems[0].FirstMaskNS)-1]), 0
		at := map[int]float64{}
		for i := range c.Steps {
			for _, ns := range c.Steps[i].Passes[0].Step {
				n++
				spent += float64(ns)
				at[n] = spent
			}
		}
		for i, tokens := range []int{1, 100, 1000} {
			if got := c.Spent[i]; math.Abs(got-at[tokens]) > 1e-3 || got <= c.Offline.Sum {
				t.Errorf("%s: after %d tokens %v, want %v", c.Label, tokens, got, at[tokens])
			}
		}
		if !math.IsNaN(c.Spent[3]) {
			t.Errorf("%s: %v after 10,000 of %d tokens", c.Label, c.Spent[3], n)
		}
	}
	table := spentTable(set).Telling()
	if head := table.Columns[len(table.Columns)-1].Head; head != "1,000 tokens ms" || len(table.Rows) != 4 {
		t.Errorf("the table ends with %q, %d rows", head, len(table.Rows))
	}
}

// TestCounterTable: of each engine the counters that are not 0.
func TestCounterTable(t *testing.T) {
	table := counterTable(loaded.Load(t, made.Sets["quick"].Store(t)))
	want := []string{"json|psc (compile=lazy)|states|12,345|", "||weights|2.50|B a state", "java|psc (compile=lazy)|states|12,345|", "||weights|2.50|B a state"}
	if got := loaded.Rows(table); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// curveOf is a cell whose offline time and steps are given, in ns.
func curveOf(algorithm, label string, copy int, offline int64, step uint32, tokens int) *result.Cell {
	r := &cell.Record{ID: cell.ID{Algorithm: algorithm, Copy: copy}, Problems: []cell.Problem{{Outcome: cell.OK, CompileNS: []int64{offline}}}, Samples: []cell.Sample{{Outcome: cell.OK, Tokens: tokens}}}
	c := &result.Cell{Names: result.Names{Algorithm: algorithm, Label: label, Workload: "w", Tokenizer: "v"}, Record: r, Steps: []result.Steps{{Passes: []cell.Pass{{State: cell.Fresh}}}}}
	for i := range tokens {
		s := &c.Steps[0]
		s.Positions, s.Passes[0].Step = append(s.Positions, uint32(i)), append(s.Passes[0].Step, step)
	}
	c.Offline = &result.Offline{Algorithm: float64(offline), Sum: float64(offline)}
	return c
}

// TestCrossings: an eager engine overtakes a lazy one once its compile is paid; where an algorithm
// overtakes itself says nothing.
func TestCrossings(t *testing.T) {
	set := &result.Set{Cells: []*result.Cell{curveOf("lazy", "lazy", 0, 1000, 1000, 100), curveOf("eager", "eager", 0, 10_500, 10, 100), curveOf("lazy", "lazy #2", 1, 1500, 990, 100)}}
	// 1000 + 1000 n is 10500 + 10 n at 9.6: from the 10th token on. 1500 + 990 n at 9.2.
	table := crossings(set)
	want := []string{"w|lazy #2|eager|10|0.0106", "w|lazy|eager|10|0.0106"}
	got := loaded.Rows(table)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if table := crossings((&result.Set{Cells: set.Cells[:1]})); len(table.Rows) != 0 || table.Telling() != nil {
		t.Errorf("one alone: %q", loaded.Rows(table))
	}
}

// TestBuiltShare: the masks that had to build, by the engine's own count, over the positions of all
// documents. Engines that do not count them and corpora of schemas have none.
func TestBuiltShare(t *testing.T) {
	count := func(label string) func(*cell.Record, []cell.Trace) {
		return made.Only(label, func(r *cell.Record) {
			r.Problems[0].Used = []cell.Counter{{Name: "states", Value: 5}, {Name: algorithms.BuiltMasks, Value: 49}}
		})
	}
	set := loaded.One(t, count("psc (compile=lazy)"))
	positions := 0
	for _, s := range loaded.Labelled(t, set, "psc (compile=lazy)").Steps {
		positions += len(s.Positions)
	}
	for _, c := range set.Cells {
		want := math.NaN()
		if c.Label == "psc (compile=lazy)" {
			want = 49 / float64(positions)
		}
		if got := c.BuiltShare(); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, want %v", c.Label, got, want)
		}
	}
	table := billTable(set)
	last := len(table.Columns) - 1
	for i, c := range set.Cells {
		want := show.None
		if c.Label == "psc (compile=lazy)" {
			want = show.Percent(49 / float64(positions))
		}
		if got := table.Rows[i][last].Body; table.Columns[last].Head != "positions that built" || got != want {
			t.Errorf("column %q of %s: %s, want %s", table.Columns[last].Head, c.Label, got, want)
		}
	}
	if plain := billTable(loaded.One(t, nil)); len(plain.Columns) != last {
		t.Errorf("%d columns where no engine counts, want %d", len(plain.Columns), last)
	}
	schemas := made.SchemaSet
	schemas.Change = func(r *cell.Record, traces []cell.Trace) {
		made.OfSchemas(r, traces)
		count("naive")(r, traces)
	}
	if got := loaded.Labelled(t, loaded.Load(t, schemas.Store(t)), "naive").BuiltShare(); !math.IsNaN(got) {
		t.Errorf("schemas: %v", got)
	}
}
