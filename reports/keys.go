package reports

import (
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
