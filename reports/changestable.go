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

// table has a row for each change; names that repeat are left out.
func (c *Comparison) table() *Table {
	t := &Table{ID: "changes", Title: "What changed, times in µs",
		Columns: []Column{{Head: "workload"}, {Head: "vocabulary"}, {Head: "algorithm"}, {Head: "figure"}, {"A", true}, {"B", true}, {"B / A [95%]", true}, {Head: "verdict"}},
		Caption: "Times: at identical positions of the documents that both results have. [95%]: bootstrap interval over whole documents, drawn alike in A and B. Faster and slower: the interval lies beyond 1 and the noise floor; ~: it does not. " +
			"Noise floor: the most by which an algorithm that is entered twice differs from itself, the ends of intervals included; between two runs there can be more."}
	var last [3]string
	for _, x := range c.Changes {
		names := [3]string{x.Workload, x.Tokenizer, x.Algorithm}
		var row []Text
		repeats := true
		for i, name := range names {
			if repeats = repeats && name == last[i]; repeats {
				name = ""
			}
			row = append(row, Text{Body: name})
		}
		last = names
		write := micros
		if !strings.Contains(x.Figure, "_ns") {
			write = func(v float64) string { return count(int(v)) }
		}
		t.Rows = append(t.Rows, append(row, Text{Body: x.Figure}, Text{Body: write(x.A)}, Text{Body: write(x.B)}, Text{Body: x.ratioText()}, Text{Body: string(x.Verdict)}))
	}
	return t
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
