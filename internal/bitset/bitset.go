// Package bitset has sets of small integers: integer i is bit i%64 of word i/64.
//
// A set is a plain []uint64, so that masks, sets of terminals and rows of a matrix have one form
// and need no conversion. Members may be of any integer type, such as grammar.Terminal, and are not
// negative. Where an operation has two sets, the second has no more words than the first.
package bitset

import (
	"iter"
	"math/bits"
)

// An Integer is a type that members may have.
type Integer interface {
	~int | ~int32
}

// Words is the number of words of a set over 0 to n-1.
func Words(n int) int { return (n + 63) / 64 }

// New is an empty set over 0 to n-1.
func New(n int) []uint64 { return make([]uint64, Words(n)) }

// Has tells whether i is in the set. It panics if i is beyond the last word.
func Has[I Integer](set []uint64, i I) bool { return set[i>>6]>>(uint(i)&63)&1 != 0 }

// Add adds i to the set.
func Add[I Integer](set []uint64, i I) { set[i>>6] |= 1 << (uint(i) & 63) }

// Remove takes i out of the set.
func Remove[I Integer](set []uint64, i I) { set[i>>6] &^= 1 << (uint(i) & 63) }

// AddAll adds the integers of a list to the set.
func AddAll[I Integer](set []uint64, list []I) {
	for _, i := range list {
		Add(set, i)
	}
}

// RemoveAll takes the integers of a list out of the set.
func RemoveAll[I Integer](set []uint64, list []I) {
	for _, i := range list {
		Remove(set, i)
	}
}

// Unite adds the members of o to the set. It tells whether the set grew.
func Unite(set, o []uint64) (grew bool) {
	for i, w := range o {
		if w&^set[i] != 0 {
			set[i] |= w
			grew = true
		}
	}
	return grew
}

// Intersect tells whether the sets, which may be of different widths, have a member in common.
func Intersect(set, o []uint64) bool {
	for i, w := range o[:min(len(o), len(set))] {
		if w&set[i] != 0 {
			return true
		}
	}
	return false
}

// Includes tells whether all members of o are in the set.
func Includes(set, o []uint64) bool {
	for i, word := range o {
		if word&^set[i] != 0 {
			return false
		}
	}
	return true
}

// Next is the first member from i on, -1 if there is none.
func Next(set []uint64, i int) int {
	w := i >> 6
	if w >= len(set) {
		return -1
	}
	word := set[w] >> (uint(i) & 63) << (uint(i) & 63)
	for word == 0 {
		if w++; w == len(set) {
			return -1
		}
		word = set[w]
	}
	return w<<6 + bits.TrailingZeros64(word)
}

// Empty tells whether the set has no member.
func Empty(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}

// Count is the number of members.
func Count(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// All gives the members in ascending order, as the set was when each word was come to.
func All[I Integer](set []uint64) iter.Seq[I] {
	return func(yield func(I) bool) {
		for i, w := range set {
			for ; w != 0; w &= w - 1 {
				if !yield(I(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
