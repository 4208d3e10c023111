package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// turn is a contestant in a round.
type turn struct {
	*contestant
	proof  *proof   // its answers, while it is asked for them
	hashes []uint64 // of the masks it answered with, while it is timed
	passes []cell.Pass
	clone  []uint32
	check  *measure.Check
	sample cell.Sample
	out    *failure // it dropped out of the round
	gc     cell.GC
}

// passKind is what a pass over a document is for.
type passKind int

const (
	// firstPass is timed: the engine meets the document for the first time.
	firstPass passKind = iota
	// comparedPass is not timed: masks are compared with the answers of before, and
	// clones are timed.
	comparedPass
	warmupPass
	againPass // timed
	// checkPass compares single measurements with blocks.
	checkPass
)

// passes are those over a document, in their order. Without a warm-up masks are compared
// when all times are taken.
func passes(warmup, repeat int) []passKind {
	list := []passKind{firstPass}
	for i := range warmup {
		list = append(list, map[bool]passKind{true: comparedPass, false: warmupPass}[i == 0])
	}
	list = append(list, slices.Repeat([]passKind{againPass}, repeat)...)
	if warmup == 0 {
		list = append(list, comparedPass)
	}
	return append(list, checkPass)
}

// round times one script with every contestant that has not been timed on it.
func (g *group) round(ctx context.Context, s *script) error {
	var turns []*turn
	for _, c := range g.pending {
		if c.finished(s) {
			continue
		}
		t, err := g.newTurn(c, s)
		if err != nil {
			return err
		}
		turns = append(turns, t)
	}
	if len(turns) == 0 {
		return nil
	}
	var orders [][]string
	for number, kind := range passes(g.run.cfg.Measure.Warmup, g.run.cfg.Measure.Repeat) {
		order := g.order(turns, s, number)
		orders = append(orders, labelsOf(order))
		for _, t := range order {
			if err := g.pass(ctx, t, s, number, kind); err != nil {
				return err
			}
		}
	}
	results := map[string]cell.Result{}
	for _, t := range turns {
		for _, other := range turns {
			t.sample.Turns = append(t.sample.Turns, cell.Turn(other.key))
		}
		results[t.key] = g.resultOf(t, s, orders)
	}
	return g.recordRound(s.index, results)
}

// newTurn begins a contestant's turn with the answers that it gave before.
func (g *group) newTurn(c *contestant, s *script) (*turn, error) {
	t := &turn{contestant: c}
	if t.out = cmp.Or(c.lost, c.gone); t.out != nil {
		return t, nil
	}
	r, ok, err := g.answersRead(c, s.index)
	if err != nil {
		return nil, err
	}
	traces, err := cell.DecodeTraces(r.Trace)
	if err == nil && (!ok || len(traces) != 1) {
		err = fmt.Errorf("%d traces where one belongs", len(traces))
	}
	if err != nil {
		return nil, fmt.Errorf("the journal of %s with %s: %s on %s: %w", g.workload.Name, g.label, c.Label, s.id, err)
	}
	t.sample, t.hashes = r.Sample, traces[0].Hashes
	return t, nil
}

