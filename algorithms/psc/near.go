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

// maxBases bounds the masks that are compared with a new one: the latest of the same root.
// maxOthers is for the first mask of a root, which is compared with the latest of others, block by
// block.
const (
	maxBases  = 8
	maxOthers = 3
)

// bases are the masks that new ones are made from.
type bases struct {
	byRoot map[spanner.NodeID][]int32 // numbers of masks, the latest last
	latest []int32                    // the latest masks that were the first of their roots
	// marks are by block: from round on, in which lists of groups it is.
	marks []uint32
	round uint32
	// out and in are the blocks that only the first, or only the second of two lists of groups has.
	out, in []int32
}

// add puts a mask among the bases of its root; the first of a root also among those for all.
func (n *bases) add(root spanner.NodeID, id int32) {
	if n.byRoot == nil {
		n.byRoot = map[spanner.NodeID][]int32{}
	}
	if n.byRoot[root] == nil {
		n.latest = pushed(n.latest, id, maxOthers)
	}
	n.byRoot[root] = pushed(n.byRoot[root], id, maxBases)
}

// pushed is a list of bases with one more, without the oldest if there are more than most.
func pushed(list []int32, id int32, most int) []int32 {
	if len(list) == most {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, id)
}

// near writes the mask of some groups, which are all kept as lists, over words. It returns the
// number of tokens, and whether none is in two groups.
func (c *core) near(words []uint64, root spanner.NodeID, groups []int32) (tokens int, apart bool) {
	base := c.nearest(root, groups)
	if base.words == nil {
		clear(words)
	}
	copy(words, base.words)
	less, more := c.compare(base.groups, groups)
	for _, b := range c.bases.out {
		c.auto.clearBlock(words, b)
	}
	for _, b := range c.bases.in {
		c.auto.setBlock(words, b)
	}
	tokens = base.tokens + more - less
	return tokens, bitset.Count(words) == tokens
}

// nearest is the base that differs least from the mask of some groups, or nothing, if that does.
// Masks of one root are compared by groups, those of different roots by blocks.
func (c *core) nearest(root spanner.NodeID, groups []int32) (base groupMask) {
	if !c.engine.near {
		return groupMask{}
	}
	n, least := &c.bases, math.MaxInt
	for _, id := range slices.Backward(n.byRoot[root]) {
		if w := c.auto.weight(c.groupMasks[id].groups, groups, least); w < least {
			base, least = c.groupMasks[id], w
		}
	}
	if base.words == nil {
		for _, id := range slices.Backward(n.latest) {
			less, more := c.compare(c.groupMasks[id].groups, groups)
			if less+more < least {
				base, least = c.groupMasks[id], less+more
			}
		}
	}
	if c.auto.weight(nil, groups, least) < least {
		return groupMask{}
	}
	return base
}

// weight is the number of tokens in the groups that only one of two lists has. It stops counting
// at most.
func (a *automaton) weight(from, to []int32, most int) (tokens int) {
	differ(from, to, func(g int32, _ bool) bool {
		if g != eosLeaf {
			tokens += a.spans.LeafLen(spanner.LeafID(g))
		}
		return tokens < most
	})
	return tokens
}

// compare finds the blocks that only one of two lists of groups has, and returns the numbers of
// tokens in those of the first and in those of the second.
func (c *core) compare(from, to []int32) (less, more int) {
	n := &c.bases
	n.out, n.in, n.round = n.out[:0], n.in[:0], n.round+3
	n.marks = append(n.marks, make([]uint32, max(0, c.auto.spans.NumBlocks()+1-len(n.marks)))...)
	both, first, second := n.round, n.round+1, n.round+2
	differ(from, to, func(g int32, added bool) bool {
		own, other, list := first, second, &n.out
		if added {
			own, other, list = second, first, &n.in
		}
		for _, b := range c.auto.blocks(g) {
			switch mark := &n.marks[b+1]; *mark {
			case other:
				*mark = both
			case own, both:
			default:
				*mark = own
				*list = append(*list, b)
			}
		}
		return true
	})
	count := func(list []int32) (rest []int32, tokens int) {
		rest = slices.DeleteFunc(list, func(b int32) bool { return n.marks[b+1] == both })
		for _, b := range rest {
			tokens += c.auto.blockLen(b)
		}
		return rest, tokens
	}
	n.out, less = count(n.out)
	n.in, more = count(n.in)
	return less, more
}

// differ calls f for the numbers that only one of two ascending lists has, until it is false; added
// is whether that is the second one.
func differ(from, to []int32, f func(g int32, added bool) bool) {
	for ok := true; ok && len(from)+len(to) > 0; {
		switch {
		case len(to) == 0 || len(from) > 0 && from[0] < to[0]:
			ok, from = f(from[0], false), from[1:]
		case len(from) == 0 || to[0] < from[0]:
			ok, to = f(to[0], true), to[1:]
		default:
			from, to = from[1:], to[1:]
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
