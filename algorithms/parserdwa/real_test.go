package parserdwa_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRealGrammars compares with trie at every position of some samples.
func TestRealGrammars(t *testing.T) {
	limit, toks := 1, []string{"r50k_base"}
	if seed.Full() {
		limit, toks = 12, []string{"o200k_base", "llama3", "gemma3"}
	}
	for _, language := range seed.Some(t, languages.Names(), 2, 1, 1) {
		for _, tok := range toks {
			t.Run(language+"/"+tok, func(t *testing.T) {
				c := realtext.Need(t, language, tok, limit)
				p := c.Problem
				engines := map[string]algorithms.Engine{}
				for name, o := range variants {
					switch {
					case name == "whole": // lexers of programs are built ahead
					case name != "eager" || seed.Full() && tok == "llama3": // its masks are those of lazy, and compiling takes long
						engines[name] = realtext.MustCompile(t, "parserdwa", p, o)
					}
				}
				positions := must.Get(c.Compare(realtext.MustCompile(t, "trie", p, nil), engines))(t)
				t.Logf("%d positions, %d variants", positions, len(engines))
			})
		}
	}
}
