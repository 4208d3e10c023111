package psc

import (
	"sync/atomic"

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

// lists has the words of lists and of groups. Generations use it without a lock: two that meet a
// list for the first time at once may both make its words.
type lists struct {
	auto    *automaton
	off     bool          // every token is set
	byList  growing[part] // by number of a list of groups; nil if not looked at
	byGroup growing[part] // by spanner.LeafID; nil if not looked at
	held    atomic.Int64  // bytes
}

// few stands for the part of a list or a group that is not kept as words, and once for that of a
// list that was met once: its words would be more work than its tokens.
var few, once = &part{}, &part{}

// put sets the tokens of an output, which a path that began at a root put out, in words.
func (l *lists) put(v *view, words []uint64, root spanner.NodeID, out int32) {
	for _, g := range v.outs[out] {
		switch {
		case g < 0:
			l.putList(v, words, ^g)
		case g >= ownLeaf && g != eosLeaf:
			l.putGroup(v, words, int32(v.spans.Node(root).Leaves[g-ownLeaf].ID))
		default:
			l.putGroup(v, words, g)
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
		made, held := l.part(words, func(all []uint64) { l.put(v, all, 0, list) })
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
	for _, g := range v.outs[list] {
		if g >= 0 {
			tokens += l.size(v, g)
		}
	}
	return tokens
}

// size is the number of tokens of a group, 0 if it is not kept as a list.
func (l *lists) size(v *view, g int32) int {
	if l.off || g == eosLeaf {
		return 0
	}
	return v.spans.LeafLen(spanner.LeafID(g))
}

// putGroup sets the tokens of a group.
func (l *lists) putGroup(v *view, words []uint64, g int32) {
	if g == eosLeaf {
		l.auto.setGroup(words, g)
		return
	}
	leaf := spanner.LeafID(g)
	if v.spans.SetFew(words, leaf) {
		return
	}
	p := l.byGroup.get(g)
	if p == nil {
		made, held := few, int64(0)
		if l.size(v, g) >= manyTokens {
			made, held = l.part(words, func(all []uint64) { v.spans.SetLeaf(all, leaf) })
		}
		is, added := l.byGroup.set(g, made)
		if p = is; added {
			l.held.Add(held)
		}
	}
	if p != few {
		p.put(words)
		return
	}
	v.spans.SetLeaf(words, leaf)
}

// part makes the part of a list or a group, for a mask like words; set sets its tokens.
func (l *lists) part(words []uint64, set func(all []uint64)) (p *part, held int64) {
	all := make([]uint64, len(words))
	set(all)
	return partOf(all)
}

// partOf is the part that has some words, which it may keep, and the bytes that it takes.
func partOf(words []uint64) (p *part, held int64) {
	if denseShare*count(words, nil) > len(words) {
		return &part{all: words}, int64(8*len(words)) + 80
	}
	f := sparse(words, nil, func(n int) []uint64 { return make([]uint64, n) })
	return &part{few: f}, int64(8*len(f)) + 80
}

// bytes is the memory held, roughly.
func (l *lists) bytes() int64 {
	return l.held.Load() + 8*int64(len(l.byList.entries())+len(l.byGroup.entries()))
}
