package automata

import "sync"

// anyBytes matches every byte string, text or not.
var anyBytes = sync.OnceValue(func() *Expr { return FromDFA(AnyBytes()) })

// AnyBytes returns the automaton of all byte strings.
func AnyBytes() *DFA {
	return &DFA{classes: 1, table: []int32{0}, accepting: []bool{true}}
}

var anyText = sync.OnceValue(func() *DFA { return MustCompile(".*", DotAll) })

// AnyText returns the automaton of all valid UTF-8 strings.
func AnyText() *DFA { return anyText() }
