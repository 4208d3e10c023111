// Package dialects writes a grammar in the languages that other engines read: the dialects of Lark and of EBNF.
//
// # What it is
//
// A grammar has a lexer and a parser (docs/contract.md): maximal munch and priority turn a text into terminals, and
// productions say which sequences of terminals are legal. Engines differ in how much of that they have, so that a
// translation is exact where the dialect can say the same, and wider where it cannot. It is never narrower: every text
// of the grammar stays legal, except where a note says so. Translation.Notes lists what is wider. What a dialect could
// only say wrongly, such as indentation, is an *UnsupportedError that names the feature.
//
//	lark             Lark itself, and programs that read its files. Exact.
//	llguidance-lark  llguidance. Priority is exact: a terminal excludes what those of higher rank match.
//	glrmask-lark     glrmask. No priority: a keyword passes as an identifier.
//	ebnf             xgrammar. Characters only: no lexer at all.
//	gbnf             llama.cpp. As ebnf, and without left recursion.
//	kbnf             kbnf. As ebnf, with terminals as regular expressions.
//	grid             GRID. Terminals over bytes, in order of priority.
//
// # How it is done
//
//	reduce.go     the rules and terminals that take part in some text of the language
//	rank.go       which terminals outrank one that matches the same text
//	pattern.go    a terminal as an expression without lazy quantifiers and lookarounds
//	regexp.go     expressions as regular expressions
//	names.go      names that a dialect takes, one for each symbol
//	lark.go       the three dialects of Lark
//	skip.go       what the lexer ignores, as a rule of characters
//	ends.go       terminals that only the end of a text can follow
//	chars.go      rules of characters, for ebnf, gbnf and kbnf
//	recursion.go  left recursion made right recursion, for gbnf
//
// A dialect of characters has no lexer, so that ignored terminals become a rule, skip, behind each terminal and in
// front of the first. Maximal munch is kept within that rule, and where it says that nothing at all can follow (a line
// comment ends at the end of its line or of the text). Between two terminals it is lost.
//
// # What bounds it
//
// Everything is linear in the grammar but three things, each with a limit: the automata of terminals
// (automata.DefaultLimits), the expressions of automata that have no other form (automata.DFA.Expr), and the comparison of
// each terminal with those of higher rank, and the removal of left recursion through several rules.
package dialects
