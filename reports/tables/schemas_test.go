package tables

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		k, n        int
		share, rate string
	}{
		{0, 0, show.None, show.None},
		{0, 3, "0 of 3", "0 of 3 = 0% [0.0–56.1%]"},
		{1, 3, "1 of 3 (33.3%)", "1 of 3 = 33.3% [6.1–79.2%]"},
		{1500, 1500, "1,500 of 1,500 (100%)", "1,500 of 1,500 = 100% [99.7–100.0%]"},
	} {
		if got := show.ShareOf(c.k, c.n); got != c.share {
			t.Errorf("shareOf(%d, %d) = %q", c.k, c.n, got)
		}
		if got := right(c.k, c.n, stats.Wilson(c.k, c.n)); got != c.rate {
			t.Errorf("right(%d, %d) = %q", c.k, c.n, got)
		}
	}
	type row struct{ Of *stats.Summary }
	for i, unit := range []string{"p50 ms", "p90 ms", "p99 ms", "p999 ms", "max ms"} {
		f := document.Declared[row]("a head", "of."+unit)
		if got := f.Of(row{&stats.Summary{N: 1234, P50: 1e6, P90: 2e6, P99: new(3e6), P999: new(4e6), Max: 5e6}}); got != fmt.Sprintf("%d.00", i+1) {
			t.Errorf("%s: %s", unit, got)
		}
		if got := f.Of(row{}); got != show.None {
			t.Errorf("%s of nothing: %s", unit, got)
		}
	}
	if got := document.Declared[row]("n", "of.n n").Of(row{&stats.Summary{N: 1234}}); got != "1,234" {
		t.Errorf("n: %s", got)
	}
}

// TestSchemaFailuresTable: what all algorithms share stands once for a workload, what is one's own
// stands for each vocabulary.
func TestSchemaFailuresTable(t *testing.T) {
	grammar := result.SchemaFailure{Stage: cell.StageGrammar, Outcome: cell.Unsupported, Reason: "no", Count: 3, Example: "a"}
	own := result.SchemaFailure{Stage: cell.StageAlgorithm, Outcome: cell.Timeout, Reason: "slow", Count: 1, Example: "b"}
	on := result.SchemaFailure{Stage: result.StageInstance, Outcome: cell.OutOfMemory, Reason: "large", Count: 1, Example: "c#0"}
	set := &result.Set{Cells: []*result.Cell{
		loaded.CellOf("w", "v1", "psc", result.SchemaFigures{Failures: []result.SchemaFailure{grammar, own}}),
		loaded.CellOf("w", "v1", "trie", result.SchemaFigures{Failures: []result.SchemaFailure{grammar}}),
		loaded.CellOf("w", "v2", "psc", result.SchemaFigures{Failures: []result.SchemaFailure{grammar, own, on}}),
		loaded.CellOf("x", "v1", "psc", result.SchemaFigures{Failures: []result.SchemaFailure{grammar}}),
	}}
	want := []string{
		"w|all|grammar|unsupported|no|3|a",
		"|psc on v1|algorithm|timeout|slow|1|b",
		"|psc on v2|algorithm|timeout|slow|1|b",
		"|psc on v2|instance|out-of-memory|large|1|c#0",
		"x|all|grammar|unsupported|no|3|a",
	}
	if got := loaded.Rows(schemaFailures(set)); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if schemaFailures((&result.Set{Cells: []*result.Cell{loaded.CellOf("w", "v", "psc", result.SchemaFigures{})}})) != nil {
		t.Error("a table of no failures")
	}
}

