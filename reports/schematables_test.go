package reports

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		k, n        int
		share, rate string
	}{
		{0, 0, none, none},
		{0, 3, "0 of 3", "0 of 3 = 0% [0.0–56.1%]"},
		{1, 3, "1 of 3 (33.3%)", "1 of 3 = 33.3% [6.1–79.2%]"},
		{1500, 1500, "1,500 of 1,500 (100%)", "1,500 of 1,500 = 100% [99.7–100.0%]"},
	} {
		if got := shareOf(c.k, c.n); got != c.share {
			t.Errorf("shareOf(%d, %d) = %q", c.k, c.n, got)
		}
		if got := right(c.k, c.n, stats.Wilson(c.k, c.n)); got != c.rate {
			t.Errorf("right(%d, %d) = %q", c.k, c.n, got)
		}
	}
	type row struct{ Of *stats.Summary }
	for i, unit := range []string{"p50 ms", "p90 ms", "p99 ms", "p999 ms", "max ms"} {
		f := declared[row]("a head", "of."+unit)
		if got := f.of(row{&stats.Summary{N: 1234, P50: 1e6, P90: 2e6, P99: new(3e6), P999: new(4e6), Max: 5e6}}); got != fmt.Sprintf("%d.00", i+1) {
			t.Errorf("%s: %s", unit, got)
		}
		if got := f.of(row{}); got != none {
			t.Errorf("%s of nothing: %s", unit, got)
		}
	}
	if got := declared[row]("n", "of.n n").of(row{&stats.Summary{N: 1234}}); got != "1,234" {
		t.Errorf("n: %s", got)
	}
}

// cellOf is a cell of a workload of schemas with these figures.
func cellOf(workload, tokenizer, label string, f SchemaFigures) *Cell {
	return &Cell{Names: Names{Workload: workload, Tokenizer: tokenizer, Label: label}, SchemaFigures: &f, Counts: Counts{Outcome: cell.OK}, record: &cell.Record{}}
}

// rows are the bodies of a table's rows.
func rows(t *Table) []string {
	var list []string
	for _, r := range t.shown() {
		var words []string
		for _, text := range r {
			words = append(words, text.Body)
		}
		list = append(list, strings.Join(words, "|"))
	}
	return list
}

