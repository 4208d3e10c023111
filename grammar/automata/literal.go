package automata

import "slices"

// maxLiteral is the length in bytes up to which the automaton of a literal is written down as the
// chain that it is. Those of grammars are shorter; a longer one takes the ordinary way, with its
// limits.
const maxLiteral = 64

// literalDFA is the automaton of a single string of 1 to maxLiteral bytes.
func literalDFA(text string) *DFA {
	var own [256]bool
	for i := range len(text) { // bytes, not characters
		own[text[i]] = true
	}
	d := &DFA{accepting: make([]bool, len(text)+1), text: text}
	others := -1
	for b := range own {
		if own[b] || others < 0 {
			d.classOf[b] = uint8(d.classes)
			d.classes++
		}
		switch {
		case own[b]:
		case others < 0:
			others = int(d.classOf[b])
		default:
			d.classOf[b] = uint8(others)
		}
	}
	d.table = slices.Repeat([]int32{Dead}, len(d.accepting)*d.classes)
	for i := range len(text) {
		d.table[i*d.classes+int(d.classOf[text[i]])] = int32(i + 1)
	}
	d.accepting[len(text)] = true
	return d
}
