package changes

import (
	"fmt"
	"io"
	"strings"

	"gcdbench/reports/document"
	"gcdbench/reports/show"
)

// WriteText writes a comparison for a terminal: what else differs, how many figures have which
// verdict, and a row for each figure. The error is w's.
func (c *Comparison) WriteText(w io.Writer) error {
	return document.WriteText(w, &document.Document{Title: "B compared with A", Lead: []string{c.inShort()}, Tables: []*document.Table{c.table()}, About: c.Notes})
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
			parts = append(parts, fmt.Sprintf("%s %s", show.Count(seen[v]), v))
		}
	}
	return show.Plural(len(c.Changes), "figure") + ": " + strings.Join(parts, ", ") + "."
}

// table has a row for each change.
func (c *Comparison) table() *document.Table {
	write := func(figure string, v float64) string {
		if strings.Contains(figure, "_ns") {
			return show.Micros(v)
		}
		return show.Count(int(v))
	}
	return document.Fill(document.Titled("changes").Naming(3), c.Changes, []document.Figure[Change]{
		{Head: "A", Of: func(x Change) string { return write(x.Figure, x.A) }},
		{Head: "B", Of: func(x Change) string { return write(x.Figure, x.B) }},
		{Head: "B / A [95%]", Of: func(x Change) string { return x.ratioText() }},
	})
}

// ratioText is the ratio with its interval.
func (c *Change) ratioText() string {
	if c.Ratio == nil {
		return show.None
	}
	text := show.Significant(*c.Ratio)
	if c.Low != nil {
		text += " [" + show.Significant(*c.Low) + ", " + show.Significant(*c.High) + "]"
	}
	return text
}
