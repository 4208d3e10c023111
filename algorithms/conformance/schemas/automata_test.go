package schemas_test

import (
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// TestAutomata holds the algorithm automata, whose semantics is another, to naive as well. It knows
// no lexing rule: any cut of a text into words of terminals will do. In JSON there is one cut only,
// since a string ends at its quote, and what ends a number, a literal or white space is no part of
// any. So masks must be equal.
func TestAutomata(t *testing.T) {
	automata := map[string]conformance.Entry{"automata": entry(t, "automata", nil)}
	t.Run("random", func(t *testing.T) {
		seeds := seed.Rounds(20, 30, 2000)
		positions := 0
		for seed := range seed.Each(t, seeds) {
			s := schemas.Random(seed)
			v, err := s.Vocabulary()
			must.OK(t, err)
			c := &schemas.Comparison{
				Vocabulary: v, Split: s.Split, Reference: entry(t, "naive", nil), Entries: automata,
				Walks: 3, Steps: 20, Branches: 4, Seed: seed, Schema: jsonschema.Options{WhiteSpace: jsonschema.WhiteSpace(seed % 2)},
			}
			o, err := c.Compare(t.Context(), s.Schema)
			if err != nil {
				t.Fatalf("seed %d: %v\nvocabulary %q", seed, err, s.Tokens)
			}
			positions += o.Positions
		}
		t.Logf("%d seeds, %d positions", seeds, positions)
	})
	t.Run("samples", func(t *testing.T) {
		list := must.Get(schemas.Samples(t.Context()))(t)
		tok := must.Get(tokenizers.Load(t.Context(), "o200k_base[:2000]", tokenizers.Options{}))(t)
		list = list[:len(list)/seed.Rounds(8, 6, 1)]
		compareAll(t, &schemas.Comparison{
			Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation,
			Reference: entry(t, "naive", nil), Entries: automata, Limit: compileLimit, Branches: 2, Seed: 5,
		}, list)
	})
}
