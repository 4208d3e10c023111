package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gcdbench/harness/stats"
	"gcdbench/reports/show"
)

// The choice of tables and columns. A paper wants three tables of four columns, in any format.

// Choice restricts a Document. The zero Choice is everything.
type Choice struct {
	Tables []string // by ID
	// Columns are named by their heads or by the ColumnID of these. Columns that name a row always
	// stay. A table with none of the columns is left out.
	Columns []string
	// Workloads, Tokenizers, Algorithms (by label) and States keep the rows and columns that are about
	// these; what is about all of them stays.
	Workloads, Tokenizers, Algorithms, States []string
	// Narrow has LaTeX tables fit one column of a page with two; otherwise they fit
	// the text of a plain article.
	Narrow bool
}

// ChoiceError says that a report has no table or column of a name.
type ChoiceError struct {
	What  string // such as "table" or "column"
	Name  string
	Known []string
}

// Error lists the names there are.
func (e *ChoiceError) Error() string {
	return fmt.Sprintf("no %s %q; there are %s", e.What, e.Name, strings.Join(e.Known, ", "))
}

// Any reports whether anything is chosen.
func (c *Choice) Any() bool { return len(c.Tables)+len(c.Columns) > 0 || c.rows() }

// rows reports whether rows are chosen.
func (c *Choice) rows() bool {
	return len(c.Workloads)+len(c.Tokenizers)+len(c.Algorithms)+len(c.States) > 0
}

// suits reports whether what a row is about was chosen.
func (c *Choice) suits(k RowKey) bool {
	in := func(list []string, name string) bool {
		return len(list) == 0 || name == "" || slices.Contains(list, name)
	}
	return in(c.Workloads, k.Workload) && in(c.Tokenizers, k.Tokenizer) && in(c.Algorithms, k.Algorithm) && in(c.States, k.State)
}

// rowsOf is the table with the rows and columns that were chosen; nil if no row, or no column of
// figures, is left of a table that had some.
func (c *Choice) rowsOf(t *Table) *Table {
	part := *t
	part.Rows = nil
	for _, row := range t.Rows {
		if c.suits(t.Key(row)) {
			part.Rows = append(part.Rows, row)
		}
	}
	if len(t.Rows) > 0 && len(part.Rows) == 0 {
		return nil
	}
	var columns []int
	for i := range t.Columns {
		if c.suits(RowKey{Workload: t.workload(i), State: t.State(i)}) {
			columns = append(columns, i)
		}
	}
	if len(t.Columns) > t.Names() && len(columns) <= t.Names() {
		return nil
	}
	return part.with(columns)
}

// workload is the workload that a column of a summary is about: such tables have one for each, and
// nothing else beside the names.
func (t *Table) workload(i int) string {
	if i < t.Names() || slices.ContainsFunc(t.Columns, func(c Column) bool { return strings.ToLower(c.Head) == "workload" }) || !strings.HasPrefix(t.ID, "summary-") {
		return ""
	}
	return t.Columns[i].Head
}

// Apply removes what was not chosen, the summary among it.
func (c *Choice) Apply(d *Document) {
	d.Narrow = c.Narrow
	if !c.Any() {
		return
	}
	all := d.Tables
	if len(c.Tables) > 0 { // a table of the first screen is chosen by its name
		all = slices.Concat(d.Summary, d.Tables)
	}
	d.Lead, d.Summary = nil, nil
	var tables []*Table
	for _, t := range all {
		if len(c.Tables) > 0 && !slices.Contains(c.Tables, t.ID) {
			continue
		}
		if len(c.Columns) > 0 {
			if t = t.chosen(c.Columns); t == nil {
				continue
			}
		}
		if c.rows() {
			if t = c.rowsOf(t); t == nil {
				continue
			}
		}
		tables = append(tables, t)
	}
	d.Tables = tables
}

// chosen is the table with the columns of those names after those that name a row; nil if it has
// none of them.
func (t *Table) chosen(columns []string) *Table {
	var keep []int
	for i, column := range t.Columns {
		if i < t.Names() || slices.ContainsFunc(columns, func(name string) bool { return ColumnID(name) == ColumnID(column.Head) }) {
			keep = append(keep, i)
		}
	}
	if len(keep) <= t.Names() {
		return nil
	}
	part := t.with(keep)
	part.Caption = t.captionOf(part)
	return part
}

// captionOf is the caption without the sentences that explain a column which the part has not, such
// as "Drift: ...".
func (t *Table) captionOf(part *Table) string {
	has := func(t *Table, head string) bool {
		return slices.ContainsFunc(t.Columns, func(c Column) bool { return ColumnID(c.Head) == ColumnID(head) })
	}
	var kept []string
	for _, sentence := range strings.SplitAfter(t.Caption, ". ") {
		if head, _, ok := strings.Cut(sentence, ": "); !ok || !has(t, head) || has(part, head) {
			kept = append(kept, sentence)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// with is the table with some of its columns, and the footnotes that are still referred to.
func (t *Table) with(columns []int) *Table {
	part := *t
	part.Columns, part.Rows, part.States, part.Notes, part.Once = nil, nil, nil, nil, 0
	for _, i := range columns {
		part.Once += stats.Truth(i < t.Once)
		part.Columns = append(part.Columns, t.Columns[i])
		part.States = append(part.States, t.State(i))
	}
	for _, row := range t.Rows {
		var entries []Text
		for _, i := range columns {
			entry := row[i]
			if entry.Mark != "" {
				entry.Mark = part.Note(t.NoteOf(entry.Mark))
			}
			entries = append(entries, entry)
		}
		part.Rows = append(part.Rows, entries)
	}
	return &part
}

// Telling is the table without the columns that have no figure in any row; nil if no column of
// figures is left, or a table that was to have rows has none.
func (t *Table) Telling() *Table {
	var keep []int
	figures := 0
	for i, column := range t.Columns {
		if column.Right && !t.hasFigure(i) {
			continue
		}
		if keep = append(keep, i); column.Right {
			figures++
		}
	}
	switch {
	case len(t.Columns) == 0: // a sentence says it all
		return t
	case figures == 0 || len(t.Rows) == 0:
		return nil
	}
	return t.with(keep)
}

// hasFigure reports whether some row has something in column i.
func (t *Table) hasFigure(i int) bool {
	return slices.ContainsFunc(t.Rows, func(row []Text) bool { return row[i].Body != show.None && row[i].Body != "" })
}

// NoteOf is the footnote of a mark.
func (t *Table) NoteOf(mark string) string {
	for i, note := range t.Notes {
		if Letter(i) == mark {
			return note
		}
	}
	return ""
}

// Names counts the columns that say what a row is about: those before the first figure.
func (t *Table) Names() int {
	for i, c := range t.Columns {
		if c.Right {
			return i
		}
	}
	return len(t.Columns)
}

// ColumnID is a column's name for the command line: its head in small letters, without brackets and
// unit, and with hyphens between the words. The IDs of "p99 µs" and "mean µs [95%]" are p99 and
// mean.
func ColumnID(head string) string {
	head, _, _ = strings.Cut(head, "[")
	var parts []string
	for _, word := range strings.FieldsFunc(strings.ToLower(head), func(r rune) bool {
		return r != '.' && r != '%' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if !slices.Contains([]string{"ns", "µs", "us", "ms", "s", "mib", "kib", "bytes"}, word) || len(parts) == 0 {
			parts = append(parts, word)
		}
	}
	return strings.Join(parts, "-")
}

// AddName adds a name that is not empty and not there yet.
func AddName(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
