package lr

import (
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
)

// A bitMatrix is a list of bit sets of one width in one allocation.
type bitMatrix struct {
	words []uint64
	width int // words per row
}

func newBitMatrix(rows, columns int) bitMatrix {
	w := bitset.Words(columns)
	return bitMatrix{words: make([]uint64, rows*w), width: w}
}

func (m bitMatrix) row(i int32) []uint64 {
	at := int(i) * m.width
	return m.words[at : at+m.width : at+m.width]
}

// A setTable is a bit set for each state, equal ones stored once: states are many, what they can
// see next is often the same.
type setTable struct {
	of   []int32 // by state: its row in sets
	sets bitMatrix
}

func (t *setTable) row(state int32) []uint64 { return t.sets.row(t.of[state]) }

// bytes is the memory t holds.
func (t *setTable) bytes() int { return 4*len(t.of) + 8*len(t.sets.words) }

// A setTableBuilder makes a setTable state by state.
type setTableBuilder struct {
	setTable
	seen index.Index
}

func newSetTableBuilder(states, columns int) *setTableBuilder {
	return &setTableBuilder{setTable: setTable{of: make([]int32, 0, states), sets: newBitMatrix(0, columns)}}
}

// add takes a copy of the next state's set.
func (b *setTableBuilder) add(set []uint64) {
	h := index.Hash(set)
	i := b.seen.Find(h, func(i int32) bool { return slices.Equal(b.sets.row(i), set) })
	if i < 0 {
		i = b.seen.Add(h)
		b.sets.words = append(b.sets.words, set...)
	}
	b.of = append(b.of, i)
}
