// Package jsonschema compiles JSON Schema documents, drafts 4 to 2020-12, to grammars.
//
// # What it is
//
// A schema is a set of JSON values; the grammar is the set of their texts. The way from one to the
// other, a file or two for each stage:
//
//	json.go, load.go           text -> values -> schemas, with identifiers, anchors and references
//	keywords.go, structure.go, logic.go, switch.go
//	                           for one kind of value, a schema is a formula over literals (formula.go);
//	                           discriminate.go tells the branches of oneOf apart
//	clauses.go, combine.go     formulas in disjunctive normal form, given what is known of the value (given.go);
//	                           alive.go and presence.go drop what has no instance
//	scalars.go, number.go      numbers and strings: automata (bounds.go, divide.go and exponent.go; language.go,
//	                           pattern.go and format.go; reparse.go reads patterns, ends.go, anchors.go and marks.go
//	                           make them match whole strings)
//	escape.go, spans.go        from decoded characters to JSON text; keyset.go writes down the keys that
//	                           an object does not declare; kept.go has what schemas have in common, constants.go
//	                           what all have
//	shape.go, split.go, objects.go, arrays.go
//	                           clauses about objects and arrays: rules, by way of members.go, or of anyorder.go
//	                           for keys in any order; demands.go joins clauses that differ in the keys they
//	                           ask for, unique.go keeps items apart
//	emit.go, coverage.go       the grammar, and what became of each keyword; contradiction.go says why
//	                           there is no instance; thrift.go, what is left out of a grammar that is too large
//
// Because a formula can be negated, allOf, anyOf, oneOf, not, if and the dependencies need no cases of
// their own: oneOf is a disjunction of each branch without the others that it overlaps. Recursion
// stays recursion: a nonterminal stands for a conjunction of (possibly negated) schemas, of which
// there are finitely many.
//
// # What it promises
//
// Without Options.Lenient no text is accepted that the schema refuses. What cannot be expressed is an
// *UnsupportedError with its place. Right texts may be refused, always for one of these reasons:
//
//   - a keyword that the coverage reports as narrower, with why: of numbers that are constrained, those with an
//     exponent behind a long mantissa, for example;
//   - the order of keys: those of properties first, in the order of the schema, then those that are
//     only required, then all others (Options.AnyOrder lifts this, as far as anyorder.go says);
//   - a declared key that occurs twice, which is refused (with Options.AnyOrder only one that is required
//     or counted); other keys are taken to occur once, which matters to minProperties only;
//   - in languages whose automaton is large (plainStates, literalStates), \u escapes, which the coverage says;
//   - a lone surrogate in an escape, which denotes no character;
//   - white space other than Options.WhiteSpace allows.
//
// # What bounds it
//
// Normal forms and products of automata are exponential in the worst case, so everything that multiplies
// is counted: alternatives (maxClauses), steps of combining them (maxPairs, maxLooks), rules (maxRules),
// keys (maxKeys), lengths (maxCharacters), items (maxCounted), remainders (maxModulus), nesting
// (maxDepth) and automata (automatonLimits). What is too much is narrowed where that is sound, and
// reported; else it is an *UnsupportedError.
//
// A compile looks at its context between all of those, some 25 ms apart at most.
//
// # What outlives a compile
//
// Nothing in this package remembers a schema. Automata that do not depend on one schema alone go
// into the caller's Kept, within bounds (maxShared): the second schema with a key, a format, a
// pattern or a length finds it made, and gets the same *automata.Expr. With one Kept for all, a
// compile of real schemas takes 0.4 ms in the median and 30 ms at the 99th percentile, each schema
// compiled once (BenchmarkMaskBench). What is the same for all schemas is made once in a process,
// by Prepare or by the first who needs it.
//
// Where drafts differ, $schema decides.
//
// Source: the specifications at json-schema.org, and RFC 8259 for the text.
package jsonschema

import (
	"context"
	"crypto/sha256"
	"slices"

	"gcdbench/automata"
	"gcdbench/grammar"
)

// WhiteSpace says where texts may have white space.
type WhiteSpace uint8

