package hugepages

import "testing"

// TestAdvise: what is in a slice stays, whatever its size and wherever it begins in a page.
func TestAdvise(t *testing.T) {
	for _, n := range []int{0, 1, size / 8, size/8 + 1, 5 * size / 8} {
		for _, skip := range []int{0, 1, 511} {
			list := make([]uint64, n+skip)[skip:]
			for i := range list {
				list[i] = uint64(i)
			}
			Advise(list)
			for i, x := range list {
				if x != uint64(i) {
					t.Fatalf("element %d of %d is %d", i, n, x)
				}
			}
		}
	}
}
