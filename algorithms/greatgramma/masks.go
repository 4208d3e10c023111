package greatgramma

import (
	"slices"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// Ready masks, and the token groups that they are made of.

// MaxBytes bounds the ready masks of an engine: 1 GiB holds 32,000 of Gemma 3's 262,145 ids, where
// Java needs 1,400. Tokens that no ready mask is left for are added group by group instead, which
// gives the same.
const MaxBytes = 1 << 30

// mark adds path[marked:depth] to a set of entries and returns how far the path is marked now.
func mark(b []uint64, path *[257]int32, marked, depth int) int {
	for ; marked < depth; marked++ {
		bitset.Add(b, int(path[marked]))
	}
	return marked
}

// A group is some tokens: their ids, or where that is smaller the words of a bit set from word lo
// on.
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
		bitset.Add(words, id)
	}
	if len(g.words) > 0 {
		algorithms.Unite(words[g.lo:], g.words)
	}
}

// sumOf is an id's part of the hash of a set of tokens: two sums, 128 bits, by which masks are
// interned. The hash of a union of disjoint sets is the sum of theirs. Groups overlap only where
// lexemes end in several ways (lexer.End); then a set may have several hashes, and its mask is
// there as often.
func sumOf(id int32) [2]uint64 {
	x := index.Mix(uint64(id))
	return [2]uint64{x, index.Mix(x)}
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
		x := sumOf(id)
		sum[0], sum[1] = sum[0]+x[0], sum[1]+x[1]
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
		bitset.Add(g.words, int(id)-lo<<6)
	}
	return g
}

// noMask marks always-accepted tokens that have no ready mask.
const noMask = -2

// makeMask makes the ready mask of a root for some always-accepted leaves with at least fewest
// tokens.
func (e *engine) makeMask(r *root, always int32, fewest int) {
	for len(r.masks) <= int(always) {
		r.masks = append(r.masks, unmade)
	}
	if m := &r.masks[always]; *m == unmade || *m == noMask && fewest == 0 {
		*m = e.mask(r, r.shape.always.At(always), fewest)
	}
}

// mask is the ready mask of the leaves in b, noMask if there is no room for it, or if it has
// fewer tokens than asked for.
func (e *engine) mask(r *root, b []uint64, fewest int) int32 {
	var sum [2]uint64
	size := 0
	for i := range bitset.All[int](b) {
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
	for i := range bitset.All[int](b) {
		e.groups.list[r.groups[r.shape.entries[i].link]].addTo(mask)
	}
	m := int32(len(e.view.masks))
	e.view.masks = append(e.view.masks, mask)
	e.maskOf[sum] = m
	return m
}
