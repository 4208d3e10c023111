package document

import (
	"math"
	"slices"
	"strings"

	"gcdbench/reports/show"
)

// RowKey says what a row of a table is about, for formats in which the reader can choose. An empty
// field means all.
type RowKey struct {
	Workload, Tokenizer, Algorithm string
	State                          string // of the engine: fresh, new, again or first
}

// Field is the part of the key that a column with this head shows; nil if none does.
func (k *RowKey) Field(head string) *string {
	switch strings.ToLower(head) {
	case "workload":
		return &k.Workload
	case "vocabulary", "tokenizer":
		return &k.Tokenizer
	case "algorithm":
		return &k.Algorithm
	case "state", "engine":
		return &k.State
	}
	return nil
}

// Everything is the name in a row about all.
const Everything = "all"

// Key is what a row is about.
func (t *Table) Key(row []Text) (k RowKey) {
	for i, entry := range row {
		if name := k.Field(t.Columns[i].Head); name != nil && entry.Body != Everything {
			*name = entry.Body
		}
	}
	return k
}

// State is the engine state that column i is about; "" for any.
func (t *Table) State(i int) string {
	if i >= len(t.States) {
		return ""
	}
	return t.States[i]
}

// lower are the columns whose least figure is the best.
var lower = []string{"mean", "p50", "p90", "p99", "p99.9", "max", "ttfm-p50", "offline-in-sum", "compiled", "used", "peak"}

// WithBest is the table with the least figures marked, in columns where less is better, of the rows
// about one workload, vocabulary and state. Rows with a footnote, whose figures have another
// meaning, take no part, nor do those alone.
func (t *Table) WithBest() *Table {
	marked := *t
	marked.Rows = make([][]Text, len(t.Rows))
	groups := map[RowKey][]int{}
	for r, row := range t.Rows {
		marked.Rows[r] = slices.Clone(row)
		if !slices.ContainsFunc(row[:t.Names()], func(e Text) bool { return e.Mark != "" }) {
			key := t.Key(row)
			key.Algorithm = ""
			groups[key] = append(groups[key], r)
		}
	}
	for i, column := range t.Columns {
		for _, group := range groups {
			if r, ok := least(t.Rows, group, i); ok && slices.Contains(lower, ColumnID(column.Head)) {
				marked.Rows[r][i].Best = true
			}
		}
	}
	return &marked
}

// least is the row of the least figure in a column; ok is false unless two rows have a figure.
func least(rows [][]Text, group []int, column int) (row int, ok bool) {
	figures, low := 0, math.Inf(1)
	for _, r := range group {
		if v, is := show.SortValue(rows[r][column].Body); is {
			figures++
			if v < low {
				row, low = r, v
			}
		}
	}
	return row, figures > 1
}

// EngineStates are the states in the order in which an engine goes through them; the last is the
// first two together.
var EngineStates = []string{"fresh", "new", "again", "first"}
