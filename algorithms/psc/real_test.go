package psc

import (
	"testing"

	"gcdbench/algorithms"
	_ "gcdbench/algorithms/trie"
	"gcdbench/conformance/realtext"
	"gcdbench/datasets"
)

// compile compiles psc with options.
func compile(t testing.TB, p *algorithms.Problem, o algorithms.Options) *engine {
	t.Helper()
	e, err := algorithm{}.Compile(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*engine)
}

// TestSamples compares the masks with trie's along the embedded samples.
func TestSamples(t *testing.T) {
	limit := 1
	vocabularies := []string{"o200k_base"}
	if testing.Short() {
		t.Skip("reads real vocabularies")
	}
	if realtext.Full() {
		limit, vocabularies = 3, []string{"o200k_base", "llama3", "gemma3"}
	}
	for _, lang := range datasets.Languages() {
		for _, vocabulary := range vocabularies {
			t.Run(lang+"/"+vocabulary, func(t *testing.T) {
				c := realtext.Need(t, lang, vocabulary, limit)
				reference := realtext.MustCompile(t, "trie", c.Problem, nil)
				cached := compile(t, c.Problem, nil)
				positions, err := c.Compare(reference, map[string]algorithms.Engine{
					"psc": cached, "psc without cache": compile(t, c.Problem, algorithms.Options{"cache": "off"})})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d positions; %+v", positions, cached.Stats())
			})
		}
	}
}
