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
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
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

// TestBadInput says that bad input gets one clear error that names the place, and exit status 2.
func TestBadInput(t *testing.T) {
	t.Setenv("GCDBENCH_CACHE", t.TempDir()) // nothing is fetched
	grammar := write(t, "tiny.lark", tiny)
	conflict := write(t, "conflict.lark", "start: a | b\na: \"x\"\nb: \"x\"\n")
	undefined := write(t, "undefined.lark", "start: \"a\" begn\nbegin: \"b\"\n")
	irregular := write(t, "irregular.lark", "start: A\nA: /(a)\\1/\n")
	empty := write(t, "empty.lark", "start: A\nA: /a*/\n")
	halfTokenizer := write(t, "tokenizer.json", `{"version":"1.0","model":{"type":"BPE","vocab":{"a":0,"b`)
	notJSON := write(t, "corpus.jsonl", "{\"id\":\"1\",\"content\":\"ab\"}\n{\"id\":\"2\",content}\n")
	notText := write(t, "texts.jsonl", "{\"doc\":1}\n")
	config := func(text string) string {
		return write(t, "c.yaml", "name: c\nalgorithms: [trie]\ntokenizers: [r50k_base]\n"+text)
	}
	blocked := write(t, "file", "")
	cases := []struct {
		about string
		args  []string
		want  []string // parts of the message
	}{
		{"no such command", []string{"rnu"}, []string{"unknown command \"rnu\"", "run"}},
		{"no such subcommand", []string{"grammar", "shw"}, []string{"unknown command \"shw\"", "show"}},
		{"no command", nil, []string{"which command?"}},
		{"no such flag", []string{"list", "--jsn"}, []string{"--jsn", "--help"}},
		{"no such list", []string{"list", "algorithm"}, []string{`"algorithm"`, "algorithms, tokenizers"}},
		{"undefined symbol", []string{"grammar", "show", undefined}, []string{"undefined.lark:1:12", "begn", "begin", "^"}},
		{"a regex that is not regular", []string{"grammar", "show", irregular}, []string{"irregular.lark:2:", "backreference"}},
		{"a terminal that matches nothing", []string{"grammar", "show", empty}, []string{"empty.lark:2:", "empty string"}},
		{"a reduce/reduce conflict", []string{"grammar", "show", conflict}, []string{"reduce/reduce", "conflict.lark:2:", "conflict.lark:3:", "%conflicts keep"}},
		{"no such grammar", []string{"grammar", "show", "jaav"}, []string{"jaav", "java"}},
		{"no such grammar file", []string{"grammar", "show", "nowhere/x.lark"}, []string{"nowhere/x.lark", "no such file"}},
		{"no document", []string{"grammar", "check", "-g", grammar}, []string{"no document"}},
		{"no such document", []string{"grammar", "check", "-g", grammar, "nowhere.txt"}, []string{"nowhere.txt: no such file"}},
		{"no grammar given", []string{"grammar", "check", "x"}, []string{"which grammar? --grammar takes"}},
		{"a corpus line that is not JSON", []string{"grammar", "check", "-g", grammar, "--jsonl", notJSON}, []string{"corpus.jsonl:2:11", "not JSON"}},
		{"a text line without text", []string{"tokenize", "-t", "r50k_base", "--jsonl", notText}, []string{"texts.jsonl:1:1", `"text"`}},
		{"a tokenizer.json cut in half", []string{"tokenize", "-t", halfTokenizer}, []string{"tokenizer.json", "1:"}},
		{"no such tokenizer", []string{"tokenize", "-t", "llama33"}, []string{"llama33", "llama3"}},
		{"a cut that is no number", []string{"tokenize", "-t", "r50k_base[:x]"}, []string{"r50k_base[:x]", "NAME[:N]"}},
		{"fetch of nothing", []string{"fetch"}, []string{"which tokenizer"}},
		{"fetch of the unknown", []string{"fetch", "gpt9"}, []string{"gpt9"}},
		{"no configuration", []string{"run"}, []string{"gcdbench run takes one configuration, got no argument beside flags; see 'gcdbench run --help'"}},
		{"two configurations", []string{"verify", "a", "b"}, []string{"takes one configuration, got 2 arguments"}},
		{"no grammar to show", []string{"grammar", "show"}, []string{"grammar show takes one grammar"}},
		{"no schema to compile", []string{"schema", "compile"}, []string{"schema compile takes one JSON schema"}},
		{"no grammar to analyse", []string{"grammar", "legality"}, []string{"legality takes one grammar or more, got no argument"}},
		{"a prefix that is no flag", []string{"mask", "-g", grammar, "x"}, []string{`what is "x" for?`, "gcdbench mask --help"}},
		{"two lists", []string{"list", "grammars", "datasets"}, []string{`what is "datasets" for? it takes at most 1 argument`}},
		{"two texts", []string{"tokenize", "-t", "r50k_base", "a", "b"}, []string{`what is "b" for?`}},
		{"no grammar for a mask", []string{"mask", "--prefix", "x"}, []string{"which grammar? --grammar takes a grammar's name (gcdbench list grammars), a .lark, .gbnf or .ebnf file, or a JSON schema"}},
		{"no such configuration", []string{"run", "nowhere.yaml"}, []string{"nowhere.yaml", "no such file"}},
		{"an unknown key", []string{"run", config("workloads: [{grammar: json, dataset: json-samples}]\nmeasure: {repeats: 3}\n")}, []string{"c.yaml:5:11", "repeats", "repeat"}},
		{"a wrong type", []string{"plan", config("workloads: [{grammar: json, dataset: json-samples}]\nmeasure: {repeat: many}\n")}, []string{"c.yaml:5:19", "many"}},
		{"a file that is not there", []string{"verify", config("workloads: [{grammar: json, dataset: {format: jsonl, path: gone.jsonl}}]\n")}, []string{"c.yaml:4:", "gone.jsonl"}},
		{"an unknown algorithm", []string{"verify", write(t, "d.yaml", "name: d\nalgorithms: [tri]\ntokenizers: [r50k_base]\nworkloads: [{grammar: json, dataset: json-samples}]\n")}, []string{"d.yaml:2:14", "tri", "trie"}},
		{"an unwritable result directory", []string{"run", config("workloads: [{grammar: java, dataset: {name: java-samples, limit: 1}}]\n"), "--out", filepath.Join(blocked, "out")}, []string{blocked}},
		{"a corpus without a file", []string{"verify", "../../configs/quickstart.yaml", "--corpus", "java"}, []string{"GRAMMAR=FILE"}},
		{"a corpus that is not there", []string{"verify", "../../configs/quickstart.yaml", "--corpus", "java=gone.jsonl"}, []string{"gone.jsonl", "no such file"}},
		{"a corpus that is not fetched", []string{"verify", "../../configs/quickstart.yaml", "--corpus", "java=java-programs"}, []string{"java-programs is not on this machine", "gcdbench fetch programs"}},
		{"a corpus for no workload", []string{"verify", "../../configs/quickstart.yaml", "--corpus", "cobol=" + notJSON}, []string{"quickstart.yaml", `"cobol"`}},
		{"no results", []string{"report", t.TempDir()}, []string{"gcdbench run"}},
		{"no result directory", []string{"report", "nowhere"}, []string{"nowhere"}},
		{"an unknown format", []string{"report", "nowhere", "--format", "pdf"}, []string{"pdf", "markdown"}},
		{"a prefix that is not legal", []string{"mask", "-g", grammar, "-t", "r50k_base", "--prefix", "ac"}, []string{"prefix is not legal", "1:2", "'c'"}},
		{"an unknown algorithm for mask", []string{"mask", "-g", grammar, "-t", "r50k_base", "-a", "x"}, []string{`"x"`, "trie"}},
		{"an unknown option", []string{"mask", "-g", grammar, "-t", "r50k_base", "-o", "size=1"}, []string{"size"}},
		{"an option without value", []string{"mask", "-g", grammar, "-t", "r50k_base", "-o", "size"}, []string{"name=value"}},
		{"a token out of range", []string{"mask", "-g", grammar, "-t", "r50k_base", "--explain", "99999"}, []string{"50256"}},
	}
	for _, c := range cases {
		r := gcdbench(t, "", c.args...)
		if r.status != exitUsage {
			t.Errorf("%s: exit status %d, output %q %q", c.about, r.status, r.out, r.err)
		}
		if !strings.HasPrefix(r.err, "gcdbench: ") {
			t.Errorf("%s: the message does not begin with the program's name: %q", c.about, r.err)
		}
		for _, part := range c.want {
			if !strings.Contains(r.err, part) {
				t.Errorf("%s: the message lacks %q:\n%s", c.about, part, r.err)
			}
		}
	}
}

