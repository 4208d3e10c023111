package parserdwa

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// randomTokens draws a set of about count tokens of size, in runs of about run.
func randomTokens(rng *rand.Rand, size, count, run int) []int32 {
	var list []int32
	for len(list) < count {
		at := rng.IntN(size)
		for range 1 + rng.IntN(run) {
			list = append(list, int32(at%size))
			at++
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func maskOf(size int, tokens []int32) []uint64 {
	mask := make([]uint64, algorithms.MaskWords(size))
	for _, id := range tokens {
		bitset.Add(mask, id)
	}
	return mask
}

// tokensOf counts the tokens of a set.
func tokensOf(w *weight) int {
	n := 0
	if w != nil {
		for _, x := range w.words {
			n += bits.OnesCount64(x)
		}
	}
	return n
}

// TestWeightOperations compares both forms of a token set with the set itself.
func TestWeightOperations(t *testing.T) {
	for seed := range seed.Each(t, 200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		size := 1 + rng.IntN(3000)
		a := randomTokens(rng, size, rng.IntN(size+1), 1+rng.IntN(200))
		b := randomTokens(rng, size, rng.IntN(size+1), 1+rng.IntN(200))
		ws := newWeights(algorithms.MaskWords(size), nil)
		w, mask := ws.of(a), maskOf(size, b)
		if got := w.within(mask); got != subset(a, b) {
			t.Errorf("seed %d: within is %v", seed, got)
		}
		both := make([]uint64, len(mask))
		some := w.andInto(both, mask)
		if want := intersection(a, b); !slices.Equal(both, maskOf(size, want)) || some != (len(want) > 0) {
			t.Errorf("seed %d: wrong intersection", seed)
		}
		w.orInto(mask)
		if !slices.Equal(mask, maskOf(size, append(slices.Clone(a), b...))) {
			t.Errorf("seed %d: wrong union", seed)
		}
		if w != nil && tokensOf(w) != len(a) {
			t.Errorf("seed %d: %d tokens, want %d", seed, tokensOf(w), len(a))
		}
		if again := ws.of(a); again != w {
			t.Errorf("seed %d: an equal set is another object", seed)
		}
		if !bitset.Empty(ws.scratch) {
			t.Fatalf("seed %d: the scratch mask is not empty", seed)
		}
	}
}

func subset(a, b []int32) bool { return len(intersection(a, b)) == len(a) }

func intersection(a, b []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(a), func(id int32) bool { return !slices.Contains(b, id) })
}
