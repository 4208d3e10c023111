package schemas_test

import (
	"fmt"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// TestSamples holds every algorithm to naive on the embedded schemas, with all ways of compiling
// them: on the first ids of a vocabulary that needs no download, and in long runs on vocabularies
// of all kinds.
func TestSamples(t *testing.T) {
	vocabularies := []string{"o200k_base[:1500]"}
	if seed.Full() {
		vocabularies = []string{"o200k_base[:2000]", "r50k_base", "mistral-v0.1", "gemma3[:40000]", "qwen2.5[:60000]"}
	}
	list := must.Get(schemas.Samples(t.Context()))(t)
	for _, vocabulary := range vocabularies {
		for i, o := range []jsonschema.Options{{}, {WhiteSpace: jsonschema.AnySpace}, {AnyOrder: true}} {
			if i > 0 && vocabulary != vocabularies[0] {
				break
			}
			t.Run(fmt.Sprintf("%s/%v", vocabulary, i), func(t *testing.T) {
				tok, err := tokenizers.Load(t.Context(), vocabulary, tokenizers.Options{Offline: true})
				if err != nil {
					t.Skip("the tokenizer is not here: ", err)
				}
				chosen := list[:len(list)/seed.Rounds(30, 4, 1)]
				if i > 0 {
					chosen = list[len(list)-len(list)/seed.Rounds(60, 8, 1):]
				}
				compareAll(t, &schemas.Comparison{
					Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation, Schema: o,
					Reference: entry(t, "naive", nil), Entries: everyone(t), Limit: compileLimit, Branches: 2, Seed: 3,
				}, chosen)
			})
		}
	}
}
