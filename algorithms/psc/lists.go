package psc

import (
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/algorithms/lexical/spanner"
)

// A mask of a program has some hundred groups with some ten thousand tokens, and setting these
// group by group is most of what a new mask costs. But the groups come in lists, one for each
// arrival of the automaton, and a list is met again after most other tops and lexer states. So the
// tokens of a list that has many are kept as the words of a mask that they fill, and a new mask
// unites those. (What a large group is kept as, the spanner knows: spanner.Flatten.)

// manyTokens is the number of tokens from which on those of a list are kept as words. To unite the
// words that few tokens are in takes as long as to set them.
const manyTokens = 256

// lists has the words of lists. Generations use it without a lock: two that meet a list for the
// second time at once may both make its words.
type lists struct {
	auto   *automaton
	off    bool          // every group is set
	byList growing[part] // by number of a list of groups; nil if not looked at
	held   atomic.Int64  // bytes
}

// few stands for the part of a list that is not kept as words, and once for that of a list that was
// met once: its words would be more work than its tokens.
var few, once = &part{}, &part{}

// put sets the tokens of an output, which a path that began at a root put out, in words.
func (l *lists) put(v *view, words []uint64, root spanner.NodeID, out int32) {
	for _, g := range v.outs[out] {
		switch {
		case g < 0:
			l.putList(v, words, ^g)
		case g == eosLeaf:
			l.auto.setGroup(words, g)
		default:
			v.spans.SetLeaf(words, v.leafOf(root, g))
		}
	}
}

// putList sets the tokens of an arrival's list, which has no groups of a root.
func (l *lists) putList(v *view, words []uint64, list int32) {
	p := l.byList.get(list)
	switch p {
	case nil:
		p = few
		if l.sizeOf(v, list) >= manyTokens {
			p = once
		}
		l.byList.set(list, p)
	case once:
		all := make([]uint64, len(words))
		l.put(v, all, 0, list)
		made, held := partOf(all)
		if l.byList.replace(list, once, made) {
			l.held.Add(held)
		}
		p = made
	}
	if p == few || p == once {
		l.put(v, words, 0, list)
		return
	}
	p.put(words)
}

// sizeOf is the number of tokens of the groups of a list that are kept as lists.
func (l *lists) sizeOf(v *view, list int32) (tokens int) {
	if l.off {
		return 0
	}
	for _, g := range v.outs[list] {
		if g >= 0 && g != eosLeaf {
			tokens += v.spans.LeafLen(spanner.LeafID(g))
		}
	}
	return tokens
}

// A part is a set of tokens as it is put into a mask: all words, or those that are not zero.
type part struct {
	all []uint64
	few fewWords
}

// denseShare bounds a part of few words: one in so many of a mask's words is not zero. A word of a
// few takes 10 bytes rather than 8, and is somewhere in the mask.
const denseShare = 4

// put adds the tokens of a part to a mask.
func (p *part) put(words []uint64) {
	if p.all != nil {
		algorithms.Unite(words, p.all)
	}
	p.few.put(words)
}

// partOf is the part that has some words, which it may keep, and the bytes that it takes.
func partOf(words []uint64) (p *part, held int64) {
	f := sparse(words)
	if denseShare*f.len() > len(words) {
		return &part{all: words}, int64(8*len(words)) + 80
	}
	return &part{few: f}, int64(8*len(f)) + 80
}

// bytes is the memory held, roughly.
func (l *lists) bytes() int64 {
	return l.held.Load() + 8*int64(len(l.byList.entries()))
}
