package trie_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/naive"
	_ "gcdbench/algorithms/trie"
	"gcdbench/internal/seed"
)

// TestLives takes generations through random lives.
func TestLives(t *testing.T) {
	for _, slices := range []string{"on", "off"} {
		t.Run(slices, func(t *testing.T) {
			if n := realtext.Lives(t, seed.New(t), "trie", algorithms.Options{"slices": slices}, "naive"); n < 500 {
				t.Errorf("only %d masks were compared", n)
			}
		})
	}
}
