package harness

import (
	"context"
	"errors"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// compile has an entry compile a problem, untimed.
func (e *entry) compile(ctx context.Context, guard *guard, u *unit, p *algorithms.Problem) (compiled, error) {
	engine, err := callFor(ctx, guard, e.Label+" compiling "+u.id, func(ctx context.Context) (algorithms.Engine, error) {
		return e.algorithm.Compile(ctx, p, e.options)
	})
	if err == nil {
		err = lexerFailure(e, p)
	}
	if err != nil {
		return compiled{}, err
	}
	return compiled{engine: engine, problem: p}, nil
}

// compiler measures the offline phase of algorithms.
type compiler struct {
	*prepared
	guard   guard
	times   int
	collect *measure.Collector
}

// compiled is one compiled instance of an engine, with its problem. The grammar of a schema is used
// by no other instance. engine is nil if there is none.
type compiled struct {
	engine  algorithms.Engine
	problem *algorithms.Problem
	// gone is the failure to start the engine's process again; nil as long as it can be called.
	gone *failure
}

// weighed bounds the schemas of a corpus whose engines are weighed: enough for a distribution, at
// the price of a second or two of garbage collection.
const weighed = 32

// weighs reports whether the engines of a unit are weighed: those of programs always, of many
// schemas some, evenly spread.
func (g *prepared) weighs(u *unit) bool {
	every := (g.allUnits + weighed - 1) / weighed
	return u.number%max(1, every) == 0
}

const (
	// repeats is how often a grammar is compiled where the configuration says nothing, as long as one
	// compile takes less than quick.
	repeats = 5
	quick   = 10 * time.Second
)

// again reports whether to compile once more after done compiles, of which the last one took took.
// times is the number in the configuration, 0 for the rule.
func again(times, done int, took time.Duration) bool {
	if times > 0 {
		return done < times
	}
	return done < repeats && took < quick
}

// compile runs and measures an algorithm's offline phase, several times over, and returns the last
// compiled instance: none if the problem says why. Every compile of a program's grammar starts with
// an empty Kept. A schema is compiled once, unless the configuration says more, since a second
// compile would find what the first one kept. The error is ctx's, or a *failure that was abandoned
// or is that of a start.
func (c *compiler) compile(ctx context.Context, u *unit, who *engine) (compiled, cell.Problem, error) {
	out := *u.sharedBy(who.entry)
	out.Unweighed = !c.weighs(u)
	times := c.times
	if u.schema != nil {
		times = max(1, times)
	}
	var last compiled
	took := time.Duration(0)
	for done := 0; again(times, done, took); done++ {
		last = compiled{} // must not count as held memory
		if u.schema == nil {
			who.kept = renewed(who.kept)
		}
		one, err := c.once(ctx, u, who, &out)
		var failed *failure
		switch {
		case errors.As(err, &failed):
			out = u.failed(who.entry, failed, cell.StageAlgorithm)
			if failed.abandoned || failed.starting {
				return compiled{}, out, failed
			}
			return compiled{}, out, nil
		case err != nil:
			return compiled{}, out, err
		}
		last, took = one, time.Duration(out.CompileNS[done])
	}
	stats := last.engine.Stats()
	out.EngineSaysBytes = stats.Bytes
	for _, c := range stats.Counters {
		out.Counters = append(out.Counters, cell.Counter(c))
	}
	return last, out, nil
}

// once compiles once and adds the measurements to out.
//
// Where engines are weighed, garbage is collected before and after, so that the growth of the heap
// is the engine. The compile of a schema takes about as long as a collection: most schemas are
// compiled with automatic collection off instead, and garbage is collected when there is enough of
// it.
func (c *compiler) once(ctx context.Context, u *unit, who *engine, out *cell.Problem) (compiled, error) {
	watched := c.guard
	watched.every = time.Millisecond // a compile may be over in a few
	var one compiled
	fresh, err := u.freshWithin(ctx, &watched, who.entry, who.kept)
	if err != nil {
		return compiled{}, err
	}
	one.problem = fresh
	built, err := c.start(ctx, &c.guard, who.entry, one.problem)
	if err != nil {
		return compiled{}, err
	}
	end := func() measure.GC { return measure.GC{} }
	if out.Unweighed {
		c.collect.Maybe()
		end = c.collect.Off()
	} else {
		collectTwice()
	}
	level, allocated := measure.Heap(), measure.Allocated()
	var took, first time.Duration
	row := make([]uint64, algorithms.MaskWords(c.tokenizer.Vocabulary().Len()))
	err = watched.call(ctx, who.Label+" compiling "+u.id, func(ctx context.Context) error {
		_, release := environment.Pin()
		defer release()
		begin := environment.Now()
		made, err := who.algorithm.Compile(ctx, one.problem, who.options)
		took = environment.Now() - begin
		if err != nil {
			return err
		}
		one.engine = made
		if _, ok := made.(algorithms.Billed); ok {
			return nil // the engine's own clock has measured both
		}
		begin = environment.Now()
		algorithms.Deliver(made.Start(), row)
		first = environment.Now() - begin
		return nil
	})
	grown := measure.Allocated()
	end()
	if err == nil {
		err = lexerFailure(who.entry, one.problem)
	}
	if err != nil {
		return compiled{}, err
	}
	if billed, ok := one.engine.(algorithms.Billed); ok {
		charge(out, billed)
		if u.schema == nil { // schemas are charged once for all: see warmUp
			out.Outside.VocabularyNS += built
		}
		return one, nil
	}
	out.CompileNS = append(out.CompileNS, took.Nanoseconds())
	out.FirstMaskNS = append(out.FirstMaskNS, first.Nanoseconds())
	if out.Unweighed {
		// Without collections the heap grows by what is allocated; its level before includes garbage that
		// may be swept meanwhile.
		out.CompilePeakBytes = max(out.CompilePeakBytes, grown-allocated)
		return one, nil
	}
	out.CompilePeakBytes = max(out.CompilePeakBytes, watched.peak-level)
	collectTwice()
	out.EngineBytes = max(0, measure.Heap()-level)
	return one, nil
}

// charge adds one compile of an engine from outside, timed by the engine's own clock, to out.
func charge(out *cell.Problem, engine algorithms.Billed) {
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

// lexerFailure is the failure of a grammar whose lexer outgrew its limits while it was built on
// demand: its answers are no longer those of the grammar. An engine from outside reads the text
// itself and does not use the problem's lexer, which other engines share.
func lexerFailure(e *entry, p *algorithms.Problem) error {
	if e.outside() {
		return nil
	}
	if err := p.Tables.Err(); err != nil { // rules that could not be written
		return schemaFailure(context.Background(), err)
	}
	if err := p.Err(); err != nil {
		return &failure{outcome: cell.Unsupported, detail: err.Error(), reason: "the lexer outgrows its limits"}
	}
	return nil
}
