package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gcdbench/engines"
	"gcdbench/internal/must"
)

// pythonBlock is a fenced block of Python.
var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// TestDocumentedEngine runs the engine that docs/engines.md shows through the cases of every
// engine.
func TestDocumentedEngine(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "engines.md")))(t)
	blocks := pythonBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 1 || strings.Count(blocks[0][1], "\n") > 60 {
		t.Fatalf("%d blocks of Python; want one, of at most 60 lines", len(blocks))
	}
	python := must.Python(t, "numpy")
	t.Setenv("GCDBENCH_CACHE", t.TempDir())
	file := write(t, "my_engine.py", blocks[0][1])
	r := gcdbench(t, "", "engines", "check", "--command", python+" "+file)
	if r.status != exitOK || !strings.Contains(r.out, "regex/words                ok") || !strings.Contains(r.out, "0 failed") {
		t.Errorf("exit status %d: %s%s", r.status, r.out, r.err)
	}
}

// TestDocumentedCatalogue: the page names every engine with the version that is installed.
func TestDocumentedCatalogue(t *testing.T) {
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "engines.md")))(t)
	for _, e := range engines.Catalogue {
		row := regexp.MustCompile(`(?m)^\| .*` + regexp.QuoteMeta(e.Version) + `.*` + regexp.QuoteMeta(e.Licence))
		if !row.Match(page) {
			t.Errorf("docs/engines.md has no row for %s %s, %s", e.Name, e.Version, e.Licence)
		}
	}
}
