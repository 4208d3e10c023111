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

// Schemas: how the text of a JSON schema becomes a problem, and what it is called
// if it does not.
//
// The grammar of a schema is compiled once for all algorithms, timed, and under the
// guard, because a schema is input like any other. The lexer of a schema is built
// on demand: whoever asks it first pays for its states. So that the second
// algorithm does not run on states that the first one built, each compile of an
// algorithm gets a recognizer of its own, made outside of all timed regions.

// schemaOptions are the options as results record them.
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

// compilerOptions are those for package jsonschema.
func (g *prepared) compilerOptions(name string) jsonschema.Options {
	o := g.workload.Schema
	opt := jsonschema.Options{Name: name, Kept: g.schemasKept, AnyOrder: o.AnyOrder, Lenient: o.Lenient}
	if o.AnyWhiteSpace {
		opt.WhiteSpace = jsonschema.AnySpace
	}
	return opt
}

// schemasSum is the grammar's part of a cell's identity: the texts of all schemas
// and how they are compiled.
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

// open makes a unit ready to be measured: it compiles a schema's grammar times over
// and encodes its scripts. A schema that does not compile leaves its outcome in
// u.shared. The error is ctx's, or an encoder's.
func (g *prepared) open(ctx context.Context, u *unit, guard *guard, times int, collect *collector) error {
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
	var last compiled
	for range times {
		end := collect.begin()
		one, err := callFor(ctx, guard, "the grammar of "+u.id, func(ctx context.Context) (compiled, error) {
			_, release := environment.Pin()
			defer release()
			begin := environment.Now()
			r, made, err := compileSchema(ctx, u.schema, g.compilerOptions(u.id))
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

// schemaSource is the text of a schema as engines from outside get it.
func (g *prepared) schemaSource(s *datasets.Schema) *algorithms.Source {
	o := schemaOptions(g.workload.Schema)
	return &algorithms.Source{Kind: algorithms.KindSchema, Name: s.ID, Text: s.Text, Tokenizer: g.tokenizer.File(), Options: map[string]string{
		"whitespace": o.WhiteSpace, "order": o.Order, "lenient": fmt.Sprint(o.Lenient)}}
}

// setProblem takes over a compiled grammar.
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

// compileText is jsonschema.Compile, but in tests of what takes too long.
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

// tables compiles the grammar of a schema. Its errors are those of compileSchema: a
// grammar that package jsonschema made has no mistakes but its size.
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

// quoted is what a message quotes from its schema.
var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// class shortens a message to what it has in common with others of its kind: what
// it quotes is left out, and what follows a line break.
func class(message string) string {
	const longest = 100 // characters; a row of a table
	message, _, _ = strings.Cut(message, "\n")
	message = quoted.ReplaceAllString(message, `"..."`)
	if r := []rune(message); len(r) > longest {
		message = string(r[:longest]) + "..."
	}
	return message
}

// prelude compiles a schema that allows everything with every contestant and walks a
// short text, before any that is measured: what an algorithm builds once for a
// vocabulary would otherwise be the first schema's. Whether it works does not matter
// here.
func (g *group) prelude(ctx context.Context) error {
	if g.workload.Schema == nil {
		return nil
	}
	jsonschema.Prepare() // what is the same for all schemas is in no schema's time
	u := &unit{id: "anything", vocabulary: g.tokenizer.Vocabulary(), schema: &datasets.Schema{ID: "anything", Text: []byte("true")}}
	if err := g.open(ctx, u, g.run.guard, 1, &g.collect); err != nil && endsAll(ctx, err) {
		return err
	}
	for _, c := range g.pending {
		if u.problem == nil && !c.outside() {
			continue
		}
		g.run.progress.doing("compiling %s", c.Label)
		if c.outside() {
			if err := g.preludeOutside(ctx, u, c); err != nil {
				return err
			}
			continue
		}
		took, err := g.preludeOf(ctx, u, c)
		if err != nil {
			return err
		}
		if c.abandoned > 0 {
			continue // it would not return again
		}
		again, err := g.preludeOf(ctx, u, c) // finds what the first one kept
		if err != nil {
			return err
		}
		c.firstNS = max(0, took-again).Nanoseconds()
		// The same for the engines whose answers are compared, which keep their own.
		other := *c
		other.kept = c.keptByProver
		if _, err := g.preludeOf(ctx, u, &other); err != nil {
			return err
		}
		c.abandoned = other.abandoned
	}
	return nil
}

// preludeOutside starts the processes of an engine from outside, each of which is warmed.
func (g *group) preludeOutside(ctx context.Context, u *unit, c *contestant) error {
	for _, kept := range []*algorithms.Kept{c.kept, c.keptByProver} {
		p, err := u.freshFor(ctx, c.entry, kept)
		var built int64
		if err == nil {
			built, err = g.start(ctx, g.run.guard.of(c.entry), c.entry, p)
		}
		var failed *failure
		switch {
		case errors.As(err, &failed):
			g.leftBehind(c, failed)
		case err != nil:
			return err
		case kept == c.kept:
			c.firstNS = built
		}
	}
	return nil
}

// preludeOf is the prelude of one contestant, and the time it took; 0 if it did not end well.
func (g *group) preludeOf(ctx context.Context, u *unit, c *contestant) (time.Duration, error) {
	maker := compiler{g.prepared, *g.run.guard.of(c.entry), 1, &g.collect}
	made, p, err := maker.compile(ctx, u, c)
	var walked time.Duration
	if err == nil && p.Outcome == cell.OK {
		walked, err = g.walkPrelude(ctx, c.Label, made.engine)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.leftBehind(c, failed)
	case err != nil:
		return 0, err
	case p.Outcome == cell.OK:
		return time.Duration(p.CompileNS[0]+p.FirstMaskNS[0]) + walked, nil
	}
	return 0, nil
}

// walkPrelude generates the prelude's text with an engine and returns the time of it.
func (g *group) walkPrelude(ctx context.Context, label string, engine algorithms.Engine) (time.Duration, error) {
	tokens, err := g.tokenizer.EncodeContinuation([]byte(measure.PreludeText))
	if err != nil {
		return 0, nil // nothing to walk with this vocabulary, then
	}
	var took time.Duration
	row := make([]uint64, algorithms.MaskWords(g.tokenizer.Vocabulary().Len()))
	watched := *g.run.guard
	err = watched.call(ctx, label+" on the text before the first schema", func(ctx context.Context) error {
		_, release := environment.Pin()
		defer release()
		begin := environment.Now()
		state := engine.Start()
		for _, token := range tokens {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			algorithms.Deliver(state, row)
			if state.Commit(int(token)) != nil {
				break
			}
		}
		took = environment.Now() - begin
		return nil
	})
	return took, err
}

// failedProblem is a compile that did not end well.
func failedProblem(p cell.Problem, f *failure, stage string) cell.Problem {
	p.Outcome, p.Detail, p.Stage, p.Reason = f.outcome, f.detail, stage, f.why()
	p.GrammarNS, p.CompileNS, p.FirstMaskNS, p.Outside = nil, nil, nil, nil
	return p
}

// failureOf is the failure that a problem's outcome was made of.
func failureOf(p *cell.Problem) *failure {
	return &failure{outcome: p.Outcome, detail: p.Detail, reason: p.Reason}
}

// refusesValid reports a valid instance that was refused.
func refusesValid(s *cell.Sample) bool { return s.Outcome == cell.WrongVerdict && !s.Negative }

// outcomes puts the outcome of a cell together.
//
// A cell of one grammar has the worst of its compile and its samples. In a schema
// corpus many schemas are not expected to work, and what is left out and why is
// counted; so a cell has the worst outcome of what says something about the
// algorithm, or must never happen: what a schema's grammar does not support or
// finds wrong with the schema is not among it, nor a valid instance that is
// refused. An invalid one that is accepted is, unless the schema was compiled
// leniently with something left out.
//
// An engine from outside enforces a language of its own: what it does not take, and a verdict
// that is not the corpus's, is counted and told, but says nothing of what this program did. If it
// is not of the same mind twice about a document, that document is lost, and no other.
type outcomes struct {
	schemas *cell.SchemaOptions // nil for one grammar
	outside bool
	foreign bool // outside, and not held to the contract
	worst   cell.Outcome
}

// problem adds a compile.
func (o *outcomes) problem(p *cell.Problem) {
	if o.outside && o.schemas != nil && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	if o.schemas != nil && p.Stage == cell.StageGrammar && (p.Outcome == cell.Unsupported || p.Outcome == cell.CompileError) {
		return
	}
	o.add(p.Outcome)
}

// sample adds a sample of a problem.
func (o *outcomes) sample(s *cell.Sample, p *cell.Problem) {
	if o.outside && s.Outcome == cell.WrongVerdict || o.foreign && s.Outcome == cell.WrongMask {
		return
	}
	if o.schemas != nil {
		lenient := o.schemas.Lenient && p.Approximated > 0
		if p.Outcome != cell.OK || refusesValid(s) || s.Outcome == cell.WrongVerdict && lenient {
			return
		}
	}
	o.add(s.Outcome)
}

func (o *outcomes) add(other cell.Outcome) {
	if o.worst == "" {
		o.worst = cell.OK
	}
	o.worst = cell.Worse(o.worst, other)
}

// result is the cell's outcome.
func (o *outcomes) result() cell.Outcome {
	if o.worst == "" {
		return cell.OK
	}
	return o.worst
}
