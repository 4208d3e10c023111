package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/constraints"
)

// TestConstraints: a row for each constraint, as a page and as JSON.
func TestConstraints(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	r := gcdbench(t, "", "constraints", "-t", "r50k_base[:1000]", "--repeat", "2", "--page", page)
	text, err := os.ReadFile(page)
	if r.status != exitOK || err != nil || r.out != string(text) {
		t.Fatalf("exit status %d: %s%s, %v", r.status, r.out, r.err, err)
	}
	if n := strings.Count(r.out, "| r50k_base[:1000] |"); n != len(constraints.List) || !strings.Contains(r.out, "- TEXT_UNTIL: `") {
		t.Errorf("%d rows:\n%s", n, r.out)
	}
	if r := gcdbench(t, "", "constraints", "-t", "r50k_base[:500]", "--repeat", "1", "--json"); len(lines(r.out)) != len(constraints.List) {
		t.Errorf("exit status %d: %.300s%s", r.status, r.out, r.err)
	}
	if r := gcdbench(t, "", "constraints", "--repeat", "0"); r.status != exitUsage || !strings.Contains(r.err, "from 1 to 1000") {
		t.Errorf("exit status %d: %s", r.status, r.err)
	}
}
