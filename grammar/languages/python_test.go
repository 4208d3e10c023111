package languages_test

import (
	"testing"

	"gcdbench/grammar/recognizer"
)

func python(t *testing.T) *recognizer.Recognizer { return embedded(t, "python") }

// TestPythonGrammarHasNoConflicts keeps the grammar honest: every decision is made by one symbol of
// lookahead.
func TestPythonGrammarHasNoConflicts(t *testing.T) {
	for _, c := range python(t).Tables.Conflicts() {
		t.Errorf("conflict: %v", c)
	}
}
