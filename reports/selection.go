package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
)

// shownReasons is how many reasons of a filter a row names; JSON has all.
const shownReasons = 5

// filtered are the cells of the workloads of which a filter left out documents, one of each.
func (s *Set) filtered() (list []*Cell) {
	for _, c := range s.Cells {
		if c.Selection != nil && c.Selection.ByFilter > 0 && !slices.ContainsFunc(list, func(o *Cell) bool { return o.Workload == c.Workload }) {
			list = append(list, c)
		}
	}
	return list
}

// filteredText says on the first screen how many documents filters left out; "" if none.
func (s *Set) filteredText() string {
	var parts []string
	for _, c := range s.filtered() {
		x := c.Selection
		parts = append(parts, fmt.Sprintf("%s of %s listed for %s (%s)", count(x.ByFilter), count(x.Listed), c.Workload, x.Filter))
	}
	if parts == nil {
		return ""
	}
	return "Left out by filters, and in no figure: " + strings.Join(parts, "; ") + "."
}

// selections says of each workload what was chosen of its corpus, and why the rest was not; nil if
// no filter left out anything.
func (s *Set) selections() *Table {
	of := partOf(func(c *Cell) *cell.Selection { return c.Selection })
	return fill(titled("selection", config.FilterParses, config.FilterRight), s.filtered(), []figure[*Cell]{
		of("why, most frequent first", whyText).inWords(),
	}).orNil()
}

// whyText names the most frequent reasons of a filter.
func whyText(x *cell.Selection) string {
	var why []string
	for _, r := range x.Reasons[:min(shownReasons, len(x.Reasons))] {
		why = append(why, fmt.Sprintf("%s: %s", r.Why, count(r.Count)))
	}
	if more := len(x.Reasons) - shownReasons; more > 0 {
		why = append(why, "and "+plural(more, "other reason"))
	}
	return strings.Join(why, "; ")
}
