package tokenizers

// A CharacterState is where a reader of well-formed UTF-8 stands: at a boundary of characters,
// which is 0, or inside of one.
type CharacterState uint8

// NumCharacterStates is the number of states.
const NumCharacterStates = 8

// The states inside of a character: how many bytes are missing, any of 80 to BF, or the byte before
// if it restricts the next one.
const (
	missing1 CharacterState = 1 + iota
	missing2
	missing3
	afterE0
	afterED
	afterF0
	afterF4
)

// Next reads a byte, as the Unicode Standard has it (table 3-7, well-formed UTF-8 byte sequences);
// ok is false if it is not well-formed there.
func (s CharacterState) Next(b byte) (to CharacterState, ok bool) {
	if s == 0 {
		return first(b)
	}
	lo, hi := byte(0x80), byte(0xBF)
	to = missing2
	switch s {
	case missing1:
		to = 0
	case missing2:
		to = missing1
	case afterE0:
		lo, to = 0xA0, missing1
	case afterED:
		hi, to = 0x9F, missing1
	case afterF0:
		lo = 0x90
	case afterF4:
		hi = 0x8F
	}
	return to, lo <= b && b <= hi
}

// first reads the first byte of a character.
func first(b byte) (to CharacterState, ok bool) {
	switch {
	case b < 0x80:
		return 0, true
	case b < 0xC2 || b > 0xF4:
		return 0, false
	case b < 0xE0:
		return missing1, true
	case b == 0xE0:
		return afterE0, true
	case b == 0xED:
		return afterED, true
	case b < 0xF0:
		return missing2, true
	case b == 0xF0:
		return afterF0, true
	case b == 0xF4:
		return afterF4, true
	}
	return missing3, true
}

// WellFormed reports whether all tokens below node i go on from there, where a reader of UTF-8 is
// in state from, as well-formed text does. They may end inside of a character.
func (t *Trie) WellFormed(i int, from CharacterState) bool { return t.formed[i]>>from&1 != 0 }

// findFormed finds what WellFormed says, a bit for each state, for the last nodes first.
func (t *Trie) findFormed() {
	t.formed = make([]uint8, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		all := uint8(1<<NumCharacterStates - 1)
		for j := i + 1; j < i+t.Nodes[i].Size() && all != 0; j += t.Nodes[j].Size() {
			all &= t.formedBy(j)
		}
		t.formed[i] = all
	}
}

// formedBy is the states from which node j's byte, and all below it, is well-formed.
func (t *Trie) formedBy(j int) (states uint8) {
	b := t.Nodes[j].Byte()
	if b < 0x80 {
		return t.formed[j] & 1
	}
	for from := range CharacterState(NumCharacterStates) {
		if to, ok := from.Next(b); ok && t.WellFormed(j, to) {
			states |= 1 << from
		}
	}
	return states
}
