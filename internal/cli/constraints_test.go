package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/constraints"
	"gcdbench/internal/seed"
)

// TestConstraints: a row for each constraint, as a page and as JSON.
func TestConstraints(t *testing.T) {
	seed.Usual(t)
	page := filepath.Join(t.TempDir(), "page.md")
	corpus := write(t, "mb.jsonl", `{"id": "b", "schema": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "additionalProperties": false}, "tests": [{"valid": true, "data": {"a": "x"}}, {"valid": false, "data": {"a": "z"}}]}
{"id": "free", "schema": {"type": "array"}, "tests": [{"valid": true, "data": [1]}]}
{"id": "wrong", "schema": {"type": "odd"}, "tests": []}
`)
	args := []string{"constraints", "-t", "r50k_base[:300]", "--repeat", "1", "--corpus", "schema=" + corpus}
	r := gcdbench(t, "", append(args, "--page", page)...)
	text, err := os.ReadFile(page)
	if r.status != exitOK || err != nil || r.out != string(text) || !strings.Contains(r.out, "| mb.jsonl | r50k_base[:300] | 3 | 1 | 1 | 0 | 1 | 2 | 1 |") {
		t.Fatalf("exit status %d: %s%s, %v", r.status, r.out, r.err, err)
	}
	if n := strings.Count(r.out, "| r50k_base[:300] |"); n != len(constraints.List)+3 || !strings.Contains(r.out, "- TEXT_UNTIL: `") {
		t.Errorf("%d rows:\n%s", n, r.out)
	}
	if r := gcdbench(t, "", append(args, "--limit", "2", "--json")...); len(lines(r.out)) != len(constraints.List)+2 {
		t.Errorf("exit status %d: %.300s%s", r.status, r.out, r.err)
	}
}

// TestInTime: a time has three significant digits, in the unit that suits it.
func TestInTime(t *testing.T) {
	for ns, want := range map[float64]string{0: "0s", 7.6: "8ns", 999: "999ns", 8788: "8.79µs", 5932800: "5.93ms", 113142000: "113ms", 1.4505e9: "1.45s", 999999: "1ms"} {
		if got := inTime(ns); got != want {
			t.Errorf("%v ns: %s, expected %s", ns, got, want)
		}
	}
}
