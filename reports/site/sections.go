package site

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gcdbench/reports/document"
	"gcdbench/reports/show"
)

// The tables of a run.

// section is a table with its notes and its plots.
type section struct {
	ID, Title string
	Heads     []pageHead
	Rows      []pageRow
	Notes     []pageNote
	FoldNotes bool // they are long: shown on demand
	Caption   string
	Fold      bool // so is the caption
	Figures   []pageFigure
}

// pageHead is a column's head.
type pageHead struct {
	Head, State string
	Right       bool
	Algorithm   bool // the column names the algorithm, which has a look
}

// pageRow is a row.
type pageRow struct {
	document.RowKey
	Entries []pageEntry
}

// pageEntry is an entry of a row. Rest is the interval or the like after the figure.
type pageEntry struct {
	Body, Rest, State string
	Right             bool
	Algorithm         bool   // the entry names the algorithm
	Long              bool   // text that needs several lines
	Value             string // what it sorts by; "" for its text, or nothing if it stands among figures
	Mark, Note, Link  string
}

// pageNote is a footnote.
type pageNote struct{ ID, Mark, Text string }

// Texts longer than this, in characters, are folded.
const (
	longCaption = 160
	longNotes   = 400
	longText    = 40 // has several lines
)

// sectionOf lays a table out under an id of its own.
func sectionOf(t *document.Table, id string) section {
	s := section{ID: id, Title: t.Title, Caption: t.Caption, Fold: len(t.Rows) > 0 && utf8.RuneCountInString(t.Caption) > longCaption}
	for i, c := range t.Columns {
		s.Heads = append(s.Heads, pageHead{c.Head, t.State(i), c.Right, isAlgorithm(c.Head)})
	}
	long := 0
	for i, n := range t.Notes {
		s.Notes = append(s.Notes, pageNote{id + "-note-" + document.Letter(i), document.Letter(i), n})
		long += utf8.RuneCountInString(n)
	}
	s.FoldNotes = long > longNotes
	for _, row := range t.Rows {
		out := pageRow{RowKey: t.Key(row)}
		for i, text := range row {
			out.Entries = append(out.Entries, s.entry(t, i, text))
		}
		s.Rows = append(s.Rows, out)
	}
	return s
}

// entry lays out the entry of column i.
func (s *section) entry(t *document.Table, i int, text document.Text) pageEntry {
	c := t.Columns[i]
	e := pageEntry{Body: text.Body, State: t.State(i), Right: c.Right, Algorithm: isAlgorithm(c.Head), Long: !c.Right && utf8.RuneCountInString(text.Body) > longText, Mark: text.Mark}
	_, err := strconv.Atoi(text.Body)
	if value, ok := show.SortValue(text.Body); ok && (c.Right || err == nil) { // a number that is a name sorts as one
		e.Value = strconv.FormatFloat(value, 'g', 6, 64)
	}
	if c.Right {
		e.Body, e.Rest = cutInterval(e.Body)
	}
	for _, n := range s.Notes {
		if n.Mark == text.Mark {
			e.Note, e.Link = n.Text, n.ID
		}
	}
	return e
}

// cutInterval cuts the interval off a figure, so that the figure can stand out.
func cutInterval(body string) (figure, rest string) {
	if i := strings.Index(body, " ["); i > 0 {
		return body[:i], body[i:]
	}
	return body, ""
}

// isAlgorithm reports whether a column with this head names algorithms.
func isAlgorithm(head string) bool {
	var k document.RowKey
	return k.Field(head) == &k.Algorithm
}
