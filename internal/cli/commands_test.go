package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/seed"
)

// TestProgram runs a command as the program does.
func TestProgram(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := Main([]string{"list", "grammars", "--json"}, strings.NewReader(""), &out, &errOut); status != exitOK || errOut.Len() > 0 || strings.Count(out.String(), "\n") < 5 {
		t.Errorf("exit status %d: %s%s", status, out.String(), errOut.String())
	}
	if status := Main([]string{"nothing"}, strings.NewReader(""), &out, &errOut); status != exitUsage {
		t.Errorf("exit status %d", status)
	}
}

// TestInterrupted: every command that computes ends early when it is interrupted, as interrupted
// and nothing else.
func TestInterrupted(t *testing.T) {
	grammar, schema, text := write(t, "tiny.lark", tiny), write(t, "s.json", `{"properties": {`+manyKeys(300)+`}}`), write(t, "x", "ab")
	instances := write(t, "i.jsonl", `{"data": {}}`+"\n")
	texts := write(t, "t.jsonl", `{"text": "a"}`+"\n")
	documents := write(t, "d.jsonl", `{"id": "1", "content": "ab"}`+"\n")
	for _, args := range [][]string{
		{"schema", "compile", schema},
		{"schema", "check", schema, text},
		{"schema", "check", schema, "--jsonl", instances},
		{"schema", "check", "--corpus", "schema-samples"},
		{"grammar", "show", schema},
		{"grammar", "check", "-g", grammar, "--jsonl", documents},
		{"mask", "-g", schema, "-t", "r50k_base[:300]"},
		{"tokenize", "-t", "r50k_base[:300]", "--jsonl", texts},
		{"plan", "../../configs/quickstart.yaml"},
		{"verify", "../../configs/quickstart.yaml"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, errOut bytes.Buffer
		if status := run(ctx, append(args, "--quiet"), strings.NewReader(""), &out, &errOut); status != exitFailure || errOut.String() != "gcdbench: interrupted\n" {
			t.Errorf("%v: exit status %d: %.300s%s", args, status, out.String(), errOut.String())
		}
	}
}

// TestLegalityJSON: the analysis as an object, with progress on standard error alone.
func TestLegalityJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	status := run(t.Context(), []string{"grammar", "legality", write(t, "tiny.lark", tiny), "-t", "r50k_base[:300]", "--json"}, strings.NewReader(""), &out, &errOut)
	if status != exitOK || len(lines(out.String())) != 1 || len(object(t, out.String())) < 5 || errOut.Len() == 0 {
		t.Errorf("exit status %d: %s%s", status, out.String(), errOut.String())
	}
}

