package psc

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/datasets"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// compile compiles psc with options.
func compile(t testing.TB, p *algorithms.Problem, o algorithms.Options) *engine {
	t.Helper()
	e := must.Get(algorithm{}.Compile(t.Context(), p, o))(t)
	return e.(*engine)
}

// TestSamples compares the masks with trie's along the embedded samples.
func TestSamples(t *testing.T) {
	limit := 1
	vocabularies := []string{"r50k_base"}
	if testing.Short() {
		t.Skip("reads real vocabularies")
	}
	if seed.Full() {
		limit, vocabularies = 3, []string{"o200k_base", "llama3", "gemma3"}
	}
	for _, lang := range datasets.Languages() {
		for _, vocabulary := range vocabularies {
			t.Run(lang+"/"+vocabulary, func(t *testing.T) {
				c := realtext.Need(t, lang, vocabulary, limit)
				reference := realtext.MustCompile(t, "trie", c.Problem, nil)
				cached := compile(t, c.Problem, nil)
				positions := must.Get(c.Compare(reference, map[string]algorithms.Engine{
					"psc": cached, "psc without cache": compile(t, c.Problem, algorithms.Options{"cache": "off"})}))(t)
				t.Logf("%d positions; %+v", positions, cached.Stats())
			})
		}
	}
}

// TestEagerOnText: once a real grammar is compiled eagerly, its samples find nothing missing, and
// their masks are trie's.
func TestEagerOnText(t *testing.T) {
	if testing.Short() {
		t.Skip("reads real vocabularies")
	}
	languages := []string{"json"}
	if seed.Full() {
		languages = append(languages, "go", "java")
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			c := realtext.Need(t, lang, "o200k_base", 3)
			e := compile(t, c.Problem, algorithms.Options{"compile": "eager"})
			built := e.core.Load()
			positions := must.Get(c.Compare(realtext.MustCompile(t, "trie", c.Problem, nil), map[string]algorithms.Engine{"eager": e}))(t)
			if n := built.things() - built.offline; n != 0 || e.core.Load() != built || built.visited != c.Problem.Lexer.NumStates() {
				t.Errorf("%d positions built %d starts and transitions; %d of %d lexer states were built ahead", positions, n, built.visited, c.Problem.Lexer.NumStates())
			}
		})
	}
}
