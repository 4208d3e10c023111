package spanner

import "gcdbench/internal/bitset"

// Most groups have a few tokens: of 4,519 groups of Java, with Llama 3, half have one and 4,286
// less than 256. To set those by their blocks is mostly waiting for memory: a block, its ranges
// and a piece of the trie's order for each. Flatten lays the tokens of such groups side by side.

// flatTokens bounds the groups that are laid out: those with fewer tokens.
const flatTokens = 256

// flat has the tokens of group i in ids[from[i]:from[i+1]], or none if it has too many. Groups
// that were made later are not in it.
type flat struct{ from, ids []int32 }

// Flatten lays out the groups that there are, for reading them faster.
func (s *Spanner) Flatten() {
	r, f := s.Reader(), flat{from: make([]int32, 0, s.NumLeaves()+1)}
	for i := range LeafID(s.NumLeaves()) {
		f.from = append(f.from, int32(len(f.ids)))
		if n := r.LeafLen(i); n > 0 && n < flatTokens {
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

// SetFew sets the bits of a group's ids in words if they are laid out. It tells whether they are.
func (r *Reader) SetFew(words []uint64, leaf LeafID) bool {
	ids := r.flat.of(leaf)
	bitset.AddAll(words, ids)
	return len(ids) > 0
}
