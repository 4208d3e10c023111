package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/reports/stats"
)

// The tables are the same in every format: this file says what stands in them, the files of the formats how it looks.
// Their order is that of the questions a reader should ask: whether the answers are right, how fast they came, what
// that cost, how much of it is noise, and what others measured.
//
// A table explains itself. Its caption says what each figure is, with what a reader might take for granted and should
// not; a footnote marks the row whose figures do not mean what those of the others do.

// Document is what a report shows, before it takes the form of a format.
type Document struct {
	Title    string
	Warnings []string
	// Lead and Summary are one screen that comes first: paragraphs, and tables
	// that are always shown whole. Both may be empty.
	Lead    []string
	Summary []*Table
	Tables  []*Table
	// State is the engine state whose rows a format that lets the reader choose
	// shows first; "" for all.
	State string
	// About says where the figures come from and how to read them, a paragraph
	// each.
	About []string
}

// Table is one table of a document.
type Table struct {
	ID      string // for anchors and LaTeX labels
	Title   string
	Columns []Column
	Rows    [][]Text
	Keys    []RowKey // what each row is about; nil for what its named columns say (rowKeys)
	States  []string // the engine state that each column is about, "" for any; nil for none
	Notes   []string // footnotes; note i has the mark of letter(i)
	Caption string   // what the figures are
}

// Column is a column's head.
type Column struct {
	Head  string
	Right bool // figures; words stand left
}

// leastHead is the least letters that a line of a head may have: below it a head would be a tower of single words.
const leastHead = 8

// heads are the heads of all columns, broken between words into lines that are no wider than what stands below them, for
// the formats that can show several lines: heads are words, and most figures are shorter.
func (t *Table) heads() [][]string {
	heads := make([][]string, len(t.Columns))
	for i, c := range t.Columns {
		wide := leastHead
		for _, row := range t.Rows {
			wide = max(wide, utf8.RuneCountInString(row[i].Body))
		}
		heads[i] = breakWords(c.Head, wide)
	}
	return heads
}

