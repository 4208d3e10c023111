package tokenizers

import (
	"unicode/utf8"

	"gcdbench/internal/bitset"
)

// cutter cuts text where no merge can reach across. A symbol that merging produces is a token,
// so if no token has character x directly before character y, then wherever text has x before y
// a token ends and another begins, and the two sides are encoded independently.
//
// Which pairs occur in tokens is kept as a bit set of hashes. Two pairs with one hash only lose
// a cut, never add a wrong one.
type cutter struct {
	joined []uint64 // bit set of cutterBits hashes
}

// cutterBits is the size of the bit set: Gemma 3 has 34,012 pairs of characters in its tokens,
// so one pair in 30 that could be cut is missed, for 128 KiB that stay in the cache.
const cutterBits = 1 << 20

// newCutter returns nil, no cuts, if a merge rule has a symbol of byte fallback: its text is
// not its string.
func newCutter(m *model) *cutter {
	isByte := map[int32]bool{}
	for _, id := range m.fallback {
		if id >= 0 {
			isByte[id] = true
		}
	}
	for _, r := range m.rules {
		if isByte[r.left] || isByte[r.right] {
			return nil
		}
	}
	c := &cutter{joined: bitset.New(cutterBits)}
	for _, r := range m.rules { // only what merging produces counts
		s := m.slab[m.offsets[r.result]:m.offsets[r.result+1]]
		last, n := utf8.DecodeRune(s)
		for i := n; i < len(s); i += n {
			var r rune
			r, n = utf8.DecodeRune(s[i:])
			h := c.hash(last, r)
			bitset.Add(c.joined, h)
			last = r
		}
	}
	return c
}

// hash spreads pairs of characters by Fibonacci hashing, as pairTable does.
func (c *cutter) hash(x, y rune) int {
	return int((uint64(uint32(x))<<32 | uint64(uint32(y))) * 0x9E3779B97F4A7C15 >> 44 % cutterBits)
}

// next returns the length of text up to the first cut, or all of it. Bytes that are not UTF-8
// read as U+FFFD here; they fall back to byte symbols, which do not merge.
func (c *cutter) next(text []byte) int {
	last, n := utf8.DecodeRune(text)
	for i := n; i < len(text); i += n {
		var r rune
		r, n = utf8.DecodeRune(text[i:])
		if h := c.hash(last, r); !bitset.Has(c.joined, h) {
			return i
		}
		last = r
	}
	return len(text)
}
