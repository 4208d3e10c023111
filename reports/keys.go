package reports

import (
	"math"
	"slices"
	"strings"

	"gcdbench/internal/words"
)

// RowKey says what a row of a table is about, for formats in which the reader can choose. An empty
// field means all.
type RowKey struct {
	Workload, Tokenizer, Algorithm string
	State                          string // of the engine: fresh, new, again or first
}

// field is the part of the key that a column with this head shows; nil if none does.
func (k *RowKey) field(head string) *string {
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

// visible is the key with control characters escaped.
func (k RowKey) visible() RowKey {
	return RowKey{words.Visible(k.Workload), words.Visible(k.Tokenizer), words.Visible(k.Algorithm), words.Visible(k.State)}
}

// everything is the name in a row about all.
const everything = "all"

// fullRows are the rows with every name written out, and their keys. A printed table does not
// repeat a name from the row above; where rows can be sorted or hidden, every row needs it.
func (t *Table) fullRows() ([][]Text, []RowKey) {
	rows, keys := make([][]Text, len(t.Rows)), make([]RowKey, len(t.Rows))
	var above []Text
	for r, row := range t.Rows {
		row = append([]Text(nil), row...)
		same := above != nil // as above in all columns of names so far
		for i := range row {
			name := keys[r].field(t.Columns[i].Head)
			if name == nil {
				continue
			}
			if row[i].Body == "" && t.Keys != nil {
				row[i].Body = *t.Keys[r].field(t.Columns[i].Head)
			}
			switch {
			case row[i].Body == "" && same:
				row[i].Body = above[i].Body
			case above == nil || row[i].Body != above[i].Body:
				same = false
			}
			if row[i].Body != everything {
				*name = row[i].Body
			}
		}
		rows[r], above = row, row
	}
	if t.Keys != nil {
		keys = t.Keys
	}
	return rows, keys
}

// state is the engine state that column i is about; "" for any.
func (t *Table) state(i int) string {
	if i >= len(t.States) {
		return ""
	}
	return t.States[i]
}

// lower are the columns whose least figure is the best.
var lower = []string{"mean", "p50", "p90", "p99", "p99.9", "max", "ttfm-p50", "offline-in-sum", "compiled", "used", "peak"}

// withBest is the table with the least figures marked, in columns where less is better, of the rows
// about one workload, vocabulary and state. Rows with a footnote, whose figures have another
// meaning, take no part, nor do those alone.
func (t *Table) withBest() *Table {
	rows, keys := t.fullRows()
	marked := *t
	marked.Rows = make([][]Text, len(t.Rows))
	for r, row := range t.Rows {
		marked.Rows[r] = slices.Clone(row)
	}
	for i, column := range t.Columns {
		if !slices.Contains(lower, ColumnID(column.Head)) {
			continue
		}
		groups := map[RowKey][]int{}
		for r, row := range rows {
			if !slices.ContainsFunc(row[:t.names()], func(e Text) bool { return e.Mark != "" }) {
				key := keys[r]
				key.Algorithm = ""
				groups[key] = append(groups[key], r)
			}
		}
		for _, group := range groups {
			if r, ok := least(rows, group, i); ok {
				marked.Rows[r][i].best = true
			}
		}
	}
	return &marked
}

// least is the row of the least figure in a column; ok is false unless two rows have a figure.
func least(rows [][]Text, group []int, column int) (row int, ok bool) {
	figures, low := 0, math.Inf(1)
	for _, r := range group {
		if v, is := sortValue(rows[r][column].Body); is {
			figures++
			if v < low {
				row, low = r, v
			}
		}
	}
	return row, figures > 1
}
