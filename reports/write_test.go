package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/plots"
	"gcdbench/reports/result"
	"gcdbench/reports/tables"
)

// full is a stream that takes some bytes and then no more, like a full disk.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

// TestFullDisk: in every format, half a report is an error.
func TestFullDisk(t *testing.T) {
	seed.Usual(t)
	set := load(t, made.SchemaSet.Store(t))
	for _, format := range seed.Some(t, Formats, 2, 1, 1) {
		size := len(render(t, set, format))
		for _, room := range []int{0, size - 1} {
			if err := Write(&full{room}, set, format); !errors.Is(err, errFull) {
				t.Errorf("%s of %d bytes with room for %d: %v", format, size, room, err)
			}
		}
		if err := Write(&full{size}, set, format); err != nil {
			t.Errorf("%s with room enough: %v", format, err)
		}
	}
	for _, room := range []int{0, 1000} {
		if err := WriteSchemas(&full{room}, set); !errors.Is(err, errFull) {
			t.Errorf("schemas with room for %d: %v", room, err)
		}
	}
}

// TestWriteFilesInTheWay: a file that cannot be written is an error that names it, and what was
// written before is told.
func TestWriteFilesInTheWay(t *testing.T) {
	seed.Usual(t)
	dir := t.TempDir()
	must.OK(t, os.Mkdir(filepath.Join(dir, "schemas.csv"), 0o755))
	set := load(t, made.SchemaSet.Store(t))
	paths, err := WriteFiles(dir, set, "csv")
	if err == nil || !strings.Contains(err.Error(), "cannot write the report: ") || !strings.Contains(err.Error(), "schemas.csv") {
		t.Errorf("%v", err)
	}
	if len(paths) != 1 || filepath.Base(paths[0]) != "report.csv" {
		t.Fatalf("written: %v", paths)
	}
	if _, err := WriteFiles(filepath.Join(paths[0], "below"), set, "csv"); err == nil || !strings.Contains(err.Error(), "report.csv") {
		t.Errorf("below a file: %v", err)
	}
	if _, err := WriteFiles(t.TempDir(), &Set{Set: &result.Set{}}, "docx"); err == nil {
		t.Error("an unknown format is no error")
	}
}

// TestHTMLOfSchemas: each heading and figure has an id of its own, to link to.
func TestHTMLOfSchemas(t *testing.T) {
	page := render(t, load(t, made.SchemaSet.Store(t)), "html")
	seen := map[string]bool{}
	for _, part := range strings.Split(page, ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if seen[id] {
			t.Errorf("two elements have the id %s", id)
		}
		seen[id] = true
	}
	for _, id := range strings.Fields("schemas schema-failures schema-verdicts schema-groups slowest-ttfm slowest-tbm published-schemas figure-ecdf figure-tradeoff figure-ttfm figure-tbm figure-tbm-tail") {
		if !seen[id] {
			t.Errorf("no element has the id %s", id)
		}
	}
	if !strings.Contains(page, "a | b &amp; 50%") || strings.Contains(page, "b & 50") {
		t.Error("a reason is not escaped")
	}
}

// TestSchemaFigureNames: with several vocabularies each figure says of which it is.
func TestSchemaFigureNames(t *testing.T) {
	m := made.SchemaSet
	m.Vocabulary = []int{2000, 32000}
	var names []string
	for _, f := range load(t, m.Store(t)).Figures() {
		names = append(names, f.Name)
	}
	all := strings.Join(names, " ")
	for _, size := range m.Vocabulary {
		for _, name := range []string{"ttfm", "tbm", "tbm-tail"} {
			if want := fmt.Sprintf("%s-o200k_base--%d", name, size); !strings.Contains(" "+all+" ", " "+want+" ") {
				t.Errorf("no figure is called %s: %s", want, all)
			}
		}
	}
}

// TestGroupTimesInReports: a corpus that is large enough has the table of times by group behind
// that of steps, in all formats.
func TestGroupTimesInReports(t *testing.T) {
	m := made.SchemaSet
	m.Change = func(r *cell.Record, traces []cell.Trace) {
		made.OfSchemas(r, traces)
		for i := len(r.Problems); i < tables.FewSchemas+4; i++ {
			r.Problems = append(r.Problems, cell.Problem{ID: fmt.Sprintf("more%d", i), Group: "more", Outcome: cell.OK, GrammarNS: []int64{1e6}, CompileNS: []int64{1e6}, FirstMaskNS: []int64{1e6}})
		}
	}
	set := load(t, m.Store(t)) // naive has 100 schemas with times, and so all have a line in the tail
	if i := slices.IndexFunc(set.Figures(), func(f *plots.Figure) bool { return f.Name == "ttfm-tail" }); i < 0 || len(set.Figures()[i].Legend) != 4 {
		t.Error("no figure of the tail")
	}
	var ids []string
	for _, table := range set.Document().Tables {
		ids = append(ids, table.ID)
	}
	if order := strings.Join(ids, " "); !strings.Contains(order, " ttfm requests schema-group-times masks steps ") {
		t.Errorf("tables %s", order)
	}
	for format, part := range map[string]string{"text": " more ", "markdown": "| more ", "latex": `\label{tab:schema-group-times}`, "html": `<figure id="figure-ttfm-tail">`, "json": `"group": "more"`} {
		if !strings.Contains(render(t, set, format), part) {
			t.Errorf("%s: no %q", format, part)
		}
	}
}
