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
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/recognizer"
)

// How the text of a JSON schema becomes a problem, or an outcome with a reason.
//
// The grammar of a schema is compiled once for all algorithms, timed, and under the guard, because
// a schema is input like any other. The lexer of a schema is built on demand: the first algorithm
// that asks for a state pays for it. So that no algorithm runs on states that another one built,
// each compile of an algorithm gets a recognizer of its own, made outside of all timed regions.

// schemaOptions are the options in the form that results record.
func schemaOptions(o *config.SchemaOptions) *cell.SchemaOptions {
	if o == nil {
		return nil
	}
	out := &cell.SchemaOptions{WhiteSpace: "strict", Order: "declared", Lenient: o.Lenient}
	if o.AnyWhiteSpace {
		out.WhiteSpace = "any"
	}
	if o.AnyOrder {
		out.Order = "any"
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
	type compiled struct {
		*jsonschema.Result
		made *recognizer.Recognizer
		took time.Duration
	}
	options := CompilerOptions(schemaOptions(g.workload.Schema))
	options.Name, options.Kept = u.id, g.schemasKept
	var last compiled
	for range times {
		end := collect.Off()
		one, err := callFor(ctx, guard, "the grammar of "+u.id, func(ctx context.Context) (compiled, error) {
			_, release := environment.Pin()
			defer release()
			begin := environment.Now()
			r, made, err := compileSchema(ctx, u.schema, options)
			return compiled{r, made, environment.Now() - begin}, err
		})
		end()
		var failed *failure
		switch {
		case errors.As(err, &failed):
			u.shared, u.problem = failedProblem(shared, failed, cell.StageGrammar), nil
			if failed.abandoned {
				return failed
			}
			return nil
		case err != nil:
			return err
		}
		last = one
		shared.GrammarNS = append(shared.GrammarNS, last.took.Nanoseconds())
	}
	made := last.made
	for _, c := range last.Coverage {
		shared.Approximated += boolToInt(c.Status == jsonschema.Narrower || c.Status == jsonschema.Wider)
	}
	shared.Rules, shared.Terminals, shared.LRStates = len(made.Grammar.Rules), len(made.Grammar.Terminals), made.Tables.NumStates()
	u.shared = shared
	g.setProblem(u, made)
	return nil
}

// schemaSource is the text of a schema for engines from outside.
func (g *prepared) schemaSource(s *datasets.Schema) *algorithms.Source {
	return &algorithms.Source{Kind: algorithms.KindSchema, Name: s.ID, Text: s.Text, Tokenizer: g.tokenizer.File(),
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

// compileText is jsonschema.Compile. Tests of time limits replace it.
var compileText = jsonschema.Compile

// compileSchema goes from the text of a schema to a recognizer. Its errors are
// *failure, or ctx's.
func compileSchema(ctx context.Context, s *datasets.Schema, opt jsonschema.Options) (*jsonschema.Result, *recognizer.Recognizer, error) {
	r, err := compileText(ctx, s.Text, opt)
	if err != nil {
		return nil, nil, schemaFailure(ctx, err)
	}
	made, err := tables(ctx, r.Grammar)
	return r, made, err
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
