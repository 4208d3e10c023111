package recognizer_test

import (
	"testing"

	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestEmitSetMakes: of a grammar whose rules are written on demand, a lexeme leads to states that
// are made.
func TestEmitSetMakes(t *testing.T) {
	opened := must.Get(jsonschema.Open(t.Context(), []byte(`{"type": "array", "items": {"type": "array", "items": {"enum": [1, 2]}}}`), jsonschema.Options{}))(t)
	r := must.Get(recognizer.New(t.Context(), opened.Grammar, recognizer.Options{OnDemand: true}))(t)
	seen := 0
	for s, text := r.Start(), "[[1,2],[1]]"; text != ""; text = text[1:] {
		var ok bool
		if s, ok = r.Step(s, text[0]); !ok {
			t.Fatalf("%q is refused", text)
		}
		now := r.Current()
		for _, end := range now.Lexer.Ends(s.Lexer) {
			next, ok := r.EmitSet(s, end.Set)
			for i := range next.Stacks.NumTops() {
				if seen++; ok && !r.Current().Tables.Made(next.Stacks.TopNode(i).State) {
					t.Fatalf("before %q: a state is not made", text)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no lexeme ends")
	}
}
