package intern_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/intern"
	"gcdbench/internal/seed"
)

// TestKeys numbers keys in order, each once.
func TestKeys(t *testing.T) {
	type pair struct{ a, b int32 }
	var k intern.Keys[pair]
	for _, c := range []struct {
		key   pair
		id    int32
		isNew bool
	}{{pair{3, 4}, 0, true}, {pair{4, 3}, 1, true}, {pair{3, 4}, 0, false}, {pair{}, 2, true}, {pair{4, 3}, 1, false}} {
		if id, isNew := k.ID(c.key); id != c.id || isNew != c.isNew || k.At(id) != c.key {
			t.Errorf("%v: number %d, new %v, kept as %v", c.key, id, isNew, k.At(id))
		}
	}
	if k.Len() != 3 {
		t.Errorf("%d keys", k.Len())
	}
}

// TestLists compares with a map of texts, for lists of all lengths, twice with a reset between.
func TestLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	var l intern.Lists[int32]
	for round := range 2 {
		known := map[string]int32{}
		for step := range 4000 {
			list := make([]int32, rng.IntN(4))
			if step%50 == 0 {
				list = make([]int32, rng.IntN(600))
			}
			for i := range list {
				list[i] = int32(rng.IntN(8)) - 1
			}
			want, ok := known[fmt.Sprint(list)]
			if !ok {
				want = int32(len(known))
				known[fmt.Sprint(list)] = want
			}
			if found := l.Find(list); ok && found != want || !ok && found != -1 {
				t.Fatalf("round %d: %v is found as %d, want %d", round, list, found, want)
			}
			id, isNew := l.ID(list)
			if id != want || isNew == ok || l.Len() != len(known) {
				t.Fatalf("round %d: %v is %d, new %v; want %d", round, list, id, isNew, want)
			}
			given := slices.Clone(list)
			for i := range list { // the list is the caller's
				list[i] = 99
			}
			if !slices.Equal(l.At(id), given) {
				t.Fatalf("round %d: %v is kept as %v", round, given, l.At(id))
			}
		}
		if l.Reset(); l.Len() != 0 {
			t.Fatal("not empty")
		}
	}
}

// BenchmarkLists compares with a map of packed keys, for lists that are there.
func BenchmarkLists(b *testing.B) {
	var lists [][]int32
	for i := range int32(1000) {
		lists = append(lists, []int32{i, i * 7, i * 31, i % 5})
	}
	b.Run("lists", func(b *testing.B) {
		var l intern.Lists[int32]
		for i := 0; b.Loop(); i++ {
			l.ID(lists[i%len(lists)])
		}
	})
	b.Run("map", func(b *testing.B) {
		known := map[string]int32{}
		var key []byte
		for i := 0; b.Loop(); i++ {
			key = key[:0]
			for _, x := range lists[i%len(lists)] {
				key = binary.AppendUvarint(key, uint64(x))
			}
			if _, ok := known[string(key)]; !ok {
				known[string(key)] = int32(len(known))
			}
		}
	})
}
