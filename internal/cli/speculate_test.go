package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

// TestSpeculate: a table of all algorithms, kept, and not measured again; and what cannot be.
func TestSpeculate(t *testing.T) {
	cfg := write(t, "c.yaml", "name: c\nalgorithms: [trie, psc, greatgramma]\ntokenizers: [\"r50k_base[:2000]\"]\n"+
		"workloads: [{grammar: json, dataset: {name: json-samples, limit: 3, negatives: none}}]\nmeasure: {repeat: 1, compiles: 1}\n")
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	args := []string{"speculate", cfg, "--out", dir, "--drafts", "1,3", "--accept", "0.5", "--page", page}
	r := gcdbench(t, "", args...)
	text, err := os.ReadFile(page)
	if r.status != exitOK || err != nil || r.out != string(text) {
		t.Fatalf("exit status %d: %s%s, %v", r.status, r.out, r.err, err)
	}
	if n := strings.Count(r.out, "| json |"); n != 6 {
		t.Errorf("%d rows, want 3 algorithms by 2 lengths:\n%s", n, r.out)
	}
	size := func() int64 {
		info := must.Get(os.Stat(filepath.Join(dir, speculativeFile)))(t)
		return info.Size()
	}
	before := size()
	f := must.Get(os.OpenFile(filepath.Join(dir, speculativeFile), os.O_APPEND|os.O_WRONLY, 0))(t)
	must.Get(f.WriteString(`{"algorithm": "cut sh`))(t)
	f.Close()
	if again := loud(t, args...); again.out != r.out || size() != before || !strings.Contains(again.err, "line 7 of "+filepath.Join(dir, speculativeFile)+" is damaged") {
		t.Errorf("measured again: %s", again.err)
	}
	lines := strings.SplitAfter(string(must.Get(os.ReadFile(filepath.Join(dir, speculativeFile)))(t)), "\n")
	lines[1] = "lost\n"
	must.OK(t, os.WriteFile(filepath.Join(dir, speculativeFile), []byte(strings.Join(lines, "")), 0o644))
	if again := loud(t, args...); strings.Count(again.out, "| json |") != 6 || strings.Count(again.err, "drafts of") != 1 {
		t.Errorf("a group with a lost line: %s%s", again.out, again.err)
	}
	for flag, want := range map[string]string{"--drafts=0": "from 1 to 64", "--accept=2": "from 0 to 1", "--accept=NaN": "from 0 to 1"} {
		if r := gcdbench(t, "", "speculate", cfg, "--out", dir, flag); r.status != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit status %d: %s", flag, r.status, r.err)
		}
	}
}
