package legality

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestTreesAreDropped reads a program with room for few trees: the masks are those of trie.
func TestTreesAreDropped(t *testing.T) {
	c := realtext.NeedWith(t, "java", "r50k_base", 1, recognizer.Options{OnDemand: true})
	c.Texts[0] = c.Texts[0][:min(len(c.Texts[0]), 200)]
	e := &engine{problem: c.Problem, store: newStore(c.Problem, config{proofs: proofs{true, true, true}, memory: DefaultMemory, height: DefaultStack})}
	e.store.builder.treeLimit = 1 << 18
	must.Get(c.Compare(realtext.MustCompile(t, "trie", c.Problem, nil), map[string]algorithms.Engine{"engine": e}))(t)
	if e.store.builder.startedOver == 0 {
		t.Error("256 KiB were enough")
	}
	t.Logf("trees were dropped %d times", e.store.builder.startedOver)
}
