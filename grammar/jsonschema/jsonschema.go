// Package jsonschema compiles JSON Schema documents, drafts 4 to 2020-12, to grammars.
//
// # What it is
//
// A schema is a set of JSON values; the grammar is the set of their texts. The way from one to the
// other begins with jsontext, which reads the document, and has stages, each a type. From
// languages on a type embeds the one of the stage before it:
//
//	document    load.go                  values -> schemas, with identifiers and references
//	            library.go           other documents
//	            warnings.go          what their authors may not have meant
//	            metaschemas.go       those of schemas, which are always there
//	            dynamic.go           what dynamic references lead to
//	            schemas.go               equal schemas, and schemas that are in no document
//	ledger      coverage.go, budget.go   what became of keywords; how much of a grammar is kept
//	languages   scalars.go, numbers.go, strings.go, finite.go, language.go
//	                                     clauses about numbers and strings as automata
//	normalizer  keywords.go              the table of keywords, with the handler of each:
//	                                     values.go, structure.go, logic.go, switch.go,
//	                                     unevaluated.go
//	            formula.go               of one kind of value a schema is a formula over literals
//	            clauses.go, combine.go   formulas in disjunctive normal form
//	            scope.go                 what is assumed of the value meanwhile
//	            alive.go, presence.go    clauses without instances
//	            discriminate.go          branches of oneOf that a value tells apart
//	            shape.go, split.go       the keys of a clause about objects
//	            enumerate.go             the values of a schema that has few
//	emitter     emit.go                  goals: conjunctions of schemas, each with a nonterminal
//	            arrays.go, unique.go     rules of arrays, by way of members.go
//	            objects.go, demands.go   rules of objects, by way of members.go
//	            anyorder.go, roles.go
//	                                     the same with keys in any order
//	            writer.go, trim.go       the grammar's rules and terminals
//	onDemand    ondemand.go              the rules of a goal when a parser first predicts it
//	            foreseeable.go           what the keywords tell without normal forms
//	explainer   contradiction.go         why there is no instance
//	            blame.go                 why a text is none
//
// Packages below internal know nothing of schemas: pattern (regular expressions of ECMA-262),
// format, number, quoted (JSON text of strings) and dfa. Kept (kept.go) has automata for the next
// compile, constants.go those that never change.
//
// Because a formula can be negated, allOf, anyOf, oneOf, not, if and the dependencies need no
// cases of their own: oneOf is a disjunction of each branch without the others that it overlaps.
// Recursion stays recursion: a nonterminal stands for a conjunction of (possibly negated) schemas.
// There are finitely many.
//
// # What it promises
//
// Without Options.Lenient no text is accepted that the schema refuses. What cannot be expressed is
// an *UnsupportedError with its place. Right texts may be refused, always for one of these
// reasons:
//
//   - a keyword that the coverage reports as narrower, with why: of constrained numbers, those with
//     an exponent after a long mantissa, for example;
//   - the order of keys: those of properties first, in the order of the schema, then those that are
//     only required, then all others (Options.AnyOrder lifts this, as far as anyorder.go says);
//   - a declared key that occurs twice, which is refused (with Options.AnyOrder only a key that is
//     required or counted); other keys are taken to occur once, which matters to minProperties;
//   - in languages whose automaton is large, \u escapes, which the coverage says (quoted.Spelling);
//   - a lone surrogate in an escape, which denotes no character;
//   - white space other than Options.WhiteSpace allows.
//
// # What bounds it
//
// Normal forms and products of automata are exponential in the worst case, so everything that
// multiplies is counted: alternatives (maxClauses), steps of combining them (maxPairs),
// rules (maxRules), keys (maxKeys), lengths (automata.DFA.MostCounted), items (maxCounted),
// remainders (package number), nesting (maxDepth) and automata (dfa.Limits). Where there is
// too much, the language is narrowed if that is sound, and reported; else it is an
// *UnsupportedError. Where rules are written on demand, each goal has the limits for itself, and
// finds nothing that another goal made while it came near one: what it accepts depends neither on
// the order in which a text asks for goals, nor on what was compiled before.
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
// by Prepare or by the first schema that needs it.
//
// Where drafts differ, $schema decides.
//
// Source: the specifications at json-schema.org, and RFC 8259 for the text.
package jsonschema

import (
	"context"
	"crypto/sha256"
	"errors"

	"gcdbench/grammar"
	"gcdbench/internal/jsontext"
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
	// URI is what the document is called, as references to it and from it see it, unless an
	// identifier says so; it may be empty, or a path.
	URI string
	// Library has the other documents that references may lead to; nil for none.
	Library *Library
	// WhiteSpace is where texts may have white space.
	WhiteSpace WhiteSpace
	// AnyOrder lets the keys of objects come in any order, as long as the grammar stays small: it
	// grows with the keys that are required (anyorder.go). Keys that nothing depends on may repeat
	// then.
	AnyOrder bool
	// Lenient compiles what is not supported as if it were not there, and reports it as wider.
	Lenient bool
	// LooseOrder neither orders nor counts keys, nor asks for required ones, so that invalid texts
	// are accepted too. It answers one question: a valid text that is refused without it and
	// accepted with it was refused for the order of its keys, or for one that it repeats. The
	// grammar has a rule for each key instead of states between them, so compiling takes no
	// longer.
	LooseOrder bool
	// Kept is what this compile has in common with others, which find it there; nil if there are no
	// others.
	Kept *Kept
	// Batch is how many rules Open writes at least, before a text comes to others; 0 is 200.
	Batch int

	// maxClauses and keptClauses are the limits of those names; tests make them small.
	maxClauses, keptClauses int
}

