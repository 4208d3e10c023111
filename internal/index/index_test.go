package index_test

import (
	"fmt"
	"slices"
	"testing"

	"gcdbench/internal/index"
)

// Things are found by what they are, also where many have one hash.
func TestFind(t *testing.T) {
	hashes := map[string]func(thing int) uint64{
		"good":      func(thing int) uint64 { return index.Mix(uint64(thing)) },
		"colliding": func(thing int) uint64 { return uint64(thing % 100) },
		"constant":  func(int) uint64 { return 1<<64 - 1 },
	}
	for name, hash := range hashes {
		var x index.Index
		var things []int
		for i := range 3000 {
			thing := i * i % 1009
			at := x.Find(hash(thing), func(i int32) bool { return things[i] == thing })
			if want := slices.Index(things, thing); int(at) != want {
				t.Fatalf("%s: %d is found at %d, want %d", name, thing, at, want)
			}
			if at < 0 {
				if n := x.Add(hash(thing)); int(n) != len(things) {
					t.Fatalf("%s: number %d, want %d", name, n, len(things))
				}
				things = append(things, thing)
			}
		}
	}
}

func TestMix(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range uint64(10000) {
		seen[index.Mix(i)] = true
		seen[index.Mix(i<<40+1<<39)] = true
	}
	if len(seen) != 20000 {
		t.Errorf("%d different hashes of 20000 numbers", len(seen))
	}
}

func BenchmarkFind(b *testing.B) {
	var x index.Index
	for i := range uint64(1000) {
		x.Add(index.Mix(i))
	}
	for i := uint64(0); b.Loop(); i++ {
		want := int32(i % 1000)
		if x.Find(index.Mix(uint64(want)), func(i int32) bool { return i == want }) != want {
			b.Fatal("not found")
		}
	}
}

// BenchmarkFindFar finds things in tables of several sizes, in another order than that in which
// they came.
func BenchmarkFindFar(b *testing.B) {
	for _, n := range []uint64{1 << 10, 1 << 15, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var x index.Index
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = uint64(i)
				x.Add(index.Mix(keys[i]))
			}
			i := uint64(0)
			for b.Loop() {
				key := i * 0x9e3779b1 % n
				i++
				if x.Find(index.Mix(key), func(at int32) bool { return keys[at] == key }) != int32(key) {
					b.Fatal("not found")
				}
			}
		})
	}
}

// TestHash: lists that differ in one element, in order or in length have different hashes.
func TestHash(t *testing.T) {
	seen := map[uint64]bool{index.Hash([]int32{}): true}
	for i := range int32(100) {
		for j := range int32(100) {
			seen[index.Hash([]int32{i, j})] = true
			seen[index.Hash([]int32{-1, i, j})] = true
		}
		seen[index.Hash([]int32{i})] = true
	}
	if len(seen) != 20101 {
		t.Errorf("%d different hashes of 20101 lists", len(seen))
	}
}

// TestReset: a table that was emptied numbers from 0 again.
func TestReset(t *testing.T) {
	var x index.Index
	for range 2 {
		for i := range int32(100) {
			if x.Find(7, func(n int32) bool { return n == i }) >= 0 || x.Add(7) != i {
				t.Fatalf("number %d", i)
			}
		}
		x.Reset()
	}
}
