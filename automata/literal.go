package automata

import "sync"

// Literals recur from grammar to grammar: every JSON schema has its braces and brackets. Their
// automata are kept, so that they are made once and whoever computes something of an automaton
// can do so once too.

const (
	// maxLiteral is the length in bytes up to which automata of literals are kept.
	maxLiteral = 64
	// maxLiterals bounds how many are kept: of twenty bytes, each takes under 2 KB, so 4 MB.
	maxLiterals = 1 << 11
)

var literals struct {
	sync.RWMutex
	of map[string]*DFA
}

// literalDFA is the automaton of a single string of 1 to maxLiteral bytes.
func literalDFA(text string) *DFA {
	literals.RLock()
	d := literals.of[text]
	literals.RUnlock()
	if d != nil {
		return d
	}
	d = chain(text)
	literals.Lock()
	defer literals.Unlock()
	if old := literals.of[text]; old != nil {
		return old
	}
	if literals.of == nil || len(literals.of) >= maxLiterals {
		literals.of = make(map[string]*DFA)
	}
	literals.of[text] = d
	return d
}

// chain makes the automaton of a single string.
func chain(text string) *DFA {
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
