package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// loud runs a command line with its progress.
func loud(t *testing.T, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	status := run(t.Context(), args, strings.NewReader(""), &out, &errOut)
	return result{status, out.String(), errOut.String()}
}

// small is the result of smallRun, which the first test that asks measures; TestMain removes it.
var small struct {
	sync.Once
	dir string
	ran result
}

// smallRun measures two cells of a few steps each, once for all tests, and returns the result
// directory, which nobody changes.
func smallRun(t *testing.T) (dir string, r result) {
	t.Helper()
	small.Do(func() {
		cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie, psc]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: schema, dataset: {name: schema-samples, limit: 1}}]\nmeasure: {repeat: 1, compiles: 1}\n")
		small.dir = must.Get(os.MkdirTemp("", "gcdbench-small"))(t)
		small.ran = loud(t, "run", cfg, "--out", small.dir)
	})
	if small.ran.status != exitOK {
		t.Fatalf("run: %d %s", small.ran.status, small.ran.err)
	}
	return small.dir, small.ran
}

// TestRunEndsShort: a run ends with a summary and a line that says where all else is; the tables
// are in the report.
func TestRunEndsShort(t *testing.T) {
	dir, r := smallRun(t)
	if !strings.HasPrefix(r.out, "gcdbench: c\n") || strings.Contains(r.out, "Time of one mask") {
		t.Errorf("the end of a run:\n%s", r.out)
	}
	said := lines(r.err)
	last, next := said[len(said)-2], said[len(said)-1]
	if want := "all tables: " + filepath.Join(dir, "report", "report.html") + ", or gcdbench report " + dir; next != want {
		t.Errorf("what to open next: %s, want %s", next, want)
	}
	if !strings.HasPrefix(last, "written: "+filepath.Join(dir, "report")+" (report.txt, report.md, report.html, schemas.csv, ") || !strings.HasSuffix(last, " plots)") {
		t.Errorf("where all else is: %s", last)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report", "report.txt"))
	if report := gcdbench(t, "", "report", dir); err != nil || report.out != string(text) || !strings.Contains(report.out, "Time of one mask") || !strings.HasPrefix(report.out, r.out) {
		t.Errorf("%v, report.txt:\n%s\nreport:\n%s", err, text, report.out)
	}
}

// TestFilesInWords: plots are counted, whatever formats they are in.
func TestFilesInWords(t *testing.T) {
	for want, files := range map[string][]string{
		"":                               nil,
		"report.txt":                     {"d/report.txt"},
		"report.md, schemas.csv, 1 plot": {"d/report.md", "d/schemas.csv", "d/ecdf.svg", "d/ecdf.png"},
		"report.md, 2 plots":             {"report.md", "a.svg", "a.png", "a.pdf", "b-1.5.pdf"},
	} {
		if got := filesInWords(files); got != want {
			t.Errorf("%v: %q, want %q", files, got, want)
		}
	}
}

// TestReportTells: results that are damaged are no success, nor JSON and CSV of unfinished ones,
// and
//
// standard error says why; what is printed stays JSON and CSV.
func TestReportTells(t *testing.T) {
	whole, _ := smallRun(t)
	dir := t.TempDir()
	must.OK(t, os.CopyFS(dir, os.DirFS(whole)))
	formats := [][]string{{"--format", "json"}, {"--json"}, {"--format", "csv"}, {"--format", "csv", "--by", "schema"}, {"--format", "csv", "--out", t.TempDir()}}
	for _, args := range formats {
		if r := gcdbench(t, "", append([]string{"report", dir}, args...)...); r.status != exitOK || r.err != "" {
			t.Errorf("%v of all: exit status %d, %s", args, r.status, r.err)
		}
	}
	cells, err := filepath.Glob(filepath.Join(dir, "cells", "*.json"))
	if err != nil || len(cells) != 2 {
		t.Fatalf("%v, %v", cells, err)
	}
	for _, c := range []struct {
		about  string
		damage func() error
		parts  []string
	}{
		{"damaged", func() error { return os.Truncate(cells[0], 100) }, []string{"gcdbench: warning: ", "damaged", "not finished, and not in any table: "}},
		{"not finished", func() error { return os.Remove(cells[0]) }, []string{"gcdbench: warning: not finished, and not in any table: "}},
	} {
		must.OK(t, c.damage())
		for _, args := range formats {
			r := gcdbench(t, "", append([]string{"report", dir, "--quiet"}, args...)...)
			if r.status != exitFailure {
				t.Errorf("%s, %v: exit status %d", c.about, args, r.status)
			}
			for _, part := range c.parts {
				if !strings.Contains(r.err, part) {
					t.Errorf("%s, %v: no %q in %s", c.about, args, part, r.err)
				}
			}
			if slices.Contains(args, "json") || slices.Contains(args, "--json") {
				o := object(t, r.out)
				if len(o["cells"].([]any)) != 1 || len(o["missing"].([]any)) != 1 || (len(o["warnings"].([]any)) == 1) != (c.about == "damaged") {
					t.Errorf("%s: %v cells, warnings %v, missing %v", c.about, len(o["cells"].([]any)), o["warnings"], o["missing"])
				}
			} else if strings.Contains(r.out, "warning") {
				t.Errorf("%s, %v: %s", c.about, args, r.out)
			}
		}
		want := map[bool]int{true: exitFailure, false: exitOK}[c.about == "damaged"]
		if r := gcdbench(t, "", "report", dir); r.status != want || !strings.Contains(r.out, "not finished") {
			t.Errorf("%s as text: exit status %d, %s", c.about, r.status, r.out)
		}
	}
}

// TestReportChoice: tables and columns can be chosen, and what there is not is refused with what
// there is.
func TestReportChoice(t *testing.T) {
	dir, _ := smallRun(t)
	r := gcdbench(t, "", "report", dir, "--table", "ttfm,masks", "--table", "steps", "--columns", "n,p50")
	if r.status != exitOK || !strings.Contains(r.out, "Time of one mask") || strings.Contains(r.out, "Right answers") || strings.Contains(r.out, "p99 µs") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
	paper := t.TempDir()
	r = gcdbench(t, "", "report", dir, "--format", "latex", "--out", paper, "--table", "masks", "--fit", "column")
	if text, err := os.ReadFile(filepath.Join(paper, "masks.tex")); r.status != exitOK || err != nil || !strings.Contains(string(text), `\begin{table}`) {
		t.Errorf("exit status %d, %v: %s%s", r.status, err, text, r.err)
	}
	if got := lines(r.out); len(got) < 3 || got[0] != filepath.Join(paper, "masks.tex") || got[1] != filepath.Join(paper, "about.tex") || got[2] != filepath.Join(paper, "main.tex") {
		t.Errorf("written: %q", got)
	}
	for want, args := range map[string][]string{
		`no table "mask"; there are summary-steps, `:        {"--table", "mask"},
		`no column "p51"; there are `:                       {"--columns", "p51"},
		"choose of tables; csv":                             {"--format", "csv", "--table", "masks"},
		"json has all fields":                               {"--json", "--columns", "p50"},
		"--fit is page or column":                           {"--format", "latex", "--fit", "poster"},
		"--fit goes with --format latex, not with markdown": {"--format", "markdown", "--fit", "column"},
		"--table is empty":                                  {"--table", ""},
		"--columns is empty":                                {"--columns", ""},
	} {
		if r := gcdbench(t, "", append([]string{"report", dir}, args...)...); r.status != exitUsage || !strings.Contains(r.err, want) || r.out != "" {
			t.Errorf("%v: exit status %d, no %q in %s", args, r.status, want, r.err)
		}
	}
}

// TestHiddenOnTerminal: whatever a corpus, a configuration or a schema calls its things, no command
// sends it to a terminal as it is.
func TestHiddenOnTerminal(t *testing.T) {
	seed.Usual(t)
	const evil = "\x1b[31m\x07\u202e"
	const escaped = `\x1b[31m\x07\u202e`
	corpus := write(t, "d.jsonl", `{"id": "a\u001b[31m\u0007\u202e\nfake: accepted", "content": "[1"}`+"\n")
	schemas := write(t, "s.jsonl", `{"id": "a\u001b[31m\u0007\u202e", "schema": {"properties": {"k\u001b[31m\u0007\u202e": {"const": 1}}, "required": ["k\u001b[31m\u0007\u202e"]}, "tests": [{"valid": true, "data": {}}]}`+"\n"+
		`{"id": "b\u001b[31m\u0007\u202e", "schema": {"uniqueItems\u001b[31m\u0007\u202e": 1, "$ref": "#/x\u001b[31m\u0007\u202e"}}`+"\n")
	cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{name: \"w\\e[31m\\a\\u202e\", grammar: json, dataset: {name: json-samples, limit: 1, negatives: 0}}]\n")
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args []string
		name bool // the name is to be seen
	}{
		{[]string{"grammar", "check", "--grammar", "json", "--jsonl", corpus}, true},
		{[]string{"schema", "check", "--corpus", schemas}, true},
		{[]string{"schema", "check", "--corpus", schemas, "--json"}, false},
		{[]string{"schema", "compile", write(t, "s.json", `{"properties": {"k\u001b[31m\u0007\u202e": {"const": 1}}}`)}, false},
		{[]string{"grammar", "show", write(t, "g.lark", "start: \"a"+evil+"\" B\nB: /b+/\n")}, false},
		{[]string{"plan", cfg, "--out", out}, true},
		{[]string{"verify", cfg}, true},
		{[]string{"run", cfg, "--out", out}, true},
		{[]string{"run", "no" + evil + ".yaml"}, true},
		{[]string{"report", out}, true},
		{[]string{"report", out, "--format", "json"}, false},
	} {
		r := loud(t, c.args...)
		if i := strings.IndexAny(r.out+r.err, "\x1b\x07\u202e"); i >= 0 {
			t.Errorf("%v: raw characters in %q", c.args, (r.out + r.err)[max(0, i-40):])
		}
		if c.name && !strings.Contains(r.out+r.err, escaped) {
			t.Errorf("%v: the name is not to be seen in %s%s", c.args, r.out, r.err)
		}
		if strings.Contains(r.out, "\nfake: accepted") {
			t.Errorf("%v: an id made a line of its own: %s", c.args, r.out)
		}
	}
}
