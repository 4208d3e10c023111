package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// How the text of a JSON schema becomes a problem, or an outcome with a reason.
//
// The grammar of a schema is compiled once for all algorithms that take all of its rules, and once
// for all that have them written on demand, timed, and under the guard, because a schema is input
// like any other. The lexer of a schema is built on demand, and so are rules and tables: the first
// algorithm that asks for them pays. So that no algorithm runs on what another one built, each
// compile of an algorithm gets a grammar and a recognizer of its own, made outside of all timed
// regions.

// schemaOptions are the options in the form that results record.
func schemaOptions(o *config.SchemaOptions) *cell.SchemaOptions {
	if o == nil {
		return nil
	}
	out := &cell.SchemaOptions{WhiteSpace: "strict", Order: "any", Lenient: o.Lenient}
	if o.AnyWhiteSpace {
		out.WhiteSpace = "any"
	}
	if o.DeclaredOrder {
		out.Order = "declared"
	}
	return out
}

// CompilerOptions are the options of a schema corpus for package jsonschema; its defaults for nil.
func CompilerOptions(o *cell.SchemaOptions) (out jsonschema.Options) {
	if o == nil {
		return out
	}
	out.AnyOrder, out.Lenient = o.Order == "any", o.Lenient
	if o.WhiteSpace == "any" {
		out.WhiteSpace = jsonschema.AnySpace
	}
	return out
}

// SourceOptions are the options of a schema corpus for engines from outside; nil for nil.
func SourceOptions(o *cell.SchemaOptions) map[string]string {
	if o == nil {
		return nil
	}
	return map[string]string{"whitespace": o.WhiteSpace, "order": o.Order, "lenient": fmt.Sprint(o.Lenient)}
}

