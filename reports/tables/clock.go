package tables

import (
	"fmt"
	"slices"
	"strings"

	"gcdbench/harness/measure"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// doubtText says on the first screen which engines' times do not hold; "" if all do.
func doubtText(s *result.Set) string {
	var list []string
	var undecided []string
	for _, c := range s.Cells {
		if c.Undecided() {
			undecided = append(undecided, c.Label+" on "+c.Workload)
		}
		for _, d := range c.Doubts() {
			list = append(list, fmt.Sprintf("%s on %s: %s", c.Label, c.Workload, d.Text))
		}
	}
	text := ""
	if len(list) > 0 {
		text = "Times that do not hold against the processor time of their process (table audit): " + strings.Join(list, "; ") + ". "
	}
	if len(undecided) > 0 {
		text += "Undecided, since something else had the core in every walk that could have told: " + strings.Join(undecided, "; ") + ". Stop other programs and run again with --settle 30m."
	}
	return strings.TrimSpace(text)
}

// auditTable holds the times of engines from outside against processor time; nil without any.
func auditTable(s *result.Set) *document.Table {
	has := func(c *result.Cell) bool { return c.Measured.Audit != nil && c.Measured.Audit.Steps > 0 }
	of := document.PartOf(func(c *result.Cell) *measure.Audit { return c.Measured.Audit })
	return each(s, document.Titled("audit"), where(has), []document.Figure[*result.Cell]{
		of("outside of times", func(a *measure.Audit) string { return show.Percent(result.OutsideShare(a)) }),
		of("not asked", func(a *measure.Audit) string { return show.Percent(a.UnaskedNS / max(1, a.AskedNS)) }),
		of("commits", func(a *measure.Audit) string { return show.Percent(a.CommitNS / max(1, a.SingleNS)) }),
	}).OrNil()
}

// The noise floor and the clock.

// noiseTable is the table of A/A comparisons; nil if there are none.
func noiseTable(s *result.Set) *document.Table {
	list := s.Noise()
	if len(list) == 0 {
		return nil
	}
	return document.Fill(document.Titled("noise", show.Percent(result.Floor(list))), list, []document.Figure[result.Noise]{
		document.Worded("entries", func(n result.Noise) string { return n.B + " / " + n.A }),
		{Head: "mask times, paired [95%]", Of: func(n result.Noise) string {
			return show.Significant(n.Mask.Value) + show.Interval(n.Mask.Interval, show.Significant)
		}},
	})
}

// clockTable is the table about the measurement: single measurements against blocks, and
// disturbances.
func clockTable(s *result.Set) *document.Table {
	of, checked := document.PartOf(func(c *result.Cell) *result.Measured { return &c.Measured }), document.PartOf(blocks)
	return each(s, document.Titled("clock", checkCaption(s), coreCaption(s)),
		where(func(c *result.Cell) bool { return c.Measured.Steps > 0 }), []document.Figure[*result.Cell]{
			checked("steps in blocks", func(k *measure.Check) string { return show.Count(k.Steps) }),
			checked("one by one ns", func(k *measure.Check) string { return show.Significant(k.SingleNS / float64(k.Steps)) }),
			checked("in blocks ns", func(k *measure.Check) string { return show.Significant(k.BlockNS / float64(k.Steps)) }),
			checked("ratio", func(k *measure.Check) string { return show.Significant(k.SingleNS / k.BlockNS) }),
			of("time of the thread", func(m *result.Measured) string {
				return show.Percent(1 - float64(m.StolenNS)/float64(max(1, m.WallNS)))
			}),
			of("core", func(m *result.Measured) string {
				if m.Core < 0 {
					return show.None
				}
				return show.Count(m.Core)
			}),
		})
}

// blocks compare single steps with blocks; nil where nothing was compared.
func blocks(c *result.Cell) *measure.Check {
	if k := c.Measured.Check; k != nil && k.Steps > 0 && k.BlockNS > 0 {
		return k
	}
	return nil
}

// checkCaption explains blocks, or why there are none.
func checkCaption(s *result.Set) string {
	if !slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.Measured.Check != nil }) {
		return "No step was so short that blocks had to check it. "
	}
	return "One by one, in blocks: the mean of the same steps, each between two reads of the clock, and 64 between two reads, with nothing between the steps; only of documents whose steps are so short that the clock matters. "
}

// coreCaption names the core.
func coreCaption(s *result.Set) string {
	if !slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.Measured.Core >= 0 }) {
		return "The thread was pinned to no core: the system did not allow it."
	}
	return "Core: the one that the thread was pinned to."
}