// breakWords breaks a text between words into lines of at most so many letters; a word that is longer has its own line.
func breakWords(text string, wide int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= wide {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Text is one entry of a table, with the mark of a footnote or "".
type Text struct {
	Body, Mark string
	Value      *float64 // what it sorts by; nil for what can be read from Body (sortValue)
}

// letter is the mark of footnote i: a, b, ... z, aa, ab.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

// note adds a footnote, once, and returns its mark.
func (t *Table) note(text string) string {
	i := slices.Index(t.Notes, text)
	if i < 0 {
		i = len(t.Notes)
		t.Notes = append(t.Notes, text)
	}
	return letter(i)
}

// Document lays the set out as tables.
func (s *Set) Document() *Document {
	d := &Document{Title: "gcdbench: " + s.Name(), Warnings: s.Warnings, About: s.about()}
	if len(s.Missing) > 0 {
		d.Warnings = append(slices.Clone(d.Warnings), s.missing())
	}
	d.Tables = append(d.Tables, s.verdicts())
	d.Tables = append(d.Tables, s.schemaTables()...)
	d.Tables = append(d.Tables, s.masks(), s.steps())
	d.Tables = append(d.Tables, s.slowTables()...)
	if noise := s.noise(); noise != nil {
		d.Tables = append(d.Tables, noise)
	}
	if published := s.publishedTable(); published != nil {
		d.Tables = append(d.Tables, published)
	}
	if published := s.publishedSchemas(); published != nil {
		d.Tables = append(d.Tables, published)
	}
	return d
}

// missing names what the run has not come to, so that nobody takes a part for the
// whole.
func (s *Set) missing() string {
	var names []string
	for _, p := range s.Missing {
		name := strings.TrimSpace(p.Label + " on " + p.Workload + " with " + p.Tokenizer)
		if p.Label == "" {
			name = "cell " + p.Key
		}
		names = append(names, name)
	}
	return fmt.Sprintf("not finished, and not in any table: %s; the same `gcdbench run` goes on with them", strings.Join(names, "; "))
}

// columns returns the columns that name a row, and a function that fills them.
// The tokenizer gets a column only if there is more than one; a name that stands
// in the row above is left out.
func (s *Set) columns() ([]Column, func(c *Cell) []Text) {
	many := s.tokenizers() > 1
	cols := []Column{{Head: "workload"}}
	if many {
		cols = append(cols, Column{Head: "vocabulary"})
	}
	cols = append(cols, Column{Head: "algorithm"})
	lastWorkload, lastTokenizer := "", ""
	return cols, func(c *Cell) []Text {
		row := []Text{{}}
		if c.Workload != lastWorkload {
			row[0].Body, lastTokenizer = c.Workload, ""
		}
		if many {
			row = append(row, Text{})
			if c.Tokenizer != lastTokenizer {
				row[1].Body = c.Tokenizer
			}
		}
		lastWorkload, lastTokenizer = c.Workload, c.Tokenizer
		return append(row, Text{Body: c.Label})
	}
}

// tokenizers counts the vocabularies.
func (s *Set) tokenizers() int {
	seen := map[string]bool{}
	for _, c := range s.Cells {
		seen[c.Tokenizer] = true
	}
	return len(seen)
}

// marked adds a footnote to the row's name if the cell did not end well.
func (t *Table) marked(row []Text, c *Cell) []Text {
	if c.Outcome == cell.OK {
		return row // the mark is for what a reader must not miss
	}
	row[len(row)-1].Mark = t.note(outcomeNote(c))
	return row
}

// outcomeNote says how often a cell ended otherwise than well, and the first reason.
func outcomeNote(c *Cell) string {
	var parts []string
	for _, o := range cell.Outcomes[1:] {
		if n := c.Outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d of %s", o, n, plural(len(c.record.Samples), "sample")))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, string(c.Outcome))
	}
	text := strings.Join(parts, ", ")
	if c.Detail != "" {
		text += ": " + oneLine(c.Detail)
	}
	switch {
	case c.Outcome == cell.WrongMask:
		text += " (a cell with a wrong mask gets no times)"
	case len(c.steps) > 0:
		text += " (these samples are in no average)"
	}
	return text
}

// oneLine shortens a detail, which may be a stack trace, to what a footnote holds.
func oneLine(s string) string {
	const longest = 160
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "..."
	}
	return s
}

// verdicts is the table that comes first: times of wrong answers are worth nothing.
func (s *Set) verdicts() *Table {
	names, fill := s.columns()
	t := &Table{ID: "verdicts", Title: "Right answers",
		Columns: append(names,
			Column{"positives passed", true}, Column{"negatives refused", true},
			Column{"masks compared", true}, Column{"reference", false}, Column{"outcome", false}),
		Caption: "A positive passes if none of its tokens and not its end is masked, a negative if something is; in brackets the 95% Wilson interval of the rate. " +
			"Masks are compared bit for bit with those of the reference at the same positions."}
	for _, c := range s.Cells {
		reference, compared := c.Reference, count(c.PositionsCompared)
		if reference == "" {
			reference, compared = "is the reference", none
			if c.Outcomes[cell.OK]+c.Outcomes[cell.WrongVerdict] == 0 {
				reference = none
			}
		}
		t.Rows = append(t.Rows, append(t.marked(fill(c), c),
			Text{Body: passed(c.PositivesPassed, c.Positives, c.PositivesPassedRate95)},
			Text{Body: passed(c.NegativesPassed, c.Negatives, c.NegativesPassedRate95)},
			Text{Body: compared},
			Text{Body: reference},
			Text{Body: string(c.Outcome)}))
	}
	return t
}

// masks is the main table.
func (s *Set) masks() *Table {
	names, fill := s.columns()
	uneven := s.uneven()
	t := &Table{ID: "masks", Title: "Time of one mask, in µs",
		Columns: append(names, Column{"n", true}, Column{"mean µs [95%]", true}, Column{"p50 µs", true}, Column{"p90 µs", true},
			Column{"p99 µs", true}, Column{"p99.9 µs", true}, Column{"max µs", true}),
		Caption: s.maskCaption(uneven)}
	if uneven {
		t.Columns = append(t.Columns, Column{"common mean µs", true}, Column{"common n", true})
	}
	t.Columns = append(t.Columns, Column{"time against the first [95%]", true})
	groups := s.Groups()
	for _, g := range groups {
		base := g.baseline()
		for _, c := range g.Cells {
			row := append(t.marked(fill(c), c), maskFigures(c)...)
			if uneven {
				row = append(row, commonFigures(c)...)
			}
			t.Rows = append(t.Rows, append(row, againstText(t, c, c == base)))
		}
	}
	return t
}

// uneven reports whether some group's averages are about different samples.
func (s *Set) uneven() bool {
	for _, g := range s.Groups() {
		if g.uneven() {
			return true
		}
	}
	return false
}

// maskCaption says what each figure of the table is.
func (s *Set) maskCaption(uneven bool) string {
	text := "n: positions masked, in positives that ended well. A position's time is the median of its timed passes" + s.warmups() + ". " + s.fewPositions() +
		"[95%]: bootstrap interval over whole samples" + s.bySchema() + s.tooFew() + ". " +
		"Against the first: geometric mean of the ratios at identical positions; ~ means that its interval holds 1, so the two cannot be told apart."
	if uneven {
		return text + " Common: over the samples that every algorithm of the workload and vocabulary ended well."
	}
	return text + " All algorithms of a workload ended the same samples well, so the averages are about the same positions."
}

// warmups says what the timed passes found built, as a part of a sentence; "" if cells differ.
func (s *Set) warmups() string {
	var counts []int
	for _, c := range s.Cells {
		if n := c.record.ID.Warmup; !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	if len(counts) != 1 {
		return ""
	}
	if counts[0] == 0 {
		return ", the first of which was cold, since there was no warm-up"
	}
	return fmt.Sprintf(", which are warm: the same engine walked the document before (%s), so what it builds on demand is there", plural(counts[0], "time"))
}

// fewPositions says what the high percentiles are where there are few positions.
func (s *Set) fewPositions() string {
	least := math.MaxInt
	for _, c := range s.Cells {
		if c.MaskNS != nil {
			least = min(least, c.MaskNS.N)
		}
	}
	switch {
	case least < 100:
		return "With fewer than 100 positions p99 is the maximum, with fewer than 1,000 p99.9 is. "
	case least < 1000:
		return "With fewer than 1,000 positions p99.9 is the maximum. "
	}
	return ""
}

// bySchema adds what else a bootstrap draws.
func (s *Set) bySchema() string {
	if len(s.schemaCells().Cells) == 0 {
		return ""
	}
	return ", of a workload of schemas over whole schemas with their instances"
}

// tooFew says why intervals are missing, if some are.
func (s *Set) tooFew() string {
	for _, c := range s.Cells {
		if len(c.steps) > 0 && c.clusters() < stats.MinClusters {
			return fmt.Sprintf(" (none with fewer than %d)", stats.MinClusters)
		}
	}
	return ""
}

// maskFigures are a row's figures.
func maskFigures(c *Cell) []Text {
	m := c.MaskNS
	if m == nil {
		return slices.Repeat([]Text{{Body: none}}, 7)
	}
	mean := micros(m.Mean)
	if c.Intervals != nil {
		mean += interval(c.Intervals.MaskNS.Mean, micros)
	}
	return []Text{{Body: count(m.N)}, {Body: mean}, {Body: micros(m.P50)}, {Body: micros(m.P90)},
		{Body: micros(m.P99)}, {Body: micros(m.P999)}, {Body: micros(m.Max)}}
}

// commonFigures are those over the common subset.
func commonFigures(c *Cell) []Text {
	if c.Common == nil || c.Common.MaskNS == nil {
		return []Text{{Body: none}, {Body: none}}
	}
	return []Text{{Body: micros(c.Common.MaskNS.Mean)}, {Body: count(c.Common.MaskNS.N)}}
}

// theFirst stands where an algorithm would be compared with itself.
const theFirst = "(the first)"

// againstText compares with the first algorithm of the group. A comparison across
// runs is marked: between two runs a machine may have got slower.
func againstText(t *Table, c *Cell, first bool) Text {
	switch {
	case first:
		return Text{Body: theFirst}
	case c.Against == nil:
		return Text{Body: none}
	}
	text := Text{Body: speed(c.Against.Mask)}
	if !c.Against.Interleaved {
		text.Mark = t.note("not measured in turn with " + c.Against.Baseline + " but in another run: the machine may have changed in between")
	}
	return text
}
