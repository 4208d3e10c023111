package harness

import (
	"context"
	"errors"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// The warm-up of a workload of schemas. Before the first schema every engine compiles a schema that
// allows everything and walks a short text: otherwise the first schema would pay for what an
// algorithm builds once for a vocabulary. Whether an engine succeeds does not matter here.

// warmUp warms every engine of the group up.
func (g *group) warmUp(ctx context.Context) error {
	if g.workload.Schema == nil {
		return nil
	}
	jsonschema.Prepare() // the constants of all schemas are in no schema's time
	u := &unit{id: "anything", vocabulary: g.tokenizer.Vocabulary(), schema: &datasets.Schema{ID: "anything", Text: []byte("true")}}
	if err := g.open(ctx, u, g.run.guard, 1, &g.collect); err != nil && endsAll(ctx, err) {
		return err
	}
	for _, c := range g.pending {
		if u.problem == nil && !c.outside() {
			continue
		}
		g.run.progress.doing("compiling %s", c.Label)
		warmUp := g.warmUpHere
		if c.outside() {
			warmUp = g.warmUpOutside
		}
		if err := warmUp(ctx, u, c); err != nil {
			return err
		}
	}
	return nil
}

// warmUpHere warms up an engine that runs in this process: the instances that are timed, twice, and
// those whose answers are compared, which keep things of their own. What the second time takes less
// than the first is the time of what the engine keeps.
func (g *group) warmUpHere(ctx context.Context, u *unit, c *engine) error {
	took, err := g.warmUpOnce(ctx, u, c)
	if err != nil || c.abandoned > 0 {
		return err // an abandoned engine would not return a second time
	}
	again, err := g.warmUpOnce(ctx, u, c)
	if err != nil {
		return err
	}
	c.firstNS = max(0, took-again).Nanoseconds()
	other := *c
	other.kept = c.keptByProver
	_, err = g.warmUpOnce(ctx, u, &other)
	c.abandoned = other.abandoned
	return err
}

// warmUpOutside starts the two processes of an engine from outside, which warms them up.
func (g *group) warmUpOutside(ctx context.Context, u *unit, c *engine) error {
	for _, kept := range []*algorithms.Kept{c.kept, c.keptByProver} {
		p, err := u.freshFor(ctx, c.entry, kept)
		var built int64
		if err == nil {
			built, err = g.start(ctx, g.run.guard.of(c.entry), c.entry, p)
		}
		var failed *failure
		switch {
		case errors.As(err, &failed):
			g.countFailure(c, failed)
		case err != nil:
			return err
		case kept == c.kept:
			c.firstNS = built
		}
	}
	return nil
}

// warmUpOnce is the time of a compile, the first mask and the walk of the text; 0 after a failure.
func (g *group) warmUpOnce(ctx context.Context, u *unit, c *engine) (time.Duration, error) {
	maker := compiler{g.prepared, *g.run.guard.of(c.entry), 1, &g.collect}
	made, p, err := maker.compile(ctx, u, c)
	var walked time.Duration
	if err == nil && p.Outcome == cell.OK {
		walked, err = g.walkWarmUp(ctx, c.Label, made.engine)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.countFailure(c, failed)
	case err != nil:
		return 0, err
	case p.Outcome == cell.OK:
		return time.Duration(p.CompileNS[0]+p.FirstMaskNS[0]) + walked, nil
	}
	return 0, nil
}

// walkWarmUp walks the text of the warm-up and returns the time of the walk.
func (g *group) walkWarmUp(ctx context.Context, label string, engine algorithms.Engine) (took time.Duration, err error) {
	tokens, err := g.tokenizer.EncodeContinuation([]byte(measure.WarmUpText))
	if err != nil {
		return 0, nil // this vocabulary cannot write the text
	}
	watched := *g.run.guard
	return callFor(ctx, &watched, label+" on the text before the first schema", func(ctx context.Context) (time.Duration, error) {
		_, release := environment.Pin()
		defer release()
		return measure.WarmUp(ctx, engine, tokens, g.tokenizer.Vocabulary().Len())
	})
}
