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

// compile runs an algorithm's offline phase times over, measures it, and returns
// the last engine; nil if there is none, for the reason in the result. The error
// is ctx's, or a *failure that was abandoned.
func (g *prepared) compile(ctx context.Context, e *entry, guard *guard, times int) (algorithms.Engine, cell.Problem, error) {
	out := cell.Problem{ID: g.problem.Grammar.Name, Outcome: cell.OK}
	var engine algorithms.Engine
	watched := *guard
	watched.every = time.Millisecond // a compile may be over in a few
	for range times {
		engine = nil // the one before must not count as held memory
		runtime.GC()
		level := heap()
		var compiled, first time.Duration
		err := watched.call(ctx, func(ctx context.Context) error {
			begin := environment.Now()
			made, err := e.algorithm.Compile(ctx, g.problem, e.options)
			compiled = environment.Now() - begin
			if err != nil {
				return err
			}
			begin = environment.Now()
			made.Start().Mask()
			first = environment.Now() - begin
			engine = made
			return nil
		})
		var failed *failure
		switch {
		case errors.As(err, &failed):
			out = cell.Problem{ID: out.ID, Outcome: failed.outcome, Detail: failed.detail}
			if failed.abandoned {
				return nil, out, failed
			}
			return nil, out, nil
		case err != nil:
			return nil, out, err
		}
		out.CompileNS = append(out.CompileNS, compiled.Nanoseconds())
		out.FirstMaskNS = append(out.FirstMaskNS, first.Nanoseconds())
		out.CompilePeakBytes = max(out.CompilePeakBytes, watched.peak-level)
		runtime.GC()
		out.EngineBytes = max(0, heap()-level)
	}
	stats := engine.Stats()
	out.EngineSaysBytes = stats.Bytes
	for _, c := range stats.Counters {
		out.Counters = append(out.Counters, cell.Counter(c))
	}
	return engine, out, nil
}
