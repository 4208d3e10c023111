// Package document has reports as data: tables of texts with captions and footnotes. tables.txt
// declares each table, Fill gives it its rows, Choice narrows a document. A format is a function of
// a Document; those of a terminal and of Markdown are here.
package document

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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

	Footnote func(of any) string // of the rows of a cell (each); nil for none
	declared []string            // columns, as tables.txt has them (arranged)
	Once     int                 // columns of names; where rows are printed none is repeated from the row above
}

// tablesFile has of each table, under its id, the title, the caption, and the columns that are
// fields of the JSON: a head, and after = a path and a unit, as in field.go.
//
//go:embed tables.txt
var tablesFile string

// Titled is a table with its title, caption and columns; args stand where the caption leaves a
// place.
func Titled(id string, args ...any) *Table {
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

// Footed is the table with a footnote for the rows about each T; "" is none.
func Footed[T any](t *Table, note func(T) string) *Table {
	t.Footnote = func(of any) string { return note(of.(T)) }
	return t
}

// Naming has so many columns in which no name is repeated from the row above.
func (t *Table) Naming(columns int) *Table {
	t.Once = columns
	return t
}

// Shown are the rows as they are printed.
func (t *Table) Shown() [][]Text {
	rows := make([][]Text, len(t.Rows))
	for r, row := range t.Rows {
		rows[r] = slices.Clone(row)
		for i := 0; r > 0 && i < t.Once && row[i].Body == t.Rows[r-1][i].Body; i++ {
			rows[r][i] = Text{}
		}
	}
	return rows
}

// OrNil is the table, or nil if it has no rows.
func (t *Table) OrNil() *Table {
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

// Heads are the heads of all columns, broken between words into lines no wider than the column's
// entries, for formats that can show several lines.
func (t *Table) Heads() [][]string {
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
	Best       bool // the least of its column and group (Table.withBest)
}

// Letter is the mark of footnote i: a, b, ... z, aa, ab.
func Letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return Letter(i/26-1) + Letter(i%26)
}

// Note adds a footnote, once, and returns its mark.
func (t *Table) Note(text string) string {
	i := slices.Index(t.Notes, text)
	if i < 0 {
		i = len(t.Notes)
		t.Notes = append(t.Notes, text)
	}
	return Letter(i)
}

// MakeVisible escapes control characters in all texts of a value, in place. All texts of all
// formats come through here.
func MakeVisible(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		MakeVisible(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			MakeVisible(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			MakeVisible(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(words.Visible(v.String()))
		}
	}
}