const (
	// Strict allows none, or one space after each comma and colon, as Python writes JSON.
	Strict WhiteSpace = iota
	// AnySpace allows what JSON does.
	AnySpace
)

// Options choose what is compiled. The zero value is the strictest.
type Options struct {
	// Name names the grammar and the file in error messages; "schema" if empty.
	Name string
	// WhiteSpace is where texts may have white space.
	WhiteSpace WhiteSpace
	// AnyOrder lets the keys of objects come in any order, as long as the grammar stays small: it grows
	// with the keys that are required (anyorder.go). Keys that nothing depends on may repeat then.
	AnyOrder bool
	// Lenient compiles what is not supported as if it were not there, and reports it as wider.
	Lenient bool
	// LooseOrder neither orders nor counts keys, nor asks for required ones, so that invalid texts are
	// accepted too. It answers one question: a valid text that is refused without it and accepted with
	// it was refused for the order of its keys, or for one that it repeats. The grammar has a rule for
	// each key instead of states between them, so compiling takes no longer.
	LooseOrder bool
	// Kept is what this compile has in common with others, which find it there; nil if there are no
	// others.
	Kept *Kept

	// maxClauses and keptClauses are the limits of those names; tests make them small.
	maxClauses, keptClauses int
}

// A Result is a compiled schema.
type Result struct {
	Grammar *grammar.Grammar
	// Coverage has every keyword that constrains, schema by schema, a schema before those inside it.
	Coverage []Coverage
}

// A compiler is the state of one compile.
type compiler struct {
	ctx        context.Context
	opt        Options
	kept       *Kept
	doc        *document
	coverage   map[string]*Coverage
	leaving    map[string]string // pointers of what is refused, but only an alternative, with why that is left out
	dropped    bool              // some cases were left out
	thrift     int               // how often it was tried with more (thrift.go)
	counting   bool              // something is counted that would be counted less far with more thrift
	orderCells int               // taken by objects with keys in any order (anyorder.go)
	reordered  bool              // keys come in any order that would keep that of the schema with more thrift

	truncations int             // counts the normal forms met of which cases were left out
	looking     bool            // living is at work
	looks       int             // clauses that it looked at
	pairs       int             // pairs of clauses joined
	mostPairs   int             // how many may be
	answers     map[string]bool // of inhabited
	explained   map[string]bool // conjunctions that explain has seen

	formulas  map[refKind]*formula
	memo      map[refKind]*caseList
	given     []string       // keys that the value at hand is known to have, sorted
	heeding   map[*node]bool // of heeds
	literals  map[string]*literal
	constants map[*value]ref
	patterns  map[string]*language
	alike     map[*node]*node  // the first schema that says the same
	byText    map[string]*node // by what they say

	languages  map[string]clauseText // by clause
	narrowings int                   // counts the languages met of which values were left out

	g           *grammar.Grammar
	symbols     []grammar.Symbol // of the rules
	derives     []bool           // by nonterminal, once all rules are there
	goals       map[string]*goal
	queue       []*goal
	fixed       map[string]grammar.Symbol
	keys        map[string]grammar.Symbol
	byAutomaton map[*automata.DFA]grammar.Symbol
	byExpr      map[*automata.Expr]grammar.Symbol
	commaSymbol grammar.Symbol
	colonSymbol grammar.Symbol
}

// Compile compiles a schema document. Errors are *SyntaxError (not JSON), *SchemaError (not a
// schema), *RefError, *UnsupportedError, ErrContradiction, or ctx's. The result is not nil if there is
// a coverage to report, also when there is an error.
func Compile(ctx context.Context, src []byte, opt Options) (*Result, error) {
	if opt.Name == "" {
		opt.Name = "schema"
	}
	if opt.Kept == nil {
		opt.Kept = NewKept()
	}
	if opt.maxClauses == 0 {
		opt.maxClauses, opt.keptClauses = maxClauses, keptClauses
	}
	root, err := parseJSON(opt.Name, src)
	if err != nil {
		return nil, err
	}
	if root.kind != kindObject && root.kind != kindBool {
		return nil, &SchemaError{"/", "a schema is an object, true or false"}
	}
	c, err := compileWith(ctx, root, opt, 0)
	first, firstErr := c, err
	for thrift := 1; err != nil && c.couldBeSmaller(err) && thrift <= maxThrift; thrift++ {
		c, err = compileWith(ctx, root, opt, thrift)
	}
	if err != nil { // what stood in the way at first is what can be done something about
		c, err = first, firstErr
	}
	if c == nil {
		return nil, err
	}
	c.g.SHA256 = sha256.Sum256(src)
	c.coverRefused(err)
	result := &Result{Grammar: c.g, Coverage: c.report()}
	if err != nil {
		result.Grammar = nil
	}
	return result, err
}

