package result

import (
	"slices"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/internal/made"
)

// load loads directories.
func load(t *testing.T, dirs ...string) *Set {
	t.Helper()
	return must.Get(Load(dirs...))(t)
}

// one loads a set of a single workload and vocabulary, changed by f.
func one(t *testing.T, f func(r *cell.Record, traces []cell.Trace)) *Set {
	t.Helper()
	return load(t, made.One(t, f))
}

// labelled is the cell of a set with a label.
func labelled(t *testing.T, set *Set, label string) *Cell {
	t.Helper()
	i := slices.IndexFunc(set.Cells, func(c *Cell) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("no cell %s", label)
	}
	return set.Cells[i]
}
