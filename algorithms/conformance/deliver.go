package conformance

import (
	"fmt"
	"slices"

	"gcdbench/algorithms"
)

// A delivery is a row of a caller, into which a State wrote its mask.
type delivery []uint64

// leftovers fill a row before a delivery: with the bits of another mask, or with any bits at all.
var leftovers = []uint64{^uint64(0), 0xAAAAAAAAAAAAAAAA}

// deliver has s write its mask into a new row in which every word has bits set, and compares the
// row with want, bits beyond the vocabulary included. It returns what is wrong, or "".
func deliver(s algorithms.State, want algorithms.Mask) (row delivery, message string) {
	return deliverOver(s, want, leftovers[0])
}

func deliverOver(s algorithms.State, want algorithms.Mask, leftover uint64) (row delivery, message string) {
	row = slices.Repeat(delivery{leftover}, algorithms.MaskWords(want.Len()))
	algorithms.Deliver(s, row)
	if !row.holds(want) {
		id := algorithms.MaskOf(row, want.Len()).FirstDifference(want)
		return row, fmt.Sprintf("over words %#x the delivered mask differs from Mask: id %d of %d, which Mask says is legal=%v",
			leftover, id, want.Len(), want.Has(id))
	}
	return row, ""
}

// holds tells whether the row is still as it was delivered.
func (d delivery) holds(mask algorithms.Mask) bool {
	return algorithms.MaskOf(d, mask.Len()).Equal(mask)
}

// checkSame compares what s delivers and what Mask returns, in this order and then once more, with
// want. It returns what is wrong, or "".
func checkSame(s algorithms.State, want algorithms.Mask) string {
	var rows []delivery
	for _, leftover := range leftovers {
		row, message := deliverOver(s, want, leftover)
		if message != "" {
			return message
		}
		if rows = append(rows, row); !s.Mask().Equal(want) {
			return "Mask is another one after a delivery"
		}
	}
	for _, row := range rows {
		if !row.holds(want) {
			return "a row that was delivered changed when the next mask was made"
		}
	}
	return ""
}

// CheckDelivery verifies that algorithms.Deliver gives the mask that Mask returns, whatever the row
// held, as often as it is asked and on a clone, and that the rows stay the caller's: the State
// neither writes nor reads them afterwards. It returns what is wrong, or "".
func CheckDelivery(state algorithms.State) string {
	want := state.Mask().Clone()
	if message := checkSame(state, want); message != "" {
		return message
	}
	row, message := deliver(state, want)
	if message != "" {
		return message
	}
	// A clone is made where the last thing the State did was to write into a row, which is then
	// used for something else.
	clone := state.Clone()
	for i := range row {
		row[i] = leftovers[1]
	}
	if message := checkSame(clone, want); message != "" {
		return "a clone: " + message
	}
	if !state.Mask().Equal(want) {
		return "Mask changed when the caller wrote into a row that was delivered before"
	}
	if slices.ContainsFunc(row, func(w uint64) bool { return w != leftovers[1] }) {
		return "a row was written to after its delivery"
	}
	return ""
}
