package psc

import (
	"math/bits"

	"gcdbench/lexical/spanner"
)

// A mask of a program has some hundred groups with some ten thousand tokens, and setting these one
// by one is most of what a new mask costs. But the groups come in lists, one for each arrival of
// the automaton, and a list is met again after most other tops and lexer states. So the tokens of
// a list, or of a group, that has many are kept as the words of a mask that they fill, and a new
// mask unites those.

// manyTokens is the number of tokens from which on those of a list or of a group are kept as words.
// To unite the words that few tokens are in takes as long as to set them.
const manyTokens = 256

// lists has the words of lists and of groups. A lazy engine uses it under the lock of its core.
type lists struct {
	auto    *automaton
	off     bool    // every token is set
	byList  []*part // by number of a list of groups; nil if not looked at
	byGroup []*part // by spanner.LeafID; nil if not looked at
	held    int64   // bytes
}

// few stands for the part of a list or a group that is not kept as words.
var few = &part{}

// put sets the tokens of an output, which a path that began at a root put out, in words.
func (l *lists) put(words []uint64, root spanner.NodeID, out int32) {
	for _, g := range l.auto.outs[out] {
		switch {
		case g < 0:
			l.putList(words, ^g)
		case g >= ownLeaf && g != eosLeaf:
			l.putGroup(words, int32(l.auto.spans.Node(root).Leaves[g-ownLeaf].ID))
		default:
			l.putGroup(words, g)
		}
	}
}

// putList sets the tokens of an arrival's list, which has no groups of a root.
func (l *lists) putList(words []uint64, list int32) {
	for len(l.byList) <= int(list) {
		l.byList = append(l.byList, nil)
	}
	if l.byList[list] == nil {
		tokens := 0
		for _, g := range l.auto.outs[list] {
			if g >= 0 {
				tokens += l.size(g)
			}
		}
		l.byList[list] = few
		if tokens >= manyTokens {
			all := make([]uint64, len(words))
			l.put(all, 0, list)
			l.byList[list] = l.part(all)
		}
	}
	if p := l.byList[list]; p != few {
		p.put(words)
		return
	}
	l.put(words, 0, list)
}

// size is the number of tokens of a group, 0 if it is not kept as a list.
func (l *lists) size(g int32) int {
	if l.off || g == eosLeaf {
		return 0
	}
	return l.auto.spans.LeafLen(spanner.LeafID(g))
}

// putGroup sets the tokens of a group.
func (l *lists) putGroup(words []uint64, g int32) {
	if g == eosLeaf {
		l.auto.setGroup(words, g)
		return
	}
	for len(l.byGroup) <= int(g) {
		l.byGroup = append(l.byGroup, nil)
	}
	if l.byGroup[g] == nil {
		l.byGroup[g] = few
		if l.size(g) >= manyTokens {
			all := make([]uint64, len(words))
			l.auto.setGroup(all, g)
			l.byGroup[g] = l.part(all)
		}
	}
	if p := l.byGroup[g]; p != few {
		p.put(words)
		return
	}
	l.auto.setGroup(words, g)
}

// part is the part that has some words; it may keep them.
func (l *lists) part(words []uint64) *part {
	n := 0
	for _, w := range words {
		n += min(1, bits.Len64(w))
	}
	if denseShare*n > len(words) {
		l.held += int64(8*len(words)) + 80
		return &part{all: words}
	}
	p := &part{at: make([]int32, 0, n), words: make([]uint64, 0, n)}
	for i, w := range words {
		if w != 0 {
			p.at, p.words = append(p.at, int32(i)), append(p.words, w)
		}
	}
	l.held += int64(12*n) + 80
	return p
}

// bytes is the memory held, roughly.
func (l *lists) bytes() int64 { return l.held + 8*int64(cap(l.byList)+cap(l.byGroup)) }
