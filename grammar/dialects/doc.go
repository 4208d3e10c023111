// Package dialects writes a grammar in the languages that other engines read: the dialects of Lark
// and of EBNF.
//
// # What it is
//
// A grammar has a lexer and a parser (docs/contract.md): maximal munch and priority turn a text
// into terminals, and productions say which sequences of terminals are legal. Engines differ in how
// much of that they have, so that a translation is exact where the dialect can say the same, and
// wider where it cannot. It is never narrower: every text of the grammar stays legal, except where
// a note says so. Translation.Notes lists what is wider. What a dialect could only say wrongly,
// such as indentation, is an *UnsupportedError that names the feature.
//
//	lark             Lark itself, and programs that read its files. The same grammar.
//	llguidance-lark  llguidance. Priority by exclusion: the identifiers are not keywords.
//	glrmask-lark     glrmask. No priority: a keyword passes as an identifier.
//	ebnf             xgrammar. Characters only: no lexer at all.
//	gbnf             llama.cpp. As ebnf, and without left recursion.
//	kbnf             kbnf. As ebnf, with terminals as regular expressions.
//
// # How it is done
//
//	reduce.go     the rules and terminals that take part in some text of the language
//	rank.go       which terminals outrank one that matches the same text
//	pattern.go    a terminal as an expression without lazy quantifiers and lookarounds
//	print.go      expressions as text; regexp.go has regular expressions
//	names.go      names that a dialect takes, one for each symbol
//	lark.go       the dialects of Lark that engines have; plainlark.go has Lark's own
//	skip.go       what the lexer ignores, as a rule of characters
//	ends.go       terminals that only the end of a text can follow
//	chars.go      rules of characters, for ebnf, gbnf and kbnf
//	unroll.go     repeats that are loops of an automaton, for ebnf
//	recursion.go  left recursion made right recursion, for gbnf
//
// A dialect of characters has no lexer, so that ignored terminals become a rule, skip, after each
// terminal and in front of the first. Maximal munch is kept within that rule, and where it says
// that nothing at all can follow (a line comment ends at the end of its line or of the text).
// Between two terminals it is lost.
//
// # What bounds it
//
// Time and text are linear in the grammar but for four things. Automata of terminals have the
// limits of automata.DefaultLimits, and an automaton without another form is written by
// automata.DFA.Expr, which has a limit too. Each terminal is compared with every one of higher
// rank. Left recursion through k rules becomes at most k*k rules for each of them.
package dialects
