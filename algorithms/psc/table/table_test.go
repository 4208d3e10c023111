package table

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// TestTable checks the hash table against a map.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 3))
	var table Table
	want := map[uint64]int32{}
	for range 20000 {
		key := Pair(int32(rng.IntN(200))-1, int32(rng.IntN(200)))
		if got := table.Get(key); want[key] == 0 && got != Absent || want[key] != 0 && got != want[key] {
			t.Fatalf("key %x: %d, want %d", key, got, want[key])
		}
		want[key] = 1 + int32(rng.IntN(1000))
		table.Put(key, want[key])
	}
	if table.used != len(want) {
		t.Errorf("%d entries, want %d", table.used, len(want))
	}
}
