package spanner

import (
	"slices"

	"gcdbench/internal/bitset"
)

// Most groups have a few tokens: of 4,519 groups of Java, with Llama 3, half have one and 4,299
// less than 1,024. To set those by their blocks is mostly waiting for memory: a block, its ranges
// and a piece of the trie's order for each. Flatten lays the tokens of such groups side by side.
//
// The others mostly have half of the vocabulary: what goes on with a name, whatever has been read
// of a keyword. To set 60,000 tokens takes some 60 us, but these groups differ in little. So each
// is kept as the bits of another that lies near, without some tokens and with others (of the 220
// groups of Java 29 have bits of their own). That takes 3 to 30 ms, and each of them is set in a
// microsecond.

// flatTokens bounds the groups that are laid out: those with fewer tokens. mostAmended bounds the
// tokens by which a larger one may differ from the bits that it is kept as.
const (
	flatTokens  = 1024
	mostAmended = 512
)

// flat has the tokens of group i in ids[from[i]:from[i+1]], or none if it has too many. Groups
// that were made later are not in it.
type flat struct{ from, ids []int32 }

// Flatten lays out the groups that there are, for reading them faster. Nobody may read meanwhile.
func (s *Spanner) Flatten() {
	r, f, large := s.Reader(), flat{from: make([]int32, 0, s.NumLeaves()+1)}, newBases(s)
	for i := range LeafID(s.NumLeaves()) {
		f.from = append(f.from, int32(len(f.ids)))
		if n := r.LeafLen(i); n >= flatTokens {
			large.keep(&s.shared.leaves[i])
		} else if n > 0 {
			f.ids = s.AppendLeaf(f.ids, i)
		}
	}
	f.from = append(f.from, int32(len(f.ids)))
	s.shared.bytes += 4 * int64(len(f.from)+len(f.ids)-len(s.shared.flat.from)-len(s.shared.flat.ids))
	s.shared.flat = f
}

// of is the tokens of a group, none if they are not laid out.
func (f *flat) of(leaf LeafID) []int32 {
	if int(leaf) >= len(f.from)-1 {
		return nil
	}
	return f.ids[f.from[leaf]:f.from[leaf+1]]
}

// A base is a group as the bits that others are kept as.
type base struct {
	blocks []int32
	size   int
	bits   []uint64
}

// bases keeps groups as bits.
type bases struct {
	s     *Spanner
	sizes []int  // of blocks
	in    []bool // by block: of the group that is to be kept
	list  []base // the first is empty

	words, other []uint64 // scratch
	ids          []int32
}

func newBases(s *Spanner) *bases {
	k := &bases{s: s, sizes: make([]int, len(s.blocks)), in: make([]bool, len(s.blocks))}
	k.words, k.other = make([]uint64, s.words), make([]uint64, s.words)
	k.list = []base{{bits: make([]uint64, s.words)}}
	for i := range s.blocks {
		for _, r := range s.blocks[i].ranges {
			k.sizes[i] += int(r.Hi - r.Lo)
		}
	}
	return k
}

// keep keeps a group of blocks as the bits of the nearest base, or as a base.
func (k *bases) keep(t *tokens) {
	size, to := 0, &amended{}
	for _, b := range t.blocks {
		k.in[b] = true
		size += k.sizes[b]
	}
	from := k.nearest(size)
	k.change(from, t.blocks)
	if bitset.Count(k.words) != size { // blocks have tokens in common
		clear(k.words)
		k.setBlocks(t.blocks)
	}
	for i, w := range k.words {
		k.other[i] = w ^ from.bits[i]
	}
	if bitset.Count(k.other) > mostAmended {
		to.bits = slices.Clone(k.words)
		k.list = append(k.list, base{t.blocks, size, to.bits})
		k.s.shared.bytes += 8 * int64(len(to.bits))
	} else {
		to.bits = from.bits
		for id := range bitset.All[int32](k.other) {
			if bitset.Has(k.words, id) {
				to.plus = append(to.plus, id)
			} else {
				to.minus = append(to.minus, id)
			}
		}
	}
	k.s.shared.bytes += 4 * int64(len(to.plus)+len(to.minus)-len(t.blocks))
	t.blocks, t.amended = nil, to
}

// nearest is the base with the fewest tokens in blocks that differ from the new group's, which has
// size tokens.
func (k *bases) nearest(size int) *base {
	nearest, least := 0, size
	for i := range k.list {
		b := &k.list[i]
		differ := b.size + size
		for _, x := range b.blocks {
			if k.in[x] {
				differ -= 2 * k.sizes[x]
			}
		}
		if differ < least {
			nearest, least = i, differ
		}
	}
	return &k.list[nearest]
}

// change makes the bits of blocks from those of a base, in the scratch.
func (k *bases) change(from *base, blocks []int32) {
	var gone, come []int32
	for _, b := range from.blocks {
		if !k.in[b] {
			gone = append(gone, b)
		}
		k.in[b] = false
	}
	for _, b := range blocks {
		if k.in[b] {
			come = append(come, b)
		}
		k.in[b] = false
	}
	copy(k.words, from.bits)
	k.ids = k.s.appendBlocks(k.ids[:0], gone)
	bitset.RemoveAll(k.words, k.ids)
	k.setBlocks(come)
}

// setBlocks adds the tokens of blocks to the scratch.
func (k *bases) setBlocks(blocks []int32) {
	k.ids = k.s.appendBlocks(k.ids[:0], blocks)
	bitset.AddAll(k.words, k.ids)
}
