package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/datasets"
	"gcdbench/internal/must"
)

// result is what one command did.
type result struct {
	status   int
	out, err string
}

// gcdbench runs a command line, quietly.
func gcdbench(t testing.TB, input string, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	status := run(context.Background(), append([]string{"--quiet"}, args...), strings.NewReader(input), &out, &errOut)
	return result{status, out.String(), errOut.String()}
}

// write makes a file in a temporary directory and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// object decodes one line of JSON.
func object(t testing.TB, line string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return v
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

const tiny = "start: \"a\" B\nB: /b+/\n%ignore \" \"\n"

func TestGrammarCheck(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte("{\"id\":\"x\",\"content\":\"a bb\"}\n\n{\"id\":\"y\",\"content\":\"a\\n\"}\n")); err != nil || z.Close() != nil {
		t.Fatal("cannot compress")
	}
	jsonl := write(t, "docs.jsonl.gz", zipped.String())
	good := write(t, "good.txt", "ab")
	r := gcdbench(t, "a a", "grammar", "check", "--grammar", grammar, "--jsonl", jsonl, good, "-", "--json")
	got := lines(r.out)
	if r.status != exitFailure || len(got) != 5 {
		t.Fatalf("status %d, output %q %q", r.status, r.out, r.err)
	}
	want := []struct {
		id           string
		ok           bool
		line, column float64
	}{{"x", true, 0, 0}, {"y", false, 1, 2}, {good, true, 0, 0}, {"-", false, 1, 3}}
	for i, w := range want {
		o := object(t, got[i])
		if o["id"] != w.id || o["ok"] != w.ok {
			t.Errorf("line %d: got %s", i, got[i])
		}
		e, failed := o["error"].(map[string]any)
		if failed == w.ok || failed && (e["line"] != w.line || e["column"] != w.column || e["message"] == "") {
			t.Errorf("line %d: got %s", i, got[i])
		}
	}
	if sum := object(t, got[4]); sum["documents"] != 4.0 || sum["accepted"] != 2.0 {
		t.Errorf("the sum is %s", got[4])
	}
	r = gcdbench(t, "", "grammar", "check", "-g", grammar, good, "--quiet=false")
	if r.status != exitOK || r.out != "1 of 1 document accepted\n" {
		t.Errorf("status %d, output %q", r.status, r.out)
	}
	if r.err != "" {
		t.Errorf("a grammar without conflicts: %q", r.err)
	}
}

func TestMask(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	args := func(more ...string) []string {
		return append([]string{"mask", "--grammar", grammar, "--tokenizer", "r50k_base"}, more...)
	}
	// Every algorithm prints the same; the figures follow from the grammar and the vocabulary alone.
	var first string
	for _, alg := range []string{"naive", "trie"} {
		r := gcdbench(t, "", args("--algorithm", alg, "--prefix", "a b", "--list", "--json")...)
		o := object(t, r.out)
		if o["eos"] != true || len(o["sha256"].(string)) != 64 {
			t.Errorf("%s: got %s", alg, r.out)
		}
		for _, token := range o["tokens"].([]any) {
			text := token.(map[string]any)["text"].(string)
			if strings.Trim(strings.TrimRight(text, " "), "b") != "" && text != "<|endoftext|>" {
				t.Errorf("%s: token %q is allowed", alg, text)
			}
		}
		if float64(len(o["tokens"].([]any))) != o["allowed"] {
			t.Errorf("%s: allowed is %v, listed are %d", alg, o["allowed"], len(o["tokens"].([]any)))
		}
		if first == "" {
			first = r.out
		}
		if r.out != first {
			t.Errorf("%s differs:\n%s\n%s", alg, r.out, first)
		}
	}
	file := write(t, "prefix.txt", "a")
	for _, c := range []struct {
		token string
		want  []string
	}{
		{`" b"`, []string{`" b": legal`, "lexer state", `lexeme   "a" ends`, "ignored", "parser stack"}},
		{`" a"`, []string{`" a": refused`, `failed   "a"`, "expected B"}},
		{"50256", []string{"token 50256", "refused", "may not end"}},
		{"eos", []string{"EOS", "refused"}},
		{"275", []string{`token 275 " b": legal`}},
	} {
		r := gcdbench(t, "", args("--prefix-file", file, "--explain", c.token)...)
		for _, part := range c.want {
			if !strings.Contains(r.out, part) {
				t.Errorf("explain %s: the output lacks %q:\n%s%s", c.token, part, r.out, r.err)
			}
		}
	}
}

