// Package grammar is the intermediate form of a grammar: what the front ends (grammar/lark and
// grammar/jsonschema) produce, and what the lexer, the LR table builder and every algorithm read.
//
// A Grammar is a context-free grammar over terminals, plus a regular expression for each terminal.
// All sugar is gone: repetitions, options, templates and imports were lowered by the front end, so
// a Rule is a plain production. Three further choices travel with the grammar because they change
// its language or the work of parsing it: the lexing mode (LexFirst, LexAll, LexContextual,
// LexDynamic), what becomes of LALR conflicts (ResolveConflicts, KeepConflicts) and the layout
// step between lexer and parser (Layout).
//
// Symbols are small integers, so that tables can be arrays: a terminal is its index in
// Grammar.Terminals, a nonterminal its index in Grammar.Nonterminals, and Symbol holds either.
package grammar

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"gcdbench/grammar/automata"
)

// A Terminal is the index of a terminal in Grammar.Terminals.
type Terminal int32

// A Nonterminal is the index of a nonterminal in Grammar.Nonterminals.
type Nonterminal int32

// A Symbol is a terminal or a nonterminal of a rule's right-hand side. Terminals are the
// non-negative values; nonterminal n is stored as ^n.
type Symbol int32

// T is the symbol of terminal t.
func T(t Terminal) Symbol { return Symbol(t) }

// N is the symbol of nonterminal n.
func N(n Nonterminal) Symbol { return Symbol(^n) }

// IsTerminal tells whether s is a terminal.
func (s Symbol) IsTerminal() bool { return s >= 0 }

// Terminal is the terminal that s holds; s.IsTerminal() must be true.
func (s Symbol) Terminal() Terminal { return Terminal(s) }

// Nonterminal is the nonterminal that s holds; s.IsTerminal() must be false.
func (s Symbol) Nonterminal() Nonterminal { return Nonterminal(^s) }

// LexerMode says which of the terminals that match a lexeme are given to the parser.
type LexerMode uint8

const (
	// LexFirst emits one terminal: highest priority, then literal over regex, then the greater
	// MaxWidth, then the longer pattern text, then the name.
	LexFirst LexerMode = iota
	// LexAll emits the set of all terminals that match; the parser takes every member it can.
	LexAll
	// LexContextual emits one terminal, of those only that the parser's state has an action on, and
	// of the ignored ones, as Lark's contextual lexer does. Other terminals are not read there.
	LexContextual
	// LexDynamic has no lexer: the parser reads characters, and any way to cut a text into terminals
	// counts. Ignored text may stand between them (package characters).
	LexDynamic
)

// String is the mode's name in a grammar file.
func (m LexerMode) String() string { return [...]string{"first", "all", "contextual", "dynamic"}[m] }

// ConflictMode says whether LALR conflicts are resolved or kept.
type ConflictMode uint8

const (
	// ResolveConflicts resolves as Lark does: shift over reduce; between reductions the rule of
	// strictly highest priority, else an error.
	ResolveConflicts ConflictMode = iota
	// KeepConflicts keeps every action and parses with a graph-structured stack.
	KeepConflicts
)

// String is the mode's name in a grammar file.
func (m ConflictMode) String() string {
	if m == KeepConflicts {
		return "keep"
	}
	return "resolve"
}

// An ItemRole is the role of a terminal around the items of arrays that are compared
// (docs/contract.md, "Items that are compared").
type ItemRole uint8

const (
	// NoItems is any other terminal.
	NoItems ItemRole = iota
	// OpensItems is the bracket before an array whose items are compared.
	OpensItems
	// AfterOther is a comma or a bracket that may not come after an item equal to an earlier one.
	AfterOther
	// AfterEqual is a bracket that may only end an array of which two items are equal.
	AfterEqual
)

// ItemRoles are the settings of a %items directive, by role.
var ItemRoles = [...]string{OpensItems: "open", AfterOther: "other", AfterEqual: "equal"}

