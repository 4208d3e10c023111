package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// specialGrammar names both special tokens of o200k_base, EOS among them.
const specialGrammar = `start: NAME <|endofprompt|> "x" (<|endoftext|> "y" | ".")
NAME: /[a-z<|>]+/
`

// TestSpecialTokens looks at special tokens with the commands that read texts of a grammar.
func TestSpecialTokens(t *testing.T) {
	g := write(t, "g.lark", specialGrammar)
	document := write(t, "d.txt", "ab<|endofprompt|>x<|endoftext|>y")
	lacks := write(t, "lacks.lark", `start: <tool_call>`)
	for _, c := range []struct {
		args   []string
		status int
		want   string // in the output, or in the error
	}{
		{[]string{"mask", "-g", g, "--prefix", "ab", "--list"}, exitOK, `200018  "<|endofprompt|>"`},
		{[]string{"mask", "-g", g, "-a", "psc", "--prefix", "ab<|endofprompt|>", "--special", "split", "--list"}, exitOK, "1 of 200019 tokens allowed"},
		{[]string{"mask", "-g", g, "--prefix", "ab<|endofprompt|>", "--explain", "<|endofprompt|>"}, exitOK, `"<|endofprompt|>": legal`},
		{[]string{"mask", "-g", g, "--prefix", "ab<|endofprompt|>", "--special", "split", "--explain", "200018"}, exitOK, `token 200018 "<|endofprompt|>": refused`},
		{[]string{"mask", "-g", g, "--prefix", "ab<|endofprompt|>x", "--special", "split"}, exitOK, "the text may not end here"},
		{[]string{"mask", "-g", g, "--prefix", "ab", "--special", "tokens"}, exitUsage, "--special tokens: expected text or split"},
		{[]string{"mask", "-g", lacks, "--prefix", ""}, exitUsage, "the grammar names the token <tool_call>, which in vocabulary o200k_base is no token"},
		{[]string{"complete", "-g", g, "--prefix", "ab"}, exitOK, `completion "<|endofprompt|>x."`},
		{[]string{"complete", "-g", g, "--prefix", "ab<|endofprompt|>x<|endoftext|>", "--special", "split"}, exitOK, `text       "ab<|endofprompt|>x<|endoftext|>y"`},
		{[]string{"grammar", "check", "-g", g, document}, exitFailure, `d.txt:1:33: the text ends too early; expected <|endofprompt|>`},
		{[]string{"grammar", "check", "-g", g, document, "--special", "split"}, exitOK, "1 of 1 document accepted"},
	} {
		r := gcdbench(t, "", c.args...)
		if r.status != c.status || !strings.Contains(r.out+r.err, c.want) {
			t.Errorf("%q: status %d, %s%s, want %q", c.args, r.status, r.out, r.err, c.want)
		}
	}
}

// TestSpecialCorpus verifies all algorithms on documents whose special tokens are meant as tokens.
func TestSpecialCorpus(t *testing.T) {
	dir := filepath.Dir(write(t, "g.lark", specialGrammar))
	for name, text := range map[string]string{"a.txt": "ab<|endofprompt|>x<|endoftext|>y", "b.txt": "cd<|endofprompt|>x."} {
		writeIn(t, dir, name, text)
	}
	cfg := writeIn(t, dir, "c.yaml", `name: special
algorithms: [naive, trie, psc, {name: psc, options: {compile: eager}, label: eager}, greatgramma, parserdwa, legality, maskstore, automata]
tokenizers: [o200k_base]
workloads: [{grammar: g.lark, dataset: {format: files, path: "*.txt", special: split}}]
`)
	r := gcdbench(t, "", "verify", cfg)
	if r.status != exitOK || !strings.Contains(r.out, "0 of 9 cells failed") {
		t.Errorf("status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestTokenizeWithoutEOS: encoding needs no EOS token, a mask does.
func TestTokenizeWithoutEOS(t *testing.T) {
	file := write(t, "tokenizer.json", `{"model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0, "a": 1, "b": 2}}, "pre_tokenizer": {"type": "WhitespaceSplit"}}`)
	if r := gcdbench(t, "a b c", "tokenize", "-t", file, "--json"); r.status != exitOK || r.out != "{\"ids\":[1,2,0]}\n" {
		t.Errorf("status %d: %s%s", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "mask", "-t", file, "-g", "json", "--prefix", ""); r.status != exitUsage || !strings.Contains(r.err, "names no EOS token") {
		t.Errorf("status %d: %s%s", r.status, r.out, r.err)
	}
}

// writeIn makes a file in a directory and returns its path.
func writeIn(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
