package tokenizers

import "hash/maphash"

// byteTable finds an id by its bytes: open addressing over ids, the bytes themselves staying in
// the slab they were read into. It is half the memory of a map[string]int32 and needs no string
// headers.
type byteTable struct {
	slab    []byte
	offsets []uint32
	slots   []int32 // id+1, 0 if free; a power of two of them
	seed    maphash.Seed
}

// newByteTable indexes the ids 0..len(offsets)-2 whose bytes are not empty. Of ids with equal
// bytes the smallest is found.
func newByteTable(slab []byte, offsets []uint32) *byteTable {
	size := 16
	for size < 2*len(offsets) {
		size *= 2
	}
	t := &byteTable{slab: slab, offsets: offsets, slots: make([]int32, size), seed: maphash.MakeSeed()}
	for id := range len(offsets) - 1 {
		if key := t.bytes(int32(id)); len(key) > 0 {
			if slot, found := t.slot(key); !found {
				t.slots[slot] = int32(id) + 1
			}
		}
	}
	return t
}

func (t *byteTable) bytes(id int32) []byte { return t.slab[t.offsets[id]:t.offsets[id+1]] }

// slot returns where key is, or where it would go.
func (t *byteTable) slot(key []byte) (int, bool) {
	mask := len(t.slots) - 1
	for i := int(maphash.Bytes(t.seed, key)) & mask; ; i = (i + 1) & mask {
		id := t.slots[i] - 1
		if id < 0 {
			return i, false
		}
		if string(t.bytes(id)) == string(key) {
			return i, true
		}
	}
}

// find returns the id of key, or -1.
func (t *byteTable) find(key []byte) int32 {
	if slot, found := t.slot(key); found {
		return t.slots[slot] - 1
	}
	return -1
}

// merge is one merge rule: the symbols left and right become result. A rule's place in the list
// is its rank, the lower the earlier.
type merge struct{ left, right, result int32 }

// pairTable finds a merge rule by its two symbols: open addressing, sixteen bytes a slot, so a
// look-up is mostly one cache line.
type pairTable struct {
	slots []pairSlot
	shift uint
}

type pairSlot struct {
	left, right int32 // left is -1 in a free slot
	rank        uint32
	result      int32
}

// newPairTable indexes rules; of two rules for one pair the later one counts, as in Hugging
// Face's tokenizers.
func newPairTable(rules []merge) *pairTable {
	bits := uint(4)
	for 1<<bits < len(rules)+len(rules)/2 {
		bits++
	}
	t := &pairTable{slots: make([]pairSlot, 1<<bits), shift: 64 - bits}
	for i := range t.slots {
		t.slots[i].left = -1
	}
	for rank, m := range rules {
		*t.slot(m.left, m.right) = pairSlot{m.left, m.right, uint32(rank), m.result}
	}
	return t
}

// slot returns where the pair is, or the free slot where it would go. Multiplying by an odd
// constant (2^64 over the golden ratio) spreads consecutive ids; the high bits are the best
// mixed ones.
func (t *pairTable) slot(left, right int32) *pairSlot {
	mask := uint64(len(t.slots) - 1)
	key := uint64(uint32(left))<<32 | uint64(uint32(right))
	key ^= key >> 29
	for i := key * 0x9E3779B97F4A7C15 >> t.shift; ; i++ {
		s := &t.slots[i&mask]
		if s.left == left && s.right == right || s.left < 0 {
			return s
		}
	}
}

// find returns the rank and result of merging left and right; rank noRank if they do not merge.
func (t *pairTable) find(left, right int32) (rank uint32, result int32) {
	if s := t.slot(left, right); s.left >= 0 {
		return s.rank, s.result
	}
	return noRank, -1
}
