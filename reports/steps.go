package reports

import (
	"slices"

	"gcdbench/harness/measure"
)

// The noise floor and the clock.

// noise is the table of A/A comparisons; nil if there are none.
func (s *Set) noise() *Table {
	list := s.Noise()
	if len(list) == 0 {
		return nil
	}
	return fill(titled("noise", percent(floor(list))), list, []figure[Noise]{
		text("entries", func(n Noise) string { return n.B + " / " + n.A }),
		{head: "mask times, paired [95%]", of: func(n Noise) string { return significant(n.Mask.Value) + interval(n.Mask.Interval, significant) }},
	})
}

// clock is the table about the measurement: single measurements against blocks, and disturbances.
func (s *Set) clock() *Table {
	of, checked := partOf(func(c *Cell) *Measured { return &c.Measured }), partOf(blocks)
	return each(s, titled("clock", s.checkCaption(), s.coreCaption()),
		where(func(c *Cell) bool { return c.Measured.Steps > 0 }), []figure[*Cell]{
			checked("steps in blocks", func(k *measure.Check) string { return count(k.Steps) }),
			checked("one by one ns", func(k *measure.Check) string { return significant(k.SingleNS / float64(k.Steps)) }),
			checked("in blocks ns", func(k *measure.Check) string { return significant(k.BlockNS / float64(k.Steps)) }),
			checked("ratio", func(k *measure.Check) string { return significant(k.SingleNS / k.BlockNS) }),
			of("time of the thread", func(m *Measured) string { return percent(1 - float64(m.StolenNS)/float64(max(1, m.WallNS))) }),
			of("core", func(m *Measured) string {
				if m.Core < 0 {
					return none
				}
				return count(m.Core)
			}),
		})
}

// blocks compare single steps with blocks; nil where nothing was compared.
func blocks(c *Cell) *measure.Check {
	if k := c.Measured.Check; k != nil && k.Steps > 0 && k.BlockNS > 0 {
		return k
	}
	return nil
}

// checkCaption explains blocks, or why there are none.
func (s *Set) checkCaption() string {
	if !slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.Measured.Check != nil }) {
		return "No step was so short that blocks had to check it. "
	}
	return "One by one, in blocks: the mean of the same steps, each between two reads of the clock, and 64 between two reads, with nothing between the steps; only of documents whose steps are so short that the clock matters. "
}

// coreCaption names the core.
func (s *Set) coreCaption() string {
	if !slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.Measured.Core >= 0 }) {
		return "The thread was pinned to no core: the system did not allow it."
	}
	return "Core: the one that the thread was pinned to."
}
