package lr

import (
	"math/bits"
	"slices"

	"gcdbench/internal/index"
)

// A bitset is a set of small integers, 64 to a word. Sets that leave the package are plain
// []uint64 in the same layout: bit i%64 of word i/64.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, wordsFor(n)) }

// wordsFor is the number of words a set over 0..n-1 takes.
func wordsFor(n int) int { return (n + 63) / 64 }

func (b bitset) has(i int32) bool { return b[i>>6]>>(uint(i)&63)&1 != 0 }
func (b bitset) add(i int32)      { b[i>>6] |= 1 << (uint(i) & 63) }

// or adds all of o; it tells whether b grew.
func (b bitset) or(o bitset) bool {
	grew := false
	for i, w := range o {
		if w&^b[i] != 0 {
			b[i] |= w
			grew = true
		}
	}
	return grew
}

// count is the number of members.
func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every member, in ascending order.
func (b bitset) each(f func(i int32)) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			f(int32(w<<6 + bits.TrailingZeros64(word)))
		}
	}
}

// A bitMatrix is a list of bitsets of one width in one allocation.
type bitMatrix struct {
	words []uint64
	width int // words per row
}

func newBitMatrix(rows, columns int) bitMatrix {
	w := wordsFor(columns)
	return bitMatrix{words: make([]uint64, rows*w), width: w}
}

func (m bitMatrix) row(i int32) bitset {
	at := int(i) * m.width
	return bitset(m.words[at : at+m.width : at+m.width])
}

// A setTable is a bitset for each state, equal ones stored once: states are many, what they can
// see next is often the same.
type setTable struct {
	of   []int32 // by state: its row in sets
	sets bitMatrix
}

func (t *setTable) row(state int32) bitset { return t.sets.row(t.of[state]) }

// bytes is the memory t holds.
func (t *setTable) bytes() int { return 4*len(t.of) + 8*len(t.sets.words) }

// A setTableBuilder makes a setTable state by state.
type setTableBuilder struct {
	setTable
	index index.Index
}

func newSetTableBuilder(states, columns int) *setTableBuilder {
	return &setTableBuilder{setTable: setTable{of: make([]int32, 0, states), sets: newBitMatrix(0, columns)}}
}

// add takes a copy of the next state's set.
func (b *setTableBuilder) add(set bitset) {
	h := uint64(0)
	for _, w := range set {
		h = index.Mix(h ^ w)
	}
	i := b.index.Find(h, func(i int32) bool { return slices.Equal(b.sets.row(i), set) })
	if i < 0 {
		i = b.index.Add(h)
		b.sets.words = append(b.sets.words, set...)
	}
	b.of = append(b.of, i)
}
