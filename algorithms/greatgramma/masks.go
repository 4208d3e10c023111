package greatgramma

import (
	"math/bits"
	"slices"

	"gcdbench/algorithms"
)

// Ready masks, the token groups they are made of, and the sets of leaves that say which.

// MaxBytes bounds the ready masks of an engine: 1 GiB holds 32,000 of Gemma 3's 262,145 ids, where Java needs
// 1,400. Tokens that no ready mask is left for are added group by group instead, which gives the same.
const MaxBytes = 1 << 30

// A bitmap is a set of entries of a shape.
type bitmap []uint64

func (b bitmap) set(i int) { b[i>>6] |= 1 << (uint(i) & 63) }

func (b bitmap) has(i int) bool { return b[i>>6]&(1<<(uint(i)&63)) != 0 }

// next is the first member from i on; -1 if there is none.
func (b bitmap) next(i int) int {
	w := i >> 6
	if w >= len(b) {
		return -1
	}
	word := b[w] &^ (1<<(uint(i)&63) - 1)
	for word == 0 {
		if w++; w == len(b) {
			return -1
		}
		word = b[w]
	}
	return w<<6 + bits.TrailingZeros64(word)
}

// bitmaps interns bitmaps of one shape.
type bitmaps struct {
	list  []bitmap
	byKey map[string]int32
}

// add interns b, which it does not keep. key is scratch.
func (s *bitmaps) add(b bitmap, key *[]byte) int32 {
	k := (*key)[:0]
	for _, w := range b {
		k = append(k, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	*key = k
	if i, ok := s.byKey[string(k)]; ok {
		return i
	}
	if s.byKey == nil {
		s.byKey = map[string]int32{}
	}
	i := int32(len(s.list))
	s.byKey[string(k)] = i
	s.list = append(s.list, append(bitmap(nil), b...))
	return i
}

// mark adds path[marked:depth] and returns how far the path is marked now.
func (b bitmap) mark(path *[257]int32, marked, depth int) int {
	for ; marked < depth; marked++ {
		b.set(int(path[marked]))
	}
	return marked
}

// A group is some tokens: their ids, or where that is smaller the words of a bit set from word lo on.
type group struct {
	ids   []int32
	words []uint64
	lo    int
	size  int
	sum   [2]uint64
}

// addTo adds the tokens to a mask.
func (g *group) addTo(words []uint64) {
	for _, id := range g.ids {
		words[id>>6] |= 1 << (uint(id) & 63)
	}
	if len(g.words) > 0 {
		algorithms.Unite(words[g.lo:], g.words)
	}
}

// mix and mix2 spread an id over 64 bits, in two ways. The sum over a set of tokens is its hash, and the
// hash of a union of disjoint sets is the sum of theirs. Two sums, 128 bits, stand for the set where masks are
// interned.
func mix(id int32) uint64 {
	x := (uint64(id) + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	return x ^ x>>32
}

func mix2(x uint64) uint64 {
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// groups interns token groups by content.
type groups struct {
	list  []group
	bySum map[[2]uint64]int32
	bytes int64
}

// add interns a list of ids, which it does not keep.
func (g *groups) add(ids []int32) int32 {
	var sum [2]uint64
	for _, id := range ids {
		m := mix(id)
		sum[0] += m
		sum[1] += mix2(m)
	}
	n, ok := g.bySum[sum]
	if !ok {
		n = int32(len(g.list))
		g.bySum[sum] = n
		made := newGroup(ids, sum)
		g.list = append(g.list, made)
		g.bytes += groupBytes + 4*int64(len(made.ids)) + 8*int64(len(made.words))
	}
	return n
}

func newGroup(ids []int32, sum [2]uint64) group {
	lo, hi := int(slices.Min(ids))>>6, int(slices.Max(ids))>>6
	g := group{size: len(ids), sum: sum, lo: lo}
	if 2*(hi-lo+1) > len(ids) {
		g.ids = slices.Clone(ids)
		return g
	}
	g.words = make([]uint64, hi-lo+1)
	for _, id := range ids {
		g.words[int(id)>>6-lo] |= 1 << (uint(id) & 63)
	}
	return g
}

// noMask marks always-accepted tokens that have no ready mask.
const noMask = -2

// makeMask makes the ready mask of a root for some always-accepted leaves with at least fewest tokens.
func (e *engine) makeMask(r *root, always int32, fewest int) {
	for len(r.masks) <= int(always) {
		r.masks = append(r.masks, unmade)
	}
	if m := &r.masks[always]; *m == unmade || *m == noMask && fewest == 0 {
		*m = e.mask(r, r.shape.always.list[always], fewest)
	}
}

// mask is the ready mask of the leaves in b, noMask if there is no room for it, or if it has
// fewer tokens than asked for.
func (e *engine) mask(r *root, b bitmap, fewest int) int32 {
	var sum [2]uint64
	size := 0
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		g := &e.groups.list[r.groups[r.shape.entries[i].link]]
		sum[0] += g.sum[0]
		sum[1] += g.sum[1]
		size += g.size
	}
	if size < fewest {
		return noMask
	}
	if m, ok := e.maskOf[sum]; ok {
		return m
	}
	words := e.maskWords()
	if 8*words*(len(e.view.masks)+1) > e.set.maxBytes {
		return noMask
	}
	mask := make([]uint64, words)
	for i := b.next(0); i >= 0; i = b.next(i + 1) {
		e.groups.list[r.groups[r.shape.entries[i].link]].addTo(mask)
	}
	m := int32(len(e.view.masks))
	e.view.masks = append(e.view.masks, mask)
	e.maskOf[sum] = m
	return m
}
