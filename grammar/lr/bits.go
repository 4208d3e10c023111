package lr

import "gcdbench/internal/bitset"

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

// within tells whether i is in a set that may have no word for it.
func within(set []uint64, i int32) bool { return int(i>>6) < len(set) && bitset.Has(set, i) }
