// Package index numbers distinct things 0, 1, 2, ... and finds them again, by a hash.
//
// An Index is a map from values to numbers, for values that are no keys of a Go map, such as
// slices: building an automaton asks some thousand times whether a list was seen before. The caller
// keeps the values, by number, and compares them; the index holds only hashes. A lookup allocates
// nothing.
package index

import "math/bits"

// An Index is a hash table of numbers. The zero value is empty. It is not safe for concurrent use.
type Index struct {
	slots  []slot // a power of two of them, at most half in use
	hashes []uint64
}

// A slot is a number with some bits of its hash: to find a number in a large table is to wait for
// one slot, and for the thing itself.
type slot struct {
	number int32  // 1 + number, 0 if free
	tag    uint32 // the high half of the hash; the low half says where to look
}

// Find is the number of the thing with this hash that same confirms, -1 if there is none.
func (x *Index) Find(hash uint64, same func(number int32) bool) int32 {
	if len(x.slots) == 0 {
		return -1
	}
	tag := uint32(hash >> 32)
	for at := hash; ; at++ {
		s := x.slots[at&uint64(len(x.slots)-1)]
		if s.number == 0 || s.tag == tag && same(s.number-1) {
			return s.number - 1
		}
	}
}

// Add gives the next number to a thing with this hash, whether or not an equal one has one.
func (x *Index) Add(hash uint64) int32 {
	i := int32(len(x.hashes))
	x.hashes = append(x.hashes, hash)
	if 2*len(x.hashes) <= len(x.slots) {
		x.put(i)
		return i
	}
	x.slots = make([]slot, max(16, 2*len(x.slots)))
	for i := range x.hashes {
		x.put(int32(i))
	}
	return i
}

func (x *Index) put(i int32) {
	mask := uint64(len(x.slots) - 1)
	at := x.hashes[i] & mask
	for x.slots[at].number != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = slot{i + 1, uint32(x.hashes[i] >> 32)}
}

// Bytes is the memory held.
func (x *Index) Bytes() int64 { return 8 * int64(cap(x.slots)+cap(x.hashes)) }

// Mix is a bijection of 64-bit numbers whose every output bit depends on every input bit (the
// finaliser of splitmix64). Mix(h ^ x) for one x after the other hashes a list.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Reset empties the table and holds on to its memory.
func (x *Index) Reset() {
	clear(x.slots)
	x.hashes = x.hashes[:0]
}

// An Integer is an element of a list that Hash takes.
type Integer interface {
	~int32 | ~uint32 | ~uint64
}

// Hash is a hash of a list: each element is multiplied with what came before it, and the two halves
// of the product are folded. That takes half the time of Mix.
func Hash[E Integer](list []E) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(list))
	for _, x := range list {
		hi, lo := bits.Mul64(uint64(x)^h^k1, k0)
		h = hi ^ lo
	}
	return h
}
