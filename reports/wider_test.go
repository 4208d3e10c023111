package reports

import (
	"bytes"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// TestWider: the masks of an algorithm with a language of its own are compared with the contract's,
// and its times say how wide they are.
func TestWider(t *testing.T) {
	m := made.Results{Workloads: []string{"json"}, Vocabulary: []int{50_000}, Samples: 3}
	m.Change = func(r *cell.Record, traces []cell.Trace) {
		wide := r.Label == "trie #2"
		if wide {
			r.ID.Semantics = "dmatch"
		}
		for i := range traces {
			s, trace := &r.Samples[traces[i].Sample], &traces[i]
			s.Allowed = 10 * len(trace.Positions)
			trace.Hashes = make([]uint64, len(trace.Positions))
			if wide && i != 1 { // 4 masks of 120 in all but the second document's 40, with 300 tokens too many
				trace.Hashes[0], trace.Hashes[7] = 1, 1
				s.Allowed += 600
			}
			if wide && i == 1 { // of which the number of tokens is not known
				s.Allowed = 0
			}
		}
		r.Key = r.ID.Key()
	}
	set := must.Get(Load(m.Store(t)))(t)
	for _, c := range set.Cells {
		if c.Label != "trie #2" {
			if c.Wider != nil {
				t.Errorf("%s: %+v", c.Label, c.Wider)
			}
			continue
		}
		want := result.Wider{Reference: set.Cells[0].Key, Positions: 120, Differ: 4, Allowed: 25, ContractAllowed: 10, Counted: 80, DifferCounted: 4}
		if c.Wider == nil || *c.Wider != want {
			t.Errorf("%+v, want %+v", c.Wider, want)
		}
	}
	var text bytes.Buffer
	must.OK(t, Write(&text, set, "markdown"))
	for _, want := range []string{
		"All 3 cells of the contract are right (1 more with a language of its own)",
		"allow too much, which Commit then refuses: trie #2 refuses 1 of 1 negative, and 3.33% of its masks are not the contract's.",
		"Masks that are not the contract's", "120 |                  4 | 3.33% |    25.0 |            10.0 |     15.0 |                        300 |", "masks are not the contract's at 4 of 120 positions, with 15.0 tokens too many per mask",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not have %q in\n%.6000s", want, text.String())
		}
	}
}

// TestDifferingMasksRankApart: a differing mask of any engine is counted, also in a document that
// did not end well and in a negative, and its rows come after the others in every table.
func TestDifferingMasksRankApart(t *testing.T) {
	m := made.Results{Workloads: []string{"json", "java"}, Vocabulary: []int{50_000}, Samples: 3}
	m.Change = func(r *cell.Record, traces []cell.Trace) {
		outside := r.Label == "trie"
		if outside {
			r.ID.Semantics, r.ID.Version = "other", "1.0"
			r.Samples[1].Outcome, r.Samples[1].Refused = cell.WrongVerdict, true
		}
		for i := range traces {
			traces[i].Hashes = make([]uint64, len(traces[i].Positions))
			if outside && r.Workload == "java" && i == 1 {
				traces[i].Hashes = traces[i].Hashes[:5] // it was refused there
				traces[i].Hashes[4] = 1
			}
		}
		r.Key = r.ID.Key()
	}
	set := must.Get(Load(m.Store(t)))(t)
	var order []string
	for _, c := range set.Cells {
		order = append(order, c.Workload+" "+c.Algorithm)
		switch {
		case c.Label != "trie":
			if c.Wider != nil {
				t.Errorf("%s: %+v", c.Label, c.Wider)
			}
		case c.Workload == "java" && (c.Wider.Positions != 85 || c.Wider.Differ != 1), c.Workload == "json" && (c.Wider.Positions != 120 || c.Wider.Differ != 0):
			t.Errorf("%s: %+v", c.Workload, c.Wider)
		}
	}
	want := "json naive, json trie, json trie, json psc, java naive, java trie, java psc, java trie"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d := set.Document()
	if !strings.Contains(strings.Join(d.Lead, "\n"), "whose rows stand below the others: trie (1 of 205 masks).") {
		t.Errorf("the lead says %q", d.Lead)
	}
	for _, table := range d.Summary {
		last := table.Rows[len(table.Rows)-1][0]
		if last.Body != "trie" || last.Mark == "" {
			t.Errorf("%s ends with %+v", table.ID, last)
		}
	}
}
