package verify

import (
	"math/rand/v2"
	"testing"

	"gcdbench/harness/prepare"
)

// TestSampledPositions: one in so many, the same for the same seed.
func TestSampledPositions(t *testing.T) {
	s := &prepare.Document{}
	setTokens(s, make([]int32, 3000), 1000)
	other := *s
	sample(s, map[string]int{"naive": 100, "trie": 1}, rand.New(rand.NewPCG(1, 2)))
	sample(&other, map[string]int{"trie": 1, "naive": 100}, rand.New(rand.NewPCG(1, 2)))
	n := len(s.Sparse["naive"])
	if n < 5 || n > 60 || s.Sparse["naive"][0] < 1000 || len(s.Sparse["trie"]) != 2000 || n != len(other.Sparse["naive"]) {
		t.Errorf("%d of naive, %d of trie", n, len(s.Sparse["trie"]))
	}
}
