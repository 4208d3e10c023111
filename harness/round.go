package harness

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// round times every engine on a document that has not been timed on it, pass by pass in turn.
func (g *group) round(ctx context.Context, s *prepare.Document) error {
	var trials []*ask.Trial
	for _, c := range g.pending {
		if finished(c, s) {
			continue
		}
		t, err := g.newTrial(c, s)
		if err != nil {
			return err
		}
		trials = append(trials, t)
	}
	if len(trials) == 0 {
		return nil
	}
	var orders [][]string
	pace := paceNow(nil)
	for number, kind := range ask.Passes(g.run.cfg.Measure.Warmup, g.run.cfg.Measure.Repeat) {
		order := g.order(trials, s, number)
		orders = append(orders, labelsOf(order))
		for _, t := range order {
			if err := g.pass(ctx, t, s, number, kind); err != nil {
				return err
			}
		}
	}
	pace = paceNow(pace)
	results := map[string]cell.Result{}
	for _, t := range trials {
		t.Sample.PaceNS = pace
		knows(t, s)
		for _, other := range trials {
			t.Sample.Turns = append(t.Sample.Turns, cell.Turn(other.Key))
		}
		results[t.Key] = g.resultOf(t, s, orders)
	}
	return g.recordRound(s.Index, results)
}

// paceNow adds a reading of the pace of the processor's clock, if there is one.
func paceNow(list []float64) []float64 {
	if ns := environment.Pace(); ns > 0 {
		list = append(list, ns)
	}
	return list
}

// newTrial is for an engine that is timed on a document, with the answers that it gave before.
func (g *group) newTrial(c *ask.Engine, s *prepare.Document) (*ask.Trial, error) {
	t := &ask.Trial{Engine: c}
	if t.Out = cmp.Or(c.Lost, c.Timed.Gone); t.Out != nil {
		return t, nil
	}
	r, _, err := g.read(c, c.Answered[s.Index].At)
	if err != nil {
		return nil, err
	}
	trace, err := g.trace(c, s, &r)
	t.Sample, t.Hashes = r.Sample, trace.Hashes
	return t, err
}

// order draws who goes first in a pass.
func (g *group) order(trials []*ask.Trial, s *prepare.Document, number int) []*ask.Trial {
	order := slices.Clone(trials)
	rng := rand.New(rand.NewPCG(g.run.cfg.Seed, uint64(s.Number)<<16|uint64(number)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// labelsOf are the labels of trials, in their order.
func labelsOf(trials []*ask.Trial) []string {
	list := make([]string, len(trials))
	for i, t := range trials {
		list[i] = t.Label
	}
	return list
}

// pass runs one pass of one trial, unless the trial has ended.
func (g *group) pass(ctx context.Context, t *ask.Trial, s *prepare.Document, number int, kind ask.PassKind) error {
	if t.Out != nil || t.Sample.Outcome != cell.OK || kind == ask.CheckPass && !g.needsCheck(t, s) || kind == ask.AuditPass && !g.audits(t, s) {
		return nil
	}
	if err := g.begin(t.Key, s.Problem, s.Index, number); err != nil {
		return err
	}
	again, err := g.revive(ctx, t.Engine, &t.Timed)
	if err != nil {
		return g.notRevived(t, err)
	}
	if again {
		clear(t.Walked)
		if err := g.walkAgain(ctx, t, s, number); err != nil || t.Out != nil {
			return err
		}
	}
	state := cell.Again
	if kind == ask.FirstPass {
		if state = cell.New; len(t.Walked) == 0 {
			state = cell.Fresh
		}
		t.Walked[s.Index] = true
	}
	g.collect.Maybe()
	end := g.collect.Off()
	v, err := bounds.CallFor(ctx, prepare.Of(g.run.guard, t.Entry), t.Label+" on "+s.ID, func(ctx context.Context) (passResult, error) {
		_, release := environment.Pin()
		defer release()
		return g.walk(ctx, t, s, number, kind, state)
	})
	t.Gc = t.Gc.Add(end())
	if err == nil && g.Workload.Schema != nil {
		err = ask.LexerFailure(t.Entry, t.Timed.Problem)
	}
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed) && kind == ask.ComparedPass && mayBeClones(t, failed):
		return g.withoutClones(ctx, t, s, number, failed)
	case errors.As(err, &failed):
		return g.dropOut(t, s, failed)
	case err != nil:
		return err
	}
	take(t, &v)
	return nil
}

// walkAgain repeats the earlier walks of a document, untimed, with an instance that was compiled
// again since.
func (g *group) walkAgain(ctx context.Context, t *ask.Trial, s *prepare.Document, times int) error {
	for range times {
		d := &measure.Document{Tokens: s.Tokens, Positions: s.PositionsOf(t.Entry)}
		err := prepare.Of(g.run.guard, t.Entry).Call(ctx, t.Label+" again on "+s.ID, func(ctx context.Context) error {
			err := g.timing.Time(ctx, t.Timed.Engine, d, new(measure.Times))
			var refused *measure.RefusedError
			if errors.As(err, &refused) {
				return nil // the next pass finds it, too
			}
			return err
		})
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			return g.dropOut(t, s, failed)
		case err != nil:
			return err
		}
		t.Walked[s.Index] = true
	}
	return nil
}

