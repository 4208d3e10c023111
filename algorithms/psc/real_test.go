package psc

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
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
	realtext.CheckSamples(t, 3, func(t *testing.T, p *algorithms.Problem) map[string]algorithms.Engine {
		return map[string]algorithms.Engine{"psc": compile(t, p, nil), "psc without cache": compile(t, p, algorithms.Options{"cache": "off"})}
	})
}

// TestEagerOnText: once a real grammar is compiled eagerly, its samples find nothing missing, and
// their masks are trie's.
func TestEagerOnText(t *testing.T) {
	seed.Usual(t) // reads real vocabularies
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
