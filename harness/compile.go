package harness

import (
	"context"
	"errors"
	"runtime"
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

// compile runs an algorithm's offline phase times over, measures it, and returns
// the last engine; nil if there is none, for the reason in the result. The error
// is ctx's, or a *failure that was abandoned.
func (c *compiler) compile(ctx context.Context, u *unit, e *entry) (compiled, cell.Problem, error) {
	out := u.shared
	out.Unweighed = !c.weighs(u)
	var last compiled
	for range c.times {
		last = compiled{} // the one before must not count as held memory
		one, err := c.once(ctx, u, e, &out)
		var failed *failure
		switch {
		case errors.As(err, &failed):
			if u.schema == nil {
				out = cell.Problem{ID: u.id, Outcome: failed.outcome, Detail: failed.detail}
			} else {
				out = failedProblem(u.shared, failed, cell.StageAlgorithm)
			}
			if failed.abandoned {
				return compiled{}, out, failed
			}
			return compiled{}, out, nil
		case err != nil:
			return compiled{}, out, err
		}
		last = one
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
func (c *compiler) once(ctx context.Context, u *unit, e *entry, out *cell.Problem) (compiled, error) {
	watched := c.guard
	watched.every = time.Millisecond // a compile may be over in a few
	var one compiled
	err := watched.call(ctx, "the tables of "+u.id, func(ctx context.Context) error {
		fresh, err := u.fresh(ctx)
		one.problem = fresh
		return err
	})
	if err != nil {
		return compiled{}, err
	}
	end := func() cell.GC { return cell.GC{} }
	if out.Unweighed {
		c.collect.maybe()
		end = c.collect.begin()
	} else {
		runtime.GC()
	}
	level, allocated := heap(), readMetric(allocMetric)
	var took, first time.Duration
	err = watched.call(ctx, e.Label+" compiling "+u.id, func(ctx context.Context) error {
		begin := environment.Now()
		made, err := e.algorithm.Compile(ctx, one.problem, e.options)
		took = environment.Now() - begin
		if err != nil {
			return err
		}
		begin = environment.Now()
		made.Start().Mask()
		first = environment.Now() - begin
		one.engine = made
		return nil
	})
	grown := readMetric(allocMetric)
	end()
	if err == nil {
		err = lexerFailure(one.problem)
	}
	if err != nil {
		return compiled{}, err
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
	runtime.GC()
	out.EngineBytes = max(0, heap()-level)
	return one, nil
}

// lexerFailure is the failure of a grammar whose lexer outgrew its limits while it
// was built on demand: its answers are no longer those of the grammar.
func lexerFailure(p *algorithms.Problem) error {
	if err := p.Lexer.Err(); err != nil {
		return &failure{outcome: cell.Unsupported, detail: err.Error(), reason: "the lexer outgrows its limits"}
	}
	return nil
}
