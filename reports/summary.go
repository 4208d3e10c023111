package reports

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
)

// The summary is one screen: verdicts, the headline by workload and algorithm, and the bill. All
// its figures are in tables as well, and it names these.

// lead are the paragraphs before all tables.
func (s *Set) lead() (lead []string) {
	held := s.ofContract()
	for _, text := range []string{rightText(held.rightCells(), len(held.Cells), len(s.Cells)-len(held.Cells)), s.filteredText(), s.quiet.text(),
		s.widerText(), s.outsideText(), s.doubtText(), s.apart(), s.notRight(), s.headlineText()} {
		if text != "" {
			lead = append(lead, text)
		}
	}
	return lead
}

// notRight names the cells with another outcome than ok, shortly; "" if there are none.
func (s *Set) notRight() string {
	const most = 5
	var list []string
	more := 0
	for _, c := range s.Cells {
		switch {
		case c.right():
		case len(list) < most:
			list = append(list, fmt.Sprintf("%s: %s on %s with %s%s", c.outcomeText(), c.Label, c.Workload, c.Tokenizer, c.whyNot()))
		default:
			more++
		}
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// whyNot is the reason why an engine from outside has no figures, after a colon; "" for other
// algorithms, whose reasons have tables.
func (c *Cell) whyNot() string {
	if c.Outcome != cell.Unsupported && c.Outcome != cell.CompileError && c.Outcome != cell.Crash || c.SchemaFigures != nil {
		return ""
	}
	detail := c.Detail
	for i := range c.record.Problems {
		if detail == "" {
			detail = c.record.Problems[i].Detail
		}
	}
	if detail == "" || c.Semantics == algorithms.SemanticsContract {
		return ""
	}
	return " (" + oneLine(detail) + ")"
}

// headlineText explains the headline; "" without times.
func (s *Set) headlineText() string {
	if !slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.HeadlineState != "" }) {
		return ""
	}
	pinned := " on one pinned core"
	if slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.HeadlineState != "" && c.Measured.Core < 0 }) {
		pinned = ""
	}
	text := "Times are of one generation" + pinned + ", masks delivered into the caller's row, on documents that are new to an engine that has seen others"
	if slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.HeadlineState == stateFresh }) {
		text += " (of a workload of one document: on a new engine)"
	}
	if len(s.schemaCells().Cells) > 0 {
		text += "; of JSON schemas on the first pass over each instance, each schema being new as well"
	}
	return text + "."
}

// summaryTables are the headline and the bill as grids: a row for each algorithm and vocabulary, a
// column for each workload.
func (s *Set) summaryTables() []*Table {
	if !slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.HeadlineState != "" || c.Offline != nil }) {
		return nil
	}
	tables := []*Table{
		s.grid("summary-steps", "One step (commit and mask), new document: mean / p99, in µs", func(c *Cell) string {
			m := c.headline(c.TBMNS)
			if m == nil {
				return none
			}
			text := micros(m.Mean) + " / " + micros(p99(m))
			if s.quiet.marks(c) {
				text += " !"
			}
			return text
		}),
		s.grid("summary-bill", "The bill of all documents: offline + built on the way, in ms; memory after use, in MiB", func(c *Cell) string {
			if c.Offline == nil {
				return none
			}
			return millis(c.wholeOffline()) + " + " + c.buildingText() + "; " + c.memoryText(c.EngineBytes.Used+c.EngineBytes.Kept)
		}),
	}
	if only := s.schemaCells(); slices.ContainsFunc(only.Cells, func(c *Cell) bool { return c.RequestFigures.Common != nil }) {
		tables = append(tables, only.grid("summary-requests", "The whole request: first mask of a new schema and all steps of one instance: p50 / p99; sum, in ms", (*Cell).requestText))
	}
	return tables
}

// gridWidth is how wide a grid may be, in letters: that of a screen.
const gridWidth = 130

// grid has a row for each algorithm, of each vocabulary where there are several, and a column for
// each workload. Workloads that do not fit are left out, and the caption says so.
func (s *Set) grid(id, title string, figure func(c *Cell) string) *Table {
	t := &Table{ID: id, Title: title, Columns: []Column{{Head: "algorithm"}}}
	if s.tokenizers() > 1 {
		t.Columns = append(t.Columns, Column{Head: "vocabulary"})
	}
	workloads, width := s.workloadNames(), 30
	for i, w := range workloads {
		wide := utf8.RuneCountInString(w)
		for _, c := range s.Cells {
			if c.Workload == w {
				wide = max(wide, utf8.RuneCountInString(figure(c)))
			}
		}
		if width += wide + 2; width > gridWidth && i > 0 {
			t.Caption = fmt.Sprintf("%s more in the tables: %s.", plural(len(workloads)-i, "workload"), strings.Join(workloads[i:], ", "))
			workloads = workloads[:i]
			break
		}
		t.Columns = append(t.Columns, Column{w, true})
	}
	names := len(t.Columns) - len(workloads)
	for _, tokenizer := range s.tokenizerNames() {
		for _, label := range s.rankedLabels() {
			row := []Text{{Body: label}, {Body: tokenizer}}[:names]
			if text := s.apartNote(label); text != "" {
				row[0].Mark = t.note("not the contract's: " + text)
			}
			any := false
			for _, w := range workloads {
				body := none
				for _, c := range s.Cells {
					if c.Workload == w && c.Label == label && c.Tokenizer == tokenizer {
						body, any = figure(c), true
					}
				}
				row = append(row, Text{Body: body})
			}
			if any {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// workloadNames lists the workloads in the order of the configuration.
func (s *Set) workloadNames() []string {
	return distinct(s.Cells, func(c *Cell) string { return c.Workload })
}

// labels lists the entries in the order of the configuration.
func (s *Set) labels() []string { return distinct(s.Cells, func(c *Cell) string { return c.Label }) }

// rankedLabels lists the entries in the order of a table over several workloads: those with a mask
// that is not the contract's come last.
func (s *Set) rankedLabels() []string {
	labels := s.labels()
	slices.SortStableFunc(labels, func(a, b string) int { return stats.FalseFirst(s.apartNote(a) != "", s.apartNote(b) != "") })
	return labels
}

// distinct are the different names of cells, in their order.
func distinct(cells []*Cell, name func(c *Cell) string) (names []string) {
	for _, c := range cells {
		if n := name(c); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
