package tables

import (
	"strings"
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/internal/loaded"
	"gcdbench/reports/result"
)

// TestSelections: a row for each workload whose filter left something out, with the most frequent
// reasons.
func TestSelections(t *testing.T) {
	of := func(workload string, s *cell.Selection) *result.Cell {
		return &result.Cell{Names: result.Names{Workload: workload, Label: "psc"}, Selection: s}
	}
	filtered := &cell.Selection{Filter: "parses", Listed: 742, Chosen: 240, ByFilter: 500, BySize: 2,
		Reasons: []cell.Reason{{Why: "a", Count: 400}, {Why: "b", Count: 50}, {Why: "c", Count: 20}, {Why: "d", Count: 15}, {Why: "e", Count: 10}, {Why: "f", Count: 4}, {Why: "g", Count: 1}}}
	set := &result.Set{Cells: []*result.Cell{of("java", filtered), of("java", filtered), of("go", nil), of("json", &cell.Selection{Listed: 3, Chosen: 3})}}
	if got, want := strings.Join(loaded.Rows(selections(set)), "\n"), "java|parses|742|500|2|0|240|a: 400; b: 50; c: 20; d: 15; e: 10; and 2 other reasons"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := filteredText(set), "Left out by filters, and in no figure: 500 of 742 listed for java (parses)."; got != want {
		t.Errorf("the first screen says %q, want %q", got, want)
	}
	if table := selections((&result.Set{Cells: set.Cells[2:]})); table != nil {
		t.Errorf("%v", loaded.Rows(table))
	}
}
