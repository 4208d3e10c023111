package result

import (
	"slices"

	"gcdbench/algorithms"
)

// TokenizerNames lists the vocabularies in the order of the configuration.
func (s *Set) TokenizerNames() []string {
	return Distinct(s.Cells, func(c *Cell) string { return c.Tokenizer })
}

// OfContract is the set without cells that have a language of their own.
func (s *Set) OfContract() *Set {
	return s.Only(func(c *Cell) bool { return c.Semantics == algorithms.SemanticsContract })
}

// The tables of workloads of JSON schemas. The tables of verdicts come before all times, those of
// the slowest schemas last.

// Only is the set with some of its cells.
func (s *Set) Only(those func(c *Cell) bool) *Set {
	only := *s
	only.Cells = slices.DeleteFunc(slices.Clone(s.Cells), func(c *Cell) bool { return !those(c) })
	return &only
}

// SchemaCells are the cells of workloads of schemas, as a set of their own.
func (s *Set) SchemaCells() *Set { return s.Only(func(c *Cell) bool { return c.SchemaFigures != nil }) }

// WorkloadNames lists the workloads in the order of the configuration.
func (s *Set) WorkloadNames() []string {
	return Distinct(s.Cells, func(c *Cell) string { return c.Workload })
}

// Labels lists the entries in the order of the configuration.
func (s *Set) Labels() []string { return Distinct(s.Cells, func(c *Cell) string { return c.Label }) }

// Distinct are the different names of cells, in their order.
func Distinct(cells []*Cell, name func(c *Cell) string) (names []string) {
	for _, c := range cells {
		if n := name(c); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// Tokenizers counts the vocabularies.
func (s *Set) Tokenizers() int { return len(s.TokenizerNames()) }

// Served reports whether a cell has batches.
func (s *Set) Served() bool {
	return slices.ContainsFunc(s.Cells, func(c *Cell) bool { return c.Throughput != nil })
}

// RunBy names what runs the model, and the kind of its times.
func (t *Throughput) RunBy() string { return t.Device + ", " + t.Kind }

// Devices are what runs models, with the kind of their times.
func (s *Set) Devices() []string { return ofBatches(s, (*Throughput).RunBy) }

// Threads are the numbers of threads of measured batches.
func (s *Set) Threads() []int {
	list := ofBatches(s, func(t *Throughput) int { return t.Threads })
	if list == nil {
		list = []int{1}
	}
	slices.Sort(list)
	return list
}

// ofBatches are the different values of something of batches, in their order.
func ofBatches[T comparable](s *Set, of func(*Throughput) T) (list []T) {
	for _, c := range s.Cells {
		for _, t := range c.Throughput {
			if v := of(t); !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// Requests with tools. What a mask costs depends on what is being written: in a text nearly every
// token is legal, in a name a few are, in arguments a schema decides. So steps are told apart by
// the class of the token that their mask is for, and times are read over the number of tools.

// ToolCells are the cells of requests with tools.
func (s *Set) ToolCells() []*Cell {
	return s.Only(func(c *Cell) bool { return c.Record.Tools != nil }).Cells
}
