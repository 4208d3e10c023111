package harness

import (
	"context"
	"errors"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// Truth comes before time. Before an algorithm is timed on a unit, another engine of it, which nobody
// times, walks all documents, negatives among them, and its masks are compared with the reference's. That
// engine meets each document for the first time, as the timed one will, so what is compared are the
// masks that an engine gives while it builds what it needs. The timed engine is compared with these answers
// again, in its second pass over a document.

// prove asks every contestant that has not answered yet about all scripts of a unit.
func (g *group) prove(ctx context.Context, u *unit) error {
	asked := false
	for _, c := range g.inTurn(u) {
		if g.allProven(c, u) {
			continue
		}
		asked = true
		if err := g.compileProver(ctx, u, c); err != nil {
			return err
		}
	}
	if !asked {
		return nil
	}
	for _, s := range u.scripts {
		if err := g.proofRound(ctx, u, s); err != nil {
			return err
		}
	}
	for _, c := range g.pending {
		c.prover = compiled{}
		if u.schema == nil { // no other grammar follows that could use what it kept
			c.keptByProver = renewed(c.keptByProver)
		}
	}
	return nil
}

// renewed is an empty Kept in place of one that nobody uses any more. Processes of engines from
// outside are among what ends with that one.
func renewed(old *algorithms.Kept) *algorithms.Kept {
	old.Close() // an engine that does not end well has ended
	return algorithms.NewKept()
}

// allProven reports whether a contestant has answered all of a unit.
func (g *group) allProven(c *contestant, u *unit) bool {
	for _, s := range u.scripts {
		if !c.proven(s) {
			return false
		}
	}
	return true
}

// compileProver compiles the engine whose answers are compared. If that fails, the unit is
// over for the contestant: the compile that is timed would fail, too.
func (g *group) compileProver(ctx context.Context, u *unit, c *contestant) error {
	if done, err := g.notCompiled(u, c); done || err != nil {
		return err
	}
	if err := g.begin(c.key, u.index, -1, 0); err != nil {
		return err
	}
	g.chargeFrom(u)
	if u.schema == nil {
		g.run.progress.doing("compiling %s, whose masks are compared", c.Label)
	}
	guard := g.run.guard.of(c.entry)
	made, err := callFor(ctx, guard, "the tables of "+u.id, func(ctx context.Context) (compiled, error) {
		fresh, err := u.freshFor(ctx, c.entry, c.keptByProver)
		return compiled{problem: fresh}, err
	})
	if err == nil {
		_, err = g.start(ctx, guard, c.entry, made.problem)
	}
	if err == nil {
		problem := made.problem
		made, err = callFor(ctx, guard, c.Label+" compiling "+u.id, func(ctx context.Context) (compiled, error) {
			engine, err := c.algorithm.Compile(ctx, problem, c.options)
			return compiled{engine: engine, problem: problem}, err
		})
	}
	if err == nil {
		err = lexerFailure(c.entry, made.problem)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.leftBehind(c, failed)
		return g.recordCompile(c, u.index, u.failed(c.entry, failed, cell.StageAlgorithm))
	case err != nil:
		return err
	}
	c.prover = made // that it started says nothing of the process of the timed engine
	return nil
}

// leftBehind counts an operation that was given up on, and a process that did not start.
func (g *group) leftBehind(c *contestant, f *failure) {
	if f.abandoned {
		c.abandoned++
	}
	if f.starting {
		c.badStarts, c.badStart = c.badStarts+1, f
	}
}

// proofRound asks all contestants that have an engine for it about a script, and compares.
func (g *group) proofRound(ctx context.Context, u *unit, s *script) error {
	var turns []*turn
	for _, c := range g.pending {
		if c.prover.engine != nil && !c.proven(s) {
			turns = append(turns, &turn{contestant: c})
		}
	}
	if len(turns) == 0 {
		return ctx.Err()
	}
	for _, t := range turns {
		if err := g.ask(ctx, t, s); err != nil {
			return err
		}
	}
	if err := g.judgeAll(ctx, u, turns, s); err != nil {
		return err
	}
	results := map[string]cell.Result{}
	for _, t := range turns {
		if t.out != nil {
			t.sample = failedSample(s, t.out)
		}
		trace := cell.Trace{Sample: s.index}
		if t.proof != nil {
			trace.Hashes, trace.Positions = t.proof.Hashes, t.proof.positions[:len(t.proof.Hashes)]
		}
		results[t.key] = cell.Result{Sample: g.complete(t.contestant, t.sample, nil), Trace: cell.EncodeTraces([]cell.Trace{trace})}
	}
	return g.recordProof(s.index, results)
}

// ask has one contestant walk a script untimed.
func (g *group) ask(ctx context.Context, t *turn, s *script) error {
	if t.lost != nil {
		t.out = t.lost
		return nil
	}
	if err := g.begin(t.key, s.problem, s.index, 0); err != nil {
		return err
	}
	if _, err := g.revive(ctx, t.contestant, &t.prover); err != nil {
		return g.notRevived(t, err)
	}
	g.collect.maybe()
	p, err := callFor(ctx, g.run.guard.of(t.entry), t.Label+" on "+s.id, func(ctx context.Context) (*proof, error) {
		p := newProof(t.entry, s)
		return p, p.prove(ctx, g.asking, t.prover.engine, s)
	})
	var failed *failure
	switch {
	case errors.As(err, &failed):
		return g.dropOut(t, s, failed)
	case err != nil:
		return err
	}
	t.proof = p
	return nil
}

// notRevived takes a contestant out of a round whose process does not come back. Other errors stay.
func (g *group) notRevived(t *turn, err error) error {
	var failed *failure
	if !errors.As(err, &failed) {
		return err
	}
	t.out = failed
	return nil
}

// dropOut takes a contestant out of a round. One that has not returned is not called again in
// this unit, and that is written down at once: should what was left behind take the process
// down, the next one must not come here again.
func (g *group) dropOut(t *turn, s *script, failed *failure) error {
	t.out = failed
	if !failed.abandoned {
		return nil
	}
	g.leftBehind(t.contestant, failed)
	g.walkers() // the row is still written to
	t.lost = &failure{outcome: failed.outcome, detail: "not called again after it did not return on " + s.id + ": " + failed.detail}
	return g.recordRound(s.index, map[string]cell.Result{t.key: g.resultOf(t, s, nil)})
}

// recordProof writes down the answers of a round, in one line.
func (g *group) recordProof(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Proof: &cell.Round{Sample: sample, Results: results}})
	for key, r := range results {
		g.contestant(key).takeAnswers(sample, &r.Sample, at)
	}
	return err
}
