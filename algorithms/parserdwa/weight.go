package parserdwa

import (
	"math/bits"
	"slices"
)

// A weight is a set of tokens: what the semiring of the automaton is made of. It is immutable and
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
	count int // tokens
}

// denseShare is the share of words from which on the dense form is as fast: a union of packed words
// costs about three times as much a word (load of the place, load, store, none of it vectorized).
const denseShare = 3

// orInto adds the tokens of w to a mask.
func (w *weight) orInto(mask []uint64) {
	switch {
	case w == nil:
	case w.index == nil:
		mask = mask[:len(w.words)]
		for i, x := range w.words {
			mask[i] |= x
		}
	default:
		words := w.words[:len(w.index)]
		for i, at := range w.index {
			mask[at] |= words[i]
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
	known   map[uint64][]*weight
	count   int
	dense   int
	held    int // bytes
	same    map[int32][]int32
}

// newWeights is for masks of the given number of words. same lists the groups of tokens with equal
// bytes, by their first.
func newWeights(size int, same [][]int32) *weights {
	w := &weights{size: size, scratch: make([]uint64, size), known: map[uint64][]*weight{}, same: map[int32][]int32{}}
	for _, group := range same {
		w.same[group[0]] = group[1:]
	}
	return w
}

// of interns the set of the given tokens and those with equal bytes.
func (ws *weights) of(tokens []int32) *weight {
	for _, id := range tokens {
		ws.scratch[id>>6] |= 1 << (uint(id) & 63)
	}
	if len(ws.same) > 0 {
		for _, id := range tokens {
			for _, other := range ws.same[id] {
				ws.scratch[other>>6] |= 1 << (uint(other) & 63)
			}
		}
	}
	return ws.take(ws.scratch)
}

// take interns the set in mask, and clears mask.
func (ws *weights) take(mask []uint64) *weight {
	used := 0
	hash := uint64(1469598103934665603)
	for i, x := range mask {
		if x == 0 {
			continue
		}
		used++
		hi, lo := bits.Mul64(x^0x9E3779B97F4A7C15^hash, uint64(2*i+1)*0xD6E8FEB86659FD93)
		hash = hi ^ lo ^ bits.RotateLeft64(hash, 19)
	}
	if used == 0 {
		return nil
	}
	for _, w := range ws.known[hash] {
		if w.equals(mask, used) {
			clear(mask)
			return w
		}
	}
	w := pack(mask, used)
	clear(mask)
	ws.known[hash] = append(ws.known[hash], w)
	ws.count++
	ws.held += w.bytes()
	if w.index == nil {
		ws.dense++
	}
	return w
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
	w := &weight{}
	for _, x := range mask {
		w.count += bits.OnesCount64(x)
	}
	if used*denseShare > len(mask) {
		w.words = slices.Clone(mask)
		return w
	}
	w.words, w.index = make([]uint64, 0, used), make([]uint16, 0, used)
	for i, x := range mask {
		if x != 0 {
			w.words, w.index = append(w.words, x), append(w.index, uint16(i))
		}
	}
	return w
}
