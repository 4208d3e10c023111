package greatgramma

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

func TestBitmapNext(t *testing.T) {
	b := make(bitmap, 3)
	members := []int{0, 5, 63, 64, 130, 191}
	for _, i := range members {
		b.set(i)
	}
	var got []int
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		got = append(got, i)
		if !b.has(i) {
			t.Errorf("%d is next, but not in it", i)
		}
	}
	if !slices.Equal(got, members) {
		t.Errorf("got %v, want %v", got, members)
	}
	if b.next(192) != -1 || bitmap(nil).next(0) != -1 {
		t.Error("there is something behind the end")
	}
}

func TestBitmapsAreInterned(t *testing.T) {
	var s bitmaps
	var key []byte
	a, b := bitmap{1, 2}, bitmap{1, 3}
	if i := s.add(a, &key); i != 0 {
		t.Error("the first is", i)
	}
	if i := s.add(b, &key); i != 1 {
		t.Error("the second is", i)
	}
	if i := s.add(bitmap{1, 2}, &key); i != 0 {
		t.Error("the first again is", i)
	}
	a[0] = 9 // scratch of the caller
	if s.list[0][0] != 1 {
		t.Error("the caller's memory was kept")
	}
}

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
		mask := make(bitmap, (size+63)/64)
		g.list[at].addTo(mask)
		slices.Sort(ids)
		var got []int32
		for i := mask.next(0); i >= 0; i = mask.next(i + 1) {
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