// TestWrongVerdictsTable: each instance once, those of the order of keys not at all, and not more
// than fit.
func TestWrongVerdictsTable(t *testing.T) {
	var many []result.WrongVerdict
	for i := range maxWrong + 5 {
		many = append(many, result.WrongVerdict{Schema: "s", Group: "g", Instance: fmt.Sprintf("s#%d", i), Verdict: result.ValidRefused, RefusedAt: i})
	}
	order := result.WrongVerdict{Schema: "s", Group: "g", Instance: "s#99", Verdict: result.KeyOrder, RefusedAt: 1}
	accepted := result.WrongVerdict{Schema: "r", Group: "g", Instance: "r#0", Verdict: result.InvalidAccepted, RefusedAt: 0}
	set := &result.Set{Cells: []*result.Cell{
		loaded.CellOf("w", "v", "psc", result.SchemaFigures{Wrong: append([]result.WrongVerdict{accepted, order}, many...)}),
		loaded.CellOf("w", "v", "trie", result.SchemaFigures{Wrong: append([]result.WrongVerdict{accepted, order}, many...)}),
	}}
	table := wrongVerdicts(set)
	got := loaded.Rows(table)
	if len(got) != maxWrong || got[0] != "w|invalid accepted|r|g|r#0|–" || got[1] != "w|valid refused|s|g|s#0|0" {
		t.Errorf("%d rows: %s", len(got), strings.Join(got, "\n"))
	}
	if !strings.HasPrefix(table.Caption, "The first 20 of 26. ") {
		t.Errorf("caption %s", table.Caption)
	}
	set.Cells = []*result.Cell{loaded.CellOf("w", "v", "psc", result.SchemaFigures{Wrong: []result.WrongVerdict{order}})}
	if wrongVerdicts(set) != nil {
		t.Error("the order of keys is listed")
	}
}

// TestSchemaGroupsTable: cells that did the same share rows, and a corpus without groups has no
// table.
func TestSchemaGroupsTable(t *testing.T) {
	same := []result.SchemaGroup{{Schemas: 2, Compiled: 2}, {Group: "hard", Schemas: 3, Compiled: 2, Tested: 3, TestedRight: 1}}
	other := []result.SchemaGroup{{Schemas: 2, Compiled: 2}, {Group: "hard", Schemas: 3, Compiled: 1, Tested: 3}}
	set := &result.Set{Cells: []*result.Cell{
		loaded.CellOf("w", "v", "psc", result.SchemaFigures{Groups: same}), loaded.CellOf("w", "v", "trie", result.SchemaFigures{Groups: same}),
		loaded.CellOf("x", "v", "psc", result.SchemaFigures{Groups: same}), loaded.CellOf("x", "v", "trie", result.SchemaFigures{Groups: other}),
		loaded.CellOf("y", "v", "psc", result.SchemaFigures{Groups: same[:1]}),
	}}
	want := []string{
		"w|all|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|2 of 3 (66.7%)|3|1 of 3 (33.3%)",
		"x|psc|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|2 of 3 (66.7%)|3|1 of 3 (33.3%)",
		"|trie|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|1 of 3 (33.3%)|3|0 of 3",
	}
	if got := loaded.Rows(schemaGroups(set)); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	set.Cells = set.Cells[4:]
	if schemaGroups(set) != nil {
		t.Error("a table of one group")
	}
}

// TestSlowestShown: the tables list a part of a small corpus, the JSON all.
func TestSlowestShown(t *testing.T) {
	for schemas, want := range map[int]int{1: 1, 5: 1, 6: 2, 10: 2, 49: 10, 50: 10, 10_000: 10} {
		c := loaded.CellOf("w", "v", "psc", result.SchemaFigures{Schemas: schemas})
		if got := len(slowestShown(c, make([]result.SlowSchema, min(schemas, result.Slowest)))); got != min(want, schemas) {
			t.Errorf("%d schemas: %d shown, want %d", schemas, got, want)
		}
	}
}

// TestSchemaOptionsText says how each workload was compiled, once.
func TestSchemaOptionsText(t *testing.T) {
	strict, loose := cell.SchemaOptions{WhiteSpace: "strict", Order: "declared"}, cell.SchemaOptions{WhiteSpace: "any", Order: "any", Lenient: true}
	set := &result.Set{Cells: []*result.Cell{loaded.CellOf("a", "v", "psc", result.SchemaFigures{Options: strict}), loaded.CellOf("a", "v", "trie", result.SchemaFigures{Options: strict}), loaded.CellOf("b", "v", "psc", result.SchemaFigures{Options: loose}), loaded.CellOf("c", "v", "psc", result.SchemaFigures{Options: strict})}}
	want := "a, c were compiled with white space: strict, order of keys: declared. b was compiled with white space: any, order of keys: any, lenient: what is not " +
		"supported is left out, so that invalid instances may be accepted."
	if got := schemaOptions(set); got != want {
		t.Errorf("%s", got)
	}
}
