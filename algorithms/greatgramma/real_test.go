package greatgramma

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
)

// TestRealGrammars compares with trie along samples, all of them in the long form.
func TestRealGrammars(t *testing.T) {
	realtext.CheckSamples(t, 0, func(t *testing.T, p *algorithms.Problem) map[string]algorithms.Engine {
		return map[string]algorithms.Engine{"greatgramma": realtext.MustCompile(t, "greatgramma", p, nil)}
	})
}
