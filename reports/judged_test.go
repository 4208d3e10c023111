package reports

import (
	"cmp"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/internal/must"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
)

// judgedDir is a directory of results in which trie is an engine from outside, with a document
// judged.
func judgedDir(t *testing.T, overview *judged.Overview, documents ...judged.Document) (dir, key string) {
	t.Helper()
	m := made.Results{Workloads: []string{"list"}, Vocabulary: []int{32000}, Samples: 6, Change: func(r *cell.Record, _ []cell.Trace) {
		if r.ID.Algorithm == "trie" && r.ID.Copy == 0 {
			r.ID.Version, r.ID.Semantics, r.Label = "9.8", "guest", "guest"
			r.Outside = &algorithms.Provenance{Name: "guest", Version: "9.8"}
		}
	}}
	dir = m.Store(t)
	set := must.Get(Load(dir))(t)
	for _, c := range set.Cells {
		if c.FromOutside() {
			key = c.Key
		}
	}
	f := must.Get(judged.Open(dir, key))(t)
	defer f.Close()
	if overview == nil {
		return dir, key
	}
	must.OK(t, f.Begin("the reference", *overview))
	for _, d := range documents {
		d.Cell, d.Reference, d.Seed = key, cmp.Or(d.Reference, "the reference"), overview.Seed
		must.OK(t, f.Append(d))
	}
	return dir, key
}

// TestJudgedTables: positions are counted once by their gravest finding, causes with all of
// theirs and their witness.
func TestJudgedTables(t *testing.T) {
	w := judged.Witness{Prefix: `{"a": `, TokenText: `01`, Witness: `{"a": 01}`, Whose: judged.Engine, Class: judged.AdmitsInvalid, Cause: "leading zero"}
	other := t.TempDir()
	hash := must.Get(w.Put(other))(t)
	positions := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	dir, _ := judgedDir(t, &judged.Overview{Documents: 5, Unanswered: 2, Compared: 80, Behind: 7, Differ: 11, DocumentsDiffer: 3, SchemasDiffer: 1, Limit: 10, Seed: 4},
		judged.Document{Sample: 0, Differ: 10, Positions: positions, Undecided: 2, TimeoutNS: 3e9, Findings: []judged.Finding{
			{Whose: judged.Engine, Class: judged.AdmitsInvalid, Cause: "leading zero", Positions: 3, Leading: 3, Tokens: 30, Witness: hash, WitnessBytes: 9},
			{Whose: judged.Reference, Class: judged.Convention, Cause: "white space", Positions: 7, Leading: 5, Tokens: 70},
		}},
		judged.Document{Sample: 1, Differ: 1, Positions: positions[:1], Undecided: 1, TimeoutNS: 3e9, Findings: []judged.Finding{
			{Class: judged.Undecided, Cause: "no judge", Positions: 1, Leading: 1, Tokens: 2},
		}},
		judged.Document{Sample: 0, Reference: "another", Differ: 10, Positions: positions, TimeoutNS: 3e9, Findings: []judged.Finding{
			{Whose: judged.Engine, Class: judged.DeadEnd, Cause: "no end", Positions: 8, Leading: 8, Tokens: 30},
		}})
	must.Get(w.Put(dir))(t)
	set := must.Get(Load(dir))(t)
	tables := map[string]*document.Table{}
	for _, table := range set.Document().Tables {
		tables[table.ID] = table
	}
	if got := rowOf(t, tables["judged"], "guest"); got != "list | guest | 2 | 7 | 80 | 69 of 80 (86.3%) | 11 | 9 | 3 | 0 | 0 | 0 | 0 | 0 | 0 | 5 | 1 of 9 (11.1%) | 3 of 9 (33.3%) | 9 of 10 positions in 2 of 3 documents; limit 10, seed 4, timeout 3s | " {
		t.Errorf("judged: %s", got)
	}
	causes := rowOf(t, tables["judged-causes"], "guest")
	for _, want := range []string{"admits an invalid text", "leading zero", "| 3 | 30 | 1 |", `{"a": 01}`, hash} {
		if !strings.Contains(causes, want) {
			t.Errorf("no %q in %s", want, causes)
		}
	}
	if n := len(tables["judged-causes"].Rows); n != 3 {
		t.Errorf("%d causes", n)
	}
}

// TestNothingJudged: without a judge there is no table, and null in JSON.
func TestNothingJudged(t *testing.T) {
	dir, _ := judgedDir(t, nil)
	set := must.Get(Load(dir))(t)
	for _, table := range set.Document().Tables {
		if strings.HasPrefix(table.ID, "judged") {
			t.Errorf("a table %s", table.ID)
		}
	}
}