// A TerminalDef defines a terminal.
type TerminalDef struct {
	Name string
	// Expr is the terminal's pattern; nil for a Declared terminal, which no lexeme ever matches.
	Expr *automata.Expr
	// Source is the pattern's text: of a literal its characters, of a regex its source. Its length
	// in characters is what "the longer pattern" compares.
	Source string
	// MaxWidth is the number of characters of the longest lexeme, as Python's re computes it from
	// the pattern; every width without a bound is the same number. Only its order counts.
	MaxWidth int
	Priority int
	Literal  bool // a single literal string, not a regex
	Ignored  bool // dropped before the parser sees it
	Declared bool // by %declare: only the layout step produces it
	// All says that a lexeme is emitted as this terminal whatever else it is emitted as: so are those
	// of an embedded schema, in a grammar that emits one terminal elsewhere.
	All bool
	// Lazy says that a lexeme ends where it matches the terminal, whatever else it could become.
	Lazy bool
	// Key says that rules have it as the key of an object only: a colon follows it.
	Key   bool
	Items ItemRole
	// Special is not empty if the terminal is one token of the vocabulary and no bytes: the one of
	// this name, as <|eot|> or <[128009]>. Its literal is what stands for that token (package
	// special).
	Special string
	// Next is the mode that the lexeme after one of this terminal is read in: an index in
	// Grammar.Modes.
	Next int
	// Scope is the grammar that the terminal belongs to: 0 for the outermost, or 1 + an index in
	// Grammar.Scopes.
	Scope int
	// Embeds says, of a Declared terminal, that the texts of a grammar stand for it: 1 + its place in
	// Grammar.Embedded.Starts. It is 0 for others.
	Embeds int
	Pos    Position
}

// A NonterminalDef names a nonterminal.
type NonterminalDef struct {
	Name string
	Pos  Position
}

// A Rule is one production LHS -> RHS.
type Rule struct {
	LHS      Nonterminal
	RHS      []Symbol
	Alias    string // the name an alternative was given by "-> alias"; it does not change the language
	Priority int
	// NotBefore are terminals that may not come next after what the rule derives; len(Terminals) is
	// the end of the text.
	NotBefore []Terminal
	Pos       Position
}

// A Layout configures the step between lexer and parser that turns line breaks and columns into
// terminals, for languages such as Python (package layout has the semantics).
type Layout struct {
	Newline, Indent, Dedent Terminal
	// Open and Close are the brackets; inside them Newline lexemes are dropped.
	Open, Close []Terminal
	// Tab is the distance of tab stops in columns.
	Tab int
	// Alternate is the distance of tab stops by which columns are counted a second time; 0 for
	// none.
	Alternate int
	// Join is the byte that takes away a line break behind it, as a string; "" for none.
	Join string
	// BeginsLine has a text begin as if a line break stood before it: its first line has a column
	// like any other, and the parser is given Newline (and what follows from the column) before
	// anything else.
	BeginsLine bool
	// Ends are, by mode, the copies of Newline, Indent and Dedent of which one is the last terminal
	// that a line break becomes, if lexemes are read in that mode behind it. Nil but in a grammar
	// that was split (Split).
	Ends [][3]Terminal
	Pos  Position
}

// A Mode is a set of terminals that are read together: in a string that has expressions in it, text
// and the signs that end it; in an expression the terminals of expressions. Which mode a lexeme is
// read in depends on the terminal before it alone (TerminalDef.Next).
type Mode struct {
	Name      string
	Terminals []Terminal // in ascending order
	// Shifted says that the parser shifts each of the terminals wherever a lexeme is read in the mode,
	// as where one of many names may come. It may be false of a mode of which that is true.
	Shifted bool
	Pos     Position
}

// A Split relates a grammar to the one that it was made of (package recognizer does it): one
// without a lexer, of which the terminals are characters, or one with a contextual lexer. There,
// which mode the parser's state after a terminal has depends on the state before it. So there is a
// copy of the terminal for each mode: all copies match the same texts, and the tables say which of
// them a state takes. The first copy has the terminal's number; rules name that one.
type Split struct {
	// Of is the grammar that was split.
	Of *Grammar
	// Copies lists the copies of a terminal that a lexeme of it may be emitted as, by first copy;
	// nil for others. Terminals that are not copies of each other compete, whatever mode they lead
	// to.
	Copies [][]Terminal
	// InRules says that rules name copies, each the one that it takes: tables are built of the rules
	// as of any others.
	InRules bool
}

// Embedded is what the terminals of a grammar stand for that embed another one
// (TerminalDef.Embeds). All that are embedded in a grammar are one, which has a start for each: so
// they share what they have in common.
type Embedded struct {
	Grammar *Grammar      // emits all matches, keeps its conflicts, and has a Demand
	Starts  []Nonterminal // by number
	// Again opens the grammar anew, with a Demand of its own.
	Again func(ctx context.Context) (*Grammar, error)
	taken atomic.Bool
}

// Take is the grammar, with a Demand that nobody else writes rules by: Grammar itself at the first
// call. Errors are those of Again.
func (e *Embedded) Take(ctx context.Context) (*Grammar, error) {
	if e.Again == nil || !e.taken.Swap(true) {
		return e.Grammar, nil
	}
	return e.Again(ctx)
}

