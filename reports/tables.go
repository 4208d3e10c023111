package reports

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/internal/words"
	"gcdbench/reports/stats"
)

// The tables are the same in every format: this file says what stands in them, the files of the formats how it looks.
// Their order is that of the questions a reader should ask: whether the answers are right, how fast they came, what
// that cost, how much of it is noise, and what others measured.
//
// A table explains itself. Its caption says what each figure is, with what a reader might take for granted and should
// not; a footnote marks the row whose figures do not mean what those of the others do.

// Document is what a report shows, before it takes the form of a format. No text of
// it hides anything: what names of strangers contain of control characters is
// escaped (words.Visible).
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
	// Narrow is Choice.Narrow.
	Narrow bool
}

// Table is one table of a document. One without rows is its title and caption: a sentence says it all.
type Table struct {
	ID      string // for anchors, LaTeX labels and files, and the command line
	Title   string
	Columns []Column
	Rows    [][]Text
	Keys    []RowKey // what each row is about; nil for what its named columns say (rowKeys)
	States  []string // the engine state that each column is about, "" for any; nil for none
	Notes   []string // footnotes; note i has the mark of letter(i)
	Caption string   // what the figures are
}

// add appends a row about a cell in a state, "" for all.
func (t *Table) add(c *Cell, state string, row []Text) { t.Rows = append(t.Rows, row) }

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
	d := s.document()
	s.choice.apply(d)
	d.makeVisible()
	return d
}

// document is Document with all texts as they come.
func (s *Set) document() *Document {
	d := &Document{Title: "gcdbench: " + s.Name(), Warnings: s.Problems(), Lead: s.lead(), Summary: s.summaryTables(), About: s.about()}
	d.Tables = append(d.Tables, s.verdicts())
	d.Tables = append(d.Tables, s.schemaTables()...)
	d.Tables = append(d.Tables, s.masks(), s.wholeSteps(), s.bill())
	for _, t := range []*Table{s.crossings(), s.counterTable()} {
		if t != nil {
			d.Tables = append(d.Tables, t)
		}
	}
	d.Tables = append(d.Tables, s.slowTables()...)
	for _, t := range []*Table{s.noise(), s.clock()} {
		if t != nil {
			d.Tables = append(d.Tables, t)
		}
	}
	if published := s.publishedTable(); published != nil {
		d.Tables = append(d.Tables, published)
	}
	d.Tables = append(d.Tables, s.publishedSchemas()...)
	return d
}

// makeVisible escapes what cannot be seen in all texts. Every format shows them, and this is the one place that they all
// come through.
func (d *Document) makeVisible() {
	d.Title = words.Visible(d.Title)
	visibleTexts(d.Warnings)
	visibleTexts(d.Lead)
	visibleTexts(d.About)
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		t.Title, t.Caption = words.Visible(t.Title), words.Visible(t.Caption)
		visibleTexts(t.Notes)
		for i := range t.Columns {
			t.Columns[i].Head = words.Visible(t.Columns[i].Head)
		}
		for i := range t.Keys {
			t.Keys[i] = t.Keys[i].visible()
		}
		visibleTexts(t.States)
		for _, row := range t.Rows {
			for i := range row {
				row[i].Body = words.Visible(row[i].Body)
			}
		}
	}
}

// visibleTexts escapes what cannot be seen, in place.
func visibleTexts(texts []string) {
	for i := range texts {
		texts[i] = words.Visible(texts[i])
	}
}

