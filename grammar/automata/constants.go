package automata

import "gcdbench/internal/constants"

// fixed has what is the same for all patterns: the sets of Unicode, and the automata of all
// strings.
var fixed constants.Set

// Prepare makes the tables that patterns share, those of Unicode for the most part, which are made
// once in a process: a millisecond of work. Without it, the first pattern that needs one of them
// makes it. A program that measures calls it first.
func Prepare() { fixed.Prepare() }

// anyBytes matches every byte string, text or not.
var anyBytes = constants.Of(&fixed, func() *Expr { return FromDFA(AnyBytes()) })

// AnyBytes returns the automaton of all byte strings.
func AnyBytes() *DFA {
	return &DFA{classes: 1, table: []int32{0}, accepting: []bool{true}}
}

var anyText = constants.Of(&fixed, func() *DFA { return MustCompile(".*", DotAll) })

// AnyText returns the automaton of all valid UTF-8 strings. It is the same one at each call.
func AnyText() *DFA { return anyText() }

var someText = constants.Of(&fixed, func() *DFA { return MustCompile(".+", DotAll) })