// TestSchemaFailuresTable: what all algorithms share stands once for a workload, what is one's own
// stands for each vocabulary.
func TestSchemaFailuresTable(t *testing.T) {
	grammar := SchemaFailure{cell.StageGrammar, cell.Unsupported, "no", 3, "a"}
	own := SchemaFailure{cell.StageAlgorithm, cell.Timeout, "slow", 1, "b"}
	on := SchemaFailure{stageInstance, cell.OutOfMemory, "large", 1, "c#0"}
	set := &Set{Cells: []*Cell{
		cellOf("w", "v1", "psc", SchemaFigures{Failures: []SchemaFailure{grammar, own}}),
		cellOf("w", "v1", "trie", SchemaFigures{Failures: []SchemaFailure{grammar}}),
		cellOf("w", "v2", "psc", SchemaFigures{Failures: []SchemaFailure{grammar, own, on}}),
		cellOf("x", "v1", "psc", SchemaFigures{Failures: []SchemaFailure{grammar}}),
	}}
	want := []string{
		"w|all|grammar|unsupported|no|3|a",
		"|psc on v1|algorithm|timeout|slow|1|b",
		"|psc on v2|algorithm|timeout|slow|1|b",
		"|psc on v2|instance|out-of-memory|large|1|c#0",
		"x|all|grammar|unsupported|no|3|a",
	}
	if got := rows(set.schemaFailures()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if (&Set{Cells: []*Cell{cellOf("w", "v", "psc", SchemaFigures{})}}).schemaFailures() != nil {
		t.Error("a table of no failures")
	}
}

// TestWrongVerdictsTable: each instance once, those of the order of keys not at all, and not more
// than fit.
func TestWrongVerdictsTable(t *testing.T) {
	var many []WrongVerdict
	for i := range maxWrong + 5 {
		many = append(many, WrongVerdict{"s", "g", fmt.Sprintf("s#%d", i), validRefused, i})
	}
	order := WrongVerdict{"s", "g", "s#99", keyOrder, 1}
	accepted := WrongVerdict{"r", "g", "r#0", invalidAccepted, 0}
	set := &Set{Cells: []*Cell{
		cellOf("w", "v", "psc", SchemaFigures{Wrong: append([]WrongVerdict{accepted, order}, many...)}),
		cellOf("w", "v", "trie", SchemaFigures{Wrong: append([]WrongVerdict{accepted, order}, many...)}),
	}}
	table := set.wrongVerdicts()
	got := rows(table)
	if len(got) != maxWrong || got[0] != "w|invalid accepted|r|g|r#0|–" || got[1] != "w|valid refused|s|g|s#0|0" {
		t.Errorf("%d rows: %s", len(got), strings.Join(got, "\n"))
	}
	if !strings.HasPrefix(table.Caption, "The first 20 of 26. ") {
		t.Errorf("caption %s", table.Caption)
	}
	set.Cells = []*Cell{cellOf("w", "v", "psc", SchemaFigures{Wrong: []WrongVerdict{order}})}
	if set.wrongVerdicts() != nil {
		t.Error("the order of keys is listed")
	}
}

// TestSchemaGroupsTable: cells that did the same share rows, and a corpus without groups has no
// table.
func TestSchemaGroupsTable(t *testing.T) {
	same := []SchemaGroup{{Schemas: 2, Compiled: 2}, {Group: "hard", Schemas: 3, Compiled: 2, Tested: 3, TestedRight: 1}}
	other := []SchemaGroup{{Schemas: 2, Compiled: 2}, {Group: "hard", Schemas: 3, Compiled: 1, Tested: 3}}
	set := &Set{Cells: []*Cell{
		cellOf("w", "v", "psc", SchemaFigures{Groups: same}), cellOf("w", "v", "trie", SchemaFigures{Groups: same}),
		cellOf("x", "v", "psc", SchemaFigures{Groups: same}), cellOf("x", "v", "trie", SchemaFigures{Groups: other}),
		cellOf("y", "v", "psc", SchemaFigures{Groups: same[:1]}),
	}}
	want := []string{
		"w|all|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|2 of 3 (66.7%)|3|1 of 3 (33.3%)",
		"x|psc|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|2 of 3 (66.7%)|3|1 of 3 (33.3%)",
		"|trie|(no group)|2|2 of 2 (100%)|0|–", "||hard|3|1 of 3 (33.3%)|3|0 of 3",
	}
	if got := rows(set.schemaGroups()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	set.Cells = set.Cells[4:]
	if set.schemaGroups() != nil {
		t.Error("a table of one group")
	}
}

// TestSlowestShown: the tables list a part of a small corpus, the JSON all.
func TestSlowestShown(t *testing.T) {
	for schemas, want := range map[int]int{1: 1, 5: 1, 6: 2, 10: 2, 49: 10, 50: 10, 10_000: 10} {
		c := cellOf("w", "v", "psc", SchemaFigures{Schemas: schemas})
		if got := len(c.slowestShown(make([]SlowSchema, min(schemas, slowest)))); got != min(want, schemas) {
			t.Errorf("%d schemas: %d shown, want %d", schemas, got, want)
		}
	}
}

// TestSlowestBy keeps the order of the corpus where times are equal.
func TestSlowestBy(t *testing.T) {
	var list []SlowSchema
	for i := range 25 {
		list = append(list, SlowSchema{ID: fmt.Sprint(i), TTFMNS: float64(i / 5)})
	}
	var ids []string
	for _, s := range slowestBy(list, func(s *SlowSchema) float64 { return s.TTFMNS }) {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "20 21 22 23 24 15 16 17 18 19" {
		t.Errorf("%s", got)
	}
	if got := slowestBy(nil, func(*SlowSchema) float64 { return 0 }); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestSchemaOptionsText says how each workload was compiled, once.
func TestSchemaOptionsText(t *testing.T) {
	strict, loose := cell.SchemaOptions{WhiteSpace: "strict", Order: "declared"}, cell.SchemaOptions{WhiteSpace: "any", Order: "any", Lenient: true}
	set := &Set{Cells: []*Cell{cellOf("a", "v", "psc", SchemaFigures{Options: strict}), cellOf("a", "v", "trie", SchemaFigures{Options: strict}), cellOf("b", "v", "psc", SchemaFigures{Options: loose}), cellOf("c", "v", "psc", SchemaFigures{Options: strict})}}
	want := "a, c were compiled with white space: strict, order of keys: declared. b was compiled with white space: any, order of keys: any, lenient: what is not " +
		"supported is left out, so that invalid instances may be accepted."
	if got := set.schemaOptions(); got != want {
		t.Errorf("%s", got)
	}
}

// TestSchemasAmongPrograms: a set with both kinds of workloads has the tables of both, and each
// figure once.
func TestSchemasAmongPrograms(t *testing.T) {
	m := made{workloads: []string{"json", "maskbench"}, vocabulary: []int{32000}, samples: 15, change: func(r *cell.Record, traces []cell.Trace) {
		if r.Workload == "maskbench" {
			ofSchemas(r, traces)
		}
	}}
	set := load(t, m.store(t))
	seen := map[string]int{}
	for _, table := range set.Document().Tables {
		seen[table.ID] = len(table.Rows)
	}
	for id, want := range map[string]int{"verdicts": 4 /* of programs all is right */, "masks": 3*4 + 4*4, "steps": 3*4 + 4*4, "bill": 8, "spent": 6 /* two left a schema out */, "schemas": 4, "ttfm": 4} {
		if seen[id] != want {
			t.Errorf("table %s has %d rows, want %d", id, seen[id], want)
		}
	}
	text := strings.Join(strings.Fields(render(t, set, "text")), " ")
	for _, want := range []string{"the mean of up to 5 repetitions", "Of JSON schemas grammar and algorithm are means over those that compiled", "a schema's time is the median of its compiles"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report", want)
		}
	}
	names := map[string]bool{}
	for _, f := range set.Figures() {
		if names[f.Name] {
			t.Errorf("two figures are called %s", f.Name)
		}
		names[f.Name] = true
	}
	if !names["ttfm"] || !names["tbm"] || !names["ecdf"] {
		t.Errorf("figures %v", names)
	}
}