// compileWith compiles a document with so much thrift. The compiler is nil if the document is none.
func compileWith(ctx context.Context, root *value, opt Options, thrift int) (*compiler, error) {
	doc, err := newDocument(root)
	if err != nil {
		return nil, err
	}
	c := newCompiler(ctx, doc, opt)
	c.thrift = thrift
	return c, c.compile()
}

func newCompiler(ctx context.Context, doc *document, opt Options) *compiler {
	return &compiler{
		ctx: ctx, opt: opt, kept: opt.Kept, doc: doc, coverage: map[string]*Coverage{}, leaving: map[string]string{}, answers: map[string]bool{}, explained: map[string]bool{},
		formulas: map[refKind]*formula{}, memo: map[refKind]*caseList{}, literals: map[string]*literal{},
		mostPairs: maxPairs, heeding: map[*node]bool{}, constants: map[*value]ref{}, patterns: map[string]*language{},
		alike: map[*node]*node{}, byText: map[string]*node{},
		languages: map[string]clauseText{},
		g:         &grammar.Grammar{Name: opt.Name, Lexer: grammar.LexAll, Conflicts: grammar.KeepConflicts},
		goals:     map[string]*goal{}, fixed: map[string]grammar.Symbol{}, keys: map[string]grammar.Symbol{},
		byAutomaton: map[*automata.DFA]grammar.Symbol{}, byExpr: map[*automata.Expr]grammar.Symbol{}, commaSymbol: -1, colonSymbol: -1,
	}
}

func (c *compiler) compile() error {
	root := c.simple(c.doc.byValue[c.doc.root])
	start, ok := c.goalOf([]ref{root})
	if !ok {
		return &ContradictionError{"/", "it is the schema false"}
	}
	if err := c.emit(); err != nil {
		return err
	}
	c.g.Start = start.nt
	c.derives = productiveSymbols(c.g)
	if !trim(c.g, c.derives) {
		if c.dropped {
			return refusal("what is enforced narrowly has no instance", "the coverage says which keywords leave cases out").at(nil, "")
		}
		return c.contradiction([]ref{root})
	}
	if c.opt.WhiteSpace == AnySpace {
		c.g.Terminals = append(c.g.Terminals, grammar.TerminalDef{Name: "white_space", Expr: texts()[whiteSpace], Source: whiteSpace, Ignored: true})
	}
	return c.g.Validate()
}

// separator is the terminal of a comma or colon, given as text and as the pattern that allows a
// space.
func (c *compiler) separator(s *grammar.Symbol, name, text, spaced string) grammar.Symbol {
	if *s < 0 {
		if c.opt.WhiteSpace == AnySpace {
			*s = c.literalTerminal(text)
		} else {
			*s = c.patternTerminal(name, spaced)
		}
	}
	return *s
}

func (c *compiler) comma() grammar.Symbol {
	return c.separator(&c.commaSymbol, "comma", ",", spacedComma)
}

func (c *compiler) literalColon() grammar.Symbol {
	return c.separator(&c.colonSymbol, "colon", ":", spacedColon)
}

// emitNested writes the rules for arrays or objects.
func (c *compiler) emitNested(g *goal, clauses []clause, k jsonKind) error {
	clauses = slices.DeleteFunc(slices.Clone(clauses), func(x clause) bool { return !c.alive(x, k, 1) })
	if k == kindObject {
		return c.emitObjects(g.nt, clauses)
	}
	for _, x := range clauses {
		if err := c.emitArray(g.nt, x); err != nil {
			return err
		}
	}
	return nil
}
