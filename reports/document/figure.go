package document

import (
	"slices"

	"gcdbench/reports/show"
)

// A figure of a table is declared once: its head, its words in the caption, when it is shown, and
// its value in a row. Columns, rows and captions follow from that, so a new figure is one entry.

// Figure is a column of a table whose rows are about T, a cell or a part of one.
type Figure[T any] struct {
	Head string
	Of   func(T) string
	// Words are added to the table's caption.
	Words string
	// Left is set for a column of words.
	Left bool
	// Some is whether a row has the figure; it is shown if one has. It always is if some is nil.
	Some func(T) bool
	// Note is the footnote of an entry, "" for none; nil if no entry has one.
	Note func(T) string
}

// Worded is a column of words.
func Worded[T any](head string, of func(T) string) Figure[T] {
	return Figure[T]{Head: head, Of: of}.InWords()
}

// InWords is the figure as a column of words.
func (f Figure[T]) InWords() Figure[T] {
	f.Left = true
	return f
}

// Noted is the figure with footnotes.
func (f Figure[T]) Noted(note func(T) string) Figure[T] {
	f.Note = note
	return f
}

// Fill gives a table columns, and a row for each of a list.
func Fill[T any](t *Table, list []T, parts ...[]Figure[T]) *Table {
	figures := Arranged(t, slices.Concat(parts...))
	for _, f := range figures {
		t.Columns, t.Caption = append(t.Columns, Column{f.Head, !f.Left}), t.Caption+f.Words
	}
	for _, of := range list {
		var row []Text
		for _, f := range figures {
			entry := Text{Body: f.Of(of)}
			if f.Note != nil {
				entry.Mark = t.mark(f.Note(of))
			}
			row = append(row, entry)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mark is the mark of a footnote; "" of none.
func (t *Table) mark(text string) string {
	if text == "" {
		return ""
	}
	return t.Note(text)
}

// PartOf makes figures of a part of T; none where it is not there.
func PartOf[T, P any](part func(T) *P) func(head string, of func(*P) string) Figure[T] {
	return func(head string, of func(*P) string) Figure[T] {
		return Figure[T]{Head: head, Of: func(row T) string {
			if p := part(row); p != nil {
				return of(p)
			}
			return show.None
		}}
	}
}
