package psc

import (
	"math/bits"
	"slices"
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
	masks  *maskPool
	off    bool          // every group is set
	byList growing[part] // by number of a list of groups; nil if not looked at
	held   atomic.Int64  // bytes
}

// few stands for the part of a list that is not kept as words, and once for that of a list that was
// met once: its words would be more work than its tokens.
var few, once = &part{}, &part{}

// put sets the tokens of an output, which a walk that began at a root put out, in words. It returns
// the work of that, in words that are put one after the other.
func (l *lists) put(v *view, words []uint64, root spanner.NodeID, out int32) (work int) {
	if p := l.byList.get(out); p.kept() {
		return p.put(words)
	}
	for _, g := range v.outs[out] {
		switch {
		case g < 0:
			work += l.putList(v, words, ^g)
		case g == eosLeaf:
			l.auto.setGroup(words, g)
		default:
			leaf := v.leafOf(root, g)
			v.spans.SetLeaf(words, leaf)
			work += sparseWork * v.spans.LeafLen(leaf)
		}
	}
	return work
}

// putList sets the tokens of an arrival's list, which has no groups of a root.
func (l *lists) putList(v *view, words []uint64, list int32) (work int) {
	switch l.byList.get(list) {
	case nil:
		p := few
		if l.sizeOf(v, list) >= manyTokens {
			p = once
		}
		l.byList.set(list, p)
	case once:
		l.keep(v, list, make([]uint64, len(words)))
	}
	return l.put(v, words, 0, list)
}

// keep keeps the words of a list; those of a mask, which are zero, are scratch.
func (l *lists) keep(v *view, list int32, words []uint64) {
	l.put(v, words, 0, list)
	if made, held := l.partOf(words); l.byList.replace(list, once, made) {
		l.held.Add(held)
	}
}

// keepAll keeps the words of all lists that have no groups of a root.
func (l *lists) keepAll(v *view, words []uint64) {
	if l.off {
		return
	}
	for list, groups := range v.outs {
		if slices.ContainsFunc(groups, func(g int32) bool { return g >= ownLeaf && g != eosLeaf }) {
			continue
		}
		clear(words)
		l.byList.set(int32(list), once)
		l.keep(v, int32(list), words)
	}
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
// few takes 10 bytes rather than 8, and is somewhere in the mask. sparseWork is the work of putting
// it, in words that are put one after the other.
const (
	denseShare = 4
	sparseWork = 4
)

// kept tells whether a part has the words of a list.
func (p *part) kept() bool { return p != nil && p != few && p != once }

// put adds the tokens of a part to a mask. It returns the work of that.
func (p *part) put(words []uint64) (work int) {
	if p.all != nil {
		algorithms.Unite(words, p.all)
	}
	p.few.put(words)
	return len(p.all) + sparseWork*p.few.len()
}

// partOf is the part that has some words, and the bytes that it takes: equal masks are one.
func (l *lists) partOf(words []uint64) (p *part, held int64) {
	f := sparse(words)
	if denseShare*f.len() > len(words) {
		return &part{all: l.masks.share(words)}, 80
	}
	return &part{few: f}, int64(8*len(f)) + 80
}

// bytes is the memory held, roughly.
func (l *lists) bytes() int64 {
	return l.held.Load() + 8*int64(len(l.byList.entries()))
}

// fewWords are some words of a mask that are not zero, one after the other, behind their places in
// the mask, four to a word: a mask has at most 65,536 (tokenizers.MaxVocabulary).
type fewWords []uint64

// len is how many words there are.
func (f fewWords) len() int { return len(f) * 4 / 5 }

// put adds the words to a mask.
func (f fewWords) put(words []uint64) {
	n := f.len()
	at := f[:len(f)-n]
	for i, w := range f[len(f)-n:] {
		words[uint16(at[i/4]>>(i%4*16))] |= w
	}
}

// sparse is the words of a mask that are not zero.
func sparse(words []uint64) fewWords {
	n := 0
	for _, w := range words {
		n += min(1, bits.Len64(w))
	}
	places, k := (n+3)/4, 0
	f := make(fewWords, places+n)
	for i, w := range words {
		if w != 0 {
			f[k/4] |= uint64(i) << (k % 4 * 16)
			f[places+k] = w
			k++
		}
	}
	return f
}
