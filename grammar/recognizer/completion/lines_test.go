package completion

import (
	"testing"

	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
)

// TestChargesColumns says of which grammars the columns of blocks are known from stacks.
func TestChargesColumns(t *testing.T) {
	g, err := languages.Load(t.Context(), "python")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !New(r, Options{}).columns.charged {
		t.Error("the columns of Python's blocks are not charged")
	}
}
