package reports

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/config"
)

// shownReasons is how many reasons of a filter a row names; JSON has all.
const shownReasons = 5

// filteredText says on the first screen how many documents filters left out; "" if none.
func (s *Set) filteredText() string {
	var parts, seen []string
	for _, c := range s.Cells {
		if x := c.Selection; x != nil && x.ByFilter > 0 && !slices.Contains(seen, c.Workload) {
			seen = append(seen, c.Workload)
			parts = append(parts, fmt.Sprintf("%s of %s listed for %s (%s)", count(x.ByFilter), count(x.Listed), c.Workload, x.Filter))
		}
	}
	if parts == nil {
		return ""
	}
	return "Left out by filters, and in no figure: " + strings.Join(parts, "; ") + "."
}

// selections says of each workload what was chosen of its corpus, and why the rest was not; nil if
// no filter left out anything.
func (s *Set) selections() *Table {
	t := &Table{ID: "selection", Title: "What the filters left out",
		Columns: []Column{{Head: "workload"}, {Head: "filter"}, {Head: "listed", Right: true}, {Head: "left out by it", Right: true},
			{Head: "by size", Right: true}, {Head: "beyond the limit", Right: true}, {Head: "chosen", Right: true}, {Head: "why, most frequent first"}}}
	var seen []string
	for _, c := range s.Cells {
		x := c.Selection
		if x == nil || x.ByFilter == 0 || slices.Contains(seen, c.Workload) {
			continue
		}
		seen = append(seen, c.Workload)
		var why []string
		for i, r := range x.Reasons {
			if i == shownReasons {
				why = append(why, fmt.Sprintf("and %s", plural(len(x.Reasons)-i, "other reason")))
				break
			}
			why = append(why, fmt.Sprintf("%s: %s", r.Why, count(r.Count)))
		}
		t.Rows = append(t.Rows, []Text{{Body: c.Workload}, {Body: x.Filter}, {Body: count(x.Listed)}, {Body: count(x.ByFilter)}, {Body: count(x.BySize)},
			{Body: count(x.ByLimit)}, {Body: count(x.Chosen)}, {Body: strings.Join(why, "; ")}})
	}
	if len(seen) == 0 {
		return nil
	}
	t.Caption = "Documents, or of a corpus of schemas the schemas. Filter " + config.FilterParses + ": documents that the grammar refuses, with its reason. Filter " +
		config.FilterRight + ": schemas whose grammar does not judge all instances as they are labelled, or that lack valid or invalid ones. " +
		"What is beyond the limit was not looked at."
	return t
}
