package ask

import (
	"context"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// Compile has an entry compile a problem, untimed.
func Compile(e *prepare.Entry, ctx context.Context, guard *bounds.Guard, u *prepare.Unit, p *algorithms.Problem) (Compiled, error) {
	engine, err := bounds.CallFor(ctx, guard, e.Label+" compiling "+u.ID, func(ctx context.Context) (algorithms.Engine, error) {
		return e.Maker.Compile(ctx, p, e.Options)
	})
	if err == nil {
		err = LexerFailure(e, p)
	}
	if err != nil {
		return Compiled{}, err
	}
	return Compiled{Engine: engine, Problem: p}, nil
}

// Compiled is one compiled instance of an engine, with its problem. The grammar of a schema is used
// by no other instance. engine is nil if there is none.
type Compiled struct {
	Engine  algorithms.Engine
	Problem *algorithms.Problem
	// Gone is the failure to start the engine's process again; nil as long as it can be called.
	Gone *bounds.Failure
}

// weighed bounds the schemas of a corpus whose engines are weighed: enough for a distribution, at
// the price of a second or two of garbage collection.
const weighed = 32

// Weighs reports whether the engines of a unit are weighed: those of programs always, of many
// schemas some, evenly spread.
func Weighs(g *prepare.Prepared, u *prepare.Unit) bool {
	every := (g.AllUnits + weighed - 1) / weighed
	return !g.Unweighed && u.Number%max(1, every) == 0
}

// Charge adds one compile of an engine from outside, timed by the engine's own clock, to out.
func Charge(out *cell.Problem, engine algorithms.Billed) {
	b, made := engine.Bill(), engine.Provenance()
	out.Outside = &made
	if b.GrammarNS > 0 {
		out.GrammarNS = append(out.GrammarNS, b.GrammarNS)
	}
	out.CompileNS = append(out.CompileNS, b.CompileNS)
	out.FirstMaskNS = append(out.FirstMaskNS, b.FirstMaskNS)
	out.CompilePeakBytes = max(out.CompilePeakBytes, b.PeakBytes)
	out.EngineBytes, out.Unweighed = b.Bytes, b.Bytes == 0 // unknown for schemas
}

// LexerFailure is the failure of a grammar whose lexer outgrew its limits while it was built on
// demand: its answers are no longer those of the grammar. An engine from outside reads the text
// itself and does not use the problem's lexer, which other engines share.
func LexerFailure(e *prepare.Entry, p *algorithms.Problem) error {
	if e.Outside() {
		return nil
	}
	if err := p.Tables.Err(); err != nil { // rules that could not be written
		return prepare.SchemaFailure(context.Background(), err)
	}
	if err := p.Err(); err != nil {
		return &bounds.Failure{Outcome: cell.Unsupported, Detail: err.Error(), Reason: "the lexer outgrows its limits"}
	}
	return nil
}
