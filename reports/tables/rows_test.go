package tables

import (
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/result"
)

// TestNamesOfRows has a cell without rows before one that has some: the names of the workload stand
// in the first row that there is, and in no later one.
func TestNamesOfRows(t *testing.T) {
	named := func(label string, counters ...cell.Counter) *result.Cell {
		return &result.Cell{Names: result.Names{Workload: "json", Tokenizer: "v", Label: label}, Bill: result.Bill{Counters: counters}}
	}
	s := &result.Set{Cells: []*result.Cell{named("none", cell.Counter{Name: "zero"}), named("some", cell.Counter{Name: "masks", Value: 2}, cell.Counter{Name: "rows", Value: 3})}}
	table := counterTable(s)
	want := [][]string{{"json", "some", "masks", "2", ""}, {"", "", "rows", "3", ""}}
	if len(table.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(table.Rows), len(want))
	}
	for r, row := range table.Shown() {
		for i, text := range row {
			if text.Body != want[r][i] {
				t.Errorf("row %d, %s: %q, want %q", r, table.Columns[i].Head, text.Body, want[r][i])
			}
		}
	}
	if table.Columns[2].Right || !table.Columns[3].Right {
		t.Error("words stand left, figures right")
	}
}
