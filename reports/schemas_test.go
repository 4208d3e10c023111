package reports

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/plots"
)

// TestSchemaContract checks the names that scripts rely on, and that programs have none of them.
func TestSchemaContract(t *testing.T) {
	cells := func(m made.Results) []map[string]json.RawMessage {
		var report struct {
			Cells []map[string]json.RawMessage `json:"cells"`
		}
		must.OK(t, json.Unmarshal([]byte(render(t, load(t, m.Store(t)), "json")), &report))
		return report.Cells
	}
	fields := strings.Fields(`schemas schemas_compiled schemas_right schemas_with_instances schemas_with_instances_right
		schemas_with_instances_right_but_for_key_order invalid_accepted valid_refused valid_refused_key_order schemas_crashed schemas_timed_out schemas_out_of_memory valid_instances invalid_instances
		schema_grammar_ns schema_failures schema_wrong_verdicts schema_groups slowest_ttfm slowest_tbm slowest_cold_tbm schema_options`)
	for _, c := range cells(made.SchemaSet) {
		for _, field := range append(fields, "ttfm_ns", "tbm_ns", "cold_tbm_ns") {
			if v, ok := c[field]; !ok || string(v) == "null" {
				t.Errorf("%s is %s", field, v)
			}
		}
	}
	for _, c := range cells(made.Sets["few"]) {
		for _, field := range fields {
			if _, ok := c[field]; ok {
				t.Errorf("a workload of programs has %s", field)
			}
		}
	}
}

// TestWrongMaskSchemas: verdicts are counted, times are not there.
func TestWrongMaskSchemas(t *testing.T) {
	set := load(t, made.WrongMaskSet.Store(t))
	for _, c := range set.Cells {
		if c.Label != "trie" {
			continue
		}
		if c.TTFMNS != nil || c.Bill.GrammarNS != 0 || c.SchemaFigures.GrammarNS != nil || c.SlowestTTFM != nil || c.ColdTBMNS != nil {
			t.Errorf("it has times")
		}
		if c.TestedRight != 9 || c.Right != 10 {
			t.Errorf("%d of %d right, want 9 of 14", c.TestedRight, c.Tested)
		}
	}
	for _, format := range Formats {
		render(t, set, format)
	}
}

// TestSchemaTables: what is the same for all algorithms stands once.
func TestSchemaTables(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	ids := map[string]*document.Table{}
	for _, table := range set.Document().Tables {
		ids[table.ID] = table
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d entries under %d heads", table.ID, len(row), len(table.Columns))
			}
		}
	}
	for id, rows := range map[string]int{"schemas": 4, "schema-instances": 4, "schema-failures": 5, "schema-verdicts": 2, "schema-groups": 6, "ttfm": 4, "masks": 4 * 4, "steps": 4 * 4, "bill": 4, "slowest-ttfm": 12, "slowest-tbm": 24} {
		if ids[id] == nil || len(ids[id].Rows) != rows {
			t.Errorf("table %s: %+v, want %d rows", id, ids[id], rows)
		}
	}
	if who := ids["schema-groups"].Rows[0][1].Body; who != "naive, trie" {
		t.Errorf("the groups are of %q", who)
	}
	if plain := load(t, made.Sets["few"].Store(t)).Document(); len(plain.Tables) != 9 {
		t.Errorf("%d tables without schemas", len(plain.Tables))
	}
}

func TestSchemaFigures(t *testing.T) {
	set := load(t, made.SchemaSet.Store(t))
	figures := map[string]*plots.Figure{}
	for _, f := range set.Figures() {
		figures[f.Name] = f
	}
	for name, want := range map[string]string{
		"ttfm":     "share of schemas over time from the schema to the first mask; panels maskbench; lines naive, trie, trie #2, psc (compile=lazy)",
		"tbm":      "share of steps over time of one step (commit and mask); panels first, again; lines naive, trie, trie #2, psc (compile=lazy)",
		"tbm-tail": "steps at least as slow over time of one step (commit and mask); panels first, again; lines naive, trie, trie #2, psc (compile=lazy)",
	} {
		if f := figures[name]; f == nil || about(f) != want {
			t.Errorf("%s: not %s", name, want)
		} else if f.Columns != 2 && strings.HasPrefix(name, "tbm") {
			t.Errorf("%s: the pairs stand in %d columns", name, f.Columns)
		} else if got := f.Panels[0].Series[0].Y[0]; (got == 1) != strings.HasSuffix(name, "tail") {
			t.Errorf("%s begins at %v", name, got)
		}
	}
	if figures["ttfm-tail"] != nil {
		t.Error("a tail of 14 schemas")
	}
	if n := len(load(t, made.Sets["few"].Store(t)).Figures()); n != 3 { // without a tail: the steps are too few
		t.Errorf("%d figures without schemas, want 3", n)
	}
}

// about is what a figure shows, in a line.
func about(f *plots.Figure) string {
	var panels, lines []string
	for _, p := range f.Panels {
		panels = append(panels, p.Title)
	}
	for _, e := range f.Legend {
		lines = append(lines, e.Label)
	}
	return fmt.Sprintf("%s over %s; panels %s; lines %s", f.YLabel, f.XLabel, strings.Join(panels, ", "), strings.Join(lines, ", "))
}

// TestNoSchemas: a corpus none of whose schemas compiles, and one without groups and instances.
func TestNoSchemas(t *testing.T) {
	m := made.SchemaSet
	m.Change = func(r *cell.Record, _ []cell.Trace) {
		r.Schemas = &cell.SchemaOptions{WhiteSpace: "any", Order: "any", Lenient: true}
		r.Problems = []cell.Problem{{ID: "a", Outcome: cell.Unsupported, Stage: cell.StageGrammar, Reason: "no"}}
		for i := range r.Samples {
			r.Samples[i].Outcome = cell.Unsupported
		}
		r.Outcome = cell.Unsupported
	}
	set := load(t, m.Store(t))
	for _, format := range Formats {
		if out := render(t, set, format); out == "" {
			t.Errorf("%s: nothing", format)
		}
	}
	text := strings.Join(strings.Fields(render(t, set, "text")), " ")
	for _, want := range []string{"0 of 1 = 0%", "lenient: what is not supported is left out", "order of keys: any"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestSchemasAmongPrograms: a set with both kinds of workloads has the tables of both, and each
// figure once.
func TestSchemasAmongPrograms(t *testing.T) {
	m := made.Results{Workloads: []string{"json", "maskbench"}, Vocabulary: []int{32000}, Samples: 15, Change: func(r *cell.Record, traces []cell.Trace) {
		if r.Workload == "maskbench" {
			made.OfSchemas(r, traces)
		}
	}}
	set := load(t, m.Store(t))
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