// mayBeClones reports whether a comparison may have failed because of the clones that are timed in
// it: an engine from outside need not be able to clone.
func mayBeClones(t *ask.Trial, failed *bounds.Failure) bool {
	return t.Outside() && !t.NoClones && !failed.Abandoned
}

// withoutClones compares again without clones. If that succeeds, the clones were the cause: they
// are not timed any more, and nothing else is lost.
func (g *group) withoutClones(ctx context.Context, t *ask.Trial, s *prepare.Document, number int, failed *bounds.Failure) error {
	t.NoClones = true
	err := g.pass(ctx, t, s, number, ask.ComparedPass)
	if err == nil && t.Out == nil {
		g.run.progress.Note("%s does not get through the clones of %s, and is not asked for clones any more: %v", t.Label, s.ID, failed)
		return nil
	}
	t.NoClones = false
	return err
}

// passResult is the result of one pass over a document. One field is set.
type passResult struct {
	pass  *cell.Pass
	clone []uint32
	check *measure.Check
	audit *measure.Audit
	wrong string // how the engine contradicts its own answers; "" if it does not
}

// take adds the result of a pass.
func take(t *ask.Trial, v *passResult) {
	if v.pass != nil {
		t.Passes = append(t.Passes, *v.pass)
	}
	if v.clone != nil {
		t.Clone = v.clone
	}
	if v.check != nil {
		t.Check = v.check
	}
	if v.audit != nil {
		t.Audit = v.audit
	}
	if v.wrong != "" {
		t.Sample.Outcome, t.Sample.Detail = cell.WrongMask, v.wrong
	}
}

// walk is one pass over a document, on a thread of its own. It does not change the trial, since it
// may be abandoned.
func (g *group) walk(ctx context.Context, t *ask.Trial, s *prepare.Document, number int, kind ask.PassKind, state cell.State) (v passResult, err error) {
	d := &measure.Document{Tokens: s.Tokens, Positions: s.PositionsOf(t.Entry), Proved: t.Hashes}
	d.Drawn, d.Whole = g.draws(t, s, number)
	switch kind {
	case ask.FirstPass, ask.AgainPass:
		var times measure.Times
		err = g.timing.Time(ctx, t.Timed.Engine, d, &times)
		v.pass = &cell.Pass{State: state, Lookup: times.Lookup, Mask: times.Mask, Commit: times.Commit, Step: times.Step,
			Disturbed: times.Disturbed, StolenNS: times.StolenNS, IdleNS: times.IdleNS}
	case ask.ComparedPass:
		v, err = g.compareAgain(ctx, t, s, d)
	case ask.WarmupPass:
		err = g.timing.Time(ctx, t.Timed.Engine, d, new(measure.Times))
	case ask.CheckPass:
		v.check = new(measure.Check)
		*v.check, err = g.timing.Check(ctx, t.Timed.Engine, d)
	case ask.AuditPass:
		v.audit, err = g.audit(ctx, t, d)
	}
	var refused *measure.RefusedError
	if errors.As(err, &refused) {
		return passResult{wrong: "an engine that is timed: " + refused.Error()}, nil
	}
	return v, err
}

