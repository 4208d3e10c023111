package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/internal/special"
)

// A command that takes a grammar tells its kind by the name: an embedded grammar, a .lark file, or
// a JSON schema with the ending .json. The flags here are the options of either.

// grammarHelp is the help of every flag and argument that names a grammar.
const grammarHelp = "a grammar's name (gcdbench list grammars), a .lark, .gbnf or .ebnf file, or a JSON schema (.json)"

// errNoGrammar is the error of a command that needs one.
var errNoGrammar = errors.New("which grammar? --grammar takes " + grammarHelp)

// schemaFlags say how a JSON schema becomes a grammar.
type schemaFlags struct {
	space             string
	anyOrder, lenient bool
	files             []string            // URI=PATH of schemas that others may refer to
	folder            string              // of such schemas
	shared            *jsonschema.Library // those that are read, unless one of them is what is compiled
	given             func(flag string) bool
	ahead             bool // build all of the lexer: for what visits every state of it
	timeout           time.Duration
	kept              *jsonschema.Kept // what the schemas of a command have in common; nil for one schema
}

// schemaFlagNames are the flags that only a schema has.
var schemaFlagNames = []string{"whitespace", "any-order", "lenient", "schema-file", "schemas"}

// schemaTimeout is the default time limit of the compile of a schema or grammar: ten times that of
// the slowest real ones, tables included.
const schemaTimeout = time.Minute

// add gives a command the flags.
func (f *schemaFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.space, "whitespace", "strict", "white space in texts of a JSON schema: strict (none, or a space after commas and colons) or any")
	cmd.Flags().BoolVar(&f.anyOrder, "any-order", false, "the keys of a JSON schema's objects come in any order")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "leave out what is not supported of a JSON schema, instead of refusing it")
	cmd.Flags().StringArrayVar(&f.files, "schema-file", nil, "URI=PATH of a JSON schema that references to the URI mean, since none is fetched (may be repeated)")
	cmd.Flags().StringVar(&f.folder, "schemas", "", "a folder of JSON schemas that references mean, by path or identifier")
	cmd.Flags().DurationVar(&f.timeout, "timeout", schemaTimeout, "limit of the grammar's compile; 0 for none")
	f.given = cmd.Flags().Changed
}

// grammarFlags say how a grammar of any kind is read.
type grammarFlags struct {
	schemaFlags
	languages.Options
	special string // how texts are read: "text" or "split"
}

// text is a text from outside as the grammar's lexer reads it: with --special split, the names of
// tokens that the grammar names are these tokens.
func (f *grammarFlags) text(g *grammar.Grammar, text []byte) ([]byte, error) {
	if !slices.Contains([]string{"", "text", "split"}, f.special) {
		return nil, fmt.Errorf("--special %s: expected text or split", f.special)
	}
	return special.Read(text, g.SpecialTokens(), f.special == "split"), nil
}

// add gives a command the flags.
func (f *grammarFlags) add(cmd *cobra.Command) {
	f.schemaFlags.add(cmd)
	f.addReading(cmd)
}

// addReading gives a command those of the flags that only a grammar in Lark's language has.
func (f *grammarFlags) addReading(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Start, "start", "", "the start rule (default start; of a .gbnf or .ebnf file root)")
	cmd.Flags().StringVar(&f.Lexer, "lexer", "", "basic (every terminal is read everywhere), contextual (those that the parser's state takes)\nor dynamic (a text is cut in every way); default: what the grammar says, else basic")
	cmd.Flags().StringVar(&f.special, "special", "text", "names of special tokens in a text are text, or split it and are the tokens")
	cmd.Flags().StringArrayVar(&f.ImportPaths, "import-path", nil,
		"a folder to search imports in before the grammar's own (may be repeated)")
}

// refuse is the error of a flag that does not go with a grammar in Lark's language.
func (f *grammarFlags) refuse(name string) error {
	if slices.Contains(languages.Known(), name) && len(f.ImportPaths) > 0 {
		return fmt.Errorf("--import-path goes with a .lark file; the grammar %q is no file", name)
	}
	return f.schemaFlags.refuse(name)
}

