package reports

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// labelled is the cell of a set with a label.
func labelled(t *testing.T, set *Set, label string) *Cell {
	t.Helper()
	i := slices.IndexFunc(set.Cells, func(c *Cell) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("no cell %s", label)
	}
	return set.Cells[i]
}

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
		for _, state := range stateNames {
			x, y := a.TBMNS.Of(state), b.TBMNS.Of(state)
			if x.P50 != y.P50 || x.P90 != y.P90 || x.Max != y.Max || math.Abs(x.Mean/y.Mean-1) > 1e-12 {
				t.Errorf("%s, %s: %+v and %+v", a.Label, state, x, y)
			}
			p, q := a.values(stepTimes, state), b.values(stepTimes, state)
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

// TestHeadline is of new documents, and of the fresh engine where there is one document only; a
// reader is shown that state first, or all where workloads differ in it.
func TestHeadline(t *testing.T) {
	several := one(t, nil)
	single := load(t, made{workloads: []string{"json"}, vocabulary: []int{32000}, samples: 1}.store(t))
	for set, want := range map[*Set]string{several: stateNew, single: stateFresh, {}: "", {Cells: slices.Concat(several.Cells, renamed(single.Cells, "one"))}: ""} {
		if got := set.document().State; got != want {
			t.Errorf("%d cells: the first state is %q, want %q", len(set.Cells), got, want)
		}
	}
	for _, c := range several.Cells {
		if c.HeadlineState != stateNew || c.headline(c.MaskNS) != c.MaskNS.New || c.Intervals == nil || !c.Intervals.MaskNS.Mean.Holds(c.MaskNS.New.Mean) {
			t.Errorf("%s: the headline is %s, its interval %+v", c.Label, c.HeadlineState, c.Intervals)
		}
	}
	for _, c := range single.Cells {
		if c.HeadlineState != stateFresh || c.headline(c.MaskNS) != c.MaskNS.Fresh || c.Intervals != nil || c.MaskNS.New != nil {
			t.Errorf("%s: the headline is %s, its interval %+v", c.Label, c.HeadlineState, c.Intervals)
		}
	}
	for _, row := range rows(single.masks()) {
		if strings.Contains(row, "|new|") {
			t.Errorf("a row without figures: %s", row)
		}
	}
}

// renamed are cells on another workload.
func renamed(cells []*Cell, workload string) []*Cell {
	for _, c := range cells {
		c.Workload = workload
	}
	return cells
}

// TestRowsOfStates: the rows of a state are together, the headline's first, and a cell without
// times at all has one row.
func TestRowsOfStates(t *testing.T) {
	set := load(t, sets["failures"].store(t))
	var got []string
	for _, row := range rows(set.masks()) {
		if parts := strings.Split(row, "|"); strings.HasPrefix(parts[1], "trie") {
			got = append(got, parts[1]+" "+parts[2]+" "+parts[3])
		}
	}
	want := "trie new 160; trie #2 new 160; trie fresh 40; trie #2 fresh 40; trie again 600; trie #2 again 600; " +
		"trie #2 new 160; trie new –; trie #2 fresh 40; trie #2 again 600"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}

// sparse leaves naive three positions of each document, the last of them its end.
func sparse(r *cell.Record, traces []cell.Trace) {
	if r.Label != "naive" {
		return
	}
	at := []int{3, 17, 39}
	pick := func(times []uint32) (out []uint32) {
		for _, i := range at {
			if len(times) > 0 {
				out = append(out, times[i])
			}
		}
		return out
	}
	for i := range traces {
		tr := &traces[i]
		tr.Positions, tr.Clone = pick(tr.Positions), pick(tr.Clone)
		for j := range tr.Passes {
			p := &tr.Passes[j]
			p.Lookup, p.Mask, p.Commit, p.Step = pick(p.Lookup), pick(p.Mask), pick(p.Commit), pick(p.Step)
		}
	}
}

// TestSparsePositions: a cell that was asked at some positions is compared at those, but for the
// ends, which are always asked for; and its figures do not pretend to be decoding.
func TestSparsePositions(t *testing.T) {
	set := one(t, sparse)
	naive, trie := labelled(t, set, "naive"), labelled(t, set, "trie")
	if naive.MaskNS.New.N != 3*2 || naive.MaskNS.Again.N != 3*4*2 || trie.MaskNS.New.N != 3*40 || naive.CloneNS.N != 4*2 {
		t.Fatalf("n of naive %d, %d, of trie %d, %d clones", naive.MaskNS.New.N, naive.MaskNS.Again.N, trie.MaskNS.New.N, naive.CloneNS.N)
	}
	sum := 0.0
	for i := 1; i < 4; i++ {
		for at, pos := range []int{3, 17} {
			sum += math.Log(float64(trie.steps[i].passes[0].Mask[pos]) / float64(naive.steps[i].passes[0].Mask[at]))
		}
	}
	if r := trie.Against.Mask; r.N != 6 || math.Abs(r.Value/math.Exp(sum/6)-1) > 1e-9 {
		t.Errorf("the ratio %+v, want %v", r, math.Exp(sum/6))
	}
	if naive.BuildingNS != nil || !math.IsNaN(naive.Spent[0]) || math.IsNaN(trie.Spent[0]) {
		t.Errorf("naive built %v and spent %v", naive.BuildingNS, naive.Spent)
	}
	table := set.masks()
	for _, want := range []string{"at a random sample of positions"} {
		if !slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no footnote says %q: %q", want, table.Notes)
		}
	}
	for _, row := range rows(table) { // two positions of one document are no comparison
		if strings.Contains(row, "|trie|fresh|") && !strings.HasSuffix(row, "|"+none) {
			t.Errorf("a ratio of two steps: %s", row)
		}
	}
}

