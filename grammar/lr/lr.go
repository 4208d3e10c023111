// Package lr builds LALR(1) tables from a grammar and runs them.
//
// It applies to any context-free grammar. Where the grammar is LALR(1) the parser has one stack and
// does a bounded amount of work per terminal, amortised. Where it is not, table entries are in
// conflict, and the grammar says what is to become of them: resolved the way Lark resolves them
// (a shift wins over a reduction; among reductions the rule of strictly highest priority wins, and
// without one Build fails), which narrows the language; or kept, and then a graph-structured stack
// follows all of them, which is exact for every grammar and takes time polynomial in the input.
//
// The stages have a file each:
//
//	cfg.go        the grammar, stripped of useless rules and with an end
//	automaton.go  the LR(0) automaton: states, items, transitions
//	lookahead.go  LALR(1) lookaheads (DeRemer and Pennello 1982)
//	build.go      the rows of the tables; conflicts decided
//	rows.go       the tables' form in memory: what a parser does in a state
//	conflict.go   conflicts as data and as messages; example.go finds a sentence for each
//	growing.go    tables whose states are made when a parser looks at them (Open)
//	loops.go      endless reductions, which resolved conflicts can cause
//	split.go      tables for a grammar with copies of terminals, of a contextual lexer
//	both.go       whether a parser ever takes two terminals at one place
//	tables.go     Tables: the raw tables, for engines that run them in their own ways
//	stacks.go     Stacks: the state of a parser; the common case of one stack
//	forest.go     the graph-structured stack; freeze.go makes it permanent, merge.go unites two
//	sets.go       nullable, FIRST and FOLLOW, for whoever asks about a grammar
//	budget.go     what bounds the building of tables, and the context that ends it
//	search.go     strongly connected components, and closures of sets, without recursion
//
// There are two ways to build. A programming language's is compiled once
// and parsed with for millions of tokens, so its lookaheads are exact and its conflicts are told.
// A JSON schema's is compiled for one text, with rules in the thousands that a program wrote. Open
// makes its states when a text comes to them, and has its rules written then; where all states are
// wanted, they are all visited (Options.OnDemand). Both accept the same terminals after the same
// texts.
//
// Tables are built once per grammar and immutable; what Open returns learns of more states. Stacks
// is a value: parsing on never changes what others hold, so an engine may try every token from one
// state.
//
// What bounds it: when building, limits on states, items, sets and steps (budget.go), beyond which
// a grammar is refused with a *LimitError; a chain of rules takes time and memory linear in its
// length. When running, the depth of nesting in memory, and where conflicts are kept also the
// ambiguity of the text.
package lr