// schemasSum is the SHA-256 of the texts of all schemas and of the options they are compiled with:
// the grammar's part of a cell's ID.
func schemasSum(o *config.SchemaOptions, schemas []*datasets.Schema) string {
	h := sha256.New()
	text, err := json.Marshal(schemaOptions(o))
	if err != nil {
		panic(err) // plain fields only
	}
	h.Write(text)
	for _, s := range schemas {
		sum := sha256.Sum256(s.Text)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// open makes a unit ready: it compiles the grammar of a schema, as often as times says, and encodes
// its documents. The outcome of a schema that does not compile is in u.shared. The error is ctx's,
// an encoder's, or an abandoned *failure.
func (g *prepared) open(ctx context.Context, u *unit, guard *guard, times int, collect *measure.Collector) error {
	if u.schema == nil {
		return nil
	}
	shared := cell.Problem{ID: u.schema.ID, Group: u.schema.Group, Outcome: cell.OK, Bytes: len(u.schema.Text)}
	u.outside, u.source = shared, g.schemaSource(u.schema)
	if err := g.load(u); err != nil {
		return err
	}
	options := CompilerOptions(schemaOptions(g.workload.Schema))
	options.Name, options.Kept = u.id, g.schemasKeptLate
	u.anyOrder = sync.OnceValue(func() *recognizer.Recognizer { return anyOrderOf(ctx, u.schema, options) })
	late, lateFailed, err := g.timeSchema(ctx, u, guard, times, collect, openText, options)
	if err != nil {
		return err
	}
	options.Kept = g.schemasKept
	whole, failed, err := g.timeSchema(ctx, u, guard, times, collect, compileText, options)
	if err != nil {
		return err
	}
	if failed == nil && whole.Cut && lateFailed == nil { // the one on demand has another language
		failed = &failure{outcome: cell.Unsupported, detail: "written whole, the grammar lacks combinations of independent conditions, or orders of keys", reason: "combinations of conditions"}
	}
	if u.shared = whole.problem(shared, failed); failed == nil {
		g.setProblem(u, whole.made)
	}
	if u.late = late.problem(shared, lateFailed); lateFailed == nil {
		u.late.Approximated = u.shared.Approximated
		options.Kept = g.schemasKeptLate
		g.setLate(u, late.made, options)
	}
	for _, f := range []*failure{failed, lateFailed} {
		if f != nil && f.abandoned {
			return f
		}
	}
	return nil
}

// anyOrderOf is a schema's grammar with keys in any order; nil if it has none, or if the schema's
// own is that one.
func anyOrderOf(ctx context.Context, s *datasets.Schema, options jsonschema.Options) *recognizer.Recognizer {
	if options.AnyOrder {
		return nil
	}
	options.AnyOrder = true
	_, r, err := compileSchema(ctx, openText, s, options)
	if err != nil {
		return nil
	}
	return r
}

// A schemaCompile is a compiled schema, and what its compiles took.
type schemaCompile struct {
	*jsonschema.Result
	made *recognizer.Recognizer
	took []int64 // ns
}

// A schemaCompiler is jsonschema.Compile or jsonschema.Open.
type schemaCompiler func(context.Context, []byte, jsonschema.Options) (*jsonschema.Result, error)

// timeSchema compiles a schema some times. The failure is the schema's, the error ctx's or that of
// the machinery.
func (g *prepared) timeSchema(ctx context.Context, u *unit, guard *guard, times int, collect *measure.Collector, compile schemaCompiler, options jsonschema.Options) (*schemaCompile, *failure, error) {
	var last *schemaCompile
	var took []int64
	for range times {
		end := collect.Off()
		one, err := callFor(ctx, guard, "the grammar of "+u.id, func(ctx context.Context) (*schemaCompile, error) {
			_, release := environment.Pin()
			defer release()
			begin := environment.Now()
			r, made, err := compileSchema(ctx, compile, u.schema, options)
			return &schemaCompile{r, made, []int64{(environment.Now() - begin).Nanoseconds()}}, err
		})
		end()
		var failed *failure
		switch {
		case errors.As(err, &failed):
			return nil, failed, nil
		case err != nil:
			return nil, nil, err
		}
		last, took = one, append(took, one.took...)
	}
	last.took = took
	return last, nil, nil
}

// problem is the record of a compile.
func (c *schemaCompile) problem(shared cell.Problem, failed *failure) cell.Problem {
	if failed != nil {
		return failedProblem(shared, failed, cell.StageGrammar)
	}
	shared.GrammarNS = c.took
	for _, k := range c.Coverage {
		shared.Approximated += boolToInt(k.Status == jsonschema.Narrower || k.Status == jsonschema.Wider)
	}
	shared.Rules, shared.Terminals, shared.LRStates = len(c.made.Grammar.Rules), len(c.made.Grammar.Terminals), c.made.Tables.NumStates()
	return shared
}

// setLate enters a grammar whose rules are written on demand. It is the unit's problem as well
// where the whole grammar is too large.
func (g *prepared) setLate(u *unit, r *recognizer.Recognizer, options jsonschema.Options) {
	v, s := g.tokenizer.Vocabulary(), u.schema
	u.freshLate = func(ctx context.Context) (*algorithms.Problem, error) {
		_, again, err := compileSchema(ctx, openText, s, options)
		if err != nil {
			return nil, err
		}
		return &algorithms.Problem{Recognizer: again, Vocabulary: v}, nil
	}
	if u.problem == nil {
		u.problem, u.fresh = &algorithms.Problem{Recognizer: r, Vocabulary: v}, u.freshLate
	}
}

// schemaSource is the text of a schema for engines from outside.
func (g *prepared) schemaSource(s *datasets.Schema) *algorithms.Source {
	kind := algorithms.KindSchema
	if s.Grammar != nil {
		kind = algorithms.KindTools
	}
	return &algorithms.Source{Kind: kind, Name: s.ID, Text: s.Text, Tokenizer: g.tokenizer.File(),
		Options: SourceOptions(schemaOptions(g.workload.Schema))}
}

// setProblem enters a compiled grammar.
func (g *prepared) setProblem(u *unit, r *recognizer.Recognizer) {
	v := g.tokenizer.Vocabulary()
	u.problem = &algorithms.Problem{Recognizer: r, Vocabulary: v}
	u.fresh = func(ctx context.Context) (*algorithms.Problem, error) {
		again, err := tables(ctx, r.Grammar)
		if err != nil {
			return nil, err
		}
		return &algorithms.Problem{Recognizer: again, Vocabulary: v}, nil
	}
}

// compileText is jsonschema.Compile, and openText jsonschema.Open. Tests of time limits replace
// them.
var compileText, openText schemaCompiler = jsonschema.Compile, jsonschema.Open

// compileSchema goes from the text of a schema to a recognizer. Its errors are
// *failure, or ctx's.
func compileSchema(ctx context.Context, compile schemaCompiler, s *datasets.Schema, opt jsonschema.Options) (*jsonschema.Result, *recognizer.Recognizer, error) {
	text := s.Text
	if s.Grammar != nil {
		compile, text = compileRequest, s.Grammar
	}
	r, err := compile(ctx, text, opt)
	if err != nil {
		return nil, nil, schemaFailure(ctx, err)
	}
	made, err := tables(ctx, r.Grammar)
	return r, made, err
}

// compileRequest reads the grammar of a request with tools.
func compileRequest(ctx context.Context, text []byte, opt jsonschema.Options) (*jsonschema.Result, error) {
	g, err := tools.ParseLark(ctx, opt.Name, text)
	return &jsonschema.Result{Grammar: g}, err
}

// tables compiles the grammar of a schema. Its errors are those of compileSchema: a grammar made by
// package jsonschema can only be too large.
func tables(ctx context.Context, g *grammar.Grammar) (*recognizer.Recognizer, error) {
	r, err := recognizer.New(ctx, g, recognizer.Options{OnDemand: true})
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, &failure{outcome: cell.Unsupported, detail: err.Error(), reason: class("tables: " + err.Error())}
}

// schemaFailure turns an error of package jsonschema into an outcome with a reason.
func schemaFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err // a limit of the guard, or an interruption
	}
	var unsupported *jsonschema.UnsupportedError
	var syntax *jsonschema.SyntaxError
	var schema *jsonschema.SchemaError
	var ref *jsonschema.RefError
	f := &failure{outcome: cell.CompileError, detail: err.Error(), reason: class(err.Error())}
	switch {
	case errors.As(err, &unsupported):
		f.outcome, f.reason = cell.Unsupported, class(unsupported.Reason)
		if unsupported.Keyword != "" {
			f.reason = unsupported.Keyword + ": " + f.reason
		}
	case errors.As(err, &syntax):
		f.reason = "not JSON"
	case errors.As(err, &schema):
		f.reason = "not a schema"
	case errors.As(err, &ref):
		f.reason = "unresolvable $ref"
	case errors.Is(err, jsonschema.ErrContradiction):
		f.reason = "contradiction"
	}
	return f
}

// quoted matches the parts of a message that quote its schema.
var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// class is the part of a message that is the same for all messages of its kind: its first line,
// without quotations.
func class(message string) string {
	const longest = 100 // characters; a row of a table
	message, _, _ = strings.Cut(message, "\n")
	message = quoted.ReplaceAllString(message, `"..."`)
	if r := []rune(message); len(r) > longest {
		message = string(r[:longest]) + "..."
	}
	return message
}

// failedProblem is a problem whose compile failed.
func failedProblem(p cell.Problem, f *failure, stage string) cell.Problem {
	p.Outcome, p.Detail, p.Stage, p.Reason = f.outcome, f.detail, stage, f.why()
	p.GrammarNS, p.CompileNS, p.FirstMaskNS, p.Outside = nil, nil, nil, nil
	return p
}

// failureOf is the failure behind a problem's outcome.
func failureOf(p *cell.Problem) *failure {
	return &failure{outcome: p.Outcome, detail: p.Detail, reason: p.Reason}
}

// refusesValid reports whether a valid document was refused.
func refusesValid(s *cell.Sample) bool { return s.Outcome == cell.WrongVerdict && !s.Negative }
