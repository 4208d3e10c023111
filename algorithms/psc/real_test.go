package psc

import (
	"errors"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/datasets"
)

// load makes a case, or skips the test if the vocabulary is not on this machine.
func load(t testing.TB, lang, vocabulary string, samples int) *realtext.Case {
	t.Helper()
	c, err := realtext.Load(t.Context(), lang, vocabulary, samples)
	if errors.Is(err, realtext.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

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
				c := load(t, lang, vocabulary, limit)
				reference, err := realtext.Compile(t.Context(), "trie", c.Problem, nil)
				if err != nil {
					t.Fatal(err)
				}
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
