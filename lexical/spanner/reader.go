package spanner

import "gcdbench/internal/bitset"

// A Reader is the shared graph as it was when the Reader was made. Nothing in it changes any more:
// it may be used by any number of goroutines while the Spanner goes on.
type Reader struct {
	nodes  []SharedNode
	leaves []tokens
	blocks []block
}

// Reader is the shared graph so far.
func (s *Spanner) Reader() Reader { return Reader{s.shared.nodes, s.shared.leaves, s.blocks} }

// Node is a node of the shared graph; read only.
func (r *Reader) Node(id NodeID) *SharedNode { return &r.nodes[id] }

// SetLeaf sets the bits of a group's ids in words (bit i%64 of word i/64 is id i).
func (r *Reader) SetLeaf(words []uint64, leaf LeafID) {
	t := &r.leaves[leaf]
	if t.bits != nil {
		var kept []int32 // tokens that are not of the group, but set already
		for _, id := range t.minus {
			if bitset.Has(words, id) {
				kept = append(kept, id)
			}
		}
		for i, w := range t.bits {
			words[i] |= w
		}
		bitset.RemoveAll(words, t.minus)
		bitset.AddAll(words, kept)
		bitset.AddAll(words, t.plus)
	}
	for _, b := range t.blocks {
		for _, part := range r.blocks[b].ranges {
			bitset.AddAll(words, r.blocks[b].order[part.Lo:part.Hi])
		}
	}
}

// LeafLen is the number of ids of a group that is kept as a list; 0 of one that is kept as bits or
// as a difference to some. It counts them each time.
func (r *Reader) LeafLen(leaf LeafID) (n int) {
	t := &r.leaves[leaf]
	if t.bits != nil {
		return 0
	}
	for _, b := range t.blocks {
		for _, part := range r.blocks[b].ranges {
			n += int(part.Hi - part.Lo)
		}
	}
	return n
}
