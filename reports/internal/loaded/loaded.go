// Package loaded has sets of made-up results, for the tests of the packages that show them.
package loaded

import (
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/internal/must"
	"gcdbench/reports/document"
	"gcdbench/reports/internal/made"
	"gcdbench/reports/result"
)

// One loads a set of a single workload and vocabulary, changed by f.
func One(t *testing.T, f func(r *cell.Record, traces []cell.Trace)) *result.Set {
	t.Helper()
	return Load(t, made.One(t, f))
}

// Load loads directories of results.
func Load(t *testing.T, dirs ...string) *result.Set {
	t.Helper()
	set := must.Get(result.Load(dirs...))(t)
	return set
}

// CellOf is a cell of a workload of schemas with these figures.
func CellOf(workload, tokenizer, label string, f result.SchemaFigures) *result.Cell {
	return &result.Cell{Names: result.Names{Workload: workload, Tokenizer: tokenizer, Label: label}, SchemaFigures: &f, Counts: result.Counts{Outcome: cell.OK}, Record: &cell.Record{}}
}

// Rows are the bodies of a table's rows.
func Rows(t *document.Table) []string {
	var list []string
	for _, r := range t.Shown() {
		var words []string
		for _, text := range r {
			words = append(words, text.Body)
		}
		list = append(list, strings.Join(words, "|"))
	}
	return list
}

// Labelled is the cell of a set with a label.
func Labelled(t *testing.T, set *result.Set, label string) *result.Cell {
	t.Helper()
	i := slices.IndexFunc(set.Cells, func(c *result.Cell) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("no cell %s", label)
	}
	return set.Cells[i]
}
