package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

func load(t *testing.T, dirs ...string) *Set {
	t.Helper()
	set := must.Get(Load(dirs...))(t)
	return set
}

func render(t *testing.T, set *Set, format string) string {
	t.Helper()
	var b strings.Builder
	must.OK(t, Write(&b, set, format))
	return b.String()
}

// failing makes one cell of each kind of failure out of a good one.
func failing(r *cell.Record, traces []cell.Trace) {
	spoil := func(o cell.Outcome, detail string, samples ...int) {
		for _, i := range samples {
			r.Samples[i].Outcome, r.Samples[i].Detail = o, detail
		}
		r.Outcome = cell.Worse(r.Outcome, o)
	}
	switch {
	case r.Workload == "java" && r.Label == "naive":
		spoil(cell.Timeout, "not done after 1m0s", 0, 1)
	case r.Workload == "java" && r.Label == "trie":
		r.Samples[2].Refused = true
		spoil(cell.WrongMask, "at position 7 token 11 \"|_&%\" is masked and naive allows it\nsecond line", 2)
	case r.Workload == "java" && strings.HasPrefix(r.Label, "psc"):
		r.Group = []string{r.Label} // measured alone, later
		for i := range r.Samples {
			r.Samples[i].Turns = []string{cell.Turn(r.ID.Key())}
		}
	}
}

var sets = map[string]made{
	"quick":    {workloads: []string{"json", "java"}, vocabulary: []int{200019}, samples: 4},
	"sweep":    {workloads: []string{"json"}, vocabulary: []int{2000, 20000, 200019}, samples: 4},
	"failures": {workloads: []string{"json", "java"}, vocabulary: []int{32000}, samples: 5, change: failing},
	"schemas":  schemaSet,
	"few":      {workloads: []string{"json"}, vocabulary: []int{32000}, samples: 2},
}

// TestGolden compares every format of every set byte for byte.
func TestGolden(t *testing.T) {
	for name, m := range sets {
		set := load(t, m.store(t))
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
	out := render(t, load(t, sets["quick"].store(t)), "json")
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
	set := load(t, sets["failures"].store(t))
	var wrong *Cell
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
	set := load(t, sets["failures"].store(t))
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

func TestAgainst(t *testing.T) {
	set := load(t, sets["quick"].store(t))
	for _, g := range set.Groups() {
		if len(g.Cells) != 4 || g.Cells[0].Against != nil {
			t.Fatalf("group %s: %d cells, the first against %+v", g.Workload, len(g.Cells), g.Cells[0].Against)
		}
		for _, c := range g.Cells[1:] {
			a := c.Against
			if a == nil || a.Baseline != "naive" || a.Mask.N != 3*40 || a.MaskIn[stateAgain].N != 3*160 || !a.Interleaved {
				t.Fatalf("%s: %+v", c.Label, a)
			}
			// By hand: the geometric mean of the ratios of the position's times, pass by pass.
			for state, passes := range map[string][]int{stateFresh: {0}, stateNew: {0}, stateAgain: {1, 2, 3}} {
				sum, n := 0.0, 0
				for i, s := range c.steps {
					if state != stateAgain && (state == stateFresh) != (i == 0) {
						continue
					}
					for _, pass := range passes {
						for j, ns := range s.passes[pass].Mask {
							sum += math.Log(float64(ns) / float64(g.Cells[0].steps[i].passes[pass].Mask[j]))
							n++
						}
					}
				}
				if want := math.Exp(sum / float64(n)); math.Abs(a.MaskIn[state].Value/want-1) > 1e-9 || a.MaskIn[state].N != n {
					t.Errorf("%s, %s: ratio %v, want %v", c.Label, state, a.MaskIn[state], want)
				}
			}
			if a.Mask != a.MaskIn[stateNew] {
				t.Errorf("%s: the headline %v is not that of new documents", c.Label, a.Mask)
			}
		}
	}
	if noise := set.Noise(); len(noise) != 2 || noise[0].A != "trie" || noise[0].B != "trie #2" || floor(noise) <= 0 {
		t.Errorf("noise %+v", noise)
	}
}

func TestFewSamplesHaveNoIntervals(t *testing.T) {
	set := load(t, sets["few"].store(t))
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
	dir := sets["few"].store(t)
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
		if set := load(t, dir); len(set.Cells) != 4 || set.Name() != "results" {
			t.Errorf("%d cells of %s", len(set.Cells), set.Name())
		}
	})
	t.Run("two directories", func(t *testing.T) {
		if set := load(t, sets["few"].store(t), sets["sweep"].store(t)); len(set.Cells) != 4+12 || set.Name() != "example, example" {
			t.Errorf("%d cells of %s", len(set.Cells), set.Name())
		}
	})
	t.Run("nothing", func(t *testing.T) {
		var none *NoResultsError
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
	if err := Write(io.Discard, &Set{}, "pdf"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "text, markdown, latex, csv, json, html") {
		t.Errorf("%v", err)
	}
	if got := render(t, &Set{}, "json"); strings.TrimSpace(got) != "{\n \"name\": \"results\",\n \"cells\": [],\n \"run\": null,\n \"warnings\": [],\n \"missing\": [],\n \"about\": []\n}" {
		t.Errorf("no cells: %s", got)
	}
}

// TestHTML: the page of failures shows them, is the same every time, and has its figures.
func TestHTML(t *testing.T) {
	m := sets["failures"]
	page := render(t, load(t, m.store(t)), "html")
	if again := render(t, load(t, m.store(t)), "html"); again != page {
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
	m := made{workloads: []string{"json"}, vocabulary: []int{2000}, samples: 3, change: func(r *cell.Record, _ []cell.Trace) { r.Workload = nasty }}
	set := load(t, m.store(t))
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
	text := render(t, load(t, sets["quick"].store(t)), "text")
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
	set := load(t, sets["sweep"].store(t))
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

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.012345: "0.0123", 1.2345: "1.23", 12.345: "12.3", 123.45: "123", 1234.5: "1,230",
		58312: "58,300", 1234567: "1,230,000", 9.996: "10.0", 99.96: "100", 999.6: "1,000", 0.0009996: "0.00100", -1234: "-1,230",
		math.Inf(1): none, math.NaN(): none} {
		if got := significant(v); got != want {
			t.Errorf("significant(%v) = %q, want %q", v, got, want)
		}
	}
	ratios := []struct {
		r    stats.Ratio
		want string
	}{
		{stats.Ratio{}, none},
		{stats.Ratio{Value: 0.002, N: 9}, "500x faster"},
		{stats.Ratio{Value: 0.5, N: 9, Interval: stats.Interval{Low: 0.4, High: 0.625}}, "2.00x faster [1.60, 2.50]"},
		{stats.Ratio{Value: 1, N: 9}, "1.00x faster"},
		{stats.Ratio{Value: 1.5, N: 9}, "1.50x slower"},
		{stats.Ratio{Value: 3, N: 9, Interval: stats.Interval{Low: 2, High: 4}}, "3.00x slower [2.00, 4.00]"},
		{stats.Ratio{Value: 1.01, N: 9, Interval: stats.Interval{Low: 0.99, High: 1.03}}, "~ [0.990, 1.03]"},
	}
	for _, c := range ratios {
		if got := speed(c.r); got != c.want {
			t.Errorf("speed(%+v) = %q, want %q", c.r, got, c.want)
		}
	}
	if got := passed(0, 0, stats.Interval{}); got != none {
		t.Errorf("passed none of none: %q", got)
	}
	if got := letter(0) + letter(25) + letter(26) + letter(27); got != "azaaab" {
		t.Errorf("letters %q", got)
	}
}
