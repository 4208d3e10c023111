package sparse

import (
	"math/rand/v2"
	"sync"
	"testing"

	"gcdbench/internal/seed"
)

// TestTable: what was put there first under a number is found, for several writers at once, and
// nothing under any other number.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 1))
	numbers := []int32{0, 1, 31, 32, 2047, 2048, 131071, 131072, 1<<31 - 1}
	for range 200 {
		numbers = append(numbers, int32(r.Uint32()>>(1+r.UintN(30))))
	}
	var table Table[int32]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, n := range numbers {
				x := n
				if got := table.Put(n, &x); *got != n {
					t.Errorf("%d is put where %d is", n, *got)
				}
				if got := table.At(n); got == nil || got != table.Put(n, &x) {
					t.Errorf("%d is not found", n)
				}
			}
		})
	}
	wg.Wait()
	known := map[int32]bool{}
	for _, n := range numbers {
		known[n] = true
	}
	for _, n := range numbers {
		if other := n ^ 1<<7; !known[other] && table.At(other) != nil {
			t.Errorf("%d is found", other)
		}
	}
}
