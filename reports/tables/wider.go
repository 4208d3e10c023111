package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// widerNote says in a footnote how far the masks of a cell are from the contract's; "" if they are
// the contract's or were not compared.
func widerNote(c *result.Cell) string {
	w := c.Wider
	if w == nil || w.Differ == 0 {
		return ""
	}
	text := fmt.Sprintf("masks are not the contract's at %s of %s", show.Count(w.Differ), show.Plural(w.Positions, "position"))
	switch more := w.Allowed - w.ContractAllowed; {
	case w.Counted > 0 && more > 0:
		text += fmt.Sprintf(", with %s tokens too many per mask", show.Significant(more))
	case w.Counted > 0 && more < 0:
		text += fmt.Sprintf(", with %s tokens too few per mask", show.Significant(-more))
	}
	return text
}

// widerText is a sentence about the algorithms of ours with a language of their own, over all
// workloads; "" if there are none.
func widerText(s *result.Set) string {
	var labels, parts []string
	for _, c := range s.Cells {
		if c.Widened() && !slices.Contains(labels, c.Label) {
			labels = append(labels, c.Label)
		}
	}
	for _, label := range labels {
		differ, positions, refused, negatives := 0, 0, 0, 0
		for _, c := range s.Cells {
			if c.Label != label || !c.Widened() {
				continue
			}
			refused, negatives = refused+c.NegativesPassed, negatives+c.Negatives
			if c.Wider != nil {
				differ, positions = differ+c.Wider.Differ, positions+c.Wider.Positions
			}
		}
		text := fmt.Sprintf("%s refuses %s of %s", label, show.Count(refused), show.Plural(negatives, "negative"))
		if positions > 0 {
			text += fmt.Sprintf(", and %s of its masks are not the contract's", show.Percent(float64(differ)/float64(positions)))
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "Algorithms whose masks allow too much, which Commit then refuses: " + strings.Join(parts, "; ") + "."
}

// widerTable has the cells with masks that are not the contract's; nil if there are none.
func widerTable(s *result.Set) *document.Table {
	counted := func(head string, of func(w *result.Wider) float64) document.Figure[*result.Cell] {
		return document.Figure[*result.Cell]{Head: head, Of: func(c *result.Cell) string {
			if c.Wider.Counted == 0 {
				return show.None
			}
			return show.NumberOrNone(of(c.Wider), show.Significant)
		}}
	}
	differing := where(func(c *result.Cell) bool { return c.Wider != nil && c.Wider.Differ > 0 })
	return each(s, document.Titled("wider"), differing, []document.Figure[*result.Cell]{
		{Head: "share", Of: func(c *result.Cell) string { return show.Percent(show.Share(c.Wider.Differ, c.Wider.Positions)) }},
		counted("allowed", func(w *result.Wider) float64 { return w.Allowed }),
		counted("by the contract", func(w *result.Wider) float64 { return w.ContractAllowed }),
		counted("too many", func(w *result.Wider) float64 { return w.Allowed - w.ContractAllowed }),
		counted("too many where they differ", func(w *result.Wider) float64 {
			if w.DifferCounted == 0 {
				return math.NaN()
			}
			return (w.Allowed - w.ContractAllowed) * float64(w.Counted) / float64(w.DifferCounted)
		}),
	}).OrNil()
}

// apart is a sentence on the rows that come after the others; "" if there are none.
func apart(s *result.Set) string {
	var parts []string
	for _, label := range s.Labels() {
		if text := apartNote(s, label); text != "" {
			parts = append(parts, label+" ("+text+")")
		}
	}
	if parts == nil {
		return ""
	}
	return "Masks that are not the contract's, by algorithm, whose rows stand below the others: " + strings.Join(parts, "; ") + "."
}

// apartNote counts the differing masks of an algorithm over all of its cells; "" if there are none.
func apartNote(s *result.Set, label string) string {
	differ, positions, uncounted := 0, 0, 0
	for _, c := range s.Cells {
		switch {
		case c.Label != label:
		case c.Wider != nil:
			differ, positions = differ+c.Wider.Differ, positions+c.Wider.Positions
		case c.Differs():
			uncounted++
		}
	}
	switch {
	case differ > 0:
		return fmt.Sprintf("%s of %s", show.Count(differ), show.Plural(positions, "mask"))
	case uncounted > 0:
		return "a wrong mask on " + show.Plural(uncounted, "workload")
	}
	return ""
}
