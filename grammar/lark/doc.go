// Package lark reads grammars in the language of Lark, the Python parser generator, and lowers them
// to the productions and terminals of package grammar.
//
// # What it is
//
// A grammar that Lark takes in its LALR mode is taken here, and means the same: the same terminals
// with the same names, and productions of the same shape, so that the LALR tables have the same
// conflicts. What Lark refuses is refused, with a message that says where and what to do. The
// stages are Lark's, one file each:
//
//	source.go, scan.go   text -> tokens        places for messages; Lark's rules of line ends
//	parse*.go, node.go   tokens -> statements  recursive descent
//	escape.go            literals              what Python's string evaluation makes of escapes
//	define.go            definitions           %override, %extend, %declare, %ignore
//	files.go, imports.go %import               files, libraries, names of what is imported
//	check.go             names                 undefined ones, cycles, templates' arguments
//	pattern.go, width.go,
//	terminals.go         terminals -> regexps  composed as text, as Lark does
//	lower.go             rules -> productions  drives the four that follow, merges and prunes
//	anonymous.go         literals in rules     get terminals and names
//	embedded.go          %json, %until, ...    get terminals: other grammars, free text
//	templates.go         templates             become rules, one for each list of arguments
//	repeats.go           ? * + ~ [ ]           become alternatives and helper rules
//	expand.go            ( | )                 alternatives distributed over their surroundings
//	assemble.go          -> grammar.Grammar    order, numbers, patterns compiled and checked
//
// Lark's documentation describes the language; what it leaves out (the order in which names are
// given, what helpers are shared, which duplicates are errors, how escapes are evaluated) was found
// by trying, and a test compares with Lark itself where that is installed.
//
// # Where we differ
//
//   - Terminals are in the order of the main file, an imported one where its import stands, and
//     anonymous ones come last, in order of appearance. Lark has an order too, but does not use it.
//   - Repeats below zero times, a rule under a terminal's name (%import .f.rule -> RULE) and halves
//     of surrogate pairs are errors. Lark gives each some meaning, but none that could have been
//     wanted.
//   - Libraries are common and unicode, not Lark's python and lark.
//   - The lexer is like Lark's basic one unless the grammar asks for the contextual one, and takes
//     the longest match. docs/lark.md says what follows from that.
//   - What llguidance and XGrammar have beyond Lark is read as far as it has a meaning here
//     (foreign.go, and pattern.go for & and ~).
//   - common.ESCAPED_STRING has the same language without looking behind.
//
// # Special tokens
//
//	start: <|im_start|> TEXT <[128009]>
//
// A rule may name a token of the vocabulary by its text or its id. It is a terminal of one token
// and no bytes; the grammar has a literal for it that no text contains (package special).
//
// # Directives that Lark does not have
//
//	%lexer first|all|contextual
//
// says which of the terminals that match a lexeme the parser gets: the first by priority and the
// other criteria of package grammar (the default, which may be called basic as in Lark), all of
// them, or the first of those that the parser's state has an action on.
//
//	%conflicts resolve|keep
//
// says what becomes of LALR conflicts: resolved as Lark does (the default), or kept for a parser
// that follows all ways.
//
//	%layout newline=_NEWLINE indent=_INDENT dedent=_DEDENT open=LPAR,"[" close=RPAR,"]" tab=8 alternate=1 join="\\" begin=_NEWLINE
//
// puts a step between lexer and parser that turns the column after a line break into terminals, as
// Python needs (package layout has its semantics). newline is the terminal of a line break with the
// white space and comments after it; indent and dedent are declared with %declare, and only the
// step makes them; between the terminals under open and close, which may be quoted as in a rule,
// line breaks are dropped; tab is the distance of tab stops, 8 if left out; alternate is a
// second one, and columns must compare alike with both; join is the character that takes away a
// line break behind it; with begin, a text begins as after a line break: its first line has a
// column too, and the parser is given the newline terminal first.
//
//	%mode text in=CHARS,OPEN,END after=BEGIN,CLOSE
//	%mode default after=OPEN,END
//
// says which terminals the lexer reads when, for languages such as those whose strings have
// expressions in them. A text begins in the mode default, which has the terminals that no directive
// names under in (and those that its own names). After a terminal, the next lexeme is read in the
// mode that names it under after; if none does, in the mode that the terminal is in. In the example
// BEGIN opens a string; the text in it is CHARS; OPEN begins an expression, which is read in the
// default mode; CLOSE, a terminal of that mode, ends it; and END ends the string. There is no stack
// of modes: where what is next depends on what was opened, terminals that match the same text lead
// to different modes, and the parser decides which it is. CLOSE may be /}/, and "}" be a bracket of
// expressions. The parser must never take both at one place: a grammar whose parser does is an
// error. Literals that rules quote are in the default mode unless a mode quotes them too.
//
//	%items open=LSQB other=COMMA,RSQB equal=END
//
// says that the items of some arrays of JSON are compared (docs/contract.md). An array that begins
// with a terminal under open is one of them. The terminals under other may not come after an item
// that equals an earlier one of its array; one under equal may only end an array with two equal
// items. Beside them there may be terminals of the same text without a part in this, for other
// arrays, with %lexer all.
//
// %mode may be given once for each mode, the others once. They count in the main file only: like
// %ignore, they are without effect in a file that is imported.
//
// Some directives stand in rules, where a terminal may: %json, %json_file, %lark, @name, %until and
// %without (embedded.go), and %regex (foreign.go).
//
// # What bounds it
//
// All passes take time linear in what they write. How much that may be is bounded by the constants
// in limits.go, since optional parts, repeats, templates and imports multiply; beyond them an error
// says what to move where. Nothing else in a grammar makes it run long, or fail without a position.
package lark
