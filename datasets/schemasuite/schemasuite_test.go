package schemasuite

import (
	"os"
	"path/filepath"
	"testing"

	"gcdbench/internal/must"
)

// TestNeed reads a copy of one file, and skips without one.
func TestNeed(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "tests", "draft7", "const.json")
	must.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	const text = `[{"description": "one", "schema": {"const": 1}, "tests": [
		{"description": "is", "data": 1, "valid": true}, {"description": "is not", "data": 2, "valid": false}, {"description": "text", "data": "1", "valid": false}]}]`
	must.OK(t, os.WriteFile(file, []byte(text), 0o644))
	t.Setenv(Variable, root)
	d := Need(t)
	if len(d.Schemas) != 1 || len(d.Samples) != 3 || d.Samples[0].Negative || !d.Samples[2].Negative {
		t.Errorf("%d schemas, samples %+v", len(d.Schemas), d.Samples)
	}
	t.Setenv(Variable, "")
	t.Run("without a copy", func(t *testing.T) {
		defer func() {
			if !t.Skipped() {
				t.Error("it was not skipped")
			}
		}()
		Need(t)
	})
}

func TestExceptions(t *testing.T) {
	list := append(Apart(), Exception{"/format/iri", "another"})
	for id, want := range map[string]bool{
		"draft4/content/a":                 true,
		"draft7/optional/format/iri/a#1":   true,
		"draft7/optional/format/email/a#1": false,
		"draft7/const/content#1":           false,
		"":                                 false,
	} {
		if got := list.Has(id); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	if Apart().Has("draft7/optional/format/iri/a#1") {
		t.Error("what one test adds is seen by another")
	}
}
