package reports

import (
	"fmt"
	"strings"

	"gcdbench/harness/cell"
)

// verdicts is the table that comes first: times of wrong answers are worth nothing. What is right
// is one sentence, so that what is not stands out; only that has rows.
func (s *Set) verdicts() *Table {
	t := &Table{ID: "verdicts", Title: "Right answers"}
	names, fill := s.columns()
	for _, c := range s.Cells {
		if c.Outcome != cell.OK {
			t.Rows = append(t.Rows, append(t.marked(fill(c), c), verdictFigures(c)...))
		}
	}
	right := s.rightCells()
	t.Caption = rightText(right, len(s.Cells))
	if len(t.Rows) == 0 {
		return t
	}
	t.Columns = append(names,
		Column{"positives passed", true}, Column{"negatives refused", true},
		Column{"masks compared", true}, Column{"reference", false}, Column{"outcome", false})
	if len(right) > 0 {
		t.Caption += " The others have rows."
	}
	t.Caption += " A positive passes if none of its tokens and not its end is masked, a negative if something is; in brackets the 95% Wilson interval of the rate. " +
		"Masks are compared bit for bit with those of the reference at the same positions."
	return t
}

// rightCells are those that ended well.
func (s *Set) rightCells() (right []*Cell) {
	for _, c := range s.Cells {
		if c.Outcome == cell.OK {
			right = append(right, c)
		}
	}
	return right
}

// verdictFigures are the figures of a cell that is not right.
func verdictFigures(c *Cell) []Text {
	reference, compared := c.Reference, count(c.PositionsCompared)
	if reference == "" {
		reference, compared = "is the reference", none
		if c.Outcomes[cell.OK]+c.Outcomes[cell.WrongVerdict] == 0 {
			reference = none
		}
	}
	return []Text{
		{Body: passed(c.PositivesPassed, c.Positives, c.PositivesPassedRate95)},
		{Body: passed(c.NegativesPassed, c.Negatives, c.NegativesPassedRate95)},
		{Body: compared}, {Body: reference}, {Body: string(c.Outcome)}}
}

// rightText says of how many cells all is right, and what that means.
func rightText(right []*Cell, of int) string {
	var compared, positives, accepted, negatives, refused int
	for _, c := range right {
		if c.Reference != "" { // the reference itself is compared with nothing
			compared += c.PositionsCompared
		}
		positives, accepted = positives+c.Positives, accepted+c.PositivesPassed
		negatives, refused = negatives+c.Negatives, refused+c.NegativesPassed
	}
	var which string
	switch {
	case of == 0:
		return "There are no cells."
	case len(right) == 0:
		return fmt.Sprintf("Of %s none is right.", plural(of, "cell"))
	case len(right) < of:
		which = fmt.Sprintf("%s of %s are right", count(len(right)), plural(of, "cell"))
	case of == 1:
		which = "The cell is right"
	default:
		which = fmt.Sprintf("All %s are right", plural(of, "cell"))
	}
	parts := []string{"no masks compared"}
	if compared > 0 {
		parts[0] = plural(compared, "mask") + " compared bit for bit with the reference's, no difference"
	}
	if positives > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s accepted", count(accepted), plural(positives, "positive")))
	}
	if negatives > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s refused", count(refused), plural(negatives, "negative")))
	}
	for _, o := range cell.Outcomes[1:] { // of schemas some may be a limitation and no failure
		n := 0
		for _, c := range right {
			n += c.Outcomes[o]
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", plural(n, "sample"), o))
		}
	}
	return which + ": " + strings.Join(parts, "; ") + "."
}
