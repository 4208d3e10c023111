package harness

import (
	"context"
	"errors"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
)

// compiler measures the offline phase of algorithms.
type compiler struct {
	*prepared
	guard   guard
	times   int
	collect *collector
}

// compiled is an engine with the problem it was made for, whose grammar nobody
// else uses if it is that of a schema. The engine is nil if there is none.
type compiled struct {
	engine  algorithms.Engine
	problem *algorithms.Problem
	// gone is why the engine's process did not come back; nil as long as it can be called.
	gone *failure
}

// weighed bounds how many schemas of a corpus have their engines weighed: enough
// for a distribution, and a second or two of garbage collection.
const weighed = 32

// weighs reports whether the engines of a unit are weighed: the one of programs
// always, and of many schemas some, evenly spread.
func (g *prepared) weighs(u *unit) bool {
	every := (len(g.units) + weighed - 1) / weighed
	return u.index%max(1, every) == 0
}

const (
	// repeats is how often a grammar is compiled where the configuration does not
	// say, as long as that takes less than quick.
	repeats = 5
	quick   = 10 * time.Second
)

// again reports whether something is to be compiled once more: done times so far,
// took at the last. times is what the configuration says, 0 for the rule.
func again(times, done int, took time.Duration) bool {
	if times > 0 {
		return done < times
	}
	return done < repeats && took < quick
}

// compile runs an algorithm's offline phase several times over, measures it, and leaves the
// last engine to the contestant; nil if there is none, for the reason in the result.
// Each compile of a program's grammar is that of a contestant that keeps nothing; the
// schemas of a corpus are compiled once each where the configuration does not say
// more, since a second compile would find what the first one kept. The error is
// ctx's, or a *failure that was abandoned or is that of a start.
func (c *compiler) compile(ctx context.Context, u *unit, who *contestant) (compiled, cell.Problem, error) {
	out := *u.sharedBy(who.entry)
	out.Unweighed = !c.weighs(u)
	times := c.times
	if u.schema != nil {
		times = max(1, times)
	}
	var last compiled
	took := time.Duration(0)
	for done := 0; again(times, done, took); done++ {
		last = compiled{} // the one before must not count as held memory
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
// Where engines are weighed, garbage is collected before and after, so that what
// the heap has grown by is the engine. A schema's compile takes about as long as a
// collection, so the others are made with collection turned off instead, and
// garbage is collected when enough of it has come together.
func (c *compiler) once(ctx context.Context, u *unit, who *contestant, out *cell.Problem) (compiled, error) {
	watched := c.guard
	watched.every = time.Millisecond // a compile may be over in a few
	var one compiled
	err := watched.call(ctx, "the tables of "+u.id, func(ctx context.Context) error {
		fresh, err := u.freshFor(ctx, who.entry, who.kept)
		one.problem = fresh
		return err
	})
	if err != nil {
		return compiled{}, err
	}
	built, err := c.start(ctx, &c.guard, who.entry, one.problem)
	if err != nil {
		return compiled{}, err
	}
	end := func() cell.GC { return cell.GC{} }
	if out.Unweighed {
		c.collect.maybe()
		end = c.collect.begin()
	} else {
		collectTwice()
	}
	level, allocated := heap(), readMetric(allocMetric)
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
			return nil // its own clock has measured both
		}
		begin = environment.Now()
		algorithms.Deliver(made.Start(), row)
		first = environment.Now() - begin
		return nil
	})
	grown := readMetric(allocMetric)
	end()
	if err == nil {
		err = lexerFailure(who.entry, one.problem)
	}
	if err != nil {
		return compiled{}, err
	}
	if billed, ok := one.engine.(algorithms.Billed); ok {
		charge(out, billed)
		if u.schema == nil { // that of schemas is charged once for all: see prelude
			out.Outside.VocabularyNS += built
		}
		return one, nil
	}
	out.CompileNS = append(out.CompileNS, took.Nanoseconds())
	out.FirstMaskNS = append(out.FirstMaskNS, first.Nanoseconds())
	if out.Unweighed {
		// Without collections the heap grows by what is allocated; the level before
		// holds garbage that may be swept meanwhile.
		out.CompilePeakBytes = max(out.CompilePeakBytes, grown-allocated)
		return one, nil
	}
	out.CompilePeakBytes = max(out.CompilePeakBytes, watched.peak-level)
	collectTwice()
	out.EngineBytes = max(0, heap()-level)
	return one, nil
}

// charge adds one compile of an engine from outside to out, by the engine's own clock.
func charge(out *cell.Problem, engine algorithms.Billed) {
	b, made := engine.Bill(), engine.Provenance()
	out.Outside = &made
	if b.GrammarNS > 0 {
		out.GrammarNS = append(out.GrammarNS, b.GrammarNS)
	}
	out.CompileNS = append(out.CompileNS, b.CompileNS)
	out.FirstMaskNS = append(out.FirstMaskNS, b.FirstMaskNS)
	out.CompilePeakBytes = max(out.CompilePeakBytes, b.PeakBytes)
	out.EngineBytes, out.Unweighed = b.Bytes, b.Bytes == 0 // of schemas nobody knows
}

// lexerFailure is the failure of a grammar whose lexer outgrew its limits while it
// was built on demand: its answers are no longer those of the grammar. An engine from outside reads
// the text itself: the lexer that comes with its problem belongs to all, and it does not ask it.
func lexerFailure(e *entry, p *algorithms.Problem) error {
	if e.outside() {
		return nil
	}
	if err := p.Lexer.Err(); err != nil {
		return &failure{outcome: cell.Unsupported, detail: err.Error(), reason: "the lexer outgrows its limits"}
	}
	return nil
}