// TestLegalityPage: the tables of several analyses, with the stores, and the command.
func TestLegalityPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	r := gcdbench(t, "", "grammar", "legality", write(t, "tiny.lark", tiny), "-t", "r50k_base[:300]", "-t", "r50k_base[:400]", "--store", "--page", page)
	text, err := os.ReadFile(page)
	if r.status != exitOK || err != nil {
		t.Fatalf("exit status %d: %s%s, %v", r.status, r.out, r.err, err)
	}
	for _, part := range []string{"-t r50k_base[:300] -t r50k_base[:400] --store --seed 1", "| r50k_base[:400] | none |", "over the parser's tables", "[", "DFT"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	if n := strings.Count(string(text), "| r50k_base[:300] |"); n != 4 {
		t.Errorf("%d rows of the first vocabulary, want two and two stores:\n%s", n, text)
	}
	if n := strings.Count(r.out, "The mask store"); n != 2 {
		t.Errorf("%d stores in\n%s", n, r.out)
	}
	if r := gcdbench(t, "", "grammar", "legality", "json", "--memory", "-1"); r.status != exitUsage || !strings.Contains(r.err, "--memory") {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
}

// TestReportUse: a run prints its report as JSON if asked, and report wants a directory.
func TestReportUse(t *testing.T) {
	cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie]\ntokenizers: [\"r50k_base[:300]\"]\nworkloads: [{grammar: schema, dataset: {name: schema-samples, limit: 1}}]\nmeasure: {repeat: 1, compiles: 1}\n")
	dir := filepath.Join(t.TempDir(), "out")
	r := gcdbench(t, "", "run", cfg, "--out", dir, "--json")
	if cells, _ := object(t, r.out)["cells"].([]any); r.status != exitOK || len(cells) != 1 {
		t.Errorf("exit status %d: %.300s%s", r.status, r.out, r.err)
	}
	if again := gcdbench(t, "", "report", dir, "--json"); again.out != r.out {
		t.Errorf("the report differs from what the run printed")
	}
	if csv := gcdbench(t, "", "report", dir, "--json", "--format", "csv"); !strings.HasPrefix(csv.out, "workload,tokenizer,") {
		t.Errorf("a format that is named counts more than --json: %.100s", csv.out)
	}
	if r := gcdbench(t, "", "report"); r.status != exitUsage || !strings.Contains(r.err, "which result directory?") {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
}

// TestCorpusChoice: a limit counts schemas, and ids count more than a limit.
func TestCorpusChoice(t *testing.T) {
	corpus := write(t, "mb.jsonl", `{"id": "a", "schema": {"const": 1}, "tests": [{"valid": true, "data": 1}, {"valid": false, "data": 2}]}
{"id": "b", "schema": {"const": 2}, "tests": [{"valid": true, "data": 2}]}
{"id": "c", "schema": {"const": 3}, "tests": [{"valid": true, "data": 3}]}
`)
	for _, c := range []struct {
		args               []string
		schemas, instances float64
	}{
		{nil, 3, 4},
		{[]string{"--limit", "2"}, 2, 3},
		{[]string{"--limit", "9"}, 3, 4},
		{[]string{"--limit", "1", "--id", "c"}, 1, 1},
		{[]string{"--id", "c", "--id", "a"}, 2, 3},
	} {
		r := gcdbench(t, "", append([]string{"schema", "check", "--json", "--corpus", corpus}, c.args...)...)
		got := lines(r.out)
		if sum := object(t, got[len(got)-1]); r.status != exitOK || sum["schemas"] != c.schemas || sum["instances"] != c.instances {
			t.Errorf("%v: exit status %d: %s%s", c.args, r.status, got[len(got)-1], r.err)
		}
	}
}

// TestCorpusFailure: how a schema of a corpus that has no grammar is named.
func TestCorpusFailure(t *testing.T) {
	text := []byte("{\n\"type\": \"text\"}")
	mistake := &jsonschema.SchemaError{Pointer: "/type", Message: "no such type"}
	syntax := &jsonschema.SyntaxError{Line: 2, Column: 3, Message: "expected :"}
	for _, c := range []struct {
		id, place string
		err       error
		want      string
	}{
		{"dir/a", "corpus/dir/a.json:1:1", mistake, "corpus/dir/a.json:2:9: /type: no such type"},
		{"dir/a", "corpus/dir/a.json:1:1", syntax, "corpus/dir/a.json:2:3: expected :"},
		{"a", "mb.jsonl:7:23", mistake, "a (mb.jsonl:7:23): /type: no such type"},
		{"a", "mb.jsonl:7:23", syntax, "a (mb.jsonl:7:23):2:3: expected :"},
		{"a", "", mistake, "a: /type: no such type"},
	} {
		f := corpusFailure(&datasets.Schema{ID: c.id, Place: c.place, Text: text}, c.err)
		if f.String() != c.want {
			t.Errorf("%s, %q", f, c.want)
		}
	}
}

// TestManyOverlappingStrings: the lexer of a schema is built on demand by every command but the
// analysis of legality, which says that it is too large to be built ahead.
func TestManyOverlappingStrings(t *testing.T) {
	seed.Usual(t)
	file := write(t, "many.json", overlapping(20))
	for _, args := range [][]string{{"schema", "compile", file}, {"schema", "check", file, write(t, "i.json", `{"k3": "a word3; b"}`)}, {"grammar", "show", file}, {"mask", "-g", file, "-t", "r50k_base[:300]"}} {
		if r := gcdbench(t, "", args...); r.status != exitOK {
			t.Errorf("%v: exit status %d: %s%s", args, r.status, r.out, r.err)
		}
	}
	r := gcdbench(t, "", "grammar", "legality", file, "-t", "r50k_base[:300]", "--sample", "-1")
	if r.status != exitUsage || !strings.Contains(r.err, "unsupported: this needs every state of the schema's lexer") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
}

// overlapping is a schema of n strings that each contain a word of their own: a text may match any
// subset of them, so that the whole automaton has a state for each subset.
func overlapping(n int) string {
	var strs []string
	for i := range n {
		strs = append(strs, fmt.Sprintf(`"k%d": {"type": "string", "pattern": "word%d;"}`, i, i))
	}
	return `{"properties": {` + strings.Join(strs, ", ") + `}}`
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "a\nb": "a", strings.Repeat("é", 200): strings.Repeat("é", 200), strings.Repeat("é", 201): strings.Repeat("é", 200) + "..."} {
		if got := oneLine(errors.New(in)); got != want {
			t.Errorf("%.20q: %.20q", in, got)
		}
	}
}
