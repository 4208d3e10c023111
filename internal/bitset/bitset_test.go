package bitset_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// TestAgainstMaps does the same to bit sets and to maps, at random.
func TestAgainstMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, n := range []int{1, 63, 64, 65, 200} {
		var sets [2][]uint64
		var want [2]map[int32]bool
		for k := range sets {
			sets[k], want[k] = bitset.New(n), map[int32]bool{}
		}
		for step := range 1000 {
			k, i := rng.IntN(2), int32(rng.IntN(n))
			switch rng.IntN(8) {
			case 0, 1:
				bitset.Add(sets[k], i)
				want[k][i] = true
			case 2:
				bitset.AddAll(sets[k], []int32{i, i})
				want[k][i] = true
			case 3, 4:
				bitset.Remove(sets[k], i)
				delete(want[k], i)
			case 5:
				bitset.RemoveAll(sets[k], []int32{i})
				delete(want[k], i)
			case 6:
				before := len(want[k])
				maps.Copy(want[k], want[1-k])
				if grew := bitset.Unite(sets[k], sets[1-k]); grew != (len(want[k]) > before) {
					t.Fatalf("%d, step %d: grew %v", n, step, grew)
				}
			case 7:
				clear(sets[k])
				clear(want[k])
			}
			members := slices.Sorted(maps.Keys(want[k]))
			if got := slices.Collect(bitset.All[int32](sets[k])); !slices.Equal(got, members) {
				t.Fatalf("%d, step %d: %v, want %v", n, step, got, members)
			}
			if bitset.Has(sets[k], i) != want[k][i] || bitset.Count(sets[k]) != len(members) || bitset.Empty(sets[k]) != (len(members) == 0) {
				t.Fatalf("%d, step %d: %v, want %v", n, step, sets[k], members)
			}
			at := slices.IndexFunc(members, func(m int32) bool { return m >= i })
			if next := bitset.Next(sets[k], int(i)); at < 0 && next != -1 || at >= 0 && next != int(members[at]) {
				t.Fatalf("%d, step %d: %d comes next from %d on in %v", n, step, next, i, members)
			}
			common := slices.ContainsFunc(members, func(i int32) bool { return want[1-k][i] })
			if bitset.Intersect(sets[k], sets[1-k]) != common {
				t.Fatalf("%d, step %d: a common member: want %v", n, step, common)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 64: 1, 65: 2, 128: 2, 129: 3} {
		if bitset.Words(n) != want || len(bitset.New(n)) != want {
			t.Errorf("%d: %d words, want %d", n, bitset.Words(n), want)
		}
	}
}

// TestAllStops leaves a loop over members.
func TestAllStops(t *testing.T) {
	for i := range bitset.All[int]([]uint64{1<<3 | 1<<7, 1}) {
		if i == 7 {
			break
		}
		if i > 7 {
			t.Fatal("the loop goes on")
		}
	}
}

// BenchmarkAll loops over 40 members of 512.
func BenchmarkAll(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	set := bitset.New(512)
	for range 40 {
		bitset.Add(set, rng.IntN(512))
	}
	sum := int32(0)
	for b.Loop() {
		for i := range bitset.All[int32](set) {
			sum += i
		}
	}
	if sum == 0 {
		b.Fatal("no members")
	}
}
