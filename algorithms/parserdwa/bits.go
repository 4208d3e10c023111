package parserdwa

import (
	"iter"
	"math/bits"
)

// intersect tells whether two bit sets share a member; they may differ in length.
func intersect(a, b []uint64) bool {
	for i := range min(len(a), len(b)) {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// and is the members of both, with as many words as b.
func and(a, b []uint64) []uint64 {
	c := make([]uint64, len(b))
	for i := range min(len(a), len(b)) {
		c[i] = a[i] & b[i]
	}
	return c
}

func empty(a []uint64) bool {
	for _, w := range a {
		if w != 0 {
			return false
		}
	}
	return true
}

// each visits the members of a bit set in order.
func each(a []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range a {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
