package schemas_test

import (
	"slices"
	"testing"

	"gcdbench/algorithms/conformance/schemas"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRealFiles holds every algorithm to naive on schema files that packages ship, with their
// documents and mutants, and a walk of random tokens, with keys in any order: in long runs on 100
// files. It needs 'gcdbench fetch schemas'.
func TestRealFiles(t *testing.T) {
	seed.Usual(t)
	src := must.Get(datasets.Lookup("schema-files"))(t)
	list, err := schemas.Load(t.Context(), src, 1)
	if err != nil {
		t.Skip("the files are not here: ", err)
	}
	longest := seed.Rounds(500, 1000, 1500) // bytes of a document
	for i := range list {
		list[i].Instances = slices.DeleteFunc(list[i].Instances, func(in schemas.Instance) bool { return len(in.Text) > longest })
		list[i].Instances = list[i].Instances[:min(4, len(list[i].Instances))]
	}
	tok := llama3(t, seed.Rounds(400, 600, 800))
	compareAll(t, &schemas.Comparison{
		Vocabulary: tok.Vocabulary(), Split: tok.EncodeContinuation, Schema: jsonschema.Options{AnyOrder: true},
		Reference: entry(t, "naive", nil), Entries: everyone(t),
		Limit: compileLimit, Branches: 2, Walks: 1, Steps: seed.Rounds(10, 20, 40), Seed: 4,
	}, chosenFiles(list, seed.Rounds(2, 8, 100)))
}

// chosenFiles are some of a list: at first those with documents, at equal distances, then others.
func chosenFiles(list []schemas.Schema, n int) (chosen []schemas.Schema) {
	var bare []schemas.Schema
	for _, s := range list {
		if len(s.Instances) > 0 {
			chosen = append(chosen, s)
		} else {
			bare = append(bare, s)
		}
	}
	for i := 0; len(chosen) < n && i < n; i++ {
		chosen = append(chosen, bare[i*len(bare)/n])
	}
	for i := range n {
		chosen[i] = chosen[i*len(chosen)/n]
	}
	return chosen[:n]
}
