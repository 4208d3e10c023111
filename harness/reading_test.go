package harness

import (
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/plan"
	"gcdbench/harness/verify"
	"gcdbench/internal/must"
)

// readingConfig has one file as two languages, by its start rule, and imports from another folder.
const readingConfig = `name: reading
algorithms: [naive, trie, psc]
tokenizers: [{file: tok.json}]
workloads:
  - {name: lists, grammar: parts.lark, import_paths: [shared], dataset: {format: jsonl, path: lists.jsonl}}
  - {name: numbers, grammar: parts.lark, start: number, import_paths: [shared], dataset: {format: jsonl, path: numbers.jsonl}}
`

// TestReading: the start rule and the folders of imports reach every engine, and cells of other
// start rules or imported files have other keys.
func TestReading(t *testing.T) {
	w := newWorld(t)
	w.file(t, "parts.lark", "%import digits.NUMBER\nstart: \"[\" number* \"]\"\nnumber: NUMBER\n%ignore \" \"\n")
	w.file(t, "shared/digits.lark", "NUMBER: /[0-9]+/\n")
	w.file(t, "lists.jsonl", `{"id": "a", "content": "[1 22]"}`+"\n"+`{"id": "b", "content": "1", "valid": false}`+"\n")
	w.file(t, "numbers.jsonl", `{"id": "a", "content": "333"}`+"\n"+`{"id": "b", "content": "[1]", "valid": false}`+"\n")
	w.file(t, "c.yaml", readingConfig)
	keys := func() map[string]string {
		t.Helper()
		cfg := must.Get(config.Load(filepath.Join(w.dir, "c.yaml"), config.Names{}))(t)
		v := must.Get(verify.Verify(t.Context(), cfg, w.options()))(t)
		found := map[string]string{}
		for _, c := range v.Cells {
			if c.Outcome != cell.OK || c.PositivesPassed != 1 || c.NegativesPassed != 1 {
				t.Errorf("%s on %s: %s: %d of the positives, %d of the negatives: %s", c.Label, c.Workload, c.Outcome, c.PositivesPassed, c.NegativesPassed, c.Detail)
			}
		}
		plan := must.Get(plan.MakePlan(t.Context(), cfg, w.options()))(t)
		for _, c := range plan.Cells {
			found[c.Label+" "+c.Workload] = c.Key
		}
		return found
	}
	before := keys()
	w.file(t, "shared/digits.lark", "NUMBER: /[0-9][0-9]*/\n")
	seen := map[string]bool{}
	for name, key := range keys() {
		if seen[key] || before[name] == key || strings.TrimSpace(key) == "" {
			t.Errorf("%s has the key %q, and had %q before the imported file changed", name, key, before[name])
		}
		seen[key] = true
	}
}
