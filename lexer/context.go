package lexer

import "gcdbench/automata"

// A context is what a terminal asks to follow its match: a state of an automaton that reads on
// after it. 0 asks nothing. No automaton of package automata has contexts yet.

// hasContexts tells whether some match of d asks for what follows.
func hasContexts(*automata.DFA) bool { return false }

// contextOf is the context of a match that ends in a state of d.
func contextOf(*automata.DFA, int32) int32 { return 0 }

// nextContext is a context after one more byte: automata.Dead if that breaks it.
func nextContext(_ *automata.DFA, c int32, _ byte) int32 { return c }

// contextAtEnd tells whether the end of the text meets a context.
func contextAtEnd(_ *automata.DFA, c int32) bool { return c == 0 }
