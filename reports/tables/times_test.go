package tables

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// TestHeadline is of new documents, and of the fresh engine where there is one document only; a
// reader is shown that state first, or all where workloads differ in it.
func TestHeadline(t *testing.T) {
	several := loaded.One(t, nil)
	single := loaded.Load(t, made.Results{Workloads: []string{"json"}, Vocabulary: []int{32000}, Samples: 1}.Store(t))
	for set, want := range map[*result.Set]string{several: result.StateNew, single: result.StateFresh, {}: "", {Cells: slices.Concat(several.Cells, renamed(single.Cells, "one"))}: ""} {
		if got := Document(set).State; got != want {
			t.Errorf("%d cells: the first state is %q, want %q", len(set.Cells), got, want)
		}
	}
	for _, c := range several.Cells {
		if c.HeadlineState != result.StateNew || c.Headline(c.MaskNS) != c.MaskNS.New || c.Intervals == nil || !c.Intervals.MaskNS.Mean.Holds(c.MaskNS.New.Mean) {
			t.Errorf("%s: the headline is %s, its interval %+v", c.Label, c.HeadlineState, c.Intervals)
		}
	}
	for _, c := range single.Cells {
		if c.HeadlineState != result.StateFresh || c.Headline(c.MaskNS) != c.MaskNS.Fresh || c.Intervals != nil || c.MaskNS.New != nil {
			t.Errorf("%s: the headline is %s, its interval %+v", c.Label, c.HeadlineState, c.Intervals)
		}
	}
	for _, row := range loaded.Rows(masksTable(single)) {
		if strings.Contains(row, "|new|") {
			t.Errorf("a row without figures: %s", row)
		}
	}
}

// renamed are cells on another workload.
func renamed(cells []*result.Cell, workload string) []*result.Cell {
	for _, c := range cells {
		c.Workload = workload
	}
	return cells
}

// TestRowsOfStates: the rows of a state are together, the headline's first, and a cell without
// times at all has one row.
func TestRowsOfStates(t *testing.T) {
	set := loaded.Load(t, made.Sets["failures"].Store(t))
	var got []string
	for _, row := range loaded.Rows(masksTable(set)) {
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
	set := loaded.One(t, sparse)
	naive, trie := loaded.Labelled(t, set, "naive"), loaded.Labelled(t, set, "trie")
	if naive.MaskNS.New.N != 3*2 || naive.MaskNS.Again.N != 3*4*2 || trie.MaskNS.New.N != 3*40 || naive.CloneNS.N != 4*2 {
		t.Fatalf("n of naive %d, %d, of trie %d, %d clones", naive.MaskNS.New.N, naive.MaskNS.Again.N, trie.MaskNS.New.N, naive.CloneNS.N)
	}
	sum := 0.0
	for i := 1; i < 4; i++ {
		for at, pos := range []int{3, 17} {
			sum += math.Log(float64(trie.Steps[i].Passes[0].Mask[pos]) / float64(naive.Steps[i].Passes[0].Mask[at]))
		}
	}
	if r := trie.Against.Mask; r.N != 6 || math.Abs(r.Value/math.Exp(sum/6)-1) > 1e-9 {
		t.Errorf("the ratio %+v, want %v", r, math.Exp(sum/6))
	}
	if naive.BuildingNS != nil || !math.IsNaN(naive.Spent[0]) || math.IsNaN(trie.Spent[0]) {
		t.Errorf("naive built %v and spent %v", naive.BuildingNS, naive.Spent)
	}
	table := masksTable(set)
	for _, want := range []string{"at a random sample of positions"} {
		if !slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no footnote says %q: %q", want, table.Notes)
		}
	}
	for _, row := range loaded.Rows(table) { // two positions of one document are no comparison
		if strings.Contains(row, "|trie|fresh|") && !strings.HasSuffix(row, "|"+show.None) {
			t.Errorf("a ratio of two steps: %s", row)
		}
	}
}

// TestPartialTurns: two that were measured in turn on some documents were not measured in turn.
func TestPartialTurns(t *testing.T) {
	set := loaded.One(t, func(r *cell.Record, _ []cell.Trace) {
		if r.Label != "trie" {
			return
		}
		for i := range r.Samples[:2] { // added later, it was alone on the first two
			r.Samples[i].Turns = []string{cell.Turn(r.ID.Key())}
		}
	})
	for label, want := range map[string]result.Against{"trie": {Turns: 2, Samples: 4}, "trie #2": {Turns: 4, Samples: 4, Interleaved: true}} {
		a := loaded.Labelled(t, set, label).Against
		if a.Turns != want.Turns || a.Samples != want.Samples || a.Interleaved != want.Interleaved {
			t.Errorf("%s: %d of %d, %v", label, a.Turns, a.Samples, a.Interleaved)
		}
	}
	const note = "measured in turn with naive on 2 of 4 samples: in between the machine may have changed"
	for _, table := range []*document.Table{masksTable(set), wholeSteps(set)} {
		if !slices.Equal(table.Notes, []string{note}) {
			t.Errorf("%s: footnotes %q", table.ID, table.Notes)
		}
		for _, row := range table.Rows {
			ratio := row[1].Body == "trie" && row[2].Body != result.StateFresh // of one document there is none
			if last := row[len(row)-1]; (last.Mark != "") != ratio {
				t.Errorf("%s: the mark %q at %v", table.ID, last.Mark, row)
			}
		}
	}
	// It has to be said by both: a file that was copied from elsewhere knows nothing of the other.
	set.Cells[0].Record.Samples[3].Turns = nil
	if turns, samples := result.InTurn(loaded.Labelled(t, set, "psc (compile=lazy)"), set.Cells[0]); turns != 3 || samples != 4 {
		t.Errorf("psc took turns on %d of %d", turns, samples)
	}
}
