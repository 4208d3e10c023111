package harness

import (
	"context"
	"errors"
	"time"

	"gcdbench/algorithms"
	"gcdbench/datasets"
	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// The warm-up of a workload of schemas. Before the first schema every engine compiles a schema that
// allows everything and walks a short text: otherwise the first schema would pay for what an
// algorithm builds once for a vocabulary. Whether an engine succeeds does not matter here.

// warmUp warms every engine of the group up.
func (g *group) warmUp(ctx context.Context) error {
	if g.Workload.Schema == nil {
		return nil
	}
	jsonschema.Prepare() // the constants of all schemas are in no schema's time
	u := &prepare.Unit{ID: "anything", Vocabulary: g.LoadedTokenizer.Vocabulary(), Schema: &datasets.Schema{ID: "anything", Text: []byte("true")}}
	if err := g.Open(ctx, u, g.run.guard, 1, &g.collect); err != nil && bounds.EndsAll(ctx, err) {
		return err
	}
	for _, c := range g.pending {
		if u.SharedProblem == nil && !c.Outside() {
			continue
		}
		g.run.progress.Doing("compiling %s", c.Label)
		warmUp := g.warmUpHere
		if c.Outside() {
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
func (g *group) warmUpHere(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	took, err := g.warmUpOnce(ctx, u, c)
	if err != nil || c.Abandoned > 0 {
		return err // an abandoned engine would not return a second time
	}
	again, err := g.warmUpOnce(ctx, u, c)
	if err != nil {
		return err
	}
	c.FirstNS = max(0, took-again).Nanoseconds()
	other := *c
	other.Kept = c.KeptByProver
	_, err = g.warmUpOnce(ctx, u, &other)
	c.Abandoned = other.Abandoned
	return err
}

// warmUpOutside starts the two processes of an engine from outside, which warms them up.
func (g *group) warmUpOutside(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	for _, kept := range []*algorithms.Kept{c.Kept, c.KeptByProver} {
		p, err := u.FreshFor(ctx, c.Entry, kept)
		var built int64
		if err == nil {
			built, err = ask.Start(g.Prepared, ctx, prepare.Of(g.run.guard, c.Entry), c.Entry, p)
		}
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			g.countFailure(c, failed)
		case err != nil:
			return err
		case kept == c.Kept:
			c.FirstNS = built
		}
	}
	return nil
}

// warmUpOnce is the time of a compile, the first mask and the walk of the text; 0 after a failure.
func (g *group) warmUpOnce(ctx context.Context, u *prepare.Unit, c *ask.Engine) (time.Duration, error) {
	maker := compiler{g.Prepared, *prepare.Of(g.run.guard, c.Entry), 1, &g.collect, true}
	made, p, err := maker.compile(ctx, u, c)
	var walked time.Duration
	if err == nil && p.Outcome == cell.OK {
		walked, err = g.walkWarmUp(ctx, c.Label, made.Engine)
	}
	var failed *bounds.Failure
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
	tokens, err := g.LoadedTokenizer.EncodeContinuation([]byte(measure.WarmUpText))
	if err != nil {
		return 0, nil // this vocabulary cannot write the text
	}
	watched := *g.run.guard
	return bounds.CallFor(ctx, &watched, label+" on the text before the first schema", func(ctx context.Context) (time.Duration, error) {
		_, release := environment.Pin()
		defer release()
		return measure.WarmUp(ctx, engine, tokens, g.LoadedTokenizer.Vocabulary().Len())
	})
}
