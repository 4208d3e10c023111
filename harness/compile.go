package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// compiler measures the offline phase of algorithms.
type compiler struct {
	*prepare.Prepared
	guard   bounds.Guard
	times   int
	collect *measure.Collector
	warmUp  bool // of a compile whose bytes nobody asks for
}

// compile runs and measures an algorithm's offline phase, several times over, and returns the last
// compiled instance: none if the problem says why. Every compile of a program's grammar starts with
// an empty Kept. A schema is compiled once, unless the configuration says more, since a second
// compile would find what the first one kept. The error is ctx's, or a *failure that was abandoned
// or is that of a start.
func (c *compiler) compile(ctx context.Context, u *prepare.Unit, who *ask.Engine) (ask.Compiled, cell.Problem, error) {
	out := *u.SharedBy(who.Entry)
	out.Unweighed = c.warmUp || !ask.Weighs(c.Prepared, u)
	times := c.times
	if u.Schema != nil {
		times = max(1, times)
	}
	var last ask.Compiled
	level, took := int64(0), time.Duration(0)
	for done := 0; prepare.Again(times, done, took); done++ {
		last = ask.Compiled{} // must not count as held memory
		if u.Schema == nil {
			who.Kept = ask.Renewed(who.Kept)
		}
		one, before, err := c.once(ctx, u, who, &out)
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			out = failedOn(u, who.Entry, failed, cell.StageAlgorithm)
			if failed.Abandoned || failed.Starting {
				return ask.Compiled{}, out, failed
			}
			return ask.Compiled{}, out, nil
		case err != nil:
			return ask.Compiled{}, out, err
		}
		last, level, took = one, before, time.Duration(out.CompileNS[done])
	}
	if _, billed := last.Engine.(algorithms.Billed); !billed && !out.Unweighed {
		out.EngineBytes = max(0, ask.Settled()-level)
	}
	stats := last.Engine.Stats()
	out.EngineSaysBytes = stats.Bytes
	for _, c := range stats.Counters {
		out.Counters = append(out.Counters, cell.Counter(c))
	}
	return last, out, nil
}

// once compiles once and adds the measurements to out. The level is the heap before, in bytes.
//
// Where engines are weighed, garbage is collected before, and after the last compile, so that the
// growth of the heap is the engine. The compile of a schema takes about as long as a collection:
// most schemas are compiled with automatic collection off instead, and garbage is collected when
// there is enough of it.
func (c *compiler) once(ctx context.Context, u *prepare.Unit, who *ask.Engine, out *cell.Problem) (one ask.Compiled, level int64, err error) {
	watched := c.guard
	watched.Every = time.Millisecond // a compile may be over in a few
	fresh, err := u.FreshWithin(ctx, &watched, who.Entry, who.Kept)
	if err != nil {
		return ask.Compiled{}, 0, err
	}
	one.Problem = fresh
	built, err := ask.Start(c.Prepared, ctx, &c.guard, who.Entry, one.Problem)
	if err != nil {
		return ask.Compiled{}, 0, err
	}
	end := func() measure.GC { return measure.GC{} }
	if out.Unweighed {
		c.collect.Maybe()
		end, level = c.collect.Off(), measure.Heap()
	} else {
		level = ask.Settled()
	}
	allocated := measure.Allocated()
	var took, first time.Duration
	row := make([]uint64, algorithms.MaskWords(c.LoadedTokenizer.Vocabulary().Len()))
	err = watched.Call(ctx, who.Label+" compiling "+u.ID, func(ctx context.Context) error {
		_, release := environment.Pin()
		defer release()
		begin := environment.Now()
		made, err := who.Maker.Compile(ctx, one.Problem, who.Options)
		took = environment.Now() - begin
		if err != nil {
			return err
		}
		one.Engine = made
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
		err = ask.LexerFailure(who.Entry, one.Problem)
	}
	if err != nil {
		return ask.Compiled{}, 0, err
	}
	if billed, ok := one.Engine.(algorithms.Billed); ok {
		ask.Charge(out, billed)
		if u.Schema == nil { // schemas are charged once for all: see warmUp
			out.Outside.VocabularyNS += built
		}
		return one, level, nil
	}
	out.CompileNS = append(out.CompileNS, took.Nanoseconds())
	out.FirstMaskNS = append(out.FirstMaskNS, first.Nanoseconds())
	if out.Unweighed {
		// Without collections the heap grows by what is allocated; its level before includes garbage that
		// may be swept meanwhile.
		out.CompilePeakBytes = max(out.CompilePeakBytes, grown-allocated)
		return one, level, nil
	}
	out.CompilePeakBytes = max(out.CompilePeakBytes, watched.Peak-level)
	return one, level, nil
}

// revive has an engine from outside whose process has ended compile its grammar again, within
// limits of their own: the time of the next document must not include it. again reports whether
// that was done: the instance is then a new one. After a failure this instance is not called again,
// not even to ask whether it lives, since an abandoned operation may hold its lock. The engine's
// other instance has a process of its own, and goes on.
func (g *group) revive(ctx context.Context, c *ask.Engine, made *ask.Compiled) (again bool, err error) {
	if made.Gone != nil {
		return false, made.Gone
	}
	engine, ok := made.Engine.(ask.Revivable)
	if !ok || engine.Alive() {
		return false, nil
	}
	guard := prepare.Of(g.run.guard, c.Entry)
	_, err = ask.Start(g.Prepared, ctx, guard, c.Entry, made.Problem)
	if err == nil {
		err = guard.Call(ctx, c.Label+", whose process had ended, compiling again", engine.Revive)
	}
	var failed *bounds.Failure
	if errors.As(err, &failed) {
		g.countFailure(c, failed)
		made.Gone = &bounds.Failure{Outcome: failed.Outcome, Detail: "compiled again after its process had ended: " + failed.Detail}
		return false, made.Gone
	}
	return err == nil, err
}

// notStarted is the failure of an engine whose process is not started any more; nil if it still is.
func notStarted(c *ask.Engine) *bounds.Failure {
	if c.BadStarts < ask.MaxBadStarts {
		return nil
	}
	return &bounds.Failure{Outcome: c.BadStart.Outcome, Reason: "not started any more",
		Detail: fmt.Sprintf("not started any more after it did not start %d times; the last time: %s", c.BadStarts, c.BadStart.Detail)}
}