// refuseForSchema is the error of a flag that does not go with a JSON schema.
func (f *grammarFlags) refuseForSchema(name string) error {
	for _, flag := range []string{"start", "lexer", "import-path", "special"} {
		if f.given != nil && f.given(flag) {
			return fmt.Errorf("--%s goes with a grammar in Lark's language, not with the JSON schema %s", flag, name)
		}
	}
	return nil
}

// options are the flags in the form of the schema compiler. name names the schema in messages.
func (f *schemaFlags) options(name string) (jsonschema.Options, error) {
	o := jsonschema.Options{Name: name, AnyOrder: f.anyOrder, Lenient: f.lenient, Kept: f.kept}
	var err error
	if o.URI, o.Library, err = f.library(name); err != nil {
		return o, err
	}
	if f.timeout < 0 {
		return o, badTimeout(f.timeout)
	}
	switch f.space {
	case "strict":
	case "any":
		o.WhiteSpace = jsonschema.AnySpace
	default:
		return o, fmt.Errorf("--whitespace is strict or any, not %q", f.space)
	}
	return o, nil
}

// refuse is the error of a flag of schemas with another kind of grammar.
func (f *schemaFlags) refuse(name string) error {
	for _, flag := range schemaFlagNames {
		if f.given != nil && f.given(flag) {
			return fmt.Errorf("--%s goes with a JSON schema (a file whose name ends in .json), not with the grammar %q", flag, name)
		}
	}
	return nil
}

// isSchema tells a JSON schema by its file's name.
func isSchema(name string) bool { return strings.EqualFold(filepath.Ext(name), ".json") }

// loaded is a grammar ready to read texts, with its compile times.
type loaded struct {
	*recognizer.Recognizer
	schema   *jsonschema.Result // nil unless it is a JSON schema
	source   *algorithms.Source // its text, for engines from outside
	warnings []warning          // oddities of the grammar
	readNS   int64              // from text to grammar
	tablesNS int64              // from grammar to recognizer
}

// load reads a grammar of any kind and builds its lexer and tables. The lexer of a schema is built
// as texts reach its states, unless asked otherwise: terminals that match the same strings make too
// many of them.
func (a *app) load(ctx context.Context, name string, f *grammarFlags) (*loaded, error) {
	if isSchema(name) || f.timeout == 0 { // a schema's compile alone is limited
		return a.loadWithin(ctx, name, f)
	}
	if f.timeout < 0 {
		return nil, badTimeout(f.timeout)
	}
	inside, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	l, err := a.loadWithin(inside, name, f)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w: a terminal or the rules make a large automaton; give it more with --timeout", name, &timeoutError{f.timeout})
	}
	return l, err
}

// badTimeout is the error of a time that is none.
func badTimeout(d time.Duration) error {
	return fmt.Errorf("--timeout %v: expected a time such as 10s, or 0 for no limit", d)
}

// loadWithin is load in the time of its context.
func (a *app) loadWithin(ctx context.Context, name string, f *grammarFlags) (*loaded, error) {
	t0 := time.Now()
	l := &loaded{}
	g, err := a.readGrammar(ctx, l, name, f)
	if err != nil {
		return nil, err
	}
	t1 := time.Now()
	l.Recognizer, err = recognizer.New(ctx, g, recognizer.Options{OnDemand: l.schema != nil && !f.ahead})
	switch {
	// The reasons differ: a lexer that is too large to be built ahead says nothing against the
	// schema as such.
	case err != nil && f.ahead && l.schema != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: unsupported: this needs every state of the schema's lexer: %w", name, err)
	case err != nil && l.schema != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: unsupported: the tables of its grammar are too large; %w", name, err)
	case err != nil:
		return nil, err
	}
	l.readNS, l.tablesNS = t1.Sub(t0).Nanoseconds(), time.Since(t1).Nanoseconds()
	if l.schema == nil {
		err = a.warn(ctx, l)
	}
	return l, err
}

