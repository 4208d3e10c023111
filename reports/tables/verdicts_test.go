package tables

import (
	"testing"

	"gcdbench/harness/cell"
	"gcdbench/reports/result"
)

// TestRightText: what the sentence says of few cells, and of cells that nothing was compared with.
func TestRightText(t *testing.T) {
	limited := &result.Cell{Counts: result.Counts{Positives: 3, PositivesPassed: 1, Negatives: 1, Outcomes: map[cell.Outcome]int{cell.OK: 1, cell.Unsupported: 2, cell.WrongVerdict: 1}}}
	lone := &result.Cell{Counts: result.Counts{Positives: 1, PositivesPassed: 1, PositionsCompared: 9}}
	// Documents are counted once for a workload, by the algorithm that did worst on them.
	// naive was asked at 2 of 7 positions: it is credited with these.
	worse := &result.Cell{Counts: result.Counts{Reference: "naive", PositionsCompared: 7, ComparedWith: map[string]int{"trie": 7, "naive": 2}, Positives: 1, Negatives: 2, NegativesPassed: 1}}
	other := &result.Cell{Names: result.Names{Workload: "other"}, Counts: result.Counts{Reference: "trie", PositionsCompared: 1, Negatives: 2, NegativesPassed: 2}}
	schemas := &result.Cell{SchemaFigures: &result.SchemaFigures{Schemas: 9, Compiled: 7, ValidInstances: 20, ValidRefused: 1, ValidRefusedKeyOrder: 3, InvalidInstances: 5}}
	for _, c := range []struct {
		right []*result.Cell
		of    int
		want  string
	}{
		{nil, 0, "There are no cells."},
		{nil, 1, "Of 1 cell none is right."},
		{nil, 7, "Of 7 cells none is right."},
		{[]*result.Cell{limited}, 1, "The cell is right: no masks compared, for want of a second algorithm that compares at the same positions; 1 of 3 positives accepted; 0 of 1 negative refused."},
		{[]*result.Cell{lone}, 1, "The cell is right: no masks compared, for want of a second algorithm that compares at the same positions; 1 of 1 positive accepted."},
		{[]*result.Cell{lone, worse, other}, 4,
			"3 of 4 cells are right: 8 masks compared bit for bit (2 with those of naive, 7 with those of trie, 1 with those of references that the result does not name), no difference; 0 of 1 positive accepted; 3 of 4 negatives refused."},
		{[]*result.Cell{schemas}, 1, "The cell is right: no masks compared, for want of a second algorithm that compares at the same positions; 16 of 20 valid instances of JSON schemas accepted (3 refused only for the order of keys); 5 of 5 invalid ones refused; 2 schemas without a grammar."},
	} {
		if got := rightText(c.right, c.of, 0); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
