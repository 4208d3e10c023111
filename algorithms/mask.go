package algorithms

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// A Mask is a read-only set of token ids. It is a view: the engine that made it may share it
// between positions and generations, and there is no way to change it through this type. See
// State.Mask for how long it is valid.
type Mask struct {
	words []uint64
	n     int // |V|
}

// MaskOf is a Mask over the ids 0 to n-1 whose bits are those of words, bit i%64 of word i/64 being
// id i. It does not copy: words must have (n+63)/64 entries with no bit set from n on, and must not
// change while the Mask is valid.
func MaskOf(words []uint64, n int) Mask { return Mask{words, n} }

// MaskWords is the number of words that a Mask over n ids has.
func MaskWords(n int) int { return bitset.Words(n) }

// Len is |V|, the number of ids the mask is over.
func (m Mask) Len() int { return m.n }

// Has tells whether id is in the mask; ids out of range are not.
func (m Mask) Has(id int) bool {
	return uint(id) < uint(m.n) && bitset.Has(m.words, id)
}

// Count is the number of ids in the mask.
func (m Mask) Count() int { return bitset.Count(m.words) }

// IDs appends the ids in the mask to dst, ascending.
func (m Mask) IDs(dst []int) []int {
	return slices.AppendSeq(dst, bitset.All[int](m.words))
}

// Equal tells whether both masks hold the same ids of equally large vocabularies.
func (m Mask) Equal(o Mask) bool { return m.n == o.n && slices.Equal(m.words, o.words) }

// Clone is a copy that stays valid.
func (m Mask) Clone() Mask { return Mask{slices.Clone(m.words), m.n} }

// CopyTo writes the words of m over those of row, of which there must be as many.
func (m Mask) CopyTo(row []uint64) { copy(row[:len(m.words)], m.words) }

// FirstDifference is the smallest id that is in one of the masks only, or -1 if there is none.
func (m Mask) FirstDifference(o Mask) int {
	for i := range max(len(m.words), len(o.words)) {
		if x := m.word(i) ^ o.word(i); x != 0 {
			return i<<6 + bits.TrailingZeros64(x)
		}
	}
	return -1
}

func (m Mask) word(i int) uint64 {
	if i >= len(m.words) {
		return 0
	}
	return m.words[i]
}

// Hash is a 64-bit hash of the ids in the mask, the same in every process. Masks with different
// hashes differ; equal hashes of different masks are a matter of chance (2^-64), so a comparison
// that must be certain uses Equal.
func (m Mask) Hash() uint64 {
	// Two lanes of multiply-and-fold, each word multiplied by a key of its own position.
	const k0, k1 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	h := uint64(m.n) * k0
	for i, w := range m.words {
		hi, lo := bits.Mul64(w^h^k1, k0+uint64(i)<<1)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	return h
}

// AppendBytes appends the mask as a little-endian bit set (bit i of byte i/8 is token i), padded
// with zeros to a multiple of 8 bytes.
func (m Mask) AppendBytes(dst []byte) []byte {
	for _, w := range m.words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// SHA256 is the lower-case hexadecimal SHA-256 of AppendBytes.
func (m Mask) SHA256() string {
	sum := sha256.Sum256(m.AppendBytes(make([]byte, 0, 8*len(m.words))))
	return hex.EncodeToString(sum[:])
}

// Unite adds the ids of words to those of row, which has at least as many words.
func Unite(row, words []uint64) {
	// By eights: Go's compiler makes no vector instructions of the plain loop, which takes a fifth
	// longer.
	for len(words) >= 8 && len(row) >= 8 {
		r, w := (*[8]uint64)(row), (*[8]uint64)(words)
		r[0] |= w[0]
		r[1] |= w[1]
		r[2] |= w[2]
		r[3] |= w[3]
		r[4] |= w[4]
		r[5] |= w[5]
		r[6] |= w[6]
		r[7] |= w[7]
		row, words = row[8:], words[8:]
	}
	for i, w := range words {
		row[i] |= w
	}
}

// AddEqual adds to a mask that has of equal tokens at most the first the others of its group.
func AddEqual(words []uint64, trie *tokenizers.Trie) {
	for _, same := range trie.Equal() {
		if bitset.Has(words, same[0]) {
			for _, id := range same[1:] {
				bitset.Add(words, id)
			}
		}
	}
}

// A Buffer is the memory an engine builds a Mask in. It takes that memory when it is first used, so
// that a generation that only fills rows, or is cloned and dropped, takes none.
type Buffer struct {
	words []uint64
	n     int
}

// NewBuffer is an empty Buffer for n ids.
func NewBuffer(n int) *Buffer { return &Buffer{n: n} }

// BufferOn is a Buffer whose memory is a caller's row, with whatever is in it.
func BufferOn(row []uint64, n int) Buffer { return Buffer{row, n} }

// Len is the number of ids that it is for.
func (b *Buffer) Len() int { return b.n }

// Reset empties the buffer; Masks of it become invalid.
func (b *Buffer) Reset() { clear(b.Words()) }

// Set adds an id.
func (b *Buffer) Set(id int) { bitset.Add(b.Words(), id) }

// Has tells whether id was added.
func (b *Buffer) Has(id int) bool { return bitset.Has(b.Words(), id) }

// Words is the buffer's own memory, for engines that write whole words.
func (b *Buffer) Words() []uint64 {
	if b.words == nil {
		b.words = make([]uint64, MaskWords(b.n))
	}
	return b.words
}

// Mask is a view of the buffer, valid until it changes.
func (b *Buffer) Mask() Mask { return Mask{b.Words(), b.n} }