// readGrammar reads a grammar of any kind, without lexer and tables, and notes where it is from.
func (a *app) readGrammar(ctx context.Context, l *loaded, name string, f *grammarFlags) (g *grammar.Grammar, err error) {
	if !isSchema(name) {
		if err := f.refuse(name); err != nil {
			return nil, err
		}
		l.source = &algorithms.Source{Kind: algorithms.KindGrammar, Name: name, Options: f.Options.Map()}
		return languages.LoadWith(ctx, name, f.Options)
	}
	if err := f.refuseForSchema(name); err != nil {
		return nil, err
	}
	if l.schema, l.source, err = a.loadSchema(ctx, name, &f.schemaFlags); err != nil {
		return nil, err
	}
	return l.schema.Grammar, nil
}

// loadSchema reads and compiles a JSON schema. The source is its text, with the options as
// configurations name them.
func (a *app) loadSchema(ctx context.Context, file string, f *schemaFlags) (*jsonschema.Result, *algorithms.Source, error) {
	options, err := f.options(file)
	if err != nil {
		return nil, nil, err
	}
	src, err := a.readInput(file)
	if err != nil {
		return nil, nil, err
	}
	if _, err := tools.Read(file, src); err == nil { // as a schema it would be one that takes any value
		return nil, nil, fmt.Errorf("%s is a request with tools; its grammar is written by: gcdbench tools grammar %[1]s > request.lark", file)
	}
	result, err := compileWithin(ctx, f.timeout, compileSchema, src, options)
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, errors.New(schemaFailureOf(file, src, err).String())
	}
	a.warnOfSchema(file, result)
	given := map[string]string{"whitespace": f.space, "order": "declared", "lenient": strconv.FormatBool(f.lenient)}
	if f.anyOrder {
		given["order"] = "any"
	}
	return result, &algorithms.Source{Kind: algorithms.KindSchema, Name: file, Text: src, Options: given}, nil
}

// warnOfSchema notes what the author of a schema may not have meant.
func (a *app) warnOfSchema(file string, result *jsonschema.Result) {
	if result == nil {
		return
	}
	for _, text := range result.Warnings() {
		a.note("%s: %s", file, text)
	}
}

// A timeoutError says that a compile was abandoned.
type timeoutError struct{ after time.Duration }

// Error says after what time.
func (e *timeoutError) Error() string { return fmt.Sprintf("not compiled after %v", e.after) }

// compileSchema compiles a schema. Where the whole grammar lacks combinations of conditions, the
// grammar is the one whose rules are written on demand.
func compileSchema(ctx context.Context, src []byte, options jsonschema.Options) (*jsonschema.Result, error) {
	result, err := jsonschema.Compile(ctx, src, options)
	if err == nil && result.Cut {
		if late, failed := jsonschema.Open(ctx, src, options); failed == nil {
			result.Grammar = late.Grammar
		}
	}
	return result, err
}

// A compiler is jsonschema.Open, compileSchema and the like.
type compiler func(ctx context.Context, src []byte, options jsonschema.Options) (*jsonschema.Result, error)

// compileWithin compiles a schema in bounded time. A compile that does not check its context is
// abandoned; the command ends soon, and the process with it.
func compileWithin(ctx context.Context, limit time.Duration, compile compiler, src []byte, options jsonschema.Options) (*jsonschema.Result, error) {
	if limit <= 0 {
		return compile(ctx, src, options)
	}
	inside, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		result *jsonschema.Result
		err    error
	}
	done := make(chan outcome, 1) // of one, so that a late compile can end
	go func() {
		result, err := compile(inside, src, options)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		if o.err != nil && errors.Is(o.err, context.DeadlineExceeded) && ctx.Err() == nil {
			o.err = &timeoutError{limit}
		}
		return o.result, o.err
	case <-inside.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &timeoutError{limit}
}

