package psc

import (
	"math/bits"
	"sort"
)

// fewWords are some words of a mask that are not zero, one after the other, behind their places in
// the mask, four to a word: a mask has at most 65,536 (tokenizers.MaxVocabulary).
type fewWords []uint64

// len is how many words there are.
func (f fewWords) len() int { return len(f) * 4 / 5 }

// word is the word at a place in the mask.
func (f fewWords) word(place int) uint64 {
	n := f.len()
	at := f[:len(f)-n]
	k := sort.Search(n, func(i int) bool { return int(uint16(at[i/4]>>(i%4*16))) >= place })
	if k < n && int(uint16(at[k/4]>>(k%4*16))) == place {
		return f[len(at)+k]
	}
	return 0
}

// put adds the words to a mask.
func (f fewWords) put(words []uint64) {
	n := f.len()
	at := f[:len(f)-n]
	for i, w := range f[len(f)-n:] {
		words[uint16(at[i/4]>>(i%4*16))] |= w
	}
}

// count is how many words beyond a base, or beyond nothing, are not zero.
func count(words, base []uint64) (n int) {
	for i, w := range words {
		if base != nil {
			w &^= base[i]
		}
		n += min(1, bits.Len64(w))
	}
	return n
}

// sparse is the words beyond a base, or beyond nothing, that are not zero, in memory that take
// gives.
func sparse(words, base []uint64, take func(n int) []uint64) fewWords {
	n := count(words, base)
	places := (n + 3) / 4
	f := take(places + n)
	k := 0
	for i, w := range words {
		if base != nil {
			w &^= base[i]
		}
		if w != 0 {
			f[k/4] |= uint64(i) << (k % 4 * 16)
			f[places+k] = w
			k++
		}
	}
	return f
}
