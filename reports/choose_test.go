package reports

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
)

// TestColumnID: what columns are called on the command line.
func TestColumnID(t *testing.T) {
	for head, want := range map[string]string{
		"n": "n", "p99 µs": "p99", "p99.9 µs": "p99.9", "mean µs [95%]": "mean", "time against the first [95%]": "time-against-the-first",
		"first mask p50 ms": "first-mask-p50", "right %": "right-%", "Right, of all": "right-of-all", "bytes": "bytes", "engine MiB": "engine", "mean": "mean", "[x]": "",
	} {
		if got := document.ColumnID(head); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

// TestChoose: a choice holds in every format that has tables.
func TestChoose(t *testing.T) {
	set := load(t, made.Sets["failures"].Store(t))
	must.OK(t, set.Choose(document.Choice{Tables: []string{"masks"}, Columns: []string{"p50 µs", "algorithm", "mean"}}))
	d := set.Document()
	if len(d.Tables) != 1 || len(d.Summary)+len(d.Lead) != 0 {
		t.Fatalf("%d tables", len(d.Tables))
	}
	table := d.Tables[0]
	var heads []string
	for _, c := range table.Columns {
		heads = append(heads, c.Head)
	}
	if got := strings.Join(heads, "|"); got != "workload|algorithm|engine|mean µs [95%]|p50 µs" {
		t.Errorf("columns %s", got)
	}
	for _, row := range table.Rows {
		if len(row) != len(heads) {
			t.Errorf("the row %v", row)
		}
	}
	for format, part := range map[string]string{"text": "p50 µs", "markdown": "| p50 µs", "latex": `p50 $\mu$s`, "html": "p50 µs</th>"} {
		if text := render(t, set, format); !strings.Contains(text, part) || strings.Contains(text, "p90") || strings.Contains(text, "Right answers") {
			t.Errorf("%s:\n%s", format, text)
		}
	}
	if all := render(t, load(t, made.Sets["failures"].Store(t)), "json"); render(t, set, "json") != all {
		t.Error("a choice changes the JSON")
	}
}

// TestChooseUnknown: a name that nothing has is an error that lists what there is, and changes
// nothing.
func TestChooseUnknown(t *testing.T) {
	set := load(t, made.Sets["quick"].Store(t))
	for _, c := range []struct {
		choice document.Choice
		want   string
	}{
		{document.Choice{Tables: []string{"masks", "mask"}}, `no table "mask"; there are summary-steps, summary-bill, verdicts, masks, steps, bill, spent, memory, noise, clock, counters`},
		{document.Choice{Columns: []string{"p51"}}, `no column "p51"; there are json, java, n, lookup-p50, mean, p50, p90, p99, max, `},
		{document.Choice{Tables: []string{"noise"}, Columns: []string{"p50"}}, `no column "p50"; there are positions`},
	} {
		var unknown *document.ChoiceError
		if err := set.Choose(c.choice); !errors.As(err, &unknown) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.choice, err)
		}
	}
	if len(set.Document().Tables) != 9 {
		t.Errorf("%d tables", len(set.Document().Tables))
	}
}

// TestChooseRows: rows and columns about what was not chosen are left out, names stand in the first
// row that is left, and the least figure of a group is bold in LaTeX.
func TestChooseRows(t *testing.T) {
	set := load(t, made.Sets["quick"].Store(t))
	label := set.Cells[1].Label
	for _, bad := range []document.Choice{{Workloads: []string{"nothing"}}, {Algorithms: []string{"nothing"}}, {Tokenizers: []string{"nothing"}}, {States: []string{"nothing"}}} {
		var unknown *document.ChoiceError
		if err := set.Choose(bad); !errors.As(err, &unknown) || unknown.Name != "nothing" || len(unknown.Known) == 0 {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	must.OK(t, set.Choose(document.Choice{Tables: []string{"steps"}, States: []string{"new"}}))
	d := set.Document()
	if len(d.Tables) != 1 {
		t.Fatalf("%d tables", len(d.Tables))
	}
	for _, row := range d.Tables[0].Rows {
		if k := d.Tables[0].Key(row); k.State != "new" {
			t.Errorf("a row about %+v", k)
		}
	}
	if text := render(t, set, "latex"); strings.Count(text, "\\textbf{") < 2 {
		t.Errorf("nothing is bold in %s", text)
	}
	must.OK(t, set.Choose(document.Choice{Tables: []string{"steps"}, Algorithms: []string{label}, Workloads: []string{set.Cells[1].Workload}}))
	table := set.Document().Tables[0]
	if first := table.Rows[0]; first[0].Body == "" || len(table.Rows) == 0 {
		t.Errorf("the first row is %v", first)
	}
	for _, row := range table.Rows {
		if k := table.Key(row); k.Algorithm != label || k.Workload != set.Cells[1].Workload {
			t.Errorf("a row about %+v", k)
		}
	}
}
