package parserdwa

import (
	"math/bits"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A weight is a set of tokens, an element of the automaton's semiring. It is immutable and
// interned, so that equal sets are one object. Two forms:
//
//   - dense, all words of a mask, if more than one word in denseShare is not zero;
//   - packed, the words that are not zero with their places. A set of n scattered tokens takes at
//     most n words, and a union with it touches no others.
//
// A nil weight is the empty set.
type weight struct {
	words []uint64
	// index is, by entry of words, its place in a mask; nil if dense. 16 bits address the masks of
	// 4 Mi tokens, tokenizers.MaxVocabulary.
	index []uint16
}

// denseShare is the share of words from which on the dense form is as fast: a union of packed words
// costs about three times as much a word (load of the place, load, store, none of it vectorized).
const denseShare = 3

// orInto adds the tokens of w to a mask.
func (w *weight) orInto(mask []uint64) {
	switch {
	case w == nil:
	case w.index == nil:
		algorithms.Unite(mask, w.words)
	default:
		words := w.words[:len(w.index)]
		for i, at := range w.index {
			mask[at] |= words[i]
		}
	}
}

// uniteAll writes the union of some weights, none of them nil, over the words of a mask.
func uniteAll(mask []uint64, list []*weight) {
	// The first dense one is copied: that is as fast as to clear the mask for it, and there is one
	// in most masks.
	first := slices.IndexFunc(list, func(w *weight) bool { return w.index == nil })
	if first >= 0 {
		copy(mask, list[first].words)
	} else {
		clear(mask)
	}
	for i, w := range list {
		if i != first {
			w.orInto(mask)
		}
	}
}

// within tells whether all tokens of w are in a mask.
func (w *weight) within(mask []uint64) bool {
	if w == nil {
		return true
	}
	for i, x := range w.words {
		if x&^mask[w.place(i)] != 0 {
			return false
		}
	}
	return true
}

// andInto adds the tokens of w that are also in filter to a mask, and tells whether there are any.
func (w *weight) andInto(mask, filter []uint64) bool {
	if w == nil {
		return false
	}
	var any uint64
	for i, x := range w.words {
		at := w.place(i)
		x &= filter[at]
		any |= x
		mask[at] |= x
	}
	return any != 0
}

// place is the place in a mask of the i-th word.
func (w *weight) place(i int) int {
	if w.index == nil {
		return i
	}
	return int(w.index[i])
}

// bytes is the memory w holds.
func (w *weight) bytes() int { return 8*len(w.words) + 2*len(w.index) + 56 }

// weights interns token sets. It is used under the engine's lock.
type weights struct {
	size    int // words of a mask
	scratch []uint64
	used    []uint16    // scratch of of
	known   index.Index // of list, by content
	list    []*weight
	count   int
	dense   int
	held    int // bytes
	same    map[int32][]int32
}

// newWeights is for masks of the given number of words. same lists the groups of tokens with equal
// bytes, by their first.
func newWeights(size int, same [][]int32) *weights {
	w := &weights{size: size, scratch: make([]uint64, size), same: map[int32][]int32{}}
	for _, group := range same {
		w.same[group[0]] = group[1:]
	}
	return w
}

// few is the number of words from which on a set goes through the whole mask, instead of the words
// that its tokens are in.
const few = 64

// of interns the set of the given tokens and those with equal bytes.
func (ws *weights) of(tokens []int32) *weight {
	ws.used = ws.used[:0]
	for _, id := range tokens {
		ws.set(id)
		for _, other := range ws.same[id] {
			ws.set(other)
		}
	}
	if len(ws.used) == few || len(ws.used)*denseShare > ws.size {
		return ws.take(ws.scratch)
	}
	slices.Sort(ws.used)
	return ws.takeWords(ws.scratch, ws.used)
}

// set adds a token to the scratch mask.
func (ws *weights) set(id int32) {
	if i := id >> 6; ws.scratch[i] == 0 && len(ws.used) < few {
		ws.used = append(ws.used, uint16(i))
	}
	bitset.Add(ws.scratch, id)
}

// hashOf is the part of a word of a mask in the hash of a set. The sum does not depend on an order,
// so that a processor need not wait for one word to go on with the next.
func hashOf(i int, word uint64) uint64 {
	hi, lo := bits.Mul64(word^0x9E3779B97F4A7C15, uint64(2*i+1)*0xD6E8FEB86659FD93)
	return hi ^ lo
}

// take interns the set in mask, and clears mask.
func (ws *weights) take(mask []uint64) *weight {
	used, hash := 0, uint64(0)
	for i, x := range mask {
		if x != 0 {
			used++
			hash += hashOf(i, x)
		}
	}
	if used == 0 {
		return nil
	}
	w := ws.find(hash, mask, used)
	if w == nil {
		w = ws.add(hash, pack(mask, used))
	}
	clear(mask)
	return w
}

// takeWords is take where the words that are not zero are known, few enough to be packed.
func (ws *weights) takeWords(mask []uint64, used []uint16) *weight {
	if len(used) == 0 {
		return nil
	}
	hash := uint64(0)
	for _, i := range used {
		hash += hashOf(int(i), mask[i])
	}
	w := ws.find(hash, mask, len(used))
	if w == nil {
		w = &weight{make([]uint64, len(used)), slices.Clone(used)}
		for k, i := range used {
			w.words[k] = mask[i]
		}
		ws.add(hash, w)
	}
	for _, i := range used {
		mask[i] = 0
	}
	return w
}

// find is the interned set that is in a mask, used of whose words are not zero.
func (ws *weights) find(hash uint64, mask []uint64, used int) *weight {
	if i := ws.known.Find(hash, func(i int32) bool { return ws.list[i].equals(mask, used) }); i >= 0 {
		return ws.list[i]
	}
	return nil
}

// add interns a set that is not yet.
func (ws *weights) add(hash uint64, w *weight) *weight {
	ws.known.Add(hash)
	ws.list = append(ws.list, w)
	ws.held += w.bytes()
	ws.note(w)
	return w
}

// own is a dense weight of words that are given away. It is not compared with others: the
// caller has one weight for each set of words, so the search for an equal one would cost more
// than it saves.
func (ws *weights) own(words []uint64) *weight {
	w := &weight{words: words}
	ws.held += w.bytes()
	ws.note(w)
	return w
}

func (ws *weights) note(w *weight) {
	ws.count++
	if w.index == nil {
		ws.dense++
	}
}

// equals tells whether w is the set in mask, of whose words used are not zero.
func (w *weight) equals(mask []uint64, used int) bool {
	if w.index == nil {
		return slices.Equal(w.words, mask)
	}
	if len(w.index) != used {
		return false
	}
	for i, at := range w.index {
		if mask[at] != w.words[i] {
			return false
		}
	}
	return true
}

// pack copies a mask into the form that suits it.
func pack(mask []uint64, used int) *weight {
	if used*denseShare > len(mask) {
		return &weight{words: slices.Clone(mask)}
	}
	w := &weight{make([]uint64, 0, used), make([]uint16, 0, used)}
	for i, x := range mask {
		if x != 0 {
			w.words, w.index = append(w.words, x), append(w.index, uint16(i))
		}
	}
	return w
}