// OptionsOf are the options that say what language a schema has, out of a map: whitespace (any),
// order (any), lenient (true). Whatever else they are there means the usual.
func OptionsOf(m map[string]string) Options {
	o := Options{AnyOrder: m["order"] == "any", Lenient: m["lenient"] == "true"}
	if m["whitespace"] == "any" {
		o.WhiteSpace = AnySpace
	}
	return o
}

// A Result is a compiled schema.
type Result struct {
	Grammar *grammar.Grammar
	// Coverage has every keyword that constrains, schema by schema, a schema before those inside
	// it.
	Coverage []Coverage
	// Cut tells that combinations of independent conditions were left out for their number. The
	// grammar of Open, whose rules are written on demand, has them.
	Cut bool
	doc *document
}

// Warnings are about keywords that are there twice, or that the draft does not have: each begins
// with a JSON pointer.
func (r *Result) Warnings() []string { return r.doc.warnings() }

// Compile compiles a schema document. Errors are *SyntaxError (not JSON), *SchemaError (not a
// schema), *RefError, *UnsupportedError, ErrContradiction, or ctx's. The result is not nil if
// there is a coverage to report, also when there is an error.
func Compile(ctx context.Context, src []byte, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	root, err := parseSchema(opt, src)
	if err != nil {
		return nil, err
	}
	c, err := compileAt(ctx, root, opt, 0)
	if c == nil {
		return nil, err
	}
	smaller, failed := c, err
	for level := 1; failed != nil && level <= lastLevel && smaller.couldBeSmaller(failed); level++ {
		if smaller, failed = compileAt(ctx, root, opt, level); failed == nil {
			c, err = smaller, nil // else the first error says what can be done
		}
	}
	c.g.SHA256 = sha256.Sum256(src)
	c.coverRefused(err)
	result := &Result{Grammar: c.g, Coverage: c.report(c.doc, err != nil && !errors.Is(err, ErrContradiction)), Cut: c.cut || c.budget.level > 0, doc: c.doc}
	if err != nil {
		result.Grammar = nil
	}
	return result, err
}

// withDefaults has what is left out filled in.
func (opt Options) withDefaults() Options {
	if opt.Name == "" {
		opt.Name = "schema"
	}
	if opt.Kept == nil {
		opt.Kept = NewKept()
	}
	if opt.Batch == 0 {
		opt.Batch = defaultBatch
	}
	if opt.maxClauses == 0 {
		opt.maxClauses, opt.keptClauses = maxClauses, keptClauses
	}
	return opt
}

// parseSchema reads the text of a schema.
func parseSchema(opt Options, src []byte) (*jsontext.Value, error) {
	root, err := jsontext.Parse(opt.Name, src)
	if err == nil && root.Kind != jsontext.Object && root.Kind != jsontext.Bool {
		return nil, &SchemaError{"/", "a schema is an object, true or false"}
	}
	return root, err
}

// compileAt compiles a document on a level of budget. The emitter is nil if the document is none.
func compileAt(ctx context.Context, root *jsontext.Value, opt Options, level int) (*emitter, error) {
	doc, err := newDocument(root, opt)
	if err != nil {
		return nil, err
	}
	c := newEmitter(ctx, doc, opt)
	c.budget.level = level
	return c, c.compile()
}

func newEmitter(ctx context.Context, doc *document, opt Options) *emitter {
	l := &languages{
		ledger: &ledger{opt: opt, coverage: map[string]*Coverage{}, leaving: map[string]string{}},
		kept:   opt.Kept, patterns: map[string]*language{}, clauses: map[string]clauseText{},
	}
	n := &normalizer{
		languages: l, ctx: ctx, doc: doc, shared: newFindings(), own: newFindings(), making: map[caseKey]bool{},
		literals: map[string]*literal{}, heeding: map[*node]bool{}, asked: map[[2]*literal][]string{},
	}
	return &emitter{normalizer: n, writer: newWriter(opt), goals: map[string]*goal{}}
}

func (c *emitter) compile() error {
	root := c.doc.start()
	start, ok := c.goalOf([]ref{root})
	if !ok {
		return &ContradictionError{"/", "it is the schema false"}
	}
	if err := c.emit(); err != nil {
		return err
	}
	c.g.Start = start.nt
	derives := make([]bool, len(c.g.Nonterminals))
	spread(c.g.Rules, derives)
	if !trim(c.g, derives) {
		if c.dropped {
			return refusal("what is enforced narrowly has no instance", "the coverage says which keywords leave cases out").at(nil, "")
		}
		return (&explainer{emitter: c, derives: derives, explained: map[string]bool{}}).contradiction([]ref{root})
	}
	if c.anySpace {
		c.g.Terminals = append(c.g.Terminals, whiteSpaceTerminal())
	}
	return c.g.Validate()
}

func whiteSpaceTerminal() grammar.TerminalDef {
	return grammar.TerminalDef{Name: "white_space", Expr: texts()[whiteSpace], Source: whiteSpace, Ignored: true}
}
