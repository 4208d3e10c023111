package tables

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/reports/document"
	"gcdbench/reports/result"
	"gcdbench/reports/show"
)

// text is the verdict in a sentence; "" of nil.
func text(q *result.Quiet) string {
	if q == nil {
		return ""
	}
	marked := ""
	if q.Load > float64(q.Cores) {
		marked = fmt.Sprintf(" In the minute before it began, %s threads wanted the %s.", show.Significant(q.Load), show.Plural(q.Cores, "core"))
	}
	if len(q.Cells) > 0 {
		marked += " Figures marked ! are about the machine and not about an algorithm: stop other programs and run again with --settle 30m."
	}
	if q.Quiet {
		text := fmt.Sprintf("The machine was quiet: another thread had the core in %s of the timed steps", show.Percent(q.Disturbed))
		switch {
		case q.Twins != nil:
			text += fmt.Sprintf(", and an algorithm and its twin differ by up to %s in the mean step", show.Percent(*q.Twins))
		case q.Passes != nil:
			text += fmt.Sprintf(", and passes over the same documents differ by up to %s in the mean step", show.Percent(*q.Passes))
		}
		if q.Clock != nil {
			text += fmt.Sprintf("; the rate of the processor's clock moved by %s", show.Percent(*q.Clock))
		}
		return text + "." + marked
	}
	const most = 3
	why := q.Why
	more := ""
	if len(why) > most {
		why, more = why[:most], fmt.Sprintf("; and %s", show.Plural(len(q.Why)-most, "other sign"))
	}
	return "The machine was disturbed: " + strings.Join(why, "; ") + more + "." + marked
}

// The summary is one screen: verdicts, the headline by workload and algorithm, and the bill. All
// its figures are in tables as well, and it names these.

// lead are the paragraphs before all tables.
func lead(s *result.Set) (lead []string) {
	held := s.OfContract()
	for _, text := range []string{rightText(rightCells(held), len(held.Cells), len(s.Cells)-len(held.Cells)), filteredText(s), text(s.Quiet),
		widerText(s), outsideText(s), doubtText(s), apart(s), notRight(s), headlineText(s)} {
		if text != "" {
			lead = append(lead, text)
		}
	}
	return lead
}

// notRight names the cells with another outcome than ok, shortly; "" if there are none.
func notRight(s *result.Set) string {
	const most = 5
	var list []string
	more := 0
	for _, c := range s.Cells {
		switch {
		case c.EndedWell():
		case len(list) < most:
			list = append(list, fmt.Sprintf("%s: %s on %s with %s%s", outcomeText(c), c.Label, c.Workload, c.Tokenizer, whyNot(c)))
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
func whyNot(c *result.Cell) string {
	if c.Outcome != cell.Unsupported && c.Outcome != cell.CompileError && c.Outcome != cell.Crash || c.SchemaFigures != nil {
		return ""
	}
	detail := c.Detail
	for i := range c.Record.Problems {
		if detail == "" {
			detail = c.Record.Problems[i].Detail
		}
	}
	if detail == "" || c.Semantics == algorithms.SemanticsContract {
		return ""
	}
	return " (" + show.OneLine(detail) + ")"
}

// headlineText explains the headline; "" without times.
func headlineText(s *result.Set) string {
	if !slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.HeadlineState != "" }) {
		return ""
	}
	pinned := " on one pinned core"
	if slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.HeadlineState != "" && c.Measured.Core < 0 }) {
		pinned = ""
	}
	text := "Times are of one generation" + pinned + ", masks delivered into the caller's row, on documents that are new to an engine that has seen others"
	if slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.HeadlineState == result.StateFresh }) {
		text += " (of a workload of one document: on a new engine)"
	}
	if len(s.SchemaCells().Cells) > 0 {
		text += "; a JSON schema is new too, and its times are of the first pass over each instance"
	}
	return text + "."
}

// summaryTables are the headline and the bill as grids: a row for each algorithm and vocabulary, a
// column for each workload.
func summaryTables(s *result.Set) []*document.Table {
	if !slices.ContainsFunc(s.Cells, func(c *result.Cell) bool { return c.HeadlineState != "" || c.Offline != nil }) {
		return nil
	}
	tables := []*document.Table{
		grid(s, "summary-steps", "One step (commit and mask), new document: mean / p99, in µs", func(c *result.Cell) string {
			m := c.Headline(c.TBMNS)
			if m == nil {
				return show.None
			}
			text := show.Micros(m.Mean) + " / " + show.Micros(result.P99(m))
			if s.Quiet.Marks(c) {
				text += " !"
			}
			return text
		}),
		grid(s, "summary-bill", "The bill of all documents: offline + built on the way, in ms; memory after use, in MiB", func(c *result.Cell) string {
			if c.Offline == nil {
				return show.None
			}
			return show.Millis(c.WholeOffline()) + " + " + buildingText(c) + "; " + memoryText(c, c.EngineBytes.Used+c.EngineBytes.Kept)
		}),
	}
	if only := s.SchemaCells(); slices.ContainsFunc(only.Cells, func(c *result.Cell) bool { return c.RequestFigures.Common != nil }) {
		tables = append(tables, grid(only, "summary-requests", "The whole request: first mask of a new schema and all steps of one instance: p50 / p99; sum, in ms", requestText))
	}
	return tables
}

// gridWidth is how wide a grid may be, in letters: that of a screen.
const gridWidth = 130

// grid has a row for each algorithm, of each vocabulary where there are several, and a column for
// each workload. Workloads that do not fit are left out, and the caption says so.
func grid(s *result.Set, id, title string, figure func(c *result.Cell) string) *document.Table {
	t := &document.Table{ID: id, Title: title, Columns: []document.Column{{Head: "algorithm"}}}
	if s.Tokenizers() > 1 {
		t.Columns = append(t.Columns, document.Column{Head: "vocabulary"})
	}
	workloads, width := s.WorkloadNames(), 30
	for i, w := range workloads {
		wide := utf8.RuneCountInString(w)
		for _, c := range s.Cells {
			if c.Workload == w {
				wide = max(wide, utf8.RuneCountInString(figure(c)))
			}
		}
		if width += wide + 2; width > gridWidth && i > 0 {
			t.Caption = fmt.Sprintf("%s more in the tables: %s.", show.Plural(len(workloads)-i, "workload"), strings.Join(workloads[i:], ", "))
			workloads = workloads[:i]
			break
		}
		t.Columns = append(t.Columns, document.Column{Head: w, Right: true})
	}
	names := len(t.Columns) - len(workloads)
	for _, tokenizer := range s.TokenizerNames() {
		for _, label := range rankedLabels(s) {
			row := []document.Text{{Body: label}, {Body: tokenizer}}[:names]
			if text := apartNote(s, label); text != "" {
				row[0].Mark = t.Note("not the contract's: " + text)
			}
			any := false
			for _, w := range workloads {
				body := show.None
				for _, c := range s.Cells {
					if c.Workload == w && c.Label == label && c.Tokenizer == tokenizer {
						body, any = figure(c), true
					}
				}
				row = append(row, document.Text{Body: body})
			}
			if any {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// rankedLabels lists the entries in the order of a table over several workloads: those with a mask
// that is not the contract's come last.
func rankedLabels(s *result.Set) []string {
	labels := s.Labels()
	slices.SortStableFunc(labels, func(a, b string) int { return stats.FalseFirst(apartNote(s, a) != "", apartNote(s, b) != "") })
	return labels
}