// EmittedAs lists the terminals that a lexeme of terminal t may be emitted as: its copies, or t
// alone in a grammar that was not split, of which s is nil.
func (s *Split) EmittedAs(t Terminal) []Terminal {
	if s == nil {
		return []Terminal{t}
	}
	return s.Copies[t]
}

// A Grammar is a complete grammar. It is immutable once its front end returned it.
type Grammar struct {
	Name         string
	Terminals    []TerminalDef // in order of definition
	Nonterminals []NonterminalDef
	Rules        []Rule
	Start        Nonterminal
	Lexer        LexerMode
	Conflicts    ConflictMode
	// SkipsLate says that a text does not begin with ignored text.
	SkipsLate bool
	Layout    *Layout // nil: none
	// Modes are the lexer's modes; a text begins in Modes[0]. Nil: one mode has all terminals.
	Modes []Mode
	// Split is not nil if the grammar was made of one whose lexer is contextual, or that embeds
	// others.
	Split *Split
	// Scopes are the lexers of the grammars that stand in rules: LexFirst or LexContextual. The
	// terminals of each are read, and what it ignores is ignored, where one of its terminals may come.
	Scopes []LexerMode
	// Embedded is what some terminals stand for; nil if no terminal embeds anything.
	Embedded *Embedded
	// SHA256 is over the text of the grammar and of everything it imports, over the name of its
	// start rule if that is not start, and over the lexer if it is another one than the text asks
	// for.
	SHA256 [32]byte
	// Demand writes the rules that are not there yet. It is nil if all of them are.
	Demand Demand
}

// A Demand writes the rules of a grammar when they are asked for. Its grammars are a series, in
// which each has the terminals, nonterminals and rules of the one before, under the same numbers,
// and more behind them; none of them changes. If items are compared, the first grammar has a
// terminal that says so. A nonterminal has all of its rules, or none yet.
// Whatever is still to be written derives something, so that a beginning of a sentence of one
// grammar is one of all later ones. It is not safe for concurrent use.
type Demand interface {
	// Written tells whether the rules of n are there.
	Written(n Nonterminal) bool
	// Write writes the rules of n, and of others that are near, and returns the grammar with them.
	// An error says what of the source cannot be expressed; no rule was written then.
	Write(ctx context.Context, n Nonterminal) (*Grammar, error)
	// WriteAll writes all rules.
	WriteAll(ctx context.Context) (*Grammar, error)
}

// ComparesItems tells whether items of some arrays are compared: whether a terminal has an
// ItemRole.
func (g *Grammar) ComparesItems() bool {
	return slices.ContainsFunc(g.Terminals, func(t TerminalDef) bool { return t.Items != NoItems })
}

// Unsplit is the grammar that g was made of by splitting terminals; g itself if it was not.
func (g *Grammar) Unsplit() *Grammar {
	if g.Split != nil {
		return g.Split.Of
	}
	return g
}

// EmitsSets tells whether a lexeme may be emitted as several terminals at once.
func (g *Grammar) EmitsSets() bool {
	return g.Lexer == LexAll || slices.ContainsFunc(g.Terminals, func(t TerminalDef) bool { return t.All })
}

// SymbolName is the name of s, for messages.
func (g *Grammar) SymbolName(s Symbol) string {
	if s.IsTerminal() {
		return g.TerminalName(s.Terminal())
	}
	return g.Nonterminals[s.Nonterminal()].Name
}

// TerminalName is how a message should call terminal t: a literal by its quoted text, any other by
// its name, and the end of input, which is past the last terminal, as "end of input".
func (g *Grammar) TerminalName(t Terminal) string {
	switch {
	case t < 0:
		return fmt.Sprintf("terminal %d", t)
	case int(t) >= len(g.Terminals): // there may be room for terminals that are still to be written
		return "end of input"
	case g.Terminals[t].Special != "":
		return g.Terminals[t].Special
	case g.Terminals[t].Literal:
		return fmt.Sprintf("%q", g.Terminals[t].Source)
	}
	return g.Terminals[t].Name
}

// SpecialTokens lists the names of the special tokens that rules name.
func (g *Grammar) SpecialTokens() (names []string) {
	for i := range g.Terminals {
		if t := &g.Terminals[i]; t.Special != "" && !slices.Contains(names, t.Special) {
			names = append(names, t.Special)
		}
	}
	return names
}

// Lookup finds a terminal by name.
func (g *Grammar) Lookup(name string) (Terminal, bool) {
	for i := range g.Terminals {
		if g.Terminals[i].Name == name {
			return Terminal(i), true
		}
	}
	return 0, false
}
