package reports

import (
	"slices"
	"strings"

	"gcdbench/harness/stats"
)

// A figure of a table is declared once: what stands over it, what is said of it, when it is shown
// and how a row has it. Columns, rows and captions follow from that, so a new figure is one entry.

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

// each is a table with the rows that each cell has, under its names. A name is not repeated from
// the row above.
func each[T any](s *Set, t *Table, rows func(c *Cell) []T, parts ...[]figure[T]) *Table {
	names, fill := s.columns()
	figures := slices.DeleteFunc(slices.Concat(parts...), func(f figure[T]) bool { return f.some != nil && !slices.ContainsFunc(s.Cells, f.some) })
	t.Columns = names
	for _, f := range figures {
		t.Columns, t.Caption = append(t.Columns, Column{f.head, !f.left}), t.Caption+f.words
	}
	for _, c := range s.Cells {
		var head []Text
		for _, of := range rows(c) {
			if head == nil {
				head = fill(c)
				if t.footnote != nil {
					head[len(head)-1].Mark = t.mark(t.footnote(c))
				}
			}
			row := slices.Clone(head)
			for _, f := range figures {
				row = append(row, Text{Body: f.of(of)})
			}
			t.Rows = append(t.Rows, row)
			head = make([]Text, len(head))
		}
	}
	return t
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

// drawn are the figures that are drawn of a summary, by name.
var drawn = map[string]func(*stats.Summary) float64{"mean": mean, "p50": p50, "p90": p90, "p99": p99, "max": longest}

// inMillis are figures of a summary in ms. The last word of a head says which.
func inMillis[T any](of func(T) *stats.Summary, heads ...string) []figure[T] {
	return inUnit(of, " ms", millis, heads)
}

// inMicros are figures of a summary in µs.
func inMicros[T any](of func(T) *stats.Summary, heads ...string) []figure[T] {
	return inUnit(of, " µs", micros, heads)
}

// inUnit are figures of a summary in a unit.
func inUnit[T any](of func(T) *stats.Summary, unit string, write func(float64) string, heads []string) (list []figure[T]) {
	for _, head := range heads {
		value := drawn[head[strings.LastIndexByte(head, ' ')+1:]]
		list = append(list, partOf(of)(head+unit, func(s *stats.Summary) string { return write(value(s)) }))
	}
	return list
}

// numberOf is how many values a summary is of.
func numberOf[T any](head string, of func(T) *stats.Summary) figure[T] {
	return figure[T]{head: head, of: func(row T) string { return samples(of(row)) }}
}