// TestPartialTurns: two that were measured in turn on some documents were not measured in turn.
func TestPartialTurns(t *testing.T) {
	set := one(t, func(r *cell.Record, _ []cell.Trace) {
		if r.Label != "trie" {
			return
		}
		for i := range r.Samples[:2] { // added later, it was alone on the first two
			r.Samples[i].Turns = []string{cell.Turn(r.ID.Key())}
		}
	})
	for label, want := range map[string]Against{"trie": {Turns: 2, Samples: 4}, "trie #2": {Turns: 4, Samples: 4, Interleaved: true}} {
		a := labelled(t, set, label).Against
		if a.Turns != want.Turns || a.Samples != want.Samples || a.Interleaved != want.Interleaved {
			t.Errorf("%s: %d of %d, %v", label, a.Turns, a.Samples, a.Interleaved)
		}
	}
	const note = "measured in turn with naive on 2 of 4 samples: in between the machine may have changed"
	for _, table := range []*Table{set.masks(), set.wholeSteps()} {
		if !slices.Equal(table.Notes, []string{note}) {
			t.Errorf("%s: footnotes %q", table.ID, table.Notes)
		}
		for _, row := range table.Rows {
			ratio := row[1].Body == "trie" && row[2].Body != stateFresh // of one document there is none
			if last := row[len(row)-1]; (last.Mark != "") != ratio {
				t.Errorf("%s: the mark %q at %v", table.ID, last.Mark, row)
			}
		}
	}
	// It has to be said by both: a file that was copied from elsewhere knows nothing of the other.
	set.Cells[0].record.Samples[3].Turns = nil
	if turns, samples := inTurn(labelled(t, set, "psc (compile=lazy)"), set.Cells[0]); turns != 3 || samples != 4 {
		t.Errorf("psc took turns on %d of %d", turns, samples)
	}
}

// TestTelling: columns and tables without a figure go; one that is a sentence stays.
func TestTelling(t *testing.T) {
	table := &Table{ID: "x", Columns: []Column{{Head: "algorithm"}, {"a", true}, {"b", true}, {Head: "words"}}, States: []string{"", "new", "again", ""}, Notes: []string{"of a", "of b"},
		Rows: [][]Text{{{Body: "psc"}, {Body: none, Mark: "a"}, {Body: "1", Mark: "b"}, {}}, {{Body: "trie"}, {}, {Body: none}, {}}}}
	got := table.telling()
	if len(got.Columns) != 3 || got.Columns[1].Head != "b" || got.Rows[0][1].Body != "1" || !slices.Equal(got.States, []string{"", "again", ""}) || !slices.Equal(got.Notes, []string{"of b"}) {
		t.Errorf("%+v", got)
	}
	table.Rows[0][2].Body = none
	if got := table.telling(); got != nil {
		t.Errorf("a table of dashes: %+v", got)
	}
	if got := (&Table{Columns: table.Columns}).telling(); got != nil {
		t.Errorf("a table without rows: %+v", got)
	}
	if sentence := (&Table{Title: "Right answers"}); sentence.telling() != sentence {
		t.Error("a sentence is gone")
	}
}
