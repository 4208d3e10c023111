package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// specialGrammar names both special tokens of cl100k_base, EOS among them.
const specialGrammar = `start: NAME <|endofprompt|> "x" (<|endoftext|> "y" | ".")
NAME: /[a-z<|>]+/
`

// TestSpecialCorpus verifies all algorithms on documents whose special tokens are meant as tokens.
func TestSpecialCorpus(t *testing.T) {
	dir := filepath.Dir(write(t, "g.lark", specialGrammar))
	for name, text := range map[string]string{"a.txt": "ab<|endofprompt|>x<|endoftext|>y", "b.txt": "cd<|endofprompt|>x."} {
		writeIn(t, dir, name, text)
	}
	cfg := writeIn(t, dir, "c.yaml", `name: special
algorithms: [naive, trie, psc, {name: psc, options: {compile: eager}, label: eager}, greatgramma, parserdwa, legality, maskstore, automata]
tokenizers: [cl100k_base]
workloads: [{grammar: g.lark, dataset: {format: files, path: "*.txt", special: split}}]
`)
	r := gcdbench(t, "", "verify", cfg)
	if r.status != exitOK || !strings.Contains(r.out, "0 of 9 cells failed") {
		t.Errorf("status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestSpecialEnd: where a rule names the EOS token and the text may not end, its bit in the mask is
// no end of the text. The last document is wrong, and not marked as such.
func TestSpecialEnd(t *testing.T) {
	seed.Usual(t)
	dir := filepath.Dir(write(t, "g.lark", specialGrammar))
	writeIn(t, dir, "d.jsonl", `{"id": "early", "content": "ab<|endofprompt|>x", "valid": false}
{"id": "good", "content": "ab<|endofprompt|>x<|endoftext|>y"}
{"id": "unmarked", "content": "cd<|endofprompt|>x"}
`)
	cfg := writeIn(t, dir, "c.yaml", `name: special
algorithms: [naive, trie, psc]
tokenizers: [cl100k_base]
workloads: [{grammar: g.lark, dataset: {format: jsonl, path: d.jsonl, special: split}}]
measure: {positions: 1}
`)
	for _, command := range [][]string{{"verify", cfg}, {"run", cfg, "--out", filepath.Join(dir, "out")}, {"run", cfg, "--out", filepath.Join(dir, "out")}} {
		r := gcdbench(t, "", append(command, "--json")...)
		out := strings.ReplaceAll(r.out, `": "`, `":"`)
		if r.status != exitFailure || strings.Count(out, `"outcome":"wrong-verdict"`) != 3 ||
			strings.Count(out, `"detail":"unmarked is refused at line 1, column 21 (position 3, the end)`) != 3 {
			t.Errorf("%v: status %d: %s%s", command, r.status, r.out, r.err)
		}
	}
}

// writeIn makes a file in a directory and returns its path.
func writeIn(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.OK(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}
