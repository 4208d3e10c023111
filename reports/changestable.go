package reports

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes a comparison for a terminal: what else differs, how many figures have which
// verdict, and a row for each figure. The error is w's.
func (c *Comparison) WriteText(w io.Writer) error {
	return writeText(w, &Document{Title: "B compared with A", Lead: []string{c.inShort()}, Tables: []*Table{c.table()}, About: c.Notes})
}

// inShort counts the verdicts.
func (c *Comparison) inShort() string {
	seen := map[Verdict]int{}
	for _, t := range c.Changes {
		seen[t.Verdict]++
	}
	var parts []string
	for _, v := range []Verdict{Wronger, Differs, Slower, Faster, Righter, Equal, Undecided, NoInterval, NotComparable} {
		if seen[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", count(seen[v]), v))
		}
	}
	return plural(len(c.Changes), "figure") + ": " + strings.Join(parts, ", ") + "."
}

// table has a row for each change.
func (c *Comparison) table() *Table {
	write := func(figure string, v float64) string {
		if strings.Contains(figure, "_ns") {
			return micros(v)
		}
		return count(int(v))
	}
	return fill(titled("changes").naming(3), c.Changes, []figure[Change]{
		{head: "A", of: func(x Change) string { return write(x.Figure, x.A) }},
		{head: "B", of: func(x Change) string { return write(x.Figure, x.B) }},
		{head: "B / A [95%]", of: func(x Change) string { return x.ratioText() }},
	})
}

// ratioText is the ratio with its interval.
func (c *Change) ratioText() string {
	if c.Ratio == nil {
		return none
	}
	text := significant(*c.Ratio)
	if c.Low != nil {
		text += " [" + significant(*c.Low) + ", " + significant(*c.High) + "]"
	}
	return text
}
