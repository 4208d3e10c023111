package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// verdicts is the first table, since times of wrong answers are worthless. One sentence counts the
// cells that are right; only cells that are not have rows.
func (s *Set) verdicts() *Table {
	held := s.ofContract()
	right := held.rightCells()
	t := footed(titled("verdicts", rightText(right, len(held.Cells), len(s.Cells)-len(held.Cells))), (*Cell).caveat)
	told := func(c *Cell) bool { return !c.right() || c.Semantics != algorithms.SemanticsContract }
	if !slices.ContainsFunc(s.Cells, told) {
		return t
	}
	if len(right) > 0 {
		t.Caption += " The others have rows."
	}
	t.Caption += " A positive passes if none of its tokens and not its end is masked, a negative if something is; in brackets the 95% Wilson interval of the rate. " +
		"Masks are compared bit for bit with those of the reference at the same positions."
	return each(s, t, where(told), []figure[*Cell]{
		{head: "positives passed", of: func(c *Cell) string { return passed(c.PositivesPassed, c.Positives, c.PositivesPassedRate95) }},
		{head: "negatives refused", of: func(c *Cell) string { return passed(c.NegativesPassed, c.Negatives, c.NegativesPassedRate95) }},
		{head: "masks compared", of: func(c *Cell) string {
			if c.Reference == "" && len(c.ComparedWith) < 2 {
				return none
			}
			return count(c.PositionsCompared)
		}},
		text("reference", (*Cell).referenceText),
		text("outcome", (*Cell).outcomeText),
	})
}

// right tells whether a cell ended well, with its batches.
func (c *Cell) right() bool { return c.Outcome == cell.OK && c.batchOutcome == "" }

// outcomeText is how a cell ended, and its batches if one of them failed.
func (c *Cell) outcomeText() string {
	if c.batchOutcome == "" {
		return string(c.Outcome)
	}
	return fmt.Sprintf("%s, in a batch %s", c.Outcome, c.batchOutcome)
}

// rightCells are those that are right.
func (s *Set) rightCells() []*Cell { return s.only((*Cell).right).Cells }

// referenceText says what the masks of a cell were compared with.
func (c *Cell) referenceText() string {
	switch {
	case len(c.ComparedWith) > 1:
		return c.comparedText()
	case c.Reference != "":
		return c.Reference
	case c.Outcomes[cell.OK]+c.Outcomes[cell.WrongVerdict] == 0:
		return none
	case c.Semantics != algorithms.SemanticsContract:
		return "another language"
	}
	return "is the reference"
}

// rightText counts the cells that are right of those held to the contract, and says what that
// means. others is how many cells have a language of their own. Documents count once for each
// workload and vocabulary, by the algorithm that did worst on them.
func rightText(right []*Cell, of, others int) string {
	var which string
	what := "cell"
	if others > 0 {
		what = "cell of the contract"
	}
	switch {
	case of == 0:
		return "There are no cells."
	case len(right) == 0:
		return fmt.Sprintf("Of %s none is right.", many(of, what))
	case len(right) < of:
		which = fmt.Sprintf("%s of %s are right", count(len(right)), many(of, what))
	case of == 1:
		which = "The " + what + " is right"
	default:
		which = fmt.Sprintf("All %s are right", many(of, what))
	}
	if others > 0 {
		own := "a language of its own"
		if others > 1 {
			own = "languages of their own"
		}
		which += fmt.Sprintf(" (%s more with %s)", count(others), own)
	}
	parts := []string{comparedText(right)}
	var programs, schemas verdictCount
	for _, g := range groupsOf(right) {
		worst := slices.MaxFunc(g.Cells, func(a, b *Cell) int { return cmp.Compare(a.notPassed(), b.notPassed()) })
		if f := worst.SchemaFigures; f != nil {
			schemas.add(f.ValidInstances-f.ValidRefused-f.ValidRefusedKeyOrder, f.ValidInstances, f.InvalidInstances-f.InvalidAccepted, f.InvalidInstances)
			schemas.keyOrder += f.ValidRefusedKeyOrder
			schemas.without += f.Schemas - f.Compiled
		} else {
			programs.add(worst.PositivesPassed, worst.Positives, worst.NegativesPassed, worst.Negatives)
		}
	}
	parts = append(parts, programs.text("positive", "negative")...)
	return which + ": " + strings.Join(append(parts, schemas.text("valid instance of JSON schemas", "invalid one")...), "; ") + "."
}

// comparedText says how many masks were compared, and with whose.
func comparedText(right []*Cell) string {
	compared, unsaid := 0, 0
	var references []string
	with := map[string]int{}
	for _, c := range right {
		if c.Reference == "" { // the reference itself is compared with nothing
			continue
		}
		compared += c.PositionsCompared
		if len(c.ComparedWith) == 0 {
			unsaid += c.PositionsCompared
		}
		for _, label := range c.references() {
			if with[label] += c.ComparedWith[label]; !slices.Contains(references, label) {
				references = append(references, label)
			}
		}
	}
	if compared == 0 {
		return "no masks compared, for want of a second algorithm that compares at the same positions"
	}
	var parts []string
	for _, label := range references {
		parts = append(parts, fmt.Sprintf("%s with those of %s", count(with[label]), label))
	}
	if unsaid > 0 {
		parts = append(parts, count(unsaid)+" with those of references that the result does not name")
	}
	return fmt.Sprintf("%s compared bit for bit (%s), no difference", plural(compared, "mask"), strings.Join(parts, ", "))
}

// references are the labels of the cells whose masks the cell's were compared with, the first
// reference first.
func (c *Cell) references() []string {
	labels := slices.Sorted(maps.Keys(c.ComparedWith))
	slices.SortStableFunc(labels, func(a, b string) int { return stats.FalseFirst(b == c.Reference, a == c.Reference) })
	return labels
}

// comparedText has the masks compared by reference: "naive (12), trie (40)".
func (c *Cell) comparedText() string {
	list := c.references()
	for i, label := range list {
		list[i] = fmt.Sprintf("%s (%s)", label, count(c.ComparedWith[label]))
	}
	return strings.Join(list, ", ")
}

// notPassed counts the documents whose verdict is not the corpus's.
func (c *Cell) notPassed() int {
	return c.Positives - c.PositivesPassed + c.Negatives - c.NegativesPassed
}

// verdictCount counts documents by verdict.
type verdictCount struct {
	accepted, positives, refused, negatives int
	keyOrder                                int // valid, and refused only for the order of their keys
	without                                 int // schemas without a grammar, whose instances are in none of these
}

func (v *verdictCount) add(accepted, positives, refused, negatives int) {
	v.accepted, v.positives = v.accepted+accepted, v.positives+positives
	v.refused, v.negatives = v.refused+refused, v.negatives+negatives
}

// text names what there is.
func (v *verdictCount) text(positive, negative string) (parts []string) {
	if v.positives > 0 {
		text := fmt.Sprintf("%s of %s accepted", count(v.accepted), many(v.positives, positive))
		if v.keyOrder > 0 {
			text += fmt.Sprintf(" (%s refused only for the order of keys)", count(v.keyOrder))
		}
		parts = append(parts, text)
	}
	if v.negatives > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s refused", count(v.refused), many(v.negatives, negative)))
	}
	if v.without > 0 {
		parts = append(parts, plural(v.without, "schema")+" without a grammar")
	}
	return parts
}

// many counts things in words; the plural ending goes to the first word of the name.
func many(n int, what string) string {
	first, rest, _ := strings.Cut(what, " of ")
	if rest != "" {
		rest = " of " + rest
	}
	return plural(n, first) + rest
}
