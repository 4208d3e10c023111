package prepare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/tools"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/stats"
)

// How the text of a JSON schema becomes a problem, or an outcome with a reason.
//
// The grammar of a schema is compiled once for all algorithms that take all of its rules, and once
// for all that have them written on demand, timed, and under the guard, because a schema is input
// like any other. The lexer of a schema is built on demand, and so are rules and tables: the first
// algorithm that asks for them pays. So that no algorithm runs on what another one built, each
// compile of an algorithm gets a grammar and a recognizer of its own, made outside of all timed
// regions.

// SchemaOptions are the options in the form that results record.
func SchemaOptions(o *config.SchemaOptions) *cell.SchemaOptions {
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
	text, err := json.Marshal(SchemaOptions(o))
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

// Narrower is why a schema's grammar that is written whole, and cut for that
// (jsonschema.Result.Cut), does not stand for the one on demand: it has another language.
func Narrower() *bounds.Failure {
	return &bounds.Failure{Outcome: cell.Unsupported, Detail: "written whole, the grammar lacks combinations of independent conditions, or orders of keys", Reason: "combinations of conditions"}
}

// Open makes a unit ready: it compiles the grammar of a schema, as often as times says, and encodes
// its documents. The outcome of a schema that does not compile is in u.shared. The error is ctx's,
// an encoder's, or an abandoned *failure.
func (g *Prepared) Open(ctx context.Context, u *Unit, guard *bounds.Guard, times int, collect *measure.Collector) error {
	if u.Schema == nil {
		return nil
	}
	shared := cell.Problem{ID: u.Schema.ID, Group: u.Schema.Group, Outcome: cell.OK, Bytes: len(u.Schema.Text)}
	u.outside, u.GrammarSource = shared, g.SchemaSource(u.Schema)
	if err := g.load(u); err != nil {
		return err
	}
	options := CompilerOptions(SchemaOptions(g.Workload.Schema))
	options.Name, options.Kept = u.ID, g.SchemasKeptLate
	u.AnyOrder = sync.OnceValue(func() *recognizer.Recognizer { return anyOrderOf(ctx, u.Schema, options) })
	late, lateFailed, err := g.timeSchema(ctx, u, guard, times, collect, OpenText, options)
	if err != nil {
		return err
	}
	options.Kept = g.SchemasKept
	whole, failed, err := g.timeSchema(ctx, u, guard, times, collect, CompileText, options)
	if err != nil {
		return err
	}
	if failed == nil && whole.Cut && lateFailed == nil { // the one on demand has another language
		failed = Narrower()
	}
	if u.Shared = whole.problem(shared, failed); failed == nil {
		g.setProblem(u, whole.made)
	}
	if u.late = late.problem(shared, lateFailed); lateFailed == nil {
		u.late.Approximated = u.Shared.Approximated
		options.Kept = g.SchemasKeptLate
		g.setLate(u, late.made, options)
	}
	for _, f := range []*bounds.Failure{failed, lateFailed} {
		if f != nil && f.Abandoned {
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
	_, r, err := CompileSchema(ctx, OpenText, s, options)
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

// A SchemaCompiler is jsonschema.Compile or jsonschema.Open.
type SchemaCompiler func(context.Context, []byte, jsonschema.Options) (*jsonschema.Result, error)

// timeSchema compiles a schema some times. The failure is the schema's, the error ctx's or that of
// the machinery.
func (g *Prepared) timeSchema(ctx context.Context, u *Unit, guard *bounds.Guard, times int, collect *measure.Collector, compile SchemaCompiler, options jsonschema.Options) (*schemaCompile, *bounds.Failure, error) {
	jsonschema.PrepareFor(u.Schema.Text)
	var last *schemaCompile
	var took []int64
	for range times {
		end := collect.Off()
		one, err := bounds.CallFor(ctx, guard, "the grammar of "+u.ID, func(ctx context.Context) (*schemaCompile, error) {
			_, release := environment.Pin()
			defer release()
			begin := environment.Now()
			r, made, err := CompileSchema(ctx, compile, u.Schema, options)
			return &schemaCompile{r, made, []int64{(environment.Now() - begin).Nanoseconds()}}, err
		})
		end()
		var failed *bounds.Failure
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
func (c *schemaCompile) problem(shared cell.Problem, failed *bounds.Failure) cell.Problem {
	if failed != nil {
		return FailedProblem(shared, failed, cell.StageGrammar)
	}
	shared.GrammarNS = c.took
	for _, k := range c.Coverage {
		shared.Approximated += stats.Truth(k.Status == jsonschema.Narrower || k.Status == jsonschema.Wider)
	}
	shared.Rules, shared.Terminals, shared.LRStates = len(c.made.Grammar.Rules), len(c.made.Grammar.Terminals), c.made.Tables.NumStates()
	return shared
}

// setLate enters a grammar whose rules are written on demand. It is the unit's problem as well
// where the whole grammar is too large, and of a request with tools, which is only written so: two
// recognizers must not have rules written by one grammar.
func (g *Prepared) setLate(u *Unit, r *recognizer.Recognizer, options jsonschema.Options) {
	v, s := g.LoadedTokenizer.Vocabulary(), u.Schema
	u.freshLate = func(ctx context.Context) (*algorithms.Problem, error) {
		_, again, err := CompileSchema(ctx, OpenText, s, options)
		if err != nil {
			return nil, err
		}
		return &algorithms.Problem{Recognizer: again, Vocabulary: v}, nil
	}
	if u.SharedProblem == nil || s.Grammar != nil {
		u.SharedProblem, u.fresh = &algorithms.Problem{Recognizer: r, Vocabulary: v}, u.freshLate
	}
}

// SchemaSource is the text of a schema for engines from outside.
func (g *Prepared) SchemaSource(s *datasets.Schema) *algorithms.Source {
	kind := algorithms.KindSchema
	if s.Grammar != nil {
		kind = algorithms.KindTools
	}
	return &algorithms.Source{Kind: kind, Name: s.ID, Text: s.Text, Tokenizer: g.LoadedTokenizer.File(),
		Options: SourceOptions(SchemaOptions(g.Workload.Schema))}
}

// setProblem enters a compiled grammar.
func (g *Prepared) setProblem(u *Unit, r *recognizer.Recognizer) {
	v := g.LoadedTokenizer.Vocabulary()
	u.SharedProblem = &algorithms.Problem{Recognizer: r, Vocabulary: v}
	u.fresh = func(ctx context.Context) (*algorithms.Problem, error) {
		again, err := tables(ctx, r.Grammar)
		if err != nil {
			return nil, err
		}
		return &algorithms.Problem{Recognizer: again, Vocabulary: v}, nil
	}
}

// CompileText is jsonschema.Compile, and OpenText jsonschema.Open. Tests of time limits replace
// them.
var CompileText, OpenText SchemaCompiler = jsonschema.Compile, jsonschema.Open

// CompileSchema goes from the text of a schema to a recognizer. Its errors are
// *failure, or ctx's.
func CompileSchema(ctx context.Context, compile SchemaCompiler, s *datasets.Schema, opt jsonschema.Options) (*jsonschema.Result, *recognizer.Recognizer, error) {
	text := s.Text
	if s.Grammar != nil {
		compile, text = compileRequest, s.Grammar
	}
	r, err := compile(ctx, text, opt)
	if err != nil {
		return nil, nil, SchemaFailure(ctx, err)
	}
	made, err := tables(ctx, r.Grammar)
	return r, made, err
}

// compileRequest reads the grammar of a request with tools.
func compileRequest(ctx context.Context, text []byte, opt jsonschema.Options) (*jsonschema.Result, error) {
	g, err := tools.ParseLark(ctx, opt.Name, text, opt.Kept)
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
	return nil, &bounds.Failure{Outcome: cell.Unsupported, Detail: err.Error(), Reason: bounds.Class("tables: " + err.Error())}
}

// SchemaFailure turns an error of package jsonschema into an outcome with a reason.
func SchemaFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err // a limit of the guard, or an interruption
	}
	var unsupported *jsonschema.UnsupportedError
	var syntax *jsonschema.SyntaxError
	var schema *jsonschema.SchemaError
	var ref *jsonschema.RefError
	f := &bounds.Failure{Outcome: cell.CompileError, Detail: err.Error(), Reason: bounds.Class(err.Error())}
	switch {
	case errors.As(err, &unsupported):
		f.Outcome, f.Reason = cell.Unsupported, bounds.Class(unsupported.Reason)
		if unsupported.Keyword != "" {
			f.Reason = unsupported.Keyword + ": " + f.Reason
		}
	case errors.As(err, &syntax):
		f.Reason = "not JSON"
	case errors.As(err, &schema):
		f.Reason = "not a schema"
	case errors.As(err, &ref):
		f.Reason = "unresolvable $ref"
	case errors.Is(err, jsonschema.ErrContradiction):
		f.Reason = "contradiction"
	}
	return f
}

// FailedProblem is a problem whose compile failed.
func FailedProblem(p cell.Problem, f *bounds.Failure, stage string) cell.Problem {
	p.Outcome, p.Detail, p.Stage, p.Reason = f.Outcome, f.Detail, stage, f.Why()
	p.GrammarNS, p.CompileNS, p.FirstMaskNS, p.Outside = nil, nil, nil, nil
	return p
}

// FailureOf is the failure behind a problem's outcome.
func FailureOf(p *cell.Problem) *bounds.Failure {
	return &bounds.Failure{Outcome: p.Outcome, Detail: p.Detail, Reason: p.Reason}
}

// RefusesValid reports whether a valid document was refused.
func RefusesValid(s *cell.Sample) bool { return s.Outcome == cell.WrongVerdict && !s.Negative }
