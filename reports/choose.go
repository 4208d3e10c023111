package reports

import (
	"slices"

	"gcdbench/reports/document"
	"gcdbench/reports/result"
)

// Choose narrows the set's documents from now on. The error is a *ChoiceError, and
// nothing is narrowed then.
func (s *Set) Choose(c document.Choice) error {
	all := *s
	all.choice = document.Choice{}
	d := all.Document()
	var ids, names, columns []string
	for _, t := range slices.Concat(d.Summary, d.Tables) {
		ids = append(ids, t.ID)
		if len(c.Tables) > 0 && !slices.Contains(c.Tables, t.ID) {
			continue
		}
		for i, column := range t.Columns {
			id := document.ColumnID(column.Head)
			if i < t.Names() {
				names = append(names, id)
			} else if !slices.Contains(columns, id) {
				columns = append(columns, id)
			}
		}
	}
	for _, name := range c.Tables {
		if !slices.Contains(ids, name) {
			return &document.ChoiceError{What: "table", Name: name, Known: ids}
		}
	}
	for _, name := range c.Columns {
		if !slices.Contains(columns, document.ColumnID(name)) && !slices.Contains(names, document.ColumnID(name)) {
			return &document.ChoiceError{What: "column", Name: name, Known: columns}
		}
	}
	if err := s.knows(&c); err != nil {
		return err
	}
	s.choice = c
	return nil
}

// knows reports a name in the choice of rows that the set does not have.
func (s *Set) knows(c *document.Choice) error {
	for _, part := range []struct {
		what   string
		chosen []string
		of     func(*result.Cell) string
	}{
		{"workload", c.Workloads, func(c *result.Cell) string { return c.Workload }},
		{"vocabulary", c.Tokenizers, func(c *result.Cell) string { return c.Tokenizer }},
		{"algorithm", c.Algorithms, func(c *result.Cell) string { return c.Label }},
	} {
		var known []string
		for _, cell := range s.Cells {
			known = document.AddName(known, part.of(cell))
		}
		if err := among(part.what, part.chosen, known); err != nil {
			return err
		}
	}
	return among("state", c.States, document.EngineStates)
}

// among reports the first name that is not known.
func among(what string, chosen, known []string) error {
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			return &document.ChoiceError{What: what, Name: name, Known: known}
		}
	}
	return nil
}
