package psc

import "math/bits"

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
