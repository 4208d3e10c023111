package tables

import (
	"slices"

	"gcdbench/reports/document"
	"gcdbench/reports/result"
)

// namesOf are the columns that name a row about a cell. The tokenizer has one only if there are
// several.
func namesOf[T any](s *result.Set, of func(T) *result.Cell) []document.Figure[T] {
	list := []document.Figure[T]{
		document.Worded("workload", func(row T) string { return of(row).Workload }),
		document.Worded("vocabulary", func(row T) string { return of(row).Tokenizer }),
		document.Worded("algorithm", func(row T) string { return of(row).Label }),
	}
	if s.Tokenizers() < 2 {
		list = slices.Delete(list, 1, 2)
	}
	return list
}

// each is a table with the rows that each cell has, under its names.
func each[T any](s *result.Set, t *document.Table, rows func(c *result.Cell) []T, parts ...[]document.Figure[T]) *document.Table {
	type rowOf struct {
		*result.Cell
		of T
	}
	names := namesOf(s, func(r rowOf) *result.Cell { return r.Cell })
	if t.Footnote != nil {
		names[len(names)-1].Note = func(r rowOf) string { return t.Footnote(r.Cell) }
	}
	t.Once += len(names)
	var list []rowOf
	for _, c := range s.Cells {
		for _, of := range rows(c) {
			list = append(list, rowOf{c, of})
		}
	}
	coded := slices.DeleteFunc(slices.Concat(parts...), func(f document.Figure[T]) bool {
		return f.Some != nil && !slices.ContainsFunc(list, func(r rowOf) bool { return f.Some(r.of) })
	})
	var figures []document.Figure[rowOf]
	for _, f := range document.Arranged(t, coded) {
		figures = append(figures, document.Figure[rowOf]{Head: f.Head, Of: func(r rowOf) string { return f.Of(r.of) }, Words: f.Words, Left: f.Left})
	}
	return document.Fill(t, list, names, figures)
}

// where has one row for each cell that has something.
func where(has func(c *result.Cell) bool) func(c *result.Cell) []*result.Cell {
	return func(c *result.Cell) []*result.Cell {
		if !has(c) {
			return nil
		}
		return []*result.Cell{c}
	}
}

// every has one row for each cell.
func every(c *result.Cell) []*result.Cell { return []*result.Cell{c} }
