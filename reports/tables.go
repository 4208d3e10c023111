package reports

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"gcdbench/harness/cell"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// The content of the tables, which is the same in every format. They follow the questions of a
// reader: are the answers right, how fast are they, what do they cost, how much of a difference is
// noise, and what did others measure?
//
// A table explains itself. Its caption defines each figure and warns of wrong readings. A footnote
// marks a row whose figures have another meaning.

// Document is the content of a report, for all formats. Control characters in its texts are escaped
// (words.Visible), since names may come from strangers.
type Document struct {
	Title    string
	Warnings []string
	// Lead and Summary are the first screen: paragraphs, and tables that are always shown whole.
	// Both may be empty.
	Lead    []string
	Summary []*Table
	Tables  []*Table
	// State is the engine state whose rows are shown first where the reader can choose; "" for all.
	State string
	// About says where the figures come from and how to read them, in paragraphs.
	About []string
	// Narrow is Choice.Narrow.
	Narrow bool
}

// Table is one table of a document. Without rows, its title and caption are a sentence that says
// all.
type Table struct {
	ID      string // for anchors, LaTeX labels and files, and the command line
	Title   string
	Columns []Column
	Rows    [][]Text
	States  []string // the engine state that each column is about, "" for any; nil for none
	Notes   []string // footnotes; note i has the mark of letter(i)
	Caption string   // what the figures are

	footnote func(of any) string // of the rows of a cell (each); nil for none
	declared []string            // columns, as tables.txt has them (arranged)
	once     int                 // columns of names; where rows are printed none is repeated from the row above
}

// tablesFile has of each table, under its id, the title, the caption, and the columns that are
// fields of the JSON: a head, and after = a path and a unit, as in field.go.
//
//go:embed tables.txt
var tablesFile string

// titled is a table with its title, caption and columns; args stand where the caption leaves a
// place.
func titled(id string, args ...any) *Table {
	_, text, found := strings.Cut(tablesFile, "\n-- "+id+" --\n")
	if !found {
		panic("tables.txt has no " + id)
	}
	text, _, _ = strings.Cut(text, "\n-- ")
	title, caption, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	caption, columns, _ := strings.Cut("\n"+caption, "\n| ")
	t := &Table{ID: id, Title: title, Caption: fmt.Sprintf(strings.ReplaceAll(strings.TrimPrefix(caption, "\n"), "\n", " "), args...)}
	if columns != "" {
		t.declared = strings.Split(strings.ReplaceAll(columns, "\n| ", " | "), " | ")
	}
	return t
}

// footed is the table with a footnote for the rows about each T; "" is none.
func footed[T any](t *Table, note func(T) string) *Table {
	t.footnote = func(of any) string { return note(of.(T)) }
	return t
}

// naming has so many columns in which no name is repeated from the row above.
func (t *Table) naming(columns int) *Table {
	t.once = columns
	return t
}

// shown are the rows as they are printed.
func (t *Table) shown() [][]Text {
	rows := make([][]Text, len(t.Rows))
	for r, row := range t.Rows {
		rows[r] = slices.Clone(row)
		for i := 0; r > 0 && i < t.once && row[i].Body == t.Rows[r-1][i].Body; i++ {
			rows[r][i] = Text{}
		}
	}
	return rows
}

// orNil is the table, or nil if it has no rows.
func (t *Table) orNil() *Table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// Column is a column's head.
type Column struct {
	Head  string
	Right bool // figures; words stand left
}

// leastHead is the least width of a head's lines, in letters: narrower heads would be towers of
// words.
const leastHead = 8

// heads are the heads of all columns, broken between words into lines no wider than the column's
// entries, for formats that can show several lines.
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

// breakWords breaks a text between words into lines of at most so many letters; a word that is
// longer has its own line.
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
	best       bool // the least of its column and group (Table.withBest)
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
	makeVisible(reflect.ValueOf(d))
	return d
}

