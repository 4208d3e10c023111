package automata

// maxLiteral is the length in bytes up to which the automaton of a literal is written down as the
// chain that it is. Those of grammars are shorter; a longer one takes the ordinary way, with its
// limits.
const maxLiteral = 64

// literalDFA is the automaton of a single string of 1 to maxLiteral bytes.
func literalDFA(text string) *DFA {
	transitions := make([]Transition, len(text))
	for i := range len(text) { // bytes, not characters
		transitions[i] = Transition{int32(i), text[i], text[i], int32(i + 1)}
	}
	d, err := FromMinimal(len(text)+1, []int32{int32(len(text))}, transitions, DefaultLimits)
	if err != nil {
		panic(err) // a short chain is within the limits
	}
	return d
}
