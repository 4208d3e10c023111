package harness

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// trial is an engine on a document: while it is asked for its answers, or while it is timed.
type trial struct {
	*engine
	sample cell.Sample
	out    *failure // set if the trial ended early
	proof  *proof   // the answers, while it is asked

	// Set while it is timed. hashes are those of the masks that it answered with.
	hashes []uint64
	passes []cell.Pass
	clone  []uint32
	check  *measure.Check
	audit  *measure.Audit
	gc     measure.GC
}

// passKind is what a pass over a document is for.
type passKind int

const (
	// firstPass is timed: the engine meets the document for the first time.
	firstPass passKind = iota
	// comparedPass is not timed: masks are compared with the earlier answers, and clones are timed.
	comparedPass
	warmupPass
	againPass // timed
	// checkPass compares single measurements with blocks.
	checkPass
	// auditPass holds the times of an engine from outside against the processor time of its process.
	auditPass
)

// passes are those over a document, in their order. Without a warm-up pass, masks are compared
// after the timed passes.
func passes(warmup, repeat int) []passKind {
	list := []passKind{firstPass}
	for i := range warmup {
		list = append(list, map[bool]passKind{true: comparedPass, false: warmupPass}[i == 0])
	}
	list = append(list, slices.Repeat([]passKind{againPass}, repeat)...)
	if warmup == 0 {
		list = append(list, comparedPass)
	}
	return append(list, checkPass, auditPass)
}