// order draws who goes first in a pass.
func (g *group) order(turns []*turn, s *script, number int) []*turn {
	order := slices.Clone(turns)
	rng := rand.New(rand.NewPCG(g.run.cfg.Seed, uint64(s.index)<<16|uint64(number)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// labelsOf are the names in the order of turns, as it is recorded.
func labelsOf(turns []*turn) []string {
	list := make([]string, len(turns))
	for i, t := range turns {
		list[i] = t.Label
	}
	return list
}

// pass runs one pass of one contestant, unless it dropped out.
func (g *group) pass(ctx context.Context, t *turn, s *script, number int, kind passKind) error {
	if t.out != nil || t.sample.Outcome != cell.OK || kind == checkPass && !g.needsCheck(t, s) {
		return nil
	}
	if err := g.begin(t.key, s.problem, s.index, number); err != nil {
		return err
	}
	again, err := g.revive(ctx, t.contestant, &t.compiled)
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
	g.collect.maybe()
	end := g.collect.begin()
	v, err := callFor(ctx, g.run.guard.of(t.entry), t.Label+" on "+s.id, func(ctx context.Context) (visit, error) {
		_, release := environment.Pin()
		defer release()
		return g.walk(ctx, t, s, kind, state)
	})
	t.gc = t.gc.Add(end())
	if err == nil && g.workload.Schema != nil {
		err = lexerFailure(t.entry, t.problem)
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

// walkAgain walks a document untimed as often as it has been walked, with an engine that was
// compiled again in between.
func (g *group) walkAgain(ctx context.Context, t *turn, s *script, times int) error {
	for range times {
		d := &measure.Document{Tokens: s.tokens, Positions: s.positionsOf(t.entry)}
		err := g.run.guard.of(t.entry).call(ctx, t.Label+" again on "+s.id, func(ctx context.Context) error {
			err := g.timing.Time(ctx, t.engine, d, new(measure.Times))
			var refused *measure.RefusedError
			if errors.As(err, &refused) {
				return nil // the pass that follows finds it, too
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

// mayBeClones reports whether a comparison may have failed for the clones that are timed in it,
// which an engine from outside need not be able to make.
func (t *turn) mayBeClones(failed *failure) bool {
	return t.outside() && !t.noClones && !failed.abandoned
}

// withoutClones compares again without clones. If that goes well, the clones were to blame: they
// are not asked for any more, and nothing else is lost.
func (g *group) withoutClones(ctx context.Context, t *turn, s *script, number int, failed *failure) error {
	t.noClones = true
	err := g.pass(ctx, t, s, number, comparedPass)
	if err == nil && t.out == nil {
		g.run.progress.note("%s does not get through the clones of %s, and is not asked for clones any more: %v", t.Label, s.id, failed)
		return nil
	}
	t.noClones = false
	return err
}

// visit is what one pass over a document found: one of these.
type visit struct {
	pass  *cell.Pass
	clone []uint32
	check *measure.Check
	wrong string // what the engine says against its own answers; "" for nothing
}

// take adds what a pass found.
func (t *turn) take(v *visit) {
	if v.pass != nil {
		t.passes = append(t.passes, *v.pass)
	}
	if v.clone != nil {
		t.clone = v.clone
	}
	if v.check != nil {
		t.check = v.check
	}
	if v.wrong != "" {
		t.sample.Outcome, t.sample.Detail = cell.WrongMask, v.wrong
	}
}

// walk is one pass of one contestant over a script, on a thread of its own. It changes nothing of the turn:
// it may be left behind.
func (g *group) walk(ctx context.Context, t *turn, s *script, kind passKind, state cell.State) (v visit, err error) {
	d := &measure.Document{Tokens: s.tokens, Positions: s.positionsOf(t.entry)}
	switch kind {
	case firstPass, againPass:
		var times measure.Times
		err = g.timing.Time(ctx, t.engine, d, &times)
		v.pass = &cell.Pass{State: state, Lookup: times.Lookup, Mask: times.Mask, Commit: times.Commit, Step: times.Step,
			Disturbed: times.Disturbed, StolenNS: times.StolenNS}
	case comparedPass:
		v, err = g.compareAgain(ctx, t, s)
	case warmupPass:
		err = g.timing.Time(ctx, t.engine, d, new(measure.Times))
	case checkPass:
		v.check = new(measure.Check)
		*v.check, err = g.timing.Check(ctx, t.engine, d)
	}
	var refused *measure.RefusedError
	if errors.As(err, &refused) {
		return visit{wrong: "an engine that is timed: " + refused.Error()}, nil
	}
	return v, err
}

// compareAgain compares the masks of the engine that is timed with the answers of the one that was asked
// before, and times clones.
func (g *group) compareAgain(ctx context.Context, t *turn, s *script) (v visit, err error) {
	p := newProof(t.entry, s)
	if !t.noClones {
		p.Clones = []uint32{}
	}
	if err := p.prove(ctx, g.asking, t.engine, s); err != nil {
		return v, err
	}
	v.clone = p.Clones
	if p.Refused || p.Contradiction != "" || !slices.Equal(p.Hashes, t.hashes) {
		v.wrong = "another engine of the same algorithm gave other masks on the same sample"
	}
	return v, nil
}

// needsCheck reports whether the steps of a contestant are so short that blocks have to
// confirm them.
func (g *group) needsCheck(t *turn, s *script) bool {
	if len(t.passes) == 0 || len(s.positionsOf(t.entry)) != len(s.tokens) {
		return false
	}
	steps := slices.Sorted(slices.Values(t.passes[len(t.passes)-1].Step))
	return len(steps) > 0 && measure.NeedsCheck(float64(steps[len(steps)/2]), g.clockOf(t.contestant, s.problem))
}

// resultOf makes a contestant's result of a round.
func (g *group) resultOf(t *turn, s *script, orders [][]string) cell.Result {
	if t.out != nil {
		turns := t.sample.Turns
		t.sample = failedSample(s, t.out)
		t.sample.Turns = turns
	}
	sample := g.complete(t.contestant, t.sample, orders)
	sample.GC, sample.Check = t.gc, t.check
	trace := cell.Trace{Sample: s.index, Hashes: t.hashes, Positions: s.positionsOf(t.entry)[:len(t.hashes)]}
	if sample.Outcome == cell.OK {
		trace.Passes, trace.Clone = t.passes, t.clone
	}
	return cell.Result{Sample: sample, Trace: cell.EncodeTraces([]cell.Trace{trace})}
}

// complete fills in what a contestant's sample knows about the session.
func (g *group) complete(c *contestant, s cell.Sample, orders [][]string) cell.Sample {
	clock := g.clockOf(c, s.Problem)
	s.Session, s.Orders = g.session, orders
	s.ClockPairNS, s.ClockEmptyNS, s.Abandoned = clock.PairNS, clock.EmptyNS, g.run.guard.behind.count()
	return s
}

// clockOf is the clock by which a contestant is timed on a problem: that of its own process, if it
// has one and said what it costs. What is zero was not timed.
func (g *group) clockOf(c *contestant, problem int) environment.Clock {
	if !c.outside() {
		return g.run.env.Clock
	}
	if p := c.problems[problem]; p != nil && p.Outside != nil {
		return environment.Clock{PairNS: p.Outside.ClockPairNS, EmptyNS: p.Outside.ClockEmptyNS}
	}
	return environment.Clock{}
}