// Problems are the warnings and, as the last, what is missing: whatever a reader of
// figures has to be told that are not of a whole run. The caller may change the list.
func (s *Set) Problems() []string {
	problems := slices.Clone(s.Warnings)
	if len(s.Missing) > 0 {
		problems = append(problems, s.missing())
	}
	return problems
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

// masks is the main table: delivered masks.
func (s *Set) masks() *Table {
	return s.times(&Table{ID: "masks", Title: "Time of one mask, delivered into the caller's row, in µs",
		Caption: "Mask: until all bits stand in a row that the caller owns. Lookup: until an engine that keeps masks has a view of one; the rest is the copy. " + s.stateCaption()},
		maskTimes, func(c *Cell) *States { return c.MaskNS }, func(a *Against) map[string]stats.Ratio { return a.MaskIn },
		Column{"lookup p50 µs", true}, func(c *Cell, state string) Text { return Text{Body: microsOf(c.LookupNS.Of(state), p50)} })
}

// wholeSteps is the table of steps.
func (s *Set) wholeSteps() *Table {
	return s.times(&Table{ID: "steps", Title: "Time of one step (TBM: commit of the token before, and mask), in µs",
		Caption: "Step: from before the commit until the mask stands in the caller's row, as one measurement. Commit: one token appended. " + s.stateCaption()},
		stepTimes, func(c *Cell) *States { return c.TBMNS }, func(a *Against) map[string]stats.Ratio { return a.TBMIn },
		Column{"commit p50 µs", true}, func(c *Cell, state string) Text { return Text{Body: microsOf(c.CommitNS.Of(state), p50)} })
}

// times fills in a table of one kind of time, a row for each state of each cell. beside is a column of its own.
func (s *Set) times(t *Table, of kind, states func(*Cell) *States, ratios func(*Against) map[string]stats.Ratio, head Column, beside func(c *Cell, state string) Text) *Table {
	names, fill := s.columns()
	uneven := s.uneven()
	t.Columns = append(names, Column{"engine", false}, Column{"n", true}, head, Column{"mean µs [95%]", true}, Column{"p50 µs", true}, Column{"p90 µs", true},
		Column{"p99 µs", true}, Column{"p99.9 µs", true}, Column{"max µs", true})
	if uneven {
		t.Columns = append(t.Columns, Column{"common mean µs", true}, Column{"common n", true})
		t.Caption += " Common: over the samples that every algorithm of the workload and vocabulary ended well."
	}
	t.Columns = append(t.Columns, Column{"time against the first [95%]", true})
	for _, g := range s.Groups() {
		base := g.baseline()
		for _, state := range stateNames {
			for _, c := range g.Cells {
				if state == stateFirst && c.SchemaFigures == nil || !g.has(state) && state != stateNew {
					continue
				}
				row := append(t.marked(fill(c), c), Text{Body: state})
				row = append(row, s.rowFigures(c, of, states(c).Of(state), state, beside(c, state))...)
				if uneven {
					row = append(row, commonFigures(c, state, t.ID == "masks")...)
				}
				t.add(c, state, append(row, againstText(t, c, c == base, state, ratios)))
			}
		}
	}
	return t
}

// has reports whether a cell of the group has times in a state.
func (g *Group) has(state string) bool {
	return slices.ContainsFunc(g.Cells, func(c *Cell) bool { return c.MaskNS.Of(state) != nil })
}

// rowFigures are those of a row: n, the column of its own, mean, and percentiles.
func (s *Set) rowFigures(c *Cell, of kind, m *stats.Summary, state string, beside Text) []Text {
	if m == nil {
		return slices.Repeat([]Text{{Body: none}}, 8)
	}
	mean := micros(m.Mean)
	if c.clusters() >= stats.MinClusters {
		mean += interval(c.meanInterval(of, state), micros)
	}
	return []Text{{Body: count(m.N)}, beside, {Body: mean}, {Body: micros(m.P50)}, {Body: micros(m.P90)},
		{Body: micros(p99(m))}, {Body: micros(p999(m))}, {Body: micros(m.Max)}}
}

// meanInterval is the bootstrap interval of the mean of a kind of time in a state.
func (c *Cell) meanInterval(of kind, state string) stats.Interval {
	return stats.BootstrapMean(c.values(of, state), c.record.ID.Seed)
}

// stateCaption says what the states are, and how the figures are made.
func (s *Set) stateCaption() string {
	text := "New: a document that the engine has not seen, after others, which is what a server meets; fresh: the first document of a new engine; again: a document that it has walked before."
	if len(s.schemaCells().Cells) > 0 {
		text += " Of a JSON schema fresh is its first instance, new its others; first: both."
	}
	return text + " n: steps of all timed passes; percentiles are over them, raw. [95%]: bootstrap interval over whole samples" + s.bySchema() + s.tooFew() +
		". Against the first: geometric mean of the ratios at identical positions; ~ means that its interval holds 1, so the two cannot be told apart."
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

// commonFigures are those over the common subset, which there are of the headline.
func commonFigures(c *Cell, state string, masks bool) []Text {
	if c.Common == nil || state != c.HeadlineState {
		return []Text{{Body: none}, {Body: none}}
	}
	m := c.Common.TBMNS
	if masks {
		m = c.Common.MaskNS
	}
	if m == nil {
		return []Text{{Body: none}, {Body: none}}
	}
	return []Text{{Body: micros(m.Mean)}, {Body: count(m.N)}}
}

// theFirst stands where an algorithm would be compared with itself.
const theFirst = "(the first)"

// againstText compares with the first algorithm of the group. A comparison across
// runs is marked: between two runs a machine may have got slower.
func againstText(t *Table, c *Cell, first bool, state string, ratios func(*Against) map[string]stats.Ratio) Text {
	switch {
	case first:
		return Text{Body: theFirst}
	case c.Against == nil || ratios(c.Against)[state].N == 0:
		return Text{Body: none}
	}
	text := Text{Body: speed(ratios(c.Against)[state])}
	if a := c.Against; !a.Interleaved {
		text.Mark = t.note(fmt.Sprintf("measured in turn with %s on %s of %s: in between the machine may have changed", a.Baseline, count(a.Turns), plural(a.Samples, "sample")))
	}
	return text
}