func TestList(t *testing.T) {
	r := gcdbench(t, "", "list", "--json")
	kinds := map[string]int{}
	for _, line := range lines(r.out) {
		o := object(t, line)
		kinds[o["kind"].(string)]++
		if o["name"] == "" || o["summary"] == "" {
			t.Errorf("got %s", line)
		}
	}
	for _, kind := range []string{"algorithm", "tokenizer", "grammar", "dataset"} {
		if kinds[kind] < 2 {
			t.Errorf("%d lines of kind %s", kinds[kind], kind)
		}
	}
	for _, line := range lines(gcdbench(t, "", "list", "grammars", "--json").out) {
		if o := object(t, line); (o["covers"] == nil || o["judged_by"] == nil) && o["licence"] == nil {
			t.Errorf("%s does not say what is covered and who judges, and is of no package", line)
		}
	}
	r = gcdbench(t, "", "list", "tokenizers")
	if !strings.Contains(r.out, "o200k_base") || strings.Contains(r.out, "naive") {
		t.Errorf("got %s", r.out)
	}
	// Documents without a name are described where those with one are listed, in every format, with
	// their negatives.
	for _, args := range [][]string{{"list", "datasets"}, {"list", "--help"}} {
		r = gcdbench(t, "", args...)
		for _, part := range append(datasets.Formats(), `"valid": false`, "invalid:") {
			if !strings.Contains(r.out, part) {
				t.Errorf("%v does not say what %s is:\n%s", args, part, r.out)
			}
		}
	}
}

// TestRunReportResume runs a small configuration, runs it again (nothing is left to do), and
// reports it in every format.
func TestRunReportResume(t *testing.T) {
	grammar := write(t, "tiny.lark", tiny)
	corpus := write(t, "c.jsonl", "{\"id\":\"1\",\"content\":\"a bbb\"}\n{\"id\":\"2\",\"content\":\" ab \"}\n{\"id\":\"3\",\"content\":\"a  b\"}\n"+
		"{\"id\":\"4\",\"content\":\"a a\",\"valid\":false}\n")
	cfg := write(t, "c.yaml", "name: small\nalgorithms: [naive, trie, trie]\ntokenizers: [\"r50k_base[:2000]\"]\n"+
		"workloads: [{grammar: "+grammar+", dataset: {format: jsonl, path: "+corpus+", negatives: 1}}]\nmeasure: {warmup: 0, repeat: 2}\n")
	out := filepath.Join(t.TempDir(), "out")
	if r := gcdbench(t, "", "plan", cfg, "--out", out, "--json"); r.status != exitOK || len(lines(r.out)) != 3 {
		t.Fatalf("plan: %d %s %s", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "verify", cfg); r.status != exitOK || !strings.Contains(r.out, "0 of 3 cells failed") {
		t.Fatalf("verify: %d %s %s", r.status, r.out, r.err)
	}
	other := write(t, "other.jsonl", "{\"id\":\"1\",\"content\":\"a b\"}\n{\"id\":\"2\",\"content\":\"b\"}\n")
	if r := gcdbench(t, "", "verify", cfg, "--corpus", grammar+"="+other); r.status != exitFailure || !strings.Contains(r.out, "1/2") {
		t.Errorf("verify of another corpus: %d %s %s", r.status, r.out, r.err)
	}
	r := gcdbench(t, "", "run", cfg, "--out", out, "--full")
	if r.status != exitOK || !strings.Contains(r.out, "trie") {
		t.Fatalf("run: %d %s %s", r.status, r.out, r.err)
	}
	again := gcdbench(t, "", "run", cfg, "--out", out, "--full")
	if again.out != r.out {
		t.Errorf("the second run reports something else:\n%s\n%s", r.out, again.out)
	}
	r = gcdbench(t, "", "report", out, "--format", "json")
	cells := object(t, r.out)["cells"].([]any)
	if len(cells) != 3 {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		cell := c.(map[string]any)
		if cell["positives"] != 3.0 || cell["positives_passed"] != 3.0 || cell["negatives"] != 1.0 || cell["negatives_passed"] != 1.0 {
			t.Errorf("got %v", cell)
		}
		for _, phase := range []string{"compile_ns", "first_mask_ns", "mask_ns new", "mask_ns fresh", "commit_ns again", "tbm_ns first"} {
			field, state, _ := strings.Cut(phase, " ")
			s, ok := cell[field].(map[string]any)
			if state != "" && ok {
				s, ok = s[state].(map[string]any)
			}
			if !ok || s["n"] == 0.0 || s["p50"] == nil || s["p90"] == nil || s["max"] == nil || s["mean"] == nil {
				t.Errorf("%s: got %v", phase, cell[field])
			}
		}
	}
	for format, part := range map[string]string{"text": "Time of one mask", "markdown": "| ", "csv": ",", "latex": `\toprule`, "html": "<svg"} {
		if r := gcdbench(t, "", "report", out, "--format", format); r.status != exitOK || !strings.Contains(r.out, part) {
			t.Errorf("%s: status %d, %s", format, r.status, r.err)
		}
	}
	paper := filepath.Join(t.TempDir(), "paper")
	r = gcdbench(t, "", "report", out, "--format", "latex", "--out", paper)
	for _, file := range lines(r.out) {
		if st, err := os.Stat(file); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestHelp says that every command explains itself with an example.
func TestHelp(t *testing.T) {
	for _, cmd := range []string{"run", "plan", "verify", "report", "list", "fetch", "tokenize", "grammar show", "grammar check", "grammar legality", "schema compile", "schema check", "mask", "complete"} {
		r := gcdbench(t, "", append(strings.Fields(cmd), "--help")...)
		if r.status != exitOK || !strings.Contains(r.out, "Examples:") || !strings.Contains(r.out, "gcdbench "+cmd) {
			t.Errorf("%s --help: status %d\n%s", cmd, r.status, r.out)
		}
	}
}
