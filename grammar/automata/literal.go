package automata

import (
	"slices"

	"gcdbench/internal/bitset"
)

// maxLiteral is the length in bytes up to which the automaton of a literal is written down as the
// chain that it is. Those of grammars are shorter; a longer one takes the ordinary way, with its
// limits.
const maxLiteral = 256

// literalDFA is the automaton of a single string of 1 to maxLiteral bytes. Of thousands of names
// most are never read, so it has no table (rowsOfText).
func literalDFA(text string) *DFA {
	d := &DFA{accepting: make([]bool, len(text)+1), text: text}
	d.accepting[len(text)] = true
	var own [4]uint64 // the bytes that it has
	for i := range len(text) {
		bitset.Add(own[:], int(text[i]))
	}
	other := 0 // the first byte that it lacks, and the class of all these
	for bitset.Has(own[:], other) {
		other++
	}
	if other > 0 {
		for b := range d.classOf {
			d.classOf[b] = uint8(other)
		}
	}
	for b := range bitset.All[int](own[:]) {
		if d.classes == other {
			d.classes++
		}
		d.classOf[b] = uint8(d.classes)
		d.classes++
	}
	d.classes = max(d.classes, other+1)
	return d
}

// nextOfText is Next of a literal.
func (d *DFA) nextOfText(s int32, b byte) int32 {
	if int(s) < len(d.text) && d.text[s] == b {
		return s + 1
	}
	return Dead
}

// rowsOfText is the table of a literal from one state to another.
func (d *DFA) rowsOfText(from, to int) []int32 {
	table := slices.Repeat([]int32{Dead}, (to-from)*d.classes)
	for i := from; i < min(to, len(d.text)); i++ {
		table[(i-from)*d.classes+int(d.classOf[d.text[i]])] = int32(i + 1)
	}
	return table
}

// rows is the table of an automaton that has all its rows.
func (d *DFA) rows() []int32 {
	if d.text != "" {
		return d.rowsOfText(0, d.NumStates())
	}
	return d.table
}
