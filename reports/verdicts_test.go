package reports

import (
	"strings"
	"testing"

	"gcdbench/harness/cell"
)

// TestVerdicts: what is right is a sentence in every format, and only what is not has rows.
func TestVerdicts(t *testing.T) {
	all := load(t, sets["quick"].store(t))
	table := all.verdicts()
	want := "All 8 cells are right: 1,200 masks compared bit for bit with the reference's, no difference; 32 of 32 positives accepted; 8 of 8 negatives refused."
	if len(table.Rows) != 0 || table.Caption != want {
		t.Errorf("%d rows, %s", len(table.Rows), table.Caption)
	}
	for _, format := range []string{"text", "markdown", "latex", "html"} {
		text := strings.Join(strings.Fields(render(t, all, format)), " ")
		sentence := map[string]string{"html": strings.ReplaceAll(want, "'", "&#39;")}[format]
		if sentence == "" {
			sentence = want
		}
		if !strings.Contains(text, sentence) {
			t.Errorf("%s: no %q in\n%s", format, sentence, text)
		}
	}
	some := load(t, sets["failures"].store(t)).verdicts()
	if len(some.Rows) != 2 || !strings.HasPrefix(some.Caption, "6 of 8 cells are right: 1,200 masks compared") || len(some.Notes) != 2 {
		t.Errorf("%d rows, %s", len(some.Rows), some.Caption)
	}
	for _, row := range some.Rows {
		if row[len(row)-1].Body == string(cell.OK) {
			t.Errorf("%v is right and has a row", row)
		}
	}
}

// TestRightText: what the sentence says of few cells, and of cells that nothing was compared with.
func TestRightText(t *testing.T) {
	limited := &Cell{Positives: 3, PositivesPassed: 1, Negatives: 1, Outcomes: map[cell.Outcome]int{cell.OK: 1, cell.Unsupported: 2, cell.WrongVerdict: 1}}
	lone := &Cell{Positives: 1, PositivesPassed: 1, PositionsCompared: 9}
	for _, c := range []struct {
		right []*Cell
		of    int
		want  string
	}{
		{nil, 0, "There are no cells."},
		{nil, 1, "Of 1 cell none is right."},
		{nil, 7, "Of 7 cells none is right."},
		{[]*Cell{limited}, 1, "The cell is right: no masks compared; 1 of 3 positives accepted; 0 of 1 negative refused; 2 samples unsupported; 1 sample wrong-verdict."},
		{[]*Cell{lone}, 1, "The cell is right: no masks compared; 1 of 1 positive accepted."},
		{[]*Cell{lone, {Reference: "naive", PositionsCompared: 1, Negatives: 2, NegativesPassed: 2}}, 3,
			"2 of 3 cells are right: 1 mask compared bit for bit with the reference's, no difference; 1 of 1 positive accepted; 2 of 2 negatives refused."},
	} {
		if got := rightText(c.right, c.of); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