// compareAgain compares the masks of the timed instance with the answers that were given before,
// and times clones. The masks of an engine that walks itself are compared in its timed walks, where
// that can be.
func (g *group) compareAgain(ctx context.Context, t *ask.Trial, s *prepare.Document, d *measure.Document) (v passResult, err error) {
	walking, itself := t.Timed.Engine.(measure.Walking)
	if itself && !t.NoClones {
		v.clone, err = walking.WalkClones(ctx, d)
	}
	if err != nil || g.timing.Compares(t.Timed.Engine, len(t.Hashes)) {
		return v, err
	}
	p := ask.NewProof(t.Entry, s)
	if !itself && !t.NoClones {
		p.Clones = []uint32{}
	}
	if err := p.Prove(ctx, g.asking, t.Timed.Engine, s); err != nil {
		return v, err
	}
	if !itself {
		v.clone = p.Clones
	}
	if p.Refused || p.Contradiction != "" || !slices.Equal(p.Hashes, t.Hashes) {
		v.wrong = "another engine of the same algorithm gave other masks on the same sample"
	}
	return v, nil
}

// needsCheck reports whether the steps of a trial are so short that blocks have to confirm them.
func (g *group) needsCheck(t *ask.Trial, s *prepare.Document) bool {
	if len(t.Passes) == 0 || len(s.PositionsOf(t.Entry)) != len(s.Tokens) {
		return false
	}
	steps := slices.Sorted(slices.Values(t.Passes[len(t.Passes)-1].Step))
	return len(steps) > 0 && measure.NeedsCheck(float64(steps[len(steps)/2]), g.clockOf(t.Engine, s.Problem))
}

// resultOf is the result of a timed trial.
func (g *group) resultOf(t *ask.Trial, s *prepare.Document, orders [][]string) cell.Result {
	if t.Out != nil {
		turns, pace := t.Sample.Turns, t.Sample.PaceNS
		t.Sample = ask.FailedSample(s, t.Out)
		t.Sample.Turns, t.Sample.PaceNS = turns, pace
	}
	sample := g.complete(t.Engine, t.Sample, orders)
	sample.GC, sample.Check, sample.Audit = t.Gc, t.Check, t.Audit
	trace := cell.Trace{Sample: s.Index, Hashes: t.Hashes, Positions: s.PositionsOf(t.Entry)[:len(t.Hashes)]}
	if sample.Outcome == cell.OK {
		trace.Passes, trace.Clone = t.Passes, t.Clone
	}
	return cell.Result{Sample: sample, Trace: cell.EncodeTraces([]cell.Trace{trace})}
}

// complete fills in the fields of a sample that are about the session.
func (g *group) complete(c *ask.Engine, s cell.Sample, orders [][]string) cell.Sample {
	clock := g.clockOf(c, s.Problem)
	s.Session, s.Orders = g.session, orders
	s.ClockPairNS, s.ClockEmptyNS, s.Abandoned = clock.PairNS, clock.EmptyNS, g.run.guard.Abandoned.Count()
	return s
}

// clockOf is the clock that times an engine on a problem: that of its own process if it has one.
// The cost is zero where nothing was timed.
func (g *group) clockOf(c *ask.Engine, problem int) environment.Clock {
	if !c.Outside() {
		return g.run.env.Clock
	}
	if p := c.Problems[problem]; p != nil && p.Outside != nil {
		return environment.Clock{PairNS: p.Outside.ClockPairNS, EmptyNS: p.Outside.ClockEmptyNS}
	}
	return environment.Clock{}
}