// round times every engine on a document that has not been timed on it, pass by pass in turn.
func (g *group) round(ctx context.Context, s *document) error {
	var trials []*trial
	for _, c := range g.pending {
		if c.finished(s) {
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
	for number, kind := range passes(g.run.cfg.Measure.Warmup, g.run.cfg.Measure.Repeat) {
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
		t.sample.PaceNS = pace
		t.knows(s)
		for _, other := range trials {
			t.sample.Turns = append(t.sample.Turns, cell.Turn(other.key))
		}
		results[t.key] = g.resultOf(t, s, orders)
	}
	return g.recordRound(s.index, results)
}

// paceNow adds a reading of the pace of the processor's clock, if there is one.
func paceNow(list []float64) []float64 {
	if ns := environment.Pace(); ns > 0 {
		list = append(list, ns)
	}
	return list
}

// newTrial is for an engine that is timed on a document, with the answers that it gave before.
func (g *group) newTrial(c *engine, s *document) (*trial, error) {
	t := &trial{engine: c}
	if t.out = cmp.Or(c.lost, c.timed.gone); t.out != nil {
		return t, nil
	}
	r, _, err := g.read(c, c.answered[s.index].at)
	if err != nil {
		return nil, err
	}
	trace, err := g.trace(c, s, &r)
	t.sample, t.hashes = r.Sample, trace.Hashes
	return t, err
}

// order draws who goes first in a pass.
func (g *group) order(trials []*trial, s *document, number int) []*trial {
	order := slices.Clone(trials)
	rng := rand.New(rand.NewPCG(g.run.cfg.Seed, uint64(s.number)<<16|uint64(number)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// labelsOf are the labels of trials, in their order.
func labelsOf(trials []*trial) []string {
	list := make([]string, len(trials))
	for i, t := range trials {
		list[i] = t.Label
	}
	return list
}

// pass runs one pass of one trial, unless the trial has ended.
func (g *group) pass(ctx context.Context, t *trial, s *document, number int, kind passKind) error {
	if t.out != nil || t.sample.Outcome != cell.OK || kind == checkPass && !g.needsCheck(t, s) || kind == auditPass && !g.audits(t, s) {
		return nil
	}
	if err := g.begin(t.key, s.problem, s.index, number); err != nil {
		return err
	}
	again, err := g.revive(ctx, t.engine, &t.timed)
	if err != nil {
		return g.notRevived(t, err)
	}
	if again {
		clear(t.walked)
		if err := g.walkAgain(ctx, t, s, number); err != nil || t.out != nil {
			return err
		}
	}
	state := cell.Again
	if kind == firstPass {
		if state = cell.New; len(t.walked) == 0 {
			state = cell.Fresh
		}
		t.walked[s.index] = true
	}
	g.collect.Maybe()
	end := g.collect.Off()
	v, err := callFor(ctx, g.run.guard.of(t.entry), t.Label+" on "+s.id, func(ctx context.Context) (passResult, error) {
		_, release := environment.Pin()
		defer release()
		return g.walk(ctx, t, s, number, kind, state)
	})
	t.gc = t.gc.Add(end())
	if err == nil && g.workload.Schema != nil {
		err = lexerFailure(t.entry, t.timed.problem)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed) && kind == comparedPass && t.mayBeClones(failed):
		return g.withoutClones(ctx, t, s, number, failed)
	case errors.As(err, &failed):
		return g.dropOut(t, s, failed)
	case err != nil:
		return err
	}
	t.take(&v)
	return nil
}

// walkAgain repeats the earlier walks of a document, untimed, with an instance that was compiled
// again since.
func (g *group) walkAgain(ctx context.Context, t *trial, s *document, times int) error {
	for range times {
		d := &measure.Document{Tokens: s.tokens, Positions: s.positionsOf(t.entry)}
		err := g.run.guard.of(t.entry).call(ctx, t.Label+" again on "+s.id, func(ctx context.Context) error {
			err := g.timing.Time(ctx, t.timed.engine, d, new(measure.Times))
			var refused *measure.RefusedError
			if errors.As(err, &refused) {
				return nil // the next pass finds it, too
			}
			return err
		})
		var failed *failure
		switch {
		case errors.As(err, &failed):
			return g.dropOut(t, s, failed)
		case err != nil:
			return err
		}
		t.walked[s.index] = true
	}
	return nil
}

// mayBeClones reports whether a comparison may have failed because of the clones that are timed in
// it: an engine from outside need not be able to clone.
func (t *trial) mayBeClones(failed *failure) bool {
	return t.outside() && !t.noClones && !failed.abandoned
}

// withoutClones compares again without clones. If that succeeds, the clones were the cause: they
// are not timed any more, and nothing else is lost.
func (g *group) withoutClones(ctx context.Context, t *trial, s *document, number int, failed *failure) error {
	t.noClones = true
	err := g.pass(ctx, t, s, number, comparedPass)
	if err == nil && t.out == nil {
		g.run.progress.note("%s does not get through the clones of %s, and is not asked for clones any more: %v", t.Label, s.id, failed)
		return nil
	}
	t.noClones = false
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
func (t *trial) take(v *passResult) {
	if v.pass != nil {
		t.passes = append(t.passes, *v.pass)
	}
	if v.clone != nil {
		t.clone = v.clone
	}
	if v.check != nil {
		t.check = v.check
	}
	if v.audit != nil {
		t.audit = v.audit
	}
	if v.wrong != "" {
		t.sample.Outcome, t.sample.Detail = cell.WrongMask, v.wrong
	}
}

// walk is one pass over a document, on a thread of its own. It does not change the trial, since it
// may be abandoned.
func (g *group) walk(ctx context.Context, t *trial, s *document, number int, kind passKind, state cell.State) (v passResult, err error) {
	d := &measure.Document{Tokens: s.tokens, Positions: s.positionsOf(t.entry), Proved: t.hashes}
	d.Drawn, d.Whole = g.draws(t, s, number)
	switch kind {
	case firstPass, againPass:
		var times measure.Times
		err = g.timing.Time(ctx, t.timed.engine, d, &times)
		v.pass = &cell.Pass{State: state, Lookup: times.Lookup, Mask: times.Mask, Commit: times.Commit, Step: times.Step,
			Disturbed: times.Disturbed, StolenNS: times.StolenNS, IdleNS: times.IdleNS}
	case comparedPass:
		v, err = g.compareAgain(ctx, t, s)
	case warmupPass:
		err = g.timing.Time(ctx, t.timed.engine, d, new(measure.Times))
	case checkPass:
		v.check = new(measure.Check)
		*v.check, err = g.timing.Check(ctx, t.timed.engine, d)
	case auditPass:
		v.audit, err = g.audit(ctx, t, d)
	}
	var refused *measure.RefusedError
	if errors.As(err, &refused) {
		return passResult{wrong: "an engine that is timed: " + refused.Error()}, nil
	}
	return v, err
}

// compareAgain compares the masks of the timed instance with the answers that were given before,
// and times clones.
func (g *group) compareAgain(ctx context.Context, t *trial, s *document) (v passResult, err error) {
	p := newProof(t.entry, s)
	if !t.noClones {
		p.Clones = []uint32{}
	}
	if err := p.prove(ctx, g.asking, t.timed.engine, s); err != nil {
		return v, err
	}
	v.clone = p.Clones
	if p.Refused || p.Contradiction != "" || !slices.Equal(p.Hashes, t.hashes) {
		v.wrong = "another engine of the same algorithm gave other masks on the same sample"
	}
	return v, nil
}

// needsCheck reports whether the steps of a trial are so short that blocks have to confirm them.
func (g *group) needsCheck(t *trial, s *document) bool {
	if len(t.passes) == 0 || len(s.positionsOf(t.entry)) != len(s.tokens) {
		return false
	}
	steps := slices.Sorted(slices.Values(t.passes[len(t.passes)-1].Step))
	return len(steps) > 0 && measure.NeedsCheck(float64(steps[len(steps)/2]), g.clockOf(t.engine, s.problem))
}

// resultOf is the result of a timed trial.
func (g *group) resultOf(t *trial, s *document, orders [][]string) cell.Result {
	if t.out != nil {
		turns, pace := t.sample.Turns, t.sample.PaceNS
		t.sample = failedSample(s, t.out)
		t.sample.Turns, t.sample.PaceNS = turns, pace
	}
	sample := g.complete(t.engine, t.sample, orders)
	sample.GC, sample.Check, sample.Audit = t.gc, t.check, t.audit
	trace := cell.Trace{Sample: s.index, Hashes: t.hashes, Positions: s.positionsOf(t.entry)[:len(t.hashes)]}
	if sample.Outcome == cell.OK {
		trace.Passes, trace.Clone = t.passes, t.clone
	}
	return cell.Result{Sample: sample, Trace: cell.EncodeTraces([]cell.Trace{trace})}
}

// complete fills in the fields of a sample that are about the session.
func (g *group) complete(c *engine, s cell.Sample, orders [][]string) cell.Sample {
	clock := g.clockOf(c, s.Problem)
	s.Session, s.Orders = g.session, orders
	s.ClockPairNS, s.ClockEmptyNS, s.Abandoned = clock.PairNS, clock.EmptyNS, g.run.guard.abandoned.count()
	return s
}

// clockOf is the clock that times an engine on a problem: that of its own process if it has one.
// The cost is zero where nothing was timed.
func (g *group) clockOf(c *engine, problem int) environment.Clock {
	if !c.outside() {
		return g.run.env.Clock
	}
	if p := c.problems[problem]; p != nil && p.Outside != nil {
		return environment.Clock{PairNS: p.Outside.ClockPairNS, EmptyNS: p.Outside.ClockEmptyNS}
	}
	return environment.Clock{}
}
