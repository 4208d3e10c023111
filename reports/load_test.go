package reports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
)

// planned is a directory of results with its plan, to be changed.
func planned(t *testing.T) (dir string, store *cell.Store, m *cell.Manifest) {
	t.Helper()
	dir = made.Sets["few"].Store(t)
	store = must.Get(cell.Open(dir))(t)
	m = must.Get(store.Manifest())(t)
	return dir, store, m
}

// TestLoadUnfinished: what a run has not come to, and what got lost of it, is named in every format
// that has words, and is in no table.
func TestLoadUnfinished(t *testing.T) {
	dir, store, m := planned(t)
	if files, err := filepath.Glob(filepath.Join(dir, "cells", m.Cells[1].Key+"*")); err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	} else {
		for _, file := range files {
			must.OK(t, os.Remove(file))
		}
	}
	m.Cells = append(m.Cells, cell.Planned{Label: "unborn", Workload: "json", Tokenizer: "t"}, cell.Planned{Key: strings.Repeat("ab", 32)})
	must.OK(t, store.PutManifest(m))
	set := load(t, dir)
	if len(set.Cells) != len(m.Cells)-3 || len(set.Missing) != 3 {
		t.Fatalf("%d cells, missing %v", len(set.Cells), set.Missing)
	}
	want := "not finished, and not in any table: trie on json with o200k_base[:32000]; unborn on json with t; cell abababababab"
	for format, warning := range map[string]string{"text": "Warning: ", "markdown": "**Warning:** ", "latex": "% Warning: ", "html": `class="warning">`} {
		out := strings.Join(strings.Fields(render(t, set, format)), " ")
		out = strings.NewReplacer(`\[:`, "[:", "&#39;", "'").Replace(out)
		if !strings.Contains(out, warning+want) {
			t.Errorf("%s: no %q in %.600s", format, warning+want, out)
		}
		if strings.Count(out, "unborn") != 1 {
			t.Errorf("%s: the cell that is not there is %d times in it", format, strings.Count(out, "unborn"))
		}
	}
}

// TestLoadDamagedManifest: the cells of a directory whose plan is damaged are all shown, under
// their own names, with a warning.
func TestLoadDamagedManifest(t *testing.T) {
	dir := made.Sets["few"].Store(t)
	must.OK(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte("{"), 0o644))
	set := load(t, dir)
	if len(set.Cells) != 4 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "all cells of the directory are shown") {
		t.Errorf("%d cells, warnings %q", len(set.Cells), set.Warnings)
	}
	for _, c := range set.Cells {
		if c.Label == "" || c.Workload != "json" {
			t.Errorf("a cell is called %q on %q", c.Label, c.Workload)
		}
	}
}

// TestLoadRenamed: names are those of the configuration now, results those of the record.
func TestLoadRenamed(t *testing.T) {
	dir, store, m := planned(t)
	m.Cells[2].Label, m.Cells[2].Workload, m.Cells[2].Tokenizer = "other", "another", "third"
	must.OK(t, store.PutManifest(m))
	c := load(t, dir).Cells[2]
	if c.Label != "other" || c.Workload != "another" || c.Tokenizer != "third" || c.Algorithm != "trie" || c.Grammar != "json" {
		t.Errorf("%s, %s, %s, %s, %s", c.Label, c.Workload, c.Tokenizer, c.Algorithm, c.Grammar)
	}
}

// TestNoResultsError says what to do.
func TestNoResultsError(t *testing.T) {
	_, err := Load(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "holds no finished cells: `gcdbench run CONFIG.yaml --out ") {
		t.Errorf("%v", err)
	}
	// One directory of results does not make up for one without.
	if _, err := Load(made.Sets["few"].Store(t), t.TempDir()); err == nil {
		t.Error("the second directory is empty, and that is no error")
	}
}
