package reports

import (
	"fmt"
	"slices"
)

// The noise floor and the clock.

// noise is the table of A/A comparisons; nil if there are none.
func (s *Set) noise() *Table {
	list := s.Noise()
	if len(list) == 0 {
		return nil
	}
	t := &Table{ID: "noise", Title: "Noise floor: an algorithm against itself, the second entry over the first",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "entries"}, {"positions", true}, {"mask times, paired [95%]", true},
			{"mean steps", true}, {"p99 of steps", true}, {"offline", true}},
		Caption: fmt.Sprintf("The same algorithm was entered twice and measured in turn with the others, on new documents. By the paired ratio of masks it differs from itself by up to %s, the ends of intervals included; the other columns are the ratios of the figures "+
			"that tables show. A smaller difference between two algorithms is noise.", percent(floor(list)))}
	for _, n := range list {
		t.Rows = append(t.Rows, []Text{{Body: n.Workload}, {Body: n.Tokenizer}, {Body: n.B + " / " + n.A},
			{Body: count(n.Mask.N)}, {Body: significant(n.Mask.Value) + interval(n.Mask.Interval, significant)},
			{Body: significant(n.Mean)}, {Body: significant(n.P99)}, {Body: significant(n.Offline)}})
	}
	return t
}

// clock is the table about the measurement: single measurements against blocks, and disturbances.
func (s *Set) clock() *Table {
	names, fill := s.columns()
	t := &Table{ID: "clock", Title: "The clock: single measurements against blocks, and what disturbed them",
		Columns: append(names, Column{"taken off ns", true}, Column{"steps in blocks", true}, Column{"one by one ns", true}, Column{"in blocks ns", true}, Column{"ratio", true},
			Column{"timed steps", true}, Column{"disturbed", true}, Column{"time of the thread", true}, Column{"core", true}),
		Caption: "Taken off: what a pair of clock reads around nothing reports. " + s.checkCaption() +
			"Disturbed: steps in which something else had the core; only those of more than 20 µs are looked at, and none is dropped. Time of the thread: its processor time over the clock's, in the timed steps. " + s.coreCaption()}
	for _, c := range s.Cells {
		m := &c.Measured
		if m.Steps == 0 {
			continue
		}
		row := append(append(fill(c), Text{Body: significant(m.ClockEmptyNS)}), checkFigures(m)...)
		core := none
		if m.Core >= 0 {
			core = count(m.Core)
		}
		ran := 1 - float64(m.StolenNS)/float64(max(1, m.WallNS))
		t.add(c, "", append(row, Text{Body: count(m.Steps)}, Text{Body: shareOf(m.Disturbed, m.Steps)}, Text{Body: percent(ran)}, Text{Body: core}))
	}
	return t
}

// checkFigures compare single steps with blocks.
func checkFigures(m *Measured) []Text {
	k := m.Check
	if k == nil || k.Steps == 0 || k.BlockNS <= 0 {
		return slices.Repeat([]Text{{Body: none}}, 4)
	}
	n := float64(k.Steps)
	return []Text{{Body: count(k.Steps)}, {Body: significant(k.SingleNS / n)}, {Body: significant(k.BlockNS / n)}, {Body: significant(k.SingleNS / k.BlockNS)}}
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
