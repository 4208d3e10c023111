package psc

import (
	"math"
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/lexical/spanner"
)

// A mask of a program has some hundred groups with some ten thousand tokens, and setting these one
// by one is most of what a new mask costs. But it has most tokens in common with the masks of other
// tops after the same lexer state, and with those after lexer states nearby. So a new mask begins
// as a copy of a base, and only what one of the two has is taken out or set. Groups are lists of
// blocks, and groups of different lexer states that differ have most blocks in common.
//
// Groups of one tree hardly ever overlap. A mask whose groups do is no base: a token that is taken
// out with one group might be in another.

// maxBases bounds the masks that are compared with a new one: the latest of the same root, or, for
// the first mask of a root, the latest of all.
const maxBases = 8

// maxWeight is more tokens than any difference has.
const maxWeight = math.MaxInt

// bases are the masks that new ones are made from.
type bases struct {
	byRoot map[spanner.NodeID][]int32 // numbers of masks, the latest last
	latest []int32                    // the latest masks that were the first of their roots
	// marks are by block, from round on: the block is only in the first list of groups, or in both.
	marks []uint32
	round uint32
	// out and in are the blocks that only the first or the second of two lists of groups has; those
	// of the best base are apart.
	out, in, bestOut, bestIn []int32
}

// add puts a mask among the bases of its root; the first of a root also among those for all.
func (n *bases) add(root spanner.NodeID, id int32) {
	if n.byRoot == nil {
		n.byRoot = map[spanner.NodeID][]int32{}
	}
	if n.byRoot[root] == nil {
		n.latest = pushed(n.latest, id)
	}
	n.byRoot[root] = pushed(n.byRoot[root], id)
}

// pushed is a list of bases with one more, without the oldest if there are too many.
func pushed(list []int32, id int32) []int32 {
	if len(list) == maxBases {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, id)
}

// near writes the mask of some groups, which are all kept as lists, over words. It returns the
// number of tokens, and whether none is in two groups.
func (c *core) near(words []uint64, root spanner.NodeID, groups []int32) (tokens int, apart bool) {
	n := &c.bases
	list := n.byRoot[root]
	if list == nil {
		list = n.latest
	}
	base, least := groupMask{}, maxWeight
	for i := len(list) - 1; i >= -1; i-- {
		at := groupMask{}
		if i >= 0 {
			at = c.groupMasks[list[i]]
		}
		if less, more := c.compare(at.groups, groups); less+more < least {
			base, least, tokens = at, less+more, at.tokens+more-less
			n.bestOut, n.out = n.out, n.bestOut
			n.bestIn, n.in = n.in, n.bestIn
		}
	}
	if base.words == nil {
		clear(words)
	}
	copy(words, base.words)
	for _, b := range n.bestOut {
		c.auto.clearBlock(words, b)
	}
	for _, b := range n.bestIn {
		c.auto.setBlock(words, b)
	}
	return tokens, bitset.Count(words) == tokens
}

// compare finds the blocks that only one of two lists of groups has, and returns the numbers of
// tokens in those of the first and in those of the second.
func (c *core) compare(from, to []int32) (less, more int) {
	n := &c.bases
	n.out, n.in, n.round = n.out[:0], n.in[:0], n.round+2
	n.marks = append(n.marks, make([]uint32, max(0, c.auto.spans.NumBlocks()+1-len(n.marks)))...)
	only, both := n.round, n.round+1
	differ(from, to, func(g int32, added bool) {
		for _, b := range c.auto.blocks(g) {
			switch mark := &n.marks[b+1]; {
			case !added:
				n.out = append(n.out, b)
				*mark = only
			case *mark == only:
				*mark = both
			case *mark != both:
				n.in = append(n.in, b)
				more += c.auto.blockLen(b)
			}
		}
	})
	n.out = slices.DeleteFunc(n.out, func(b int32) bool { return n.marks[b+1] == both })
	for _, b := range n.out {
		less += c.auto.blockLen(b)
	}
	return less, more
}

// differ calls f for the numbers that only one of two ascending lists has: first for those of the
// first list, then, with added, for those of the second.
func differ(from, to []int32, f func(g int32, added bool)) {
	for _, added := range []bool{false, true} {
		i, k := 0, 0
		for i < len(from) || k < len(to) {
			switch {
			case k == len(to) || i < len(from) && from[i] < to[k]:
				if !added {
					f(from[i], false)
				}
				i++
			case i == len(from) || to[k] < from[i]:
				if added {
					f(to[k], true)
				}
				k++
			default:
				i, k = i+1, k+1
			}
		}
	}
}

// eosBlock stands for the EOS ids where blocks are listed.
const eosBlock = -1

var eosBlocks = []int32{eosBlock}

// blocks are the blocks of a group, nil if it is not kept as lists.
func (a *automaton) blocks(g int32) []int32 {
	if g == eosLeaf {
		return eosBlocks
	}
	return a.spans.LeafBlocks(spanner.LeafID(g))
}

// lists tells whether all groups are kept as lists.
func (a *automaton) lists(groups []int32) bool {
	return !slices.ContainsFunc(groups, func(g int32) bool { return a.blocks(g) == nil })
}

func (a *automaton) blockLen(b int32) int {
	if b == eosBlock {
		return len(a.problem.Vocabulary.EOS())
	}
	return a.spans.BlockLen(b)
}

func (a *automaton) setBlock(words []uint64, b int32) {
	if b == eosBlock {
		a.setGroup(words, eosLeaf)
		return
	}
	a.spans.SetBlock(words, b)
}

func (a *automaton) clearBlock(words []uint64, b int32) {
	if b == eosBlock {
		bitset.RemoveAll(words, a.problem.Vocabulary.EOS())
		return
	}
	a.spans.ClearBlock(words, b)
}
