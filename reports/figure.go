package reports

import (
	"slices"
)

// A figure of a table is declared once: its head, its words in the caption, when it is shown, and
// its value in a row. Columns, rows and captions follow from that, so a new figure is one entry.

// figure is a column of a table whose rows are about T, a cell or a part of one.
type figure[T any] struct {
	head string
	of   func(T) string
	// words are added to the table's caption.
	words string
	// left is set for a column of words.
	left bool
	// some is whether a cell has the figure; it is shown if one has. It always is if some is nil.
	some func(c *Cell) bool
	// note is the footnote of an entry, "" for none; nil if no entry has one.
	note func(T) string
}

// text is a column of words.
func text[T any](head string, of func(T) string) figure[T] {
	return figure[T]{head: head, of: of}.inWords()
}

// inWords is the figure as a column of words.
func (f figure[T]) inWords() figure[T] {
	f.left = true
	return f
}

// noted is the figure with footnotes.
func (f figure[T]) noted(note func(T) string) figure[T] {
	f.note = note
	return f
}

// fill gives a table columns, and a row for each of a list.
func fill[T any](t *Table, list []T, parts ...[]figure[T]) *Table {
	figures := arranged(t, slices.Concat(parts...))
	for _, f := range figures {
		t.Columns, t.Caption = append(t.Columns, Column{f.head, !f.left}), t.Caption+f.words
	}
	for _, of := range list {
		var row []Text
		for _, f := range figures {
			entry := Text{Body: f.of(of)}
			if f.note != nil {
				entry.Mark = t.mark(f.note(of))
			}
			row = append(row, entry)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// namesOf are the columns that name a row about a cell. The tokenizer has one only if there are
// several.
func namesOf[T any](s *Set, of func(T) *Cell) []figure[T] {
	list := []figure[T]{
		text("workload", func(row T) string { return of(row).Workload }),
		text("vocabulary", func(row T) string { return of(row).Tokenizer }),
		text("algorithm", func(row T) string { return of(row).Label }),
	}
	if s.tokenizers() < 2 {
		list = slices.Delete(list, 1, 2)
	}
	return list
}

// each is a table with the rows that each cell has, under its names.
func each[T any](s *Set, t *Table, rows func(c *Cell) []T, parts ...[]figure[T]) *Table {
	type rowOf struct {
		*Cell
		of T
	}
	names := namesOf(s, func(r rowOf) *Cell { return r.Cell })
	if t.footnote != nil {
		names[len(names)-1].note = func(r rowOf) string { return t.footnote(r.Cell) }
	}
	t.once += len(names)
	var list []rowOf
	for _, c := range s.Cells {
		for _, of := range rows(c) {
			list = append(list, rowOf{c, of})
		}
	}
	coded := slices.DeleteFunc(slices.Concat(parts...), func(f figure[T]) bool { return f.some != nil && !slices.ContainsFunc(s.Cells, f.some) })
	var figures []figure[rowOf]
	for _, f := range arranged(t, coded) {
		figures = append(figures, figure[rowOf]{head: f.head, of: func(r rowOf) string { return f.of(r.of) }, words: f.words, left: f.left})
	}
	return fill(t, list, names, figures)
}

// mark is the mark of a footnote; "" of none.
func (t *Table) mark(text string) string {
	if text == "" {
		return ""
	}
	return t.note(text)
}

// where has one row for each cell that has something.
func where(has func(c *Cell) bool) func(c *Cell) []*Cell {
	return func(c *Cell) []*Cell {
		if !has(c) {
			return nil
		}
		return []*Cell{c}
	}
}

// every has one row for each cell.
func every(c *Cell) []*Cell { return []*Cell{c} }

// partOf makes figures of a part of T; none where it is not there.
func partOf[T, P any](part func(T) *P) func(head string, of func(*P) string) figure[T] {
	return func(head string, of func(*P) string) figure[T] {
		return figure[T]{head: head, of: func(row T) string {
			if p := part(row); p != nil {
				return of(p)
			}
			return none
		}}
	}
}
