package languages_test

import (
	"context"
	"go/parser"
	"go/token"
	"testing"

	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

const goSamples = "../../datasets/samples/go"

func goGrammar(t *testing.T) *recognizer.Recognizer { return embedded(t, "go") }

// goParses is the judgement of Go's own parser.
func goParses(text string) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err
}

func TestGoGrammarConflicts(t *testing.T) {
	tables := must.Get(lr.Build(context.Background(), goGrammar(t).Tables.Grammar(), lr.Options{}))(t)
	// `[]func()(x)`: the parenthesis begins the results of the function's type, for go/parser too.
	if sr, rr := tables.CountConflicts(); sr != 1 || rr != 0 {
		t.Errorf("%d shift/reduce and %d reduce/reduce conflicts, want 1 and 0: %v", sr, rr, tables.Conflicts())
	}
	t.Logf("%d terminals, %d rules, %d states", tables.NumTerminals(), tables.NumRules(), tables.NumStates())
}
