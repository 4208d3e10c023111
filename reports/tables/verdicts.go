package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// shownReasons is how many reasons of a filter a row names; JSON has all.
const shownReasons = 5

// filtered are the cells of the workloads of which a filter left out documents, one of each.
func filtered(s *result.Set) (list []*result.Cell) {
	for _, c := range s.Cells {
		if c.Selection != nil && c.Selection.ByFilter > 0 && !slices.ContainsFunc(list, func(o *result.Cell) bool { return o.Workload == c.Workload }) {
			list = append(list, c)
		}
	}
	return list
}

// filteredText says on the first screen how many documents filters left out; "" if none.
func filteredText(s *result.Set) string {
	var parts []string
	for _, c := range filtered(s) {
		x := c.Selection
		parts = append(parts, fmt.Sprintf("%s of %s listed for %s (%s)", show.Count(x.ByFilter), show.Count(x.Listed), c.Workload, x.Filter))
	}
	if parts == nil {
		return ""
	}
	return "Left out by filters, and in no figure: " + strings.Join(parts, "; ") + "."
}

// selections says of each workload what was chosen of its corpus, and why the rest was not; nil if
// no filter left out anything.
func selections(s *result.Set) *document.Table {
	of := document.PartOf(func(c *result.Cell) *cell.Selection { return c.Selection })
	return document.Fill(document.Titled("selection", config.FilterParses, config.FilterRight), filtered(s), []document.Figure[*result.Cell]{
		of("why, most frequent first", whyText).InWords(),
	}).OrNil()
}

// whyText names the most frequent reasons of a filter.
func whyText(x *cell.Selection) string {
	var why []string
	for _, r := range x.Reasons[:min(shownReasons, len(x.Reasons))] {
		why = append(why, fmt.Sprintf("%s: %s", r.Why, show.Count(r.Count)))
	}
	if more := len(x.Reasons) - shownReasons; more > 0 {
		why = append(why, "and "+show.Plural(more, "other reason"))
	}
	return strings.Join(why, "; ")
}

// Verdicts is the first table, since times of wrong answers are worthless. One sentence counts the
// cells that are right; only cells that are not have rows.
func Verdicts(s *result.Set) *document.Table {
	held := s.OfContract()
	right := rightCells(held)
	t := document.Footed(document.Titled("verdicts", rightText(right, len(held.Cells), len(s.Cells)-len(held.Cells))), caveat)
	told := func(c *result.Cell) bool { return !c.EndedWell() || c.Semantics != algorithms.SemanticsContract }
	if !slices.ContainsFunc(s.Cells, told) {
		return t
	}
	if len(right) > 0 {
		t.Caption += " The others have rows."
	}
	t.Caption += " A positive passes if none of its tokens and not its end is masked, a negative if something is; in brackets the 95% Wilson interval of the rate. " +
		"Masks are compared bit for bit with those of the reference at the same positions."
	return each(s, t, where(told), []document.Figure[*result.Cell]{
		{Head: "positives passed", Of: func(c *result.Cell) string {
			return show.Passed(c.PositivesPassed, c.Positives, c.PositivesPassedRate95)
		}},
		{Head: "negatives refused", Of: func(c *result.Cell) string {
			return show.Passed(c.NegativesPassed, c.Negatives, c.NegativesPassedRate95)
		}},
		{Head: "masks compared", Of: func(c *result.Cell) string {
			if c.Reference == "" && len(c.ComparedWith) < 2 {
				return show.None
			}
			return show.Count(c.PositionsCompared)
		}},
		document.Worded("reference", referenceText),
		document.Worded("outcome", outcomeText),
	})
}

// outcomeText is how a cell ended, and its batches if one of them failed.
func outcomeText(c *result.Cell) string {
	if c.BatchOutcome == "" {
		return string(c.Outcome)
	}
	return fmt.Sprintf("%s, in a batch %s", c.Outcome, c.BatchOutcome)
}

// rightCells are those that are right.
func rightCells(s *result.Set) []*result.Cell { return s.Only((*result.Cell).EndedWell).Cells }

// referenceText says what the masks of a cell were compared with.
func referenceText(c *result.Cell) string {
	switch {
	case len(c.ComparedWith) > 1:
		return ComparedText(c)
	case c.Reference != "":
		return c.Reference
	case c.Outcomes[cell.OK]+c.Outcomes[cell.WrongVerdict] == 0:
		return show.None
	case c.Semantics != algorithms.SemanticsContract:
		return "another language"
	}
	return "is the reference"
}

// rightText counts the cells that are right of those held to the contract, and says what that
// means. others is how many cells have a language of their own. Documents count once for each
// workload and vocabulary, by the algorithm that did worst on them.
func rightText(right []*result.Cell, of, others int) string {
	var which string
	what := "cell"
	if others > 0 {
		what = "cell of the contract"
	}
	switch {
	case of == 0:
		return "There are no cells."
	case len(right) == 0:
		return fmt.Sprintf("Of %s none is right.", show.Many(of, what))
	case len(right) < of:
		which = fmt.Sprintf("%s of %s are right", show.Count(len(right)), show.Many(of, what))
	case of == 1:
		which = "The " + what + " is right"
	default:
		which = fmt.Sprintf("All %s are right", show.Many(of, what))
	}
	if others > 0 {
		own := "a language of its own"
		if others > 1 {
			own = "languages of their own"
		}
		which += fmt.Sprintf(" (%s more with %s)", show.Count(others), own)
	}
	parts := []string{comparedText(right)}
	var programs, schemas verdictCount
	for _, g := range result.GroupsOf(right) {
		worst := slices.MaxFunc(g.Cells, func(a, b *result.Cell) int { return cmp.Compare(notPassed(a), notPassed(b)) })
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
func comparedText(right []*result.Cell) string {
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
		for _, label := range referencesOf(c) {
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
		parts = append(parts, fmt.Sprintf("%s with those of %s", show.Count(with[label]), label))
	}
	if unsaid > 0 {
		parts = append(parts, show.Count(unsaid)+" with those of references that the result does not name")
	}
	return fmt.Sprintf("%s compared bit for bit (%s), no difference", show.Plural(compared, "mask"), strings.Join(parts, ", "))
}

// referencesOf are the labels of the cells whose masks the cell's were compared with, the first
// reference first.
func referencesOf(c *result.Cell) []string {
	labels := slices.Sorted(maps.Keys(c.ComparedWith))
	slices.SortStableFunc(labels, func(a, b string) int { return stats.FalseFirst(b == c.Reference, a == c.Reference) })
	return labels
}

// ComparedText has the masks compared by reference: "naive (12), trie (40)".
func ComparedText(c *result.Cell) string {
	list := referencesOf(c)
	for i, label := range list {
		list[i] = fmt.Sprintf("%s (%s)", label, show.Count(c.ComparedWith[label]))
	}
	return strings.Join(list, ", ")
}

// notPassed counts the documents whose verdict is not the corpus's.
func notPassed(c *result.Cell) int {
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
		text := fmt.Sprintf("%s of %s accepted", show.Count(v.accepted), show.Many(v.positives, positive))
		if v.keyOrder > 0 {
			text += fmt.Sprintf(" (%s refused only for the order of keys)", show.Count(v.keyOrder))
		}
		parts = append(parts, text)
	}
	if v.negatives > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s refused", show.Count(v.refused), show.Many(v.negatives, negative)))
	}
	if v.without > 0 {
		parts = append(parts, show.Plural(v.without, "schema")+" without a grammar")
	}
	return parts
}
