package greatgramma

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// TestGroups adds random groups, few tokens and many, near and far apart, and reads them back.
func TestGroups(t *testing.T) {
	const size = 5000
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	g := groups{bySum: map[[2]uint64]int32{}}
	lists, words := 0, 0
	for n := range 300 {
		lo := rng.IntN(size - 1)
		span := 1 + rng.IntN(size-lo)
		chosen := map[int32]bool{}
		for range 1 + rng.IntN(1<<(n%13)) {
			chosen[int32(lo+rng.IntN(span))] = true
		}
		var ids []int32
		for id := range chosen {
			ids = append(ids, id)
		}
		at := g.add(ids)
		slices.Reverse(ids)
		if again := g.add(ids); again != at {
			t.Fatalf("the same tokens in another order are group %d, not %d", again, at)
		}
		mask := bitset.New(size)
		g.list[at].addTo(mask)
		slices.Sort(ids)
		var got []int32
		for i := range bitset.All[int](mask) {
			got = append(got, int32(i))
		}
		if !slices.Equal(got, ids) || g.list[at].size != len(ids) {
			t.Fatalf("got %v, want %v", got, ids)
		}
		if g.list[at].words != nil {
			words++
		} else {
			lists++
		}
	}
	if lists == 0 || words == 0 {
		t.Errorf("%d lists, %d bit sets: one kind was not tested", lists, words)
	}
}