func TestGrammarShow(t *testing.T) {
	path := write(t, "tiny.lark", tiny+"s2: start\n")
	r := gcdbench(t, "", "grammar", "show", path, "--json")
	o := object(t, r.out)
	for field, want := range map[string]any{"terminals": 3.0, "rules": 1.0, "lexer_states": 4.0} {
		if o[field] != want {
			t.Errorf("%s: got %v, want %v", field, o[field], want)
		}
	}
	if c, ok := o["conflicts"].(map[string]any); !ok || c["shift_reduce"] != 0.0 || c["reduce_reduce"] != 0.0 || o["lr_states"] == nil {
		t.Errorf("got %s", r.out)
	}
	dangling := write(t, "else.lark", "start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"\n")
	r = gcdbench(t, "", "grammar", "show", dangling, "--conflicts", "--rules")
	for _, part := range []string{"1 shift/reduce", "shift wins", "else.lark:2:", `"e"`, "start"} {
		if !strings.Contains(r.out, part) {
			t.Errorf("the output lacks %q:\n%s", part, r.out)
		}
	}
}

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

// TestLexerFlag: a grammar is read with the lexer that the command names.
func TestLexerFlag(t *testing.T) {
	grammar := write(t, "let.lark", "start: \"let\" NAME \"=\" REST\nNAME: /[a-z]+/\nREST: /[^\\n ][^\\n]*/\n%ignore \" \"\n")
	for lexer, want := range map[string]int{"basic": exitFailure, "contextual": exitOK} {
		r := gcdbench(t, "let let = a + b", "grammar", "check", "--grammar", grammar, "--lexer", lexer, "-")
		if r.status != want {
			t.Errorf("%s: status %d, output %q %q", lexer, r.status, r.out, r.err)
		}
	}
	shown := object(t, gcdbench(t, "", "grammar", "show", grammar, "--lexer", "contextual", "--json").out)
	if shown["lexer_mode"] != "contextual" || shown["terminals"] != 5.0 {
		t.Errorf("shown as %v", shown)
	}
	if r := gcdbench(t, "", "complete", "--grammar", grammar, "--lexer", "contextual", "--prefix", "letlet"); r.status != exitOK || !strings.Contains(r.out, `"letlet=`) {
		t.Errorf("status %d, output %q %q", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "grammar", "show", grammar, "--lexer", "greedy"); r.status == exitOK || !strings.Contains(r.err, "basic, contextual") {
		t.Errorf("an unknown lexer: status %d, %q", r.status, r.err)
	}
}

// TestGrammarCheckConflicts: a naive first grammar has conflicts, and who checks documents is told.
func TestGrammarCheckConflicts(t *testing.T) {
	grammar := write(t, "sum.lark", "start: sum\nsum: sum \"+\" sum | sum \"*\" sum | /[0-9]/\n")
	r := gcdbench(t, "1+2*3", "grammar", "check", "-g", grammar, "-", "--quiet=false")
	want := grammar + ": 4 shift/reduce conflicts resolved by shifting; 'gcdbench grammar show " + grammar + " --conflicts' shows them\n"
	if r.status != exitOK || r.err != want {
		t.Errorf("exit status %d, %q, want %q", r.status, r.err, want)
	}
	r = gcdbench(t, "1+2*3", "grammar", "check", "-g", grammar, "-", "--json")
	got := lines(r.out)
	c, _ := object(t, got[len(got)-1])["conflicts"].(map[string]any)
	if c["shift_reduce"] != 4.0 || c["reduce_reduce"] != 0.0 {
		t.Errorf("the sum is %s", got[len(got)-1])
	}
}

func TestTokenize(t *testing.T) {
	r := gcdbench(t, "Hello world", "tokenize", "-t", "r50k_base", "--json")
	if r.out != "{\"ids\":[15496,995]}\n" {
		t.Errorf("got %q %q", r.out, r.err)
	}
	r = gcdbench(t, "Hello world", "tokenize", "-t", "r50k_base", "-")
	if want := "   15496  \"Hello\"\n     995  \" world\"\n"; r.out != want {
		t.Errorf("got %q", r.out)
	}
	jsonl := write(t, "texts.jsonl", "{\"doc\":\"a\",\"text\":\"Hello\"}\n{\"doc\":7,\"text\":\"\"}\n")
	r = gcdbench(t, "", "tokenize", "--tokenizer", "r50k_base", "--jsonl", jsonl)
	if want := "{\"doc\":\"a\",\"ids\":[15496]}\n{\"doc\":7,\"ids\":[]}\n"; r.out != want || r.status != exitOK {
		t.Errorf("got %q %q", r.out, r.err)
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
	cfg := write(t, "c.yaml", "name: small\nalgorithms: [naive, trie, trie]\ntokenizers: [r50k_base]\n"+
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