// document is Document with all texts as they come.
func (s *Set) document() *Document {
	d := &Document{Title: "gcdbench: " + s.Name(), Warnings: s.Problems(), Lead: s.lead(), Summary: s.summaryTables(), About: s.about(), State: s.firstState()}
	tables := append([]*Table{s.verdicts(), s.selections()}, s.schemaTables()...)
	tables = append(tables, s.widerTable(), s.masks(), s.wholeSteps(), s.commonSubset(), s.bill(), s.spent(), s.crossings(), s.memory())
	tables = append(tables, s.throughputTables()...)
	tables = append(append(tables, s.outsideTable(), s.auditTable(), s.judgedTable(), s.causesTable()), s.slowTables()...)
	tables = append(tables, s.noise(), s.clock(), s.publishedTable())
	for _, t := range append(append(tables, s.publishedSchemas()...), s.counterTable()) { // last, for it is long
		if t == nil {
			continue
		}
		if t = t.telling(); t != nil {
			d.Tables = append(d.Tables, t)
		}
	}
	return d
}

// firstState is the state that a reader should see first: the headline's, or "" for all if
// workloads differ in it.
func (s *Set) firstState() string {
	state := ""
	for _, g := range s.Groups() {
		switch headline := g.headline(); {
		case headline == "" || headline == state:
		case state != "":
			return ""
		default:
			state = headline
		}
	}
	return state
}

// makeVisible escapes control characters in all texts of a value, in place. All texts of all
// formats come through here.
func makeVisible(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		makeVisible(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			makeVisible(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			makeVisible(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(words.Visible(v.String()))
		}
	}
}

// Problems are the warnings and, last, the missing cells: a reader has to know that the run is not
// complete. The caller may change the list.
func (s *Set) Problems() []string {
	problems := slices.Clone(s.Warnings)
	if len(s.Missing) > 0 {
		problems = append(problems, s.missing())
	}
	return problems
}

// missing names the cells that the run has not reached, so that a part is not taken for the whole.
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

// tokenizers counts the vocabularies.
func (s *Set) tokenizers() int {
	seen := map[string]bool{}
	for _, c := range s.Cells {
		seen[c.Tokenizer] = true
	}
	return len(seen)
}

// caveat says how a cell ended if that is not well, and whether its masks are wider; "" for
// neither.
func (c *Cell) caveat() string {
	text := c.widerNote()
	if c.Outcome != cell.OK || c.Outcomes[cell.WrongMask] > 0 {
		text = strings.Trim(outcomeNote(c)+"; "+text, "; ")
	}
	return text
}

// outcomeNote counts the samples that did not end well, with the first reason.
func outcomeNote(c *Cell) string {
	if n := c.Outcomes[cell.WrongMask]; c.Outcome == cell.OK && n > 0 { // of an engine from outside
		return fmt.Sprintf("%s: masks of %s were not the same when it was asked again; these have no times", c.Label, plural(n, "sample"))
	}
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
	return s.times(titled("masks", s.lookupCaption(), s.stateCaption()),
		maskTimes, func(c *Cell) *States { return c.MaskNS }, func(c *Cell) *States { return c.LookupNS })
}

// lookupCaption says what a lookup is, if some engine has it.
func (s *Set) lookupCaption() string {
	if !slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.LookupNS != nil }) {
		return ""
	}
	return "Lookup: until an engine that keeps masks has a view of one; the rest is the copy. "
}

// wholeSteps is the table of steps.
func (s *Set) wholeSteps() *Table {
	return s.times(titled("steps", s.stateCaption()),
		stepTimes, func(c *Cell) *States { return c.TBMNS }, func(c *Cell) *States { return c.CommitNS })
}

// inState is a cell in a state of the engine.
type inState struct {
	*Cell
	state         string
	times, beside *stats.Summary // of a kind and of another; nil for none
	against, note string         // the ratio to the first algorithm, with a footnote
}

// times fills in a table of one kind of time, a row for each state of each cell, with a figure of
// another kind.
func (s *Set) times(t *Table, of kind, states, others func(c *Cell) *States) *Table {
	var list []inState
	for _, g := range s.Groups() {
		for _, state := range stateNames {
			for _, c := range g.Cells {
				m := states(c).Of(state)
				switch {
				case state == stateFirst && c.SchemaFigures == nil: // a program's first passes are fresh and new
					continue
				case m == nil && (len(c.steps) > 0 || state != g.shown()): // who has no times at all has one row that says so
					continue
				}
				against, note := againstText(c, g.baseline(), of, m, state)
				list = append(list, inState{c, state, m, others(c).Of(state), against, note})
			}
		}
	}
	names := namesOf(s, func(r inState) *Cell { return r.Cell })
	names[len(names)-1].note = func(r inState) string { return r.caveat() }
	t.once = len(names) - 1
	return fill(t, list, names, []figure[inState]{
		declared[inState]("n", "times.n n").noted(inState.sparseNote),
		{head: "mean µs [95%]", of: func(r inState) string {
			if r.times == nil {
				return none
			}
			return micros(r.times.Mean) + interval(stats.BootstrapMean(r.values(of, r.state), r.record.ID.Seed), micros)
		}},
		{head: "time against the first [95%]", of: func(r inState) string { return r.against }, note: func(r inState) string { return r.note }},
	})
}

