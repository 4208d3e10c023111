package completion

import (
	"testing"

	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestChargesColumns says of which grammars the columns of blocks are known from stacks.
func TestChargesColumns(t *testing.T) {
	g := must.Get(languages.Load(t.Context(), "python"))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	if !New(r, Options{}).columns.charged {
		t.Error("the columns of Python's blocks are not charged")
	}
}
