// Package automata turns regular expressions into minimal deterministic finite
// automata over bytes, and computes with them.
//
// # What it is
//
// A terminal of a grammar is a regular expression in the syntax of Python's re
// module, which is also Lark's. The lexers of this program read bytes, because
// tokens are bytes and may end in the middle of a character. So a pattern goes
// through four stages, one file each:
//
//	parse.go        text -> Expr       Python's syntax, flags, errors with offsets
//	nfa.go          Expr -> nfa        positions; characters become UTF-8 (utf8.go)
//	determinize.go  nfa -> table       sets of threads; lookaround (look.go), preference (order.go)
//	minimize.go     table -> DFA       trim, minimize, number canonically
//
// A DFA is minimal, trimmed (every state can be reached and can reach
// acceptance) and canonical (states are numbered breadth first in byte order,
// bytes with equal behaviour share a class). Two DFAs of one language are
// therefore equal in every field, and Equal is a comparison.
//
// # What the expressions mean
//
// An expression denotes a set of byte strings. What Python's backtracking
// prefers (the first alternative, the greedy way) has no meaning here: the
// lexing rule takes the longest match. Lazy quantifiers are the exception: an
// expression that has one denotes what Python takes first, so that a comment
// ends at its first end mark (order.go).
//
// Lookahead and lookbehind are honoured inside groups, alternatives and repeats
// too; look.go has the method. A lookahead that the match itself does not decide
// becomes the context of a state: what the text after the match must be
// (context.go). $ \b \B \Z are short for such assertions (anchor.go). An assertion
// that looks in front of the match, or any number of characters behind it, is an
// error that names the match for which it happens.
//
// # What bounds it
//
// Subset construction is exponential in the worst case and counted repeats
// multiply, so every stage counts what it does against Limits and stops with a
// *LimitError. Two kinds of counting are kept small: of the optional copies of a
// repeat that overlaps with what surrounds it, those that can do no more than
// others are dropped (copies.go), and where only the length of a match is bounded,
// its characters are counted beside it (counted.go). What is larger than that can be made on
// demand, a state when a text comes to it: products (product.go), sets of threads without
// lookarounds (sets.go) and counts are automata whose rows nobody has written down (ondemand.go).
// Within the limits the classical algorithms do this work: O(set sizes) for the subset
// construction and O(m log n) for the minimization of n states and m transitions
// (A. Valmari, Fast brief practical DFA minimization, Information Processing
// Letters 112, 2012).
package automata
