package parserdwa_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
)

// TestRealGrammars compares with trie along samples.
func TestRealGrammars(t *testing.T) {
	realtext.CheckSamples(t, 12, func(t *testing.T, p *algorithms.Problem) map[string]algorithms.Engine {
		engines := map[string]algorithms.Engine{}
		for name, o := range variants {
			switch {
			case name == "whole": // lexers of programs are built ahead
			case name != "eager" || p.Vocabulary.Name() == "llama3": // its masks are those of lazy, and compiling takes long
				engines[name] = realtext.MustCompile(t, "parserdwa", p, o)
			}
		}
		return engines
	})
}