// schemaFailure says why a schema has no grammar: in words, and for scripts in parts.
type schemaFailure struct {
	// Kind is syntax (not JSON), schema (a keyword with a value it cannot have, a bad pattern),
	// reference (a $ref that leads nowhere), unsupported, contradiction (no instance can exist),
	// timeout or other.
	Kind    string `json:"kind"`
	Pointer string `json:"pointer,omitempty"` // JSON pointer of the keyword
	Line    int    `json:"line,omitempty"`    // of a syntax error, or of the keyword's value; from 1
	Column  int    `json:"column,omitempty"`  // in characters, from 1
	Message string `json:"message"`
	// Keyword and Reason say of what is unsupported which keyword it is, if it is one, and why in
	// one of a few fixed texts, to count by. Of a contradiction Reason says which keywords exclude
	// each other, if that is known.
	Keyword string `json:"keyword,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Detail is more about this case: numbers, or what to do instead. Message has it behind the
	// reason.
	Detail string `json:"detail,omitempty"`

	file      string
	lenient   bool // --lenient would leave the keyword out
	elsewhere bool // another file might have the schema that is referred to
}

// Kinds of failures.
const (
	failSyntax        = "syntax"
	failSchema        = "schema"
	failReference     = "reference"
	failUnsupported   = "unsupported"
	failContradiction = "contradiction"
	failTimeout       = "timeout"
	failOther         = "other"
)

// schemaFailureOf takes an error of jsonschema.Compile apart. It looks for the place in the text of
// the schema.
func schemaFailureOf(file string, text []byte, err error) *schemaFailure {
	var syntax *jsonschema.SyntaxError
	var schema *jsonschema.SchemaError
	var reference *jsonschema.RefError
	var unsupported *jsonschema.UnsupportedError
	var contradiction *jsonschema.ContradictionError
	var timeout *timeoutError
	f := &schemaFailure{Kind: failOther, Message: err.Error(), file: file}
	switch {
	case errors.As(err, &syntax):
		f.Kind, f.Line, f.Column, f.Message = failSyntax, syntax.Line, syntax.Column, syntax.Message
	case errors.As(err, &schema):
		f.Kind, f.Pointer, f.Message = failSchema, schema.Pointer, schema.Message
	case errors.As(err, &reference):
		f.elsewhere = reference.Elsewhere
		f.Kind, f.Pointer, f.Message = failReference, reference.Pointer, fmt.Sprintf("cannot resolve the reference %q: %s", reference.Ref, reference.Reason)
	case errors.As(err, &unsupported):
		f.Kind, f.Pointer, f.Message = failUnsupported, unsupported.Pointer, unsupported.Reason
		f.Keyword, f.Reason, f.Detail, f.lenient = unsupported.Keyword, unsupported.Reason, unsupported.Detail, unsupported.Lenient
		if unsupported.Detail != "" {
			f.Message += "; " + unsupported.Detail
		}
	case errors.As(err, &timeout):
		f.Kind = failTimeout
	case errors.As(err, &contradiction):
		f.Kind, f.Pointer, f.Reason = failContradiction, contradiction.Pointer, contradiction.Reason
		f.Message = "no instance can exist: " + contradiction.Reason
	case errors.Is(err, jsonschema.ErrContradiction):
		f.Kind, f.Message = failContradiction, "no instance can exist"
	}
	if f.Pointer == "/" { // as the compiler writes the whole document, whose pointer is ""
		f.Pointer = ""
	}
	if f.Pointer != "" {
		f.Line, f.Column = pointerPlace(text, f.Pointer)
	}
	return f
}

// outcome is the outcome of schema compile for the failure: a text that is no JSON schema is
// invalid.
func (f *schemaFailure) outcome() string {
	switch f.Kind {
	case failUnsupported:
		return schemaUnsupported
	case failContradiction:
		return schemaContradictory
	case failTimeout:
		return schemaTimedOut
	}
	return schemaInvalid
}

// String is the failure in one line: the file, the place in it, and why.
func (f *schemaFailure) String() string {
	s := f.file
	if f.Line > 0 {
		s += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	if o := f.outcome(); o != schemaInvalid {
		s += ": " + o
	}
	if f.Pointer != "" {
		s += ": " + f.Pointer
	}
	s += ": " + f.Message
	if f.elsewhere {
		s += "; --schema-file or --schemas names the file that has it"
	}
	if f.lenient {
		s += " (--lenient leaves it out)"
	}
	return s
}
