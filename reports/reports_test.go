package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// load loads directories.
func load(t *testing.T, dirs ...string) *Set {
	t.Helper()
	return must.Get(Load(dirs...))(t)
}

// one loads a set of a single workload and vocabulary, changed by f.
func one(t *testing.T, f func(r *cell.Record, traces []cell.Trace)) *Set {
	t.Helper()
	return load(t, made.One(t, f))
}

func render(t *testing.T, set *Set, format string) string {
	t.Helper()
	var b strings.Builder
	must.OK(t, Write(&b, set, format))
	return b.String()
}

// TestGolden compares every format of every set byte for byte.
func TestGolden(t *testing.T) {
	for name, m := range made.Sets {
		set := load(t, m.Store(t))
		for _, format := range []string{"text", "markdown", "latex", "csv", "json"} {
			got := render(t, set, format)
			path := filepath.Join("testdata", name+"."+Extension(format))
			if format == "json" && name != "failures" {
				continue // its fields are tested below; one golden file shows it
			}
			if *update {
				must.OK(t, os.MkdirAll("testdata", 0o755))
				must.OK(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want := must.Get(os.ReadFile(path))(t)
			if got != string(want) {
				t.Errorf("%s differs from the golden file; run: go test ./reports -update\n%s", path, got)
			}
		}
	}
}

// TestContract checks the names that scripts rely on.
func TestContract(t *testing.T) {
	var report struct {
		Cells []map[string]json.RawMessage `json:"cells"`
	}
	out := render(t, load(t, made.Sets["quick"].Store(t)), "json")
	must.OK(t, json.Unmarshal([]byte(out), &report))
	if len(report.Cells) != 8 {
		t.Fatalf("%d cells, want 8", len(report.Cells))
	}
	for _, c := range report.Cells {
		for _, field := range strings.Fields("algorithm options tokenizer workload outcomes positives positives_passed negatives negatives_passed engine_bytes compile_peak_bytes provenance") {
			if _, ok := c[field]; !ok {
				t.Errorf("a cell has no %s", field)
			}
		}
		for _, field := range strings.Fields("compile_ns first_mask_ns ttfm_ns") {
			checkSummary(t, field, c[field])
		}
		for _, field := range strings.Fields("mask_ns lookup_ns commit_ns tbm_ns") {
			if string(c["algorithm"]) != `"psc"` && field == "lookup_ns" {
				if string(c[field]) != "null" {
					t.Errorf("%s of an engine without views: %s", field, c[field])
				}
				continue
			}
			var states map[string]json.RawMessage
			if err := json.Unmarshal(c[field], &states); err != nil || len(states) != 4 {
				t.Errorf("%s: %v, %s", field, err, c[field])
			}
			for _, state := range strings.Fields("fresh new again first") {
				checkSummary(t, field+"."+state, states[state])
			}
		}
	}
}

// checkSummary wants all figures of a summary, and null for those of too few values.
func checkSummary(t *testing.T, field string, text json.RawMessage) {
	t.Helper()
	var s map[string]*float64
	if err := json.Unmarshal(text, &s); err != nil || s["n"] == nil {
		t.Errorf("%s: %v, %s", field, err, text)
		return
	}
	for _, figure := range strings.Fields("n mean p50 p90 p99 p999 max") {
		v, ok := s[figure]
		few := figure == "p99" && *s["n"] < 100 || figure == "p999" && *s["n"] < 1000
		if !ok || few != (v == nil) || !few && *v <= 0 {
			t.Errorf("%s has no %s, or one of too few values: %s", field, figure, text)
		}
	}
}

// TestWrongMaskGetsNoTime: neither figures nor ratios nor a line in a plot.
func TestWrongMaskGetsNoTime(t *testing.T) {
	set := load(t, made.Sets["failures"].Store(t))
	var wrong *result.Cell
	for _, c := range set.Cells {
		if c.Outcome == cell.WrongMask {
			wrong = c
		}
	}
	if wrong == nil {
		t.Fatal("no cell with a wrong mask")
	}
	if wrong.MaskNS != nil || wrong.CommitNS != nil || wrong.TBMNS != nil || wrong.CompileNS != nil || wrong.FirstMaskNS != nil ||
		wrong.CloneNS != nil || wrong.ColdMaskNS != nil || wrong.Intervals != nil || wrong.Against != nil || wrong.Common != nil {
		t.Errorf("it has times: %+v", wrong)
	}
	if wrong.Outcomes[cell.WrongMask] != 1 || wrong.PositivesPassed != 4 || wrong.Positives != 5 {
		t.Errorf("counts %v, %d of %d passed", wrong.Outcomes, wrong.PositivesPassed, wrong.Positives)
	}
	for _, n := range set.Noise() {
		if n.Workload == wrong.Workload {
			t.Errorf("it is in a noise comparison: %+v", n)
		}
	}
	for _, f := range set.Figures() {
		for _, p := range f.Panels {
			for _, s := range p.Series {
				if p.Title == wrong.Workload && s.Label == wrong.Label {
					t.Errorf("it has a line in the figure %s", f.Name)
				}
			}
		}
	}
}

// TestCommonSubset: naive timed out on two of five samples of java.
func TestCommonSubset(t *testing.T) {
	set := load(t, made.Sets["failures"].Store(t))
	for _, c := range set.Cells {
		if c.Workload != "java" || c.MaskNS == nil {
			continue
		}
		if c.Common.Samples != 3 || c.Common.MaskNS.N != 3*40 {
			t.Errorf("%s: %d common samples with %d positions, want 3 with 120", c.Label, c.Common.Samples, c.Common.MaskNS.N)
		}
		if want := map[bool]int{true: 3 * 40, false: 4 * 40}[c.Label == "naive"]; c.MaskNS.New.N != want {
			t.Errorf("%s: n %d, want %d", c.Label, c.MaskNS.New.N, want)
		}
	}
}

func TestFewSamplesHaveNoIntervals(t *testing.T) {
	set := load(t, made.Sets["few"].Store(t))
	for _, c := range set.Cells {
		if c.Intervals != nil {
			t.Errorf("%s has intervals of two samples", c.Label)
		}
		if c.Against != nil && (c.Against.Mask.Interval.Valid() || c.Against.Mask.Same()) {
			t.Errorf("%s: %+v", c.Label, c.Against)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := made.Sets["few"].Store(t)
	store := must.Get(cell.Open(dir))(t)
	keys, _ := store.Keys()
	t.Run("a damaged cell is left out with a warning", func(t *testing.T) {
		path := filepath.Join(dir, "cells", keys[0]+".json")
		whole, _ := os.ReadFile(path)
		defer os.WriteFile(path, whole, 0o644)
		must.OK(t, os.WriteFile(path, whole[:len(whole)/2], 0o644))
		set := load(t, dir)
		if len(set.Cells) != 3 || len(set.Missing) != 1 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "is damaged") {
			t.Errorf("%d cells, missing %v, warnings %q", len(set.Cells), set.Missing, set.Warnings)
		}
		if text := render(t, set, "text"); !strings.Contains(text, "not finished, and not in any table") {
			t.Errorf("the report does not say what is missing:\n%s", text)
		}
	})
	t.Run("cells of another configuration are left out with a warning", func(t *testing.T) {
		m, _ := store.Manifest()
		all := m.Cells
		m.Cells = m.Cells[:2]
		must.OK(t, store.PutManifest(m))
		set := load(t, dir)
		if len(set.Cells) != 2 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "2 cells of an earlier configuration") {
			t.Errorf("%d cells, warnings %q", len(set.Cells), set.Warnings)
		}
		m.Cells = all
		must.OK(t, store.PutManifest(m))
	})
	t.Run("without a manifest, all cells", func(t *testing.T) {
		must.OK(t, os.Remove(filepath.Join(dir, "run.json")))
		if set := load(t, dir); len(set.Cells) != 4 || set.Name() != "results" || set.Whole() || !strings.Contains(set.Warnings[0], "run.json is damaged: it is not there") {
			t.Errorf("%d cells of %s", len(set.Cells), set.Name())
		}
	})
	t.Run("two directories", func(t *testing.T) {
		if set := load(t, made.Sets["few"].Store(t), made.Sets["sweep"].Store(t)); len(set.Cells) != 4+12 || set.Name() != "example, example" {
			t.Errorf("%d cells of %s", len(set.Cells), set.Name())
		}
	})
	t.Run("nothing", func(t *testing.T) {
		var none *result.NoResultsError
		if _, err := Load(t.TempDir()); !errors.As(err, &none) {
			t.Errorf("an empty directory: %v", err)
		}
		if _, err := Load(filepath.Join(dir, "no")); err == nil {
			t.Error("a missing directory is no error")
		}
	})
}

func TestUnknownFormat(t *testing.T) {
	var unknown *FormatError
	if err := Write(io.Discard, &Set{Set: &result.Set{}}, "pdf"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "text, markdown, latex, csv, json, html") {
		t.Errorf("%v", err)
	}
	if got := render(t, &Set{Set: &result.Set{}}, "json"); strings.TrimSpace(got) != "{\n \"name\": \"results\",\n \"cells\": [],\n \"run\": null,\n \"warnings\": [],\n \"missing\": [],\n \"about\": []\n}" {
		t.Errorf("no cells: %s", got)
	}
}

// TestHTML: the page of failures shows them, is the same every time, and has its figures.
func TestHTML(t *testing.T) {
	m := made.Sets["failures"]
	page := render(t, load(t, m.Store(t)), "html")
	if again := render(t, load(t, m.Store(t)), "html"); again != page {
		t.Error("two pages of the same results differ")
	}
	if n := strings.Count(page, "<svg"); n != 4 {
		t.Errorf("%d figures, want 4", n)
	}
	if !strings.Contains(page, "&#34;|_&amp;%&#34; is masked") {
		t.Error("a detail is not escaped")
	}
}

// TestEscaping puts every special character into names and wants tables that
// keep their shape.
func TestEscaping(t *testing.T) {
	nasty := `a|b_c*d{e}f$g&h#i%j\k^l~m<n>o"p` + "`q[r]"
	m := made.Results{Workloads: []string{"json"}, Vocabulary: []int{2000}, Samples: 3, Change: func(r *cell.Record, _ []cell.Trace) { r.Workload = nasty }}
	set := load(t, m.Store(t))
	markdown := render(t, set, "markdown")
	columns := 0
	for _, line := range strings.Split(markdown, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("a row with %d bars in a table with %d:\n%s", n, columns, line)
		}
	}
	latex := strings.NewReplacer(`\penalty5000{}`, "", `\penalty9000{}`, "").Replace(render(t, set, "latex"))
	if !strings.Contains(latex, `a\textbar{}b\_c*d\{e\}f\$g\&h\#i\%j\textbackslash{}k\textasciicircum{}l$\sim$m\textless{}n\textgreater{}o''{}p`) {
		t.Errorf("LaTeX:\n%s", latex)
	}
	if open, closed := strings.Count(latex, "{")-strings.Count(latex, `\{`), strings.Count(latex, "}")-strings.Count(latex, `\}`); open != closed {
		t.Errorf("LaTeX has %d { and %d }", open, closed)
	}
	rows, err := csv.NewReader(strings.NewReader(render(t, set, "csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[1][0] != nasty {
		t.Errorf("CSV: %d rows, %v", len(rows), err)
	}
	if text := render(t, set, "text"); !strings.Contains(text, nasty) {
		t.Errorf("text:\n%s", text)
	}
}

// TestTextColumns: tablewriter must leave heads as they are and cells whole.
func TestTextColumns(t *testing.T) {
	text := render(t, load(t, made.Sets["quick"].Store(t)), "text")
	for _, want := range []string{"p99 µs", "mean µs [95%]", "trie #2", "psc (compile=lazy)", "x faster ["} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text:\n%s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasSuffix(line, " ") {
			t.Errorf("the line ends in blanks: %q", line)
		}
		if n := utf8.RuneCountInString(line); n > 150 {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
}

func TestWriteFiles(t *testing.T) {
	set := load(t, made.Sets["sweep"].Store(t))
	dir := filepath.Join(t.TempDir(), "new")
	paths := must.Get(WriteFiles(dir, set, "html"))(t)
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
		if data, err := os.ReadFile(p); err != nil || len(bytes.TrimSpace(data)) == 0 {
			t.Errorf("%s: %v", p, err)
		}
	}
	want := "report.html"
	for _, name := range []string{"o200k_base--2000", "o200k_base--20000", "o200k_base--200019"} {
		for _, figure := range []string{"ecdf", "steps-tail", "tradeoff", "cumulative"} {
			want += fmt.Sprintf(" %s-%s.svg %[1]s-%[2]s.png %[1]s-%[2]s.pdf", figure, name)
		}
	}
	want += " throughput.svg throughput.png throughput.pdf"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("files\n%s, want\n%s", got, want)
	}
}