// sparseNote says that masks were asked for at some positions only; "" if at all.
func (r inState) sparseNote() string {
	if r.times == nil || !slices.ContainsFunc(r.steps, func(s steps) bool { return r.sparse(&s) }) {
		return ""
	}
	return "at a random sample of positions, without the ends of documents: in between it only commits, which leaves other caches than decoding does"
}

// headline is the state whose figures come first in a group; "" if it has no times.
func (g *Group) headline() string {
	for _, state := range stateNames {
		if slices.ContainsFunc(g.Cells, func(c *Cell) bool { return c.MaskNS.Of(state) != nil }) {
			return state
		}
	}
	return ""
}

// shown is the state under which cells without times are listed.
func (g *Group) shown() string { return cmp.Or(g.headline(), stateNew) }

// stateCaption says what the states are, and how the figures are made.
func (s *Set) stateCaption() string {
	text := "New: a document that the engine has not seen, after others, which is what a server meets; fresh: the first document of a new engine; again: a document that it has walked before."
	if len(s.schemaCells().Cells) > 0 {
		text += " Of a JSON schema fresh is its first instance, new its others; first: both."
	}
	return text + " n: steps of all timed passes; percentiles are over them, raw. [95%]: bootstrap interval over whole samples" + s.bySchema() + fmt.Sprintf("; none over fewer than %d", stats.MinClusters) +
		". Against the first algorithm of the workload and vocabulary: the ratio of the means, with the same documents drawn of both for its interval. ~ means that its interval holds 1; there is none of fewer than 3 documents."
}

// bySchema adds what else a bootstrap draws.
func (s *Set) bySchema() string {
	if len(s.schemaCells().Cells) == 0 {
		return ""
	}
	return ", of a workload of schemas over whole schemas with their instances"
}

// commonSubset is the table over the samples that all algorithms ended well, where plain averages
// are over different samples.
func (s *Set) commonSubset() *Table {
	uneven := map[*Cell]bool{}
	for _, g := range s.Groups() {
		for _, c := range g.Cells {
			uneven[c] = g.uneven() && c.Common != nil
		}
	}
	return each(s, titled("common"), where(func(c *Cell) bool { return uneven[c] }))
}

// theFirst stands where an algorithm would be compared with itself.
const theFirst = "(the first)"

// leastPairs is how many steps two cells must have in common for a ratio, unless they have fewer
// steps at all: a few random positions say little about the rest. Nor is there a ratio over one or
// two documents, which says nothing about a third.
const leastPairs = 10

// againstText compares the mean of a state with that of the first algorithm of the group, at the
// positions that both were asked at. A comparison across runs has a footnote: between two runs a
// machine may have got slower.
func againstText(c, base *Cell, of kind, m *stats.Summary, state string) (text, note string) {
	if c == base {
		return theFirst, ""
	}
	if c.Against == nil || m == nil {
		return none, ""
	}
	var x, y stats.Data
	eachPair(c, base, of, state, func(cluster int, v, w float64) {
		x.Add(cluster, v)
		y.Add(cluster, w)
	})
	r := stats.MeanRatio(x, y, c.record.ID.Seed)
	if r.N < min(m.N, leastPairs) || r.Clusters < stats.MinClusters {
		return none, ""
	}
	switch a := c.Against; {
	case !a.Interleaved:
		note = fmt.Sprintf("measured in turn with %s on %s of %s: in between the machine may have changed", a.Baseline, count(a.Turns), plural(a.Samples, "sample"))
	case r.N != m.N || r.N != len(base.values(of, state).Values):
		note = fmt.Sprintf("of the means at the %s at which both have times", plural(r.N, "step"))
	}
	return speed(r), note
}
