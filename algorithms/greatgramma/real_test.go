package greatgramma

import (
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRealGrammars compares masks with trie's at every position of samples: some with the
// vocabulary that is embedded, all of them if GCDBENCH_FULL is set.
func TestRealGrammars(t *testing.T) {
	full := seed.Full()
	for _, language := range []string{"java", "go", "python", "sql", "json"} {
		for _, vocabulary := range []string{"r50k_base", "o200k_base", "llama3", "gemma3"} {
			t.Run(language+"/"+vocabulary, func(t *testing.T) {
				n := 1
				switch {
				case full:
					n = 0 // all
				case vocabulary != "r50k_base" || language == "go" || language == "sql":
					t.Skip("set GCDBENCH_FULL")
				}
				r := realtext.Need(t, language, vocabulary, n)
				began := time.Now()
				e := realtext.MustCompile(t, "greatgramma", r.Problem, nil)
				t.Logf("compiled in %v; %d bytes", time.Since(began), e.Stats().Bytes)
				trie := realtext.MustCompile(t, "trie", r.Problem, nil)
				positions := must.Get(r.Compare(trie, map[string]algorithms.Engine{"greatgramma": e}))(t)
				t.Logf("%d positions are alike", positions)
			})
		}
	}
}
