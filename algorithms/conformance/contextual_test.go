package conformance_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestContextualOnRealTexts reads real programs with contextual lexers, and compares the masks of
// all algorithms with trie's.
func TestContextualOnRealTexts(t *testing.T) {
	for _, language := range seed.Some(t, []string{"json", "go", "java"}, 3, 1, 1) {
		modes := language != "json"
		t.Run(language, func(t *testing.T) {
			c := realtext.Need(t, language, "r50k_base", 1)
			g := must.Get(languages.LoadWith(t.Context(), language, languages.Options{Lexer: "contextual"}))(t)
			r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
			if (r.Grammar.Modes != nil) != modes {
				t.Errorf("%d modes", len(r.Grammar.Modes))
			}
			c.Problem = &algorithms.Problem{Recognizer: r, Vocabulary: c.Problem.Vocabulary}
			c.Texts[0] = c.Texts[0][:min(80, len(c.Texts[0]))]
			engines := map[string]algorithms.Engine{}
			for _, e := range entries(t) {
				if name := e.Algorithm.Name(); name != "naive" && name != "trie" {
					engines[name] = realtext.MustCompile(t, name, c.Problem, nil)
				}
			}
			n := must.Get(c.Compare(realtext.MustCompile(t, "trie", c.Problem, nil), engines))(t)
			t.Logf("%d modes, %d terminals of %d, %d lexer states, %d positions", len(r.Grammar.Modes),
				len(r.Grammar.Terminals), len(g.Terminals), r.Lexer.NumStates(), n)
		})
	}
}
