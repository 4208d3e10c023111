package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/harness/cell"
)

// turn is a contestant in a round.
type turn struct {
	*contestant
	passes []*pass
	sample cell.Sample
	out    *failure // it dropped out of the round
	gc     cell.GC
}

// round measures one script with every contestant that has not done it; measured
// is false if there is none.
func (g *group) round(ctx context.Context, u *unit, s *script) (measured bool, err error) {
	var turns []*turn
	for _, c := range g.pending {
		if !c.finished(s) {
			turns = append(turns, &turn{contestant: c})
		}
	}
	if len(turns) == 0 {
		return false, nil
	}
	var orders [][]string
	for number := range g.passes(s) {
		order := g.order(turns, s, number)
		orders = append(orders, labelsOf(order))
		for _, t := range order {
			if err := g.pass(ctx, t, s, number); err != nil {
				return false, err
			}
		}
		if number == 0 {
			if err := g.judgeAll(ctx, u, turns, s); err != nil {
				return false, err
			}
		}
	}
	results := map[string]cell.Result{}
	for _, t := range turns {
		results[t.key] = g.resultOf(t, s, orders)
	}
	return true, g.recordRound(s.index, results)
}

// passes is how often a script is walked: a negative once, for its verdict.
func (g *group) passes(s *script) int {
	m := g.run.cfg.Measure
	if s.negative {
		return 1
	}
	return m.Warmup + m.Repeat
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
func (g *group) pass(ctx context.Context, t *turn, s *script, number int) error {
	if t.out == nil && t.lost != nil {
		t.out = t.lost
	}
	if t.out != nil || number > 0 && t.sample.Outcome != cell.OK {
		return nil
	}
	if err := g.begin(t.key, s.problem, s.index, number); err != nil {
		return err
	}
	p, err := g.timed(ctx, t, s, number)
	if err == nil && g.workload.Schema != nil {
		err = lexerFailure(t.problem)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		t.out = failed
		if failed.abandoned {
			g.run.abandoned++
			t.abandoned++
			t.lost = &failure{outcome: failed.outcome, detail: "not called again after it did not return on " + s.id + ": " + failed.detail}
			// At once: should what was left behind take the process down, the next one
			// must not come here again.
			return g.recordRound(s.index, map[string]cell.Result{t.key: g.resultOf(t, s, nil)})
		}
		return nil
	case err != nil:
		return err
	}
	if number > 0 && t.sample.Outcome == cell.OK && !slices.Equal(p.hashes, t.passes[0].hashes) {
		t.sample.Outcome = cell.WrongMask
		t.sample.Detail = fmt.Sprintf("pass %d over the same sample gave other masks than the first", number+1)
	}
	t.passes = append(t.passes, p)
	return nil
}

// timed walks the script with the garbage collector held back.
func (g *group) timed(ctx context.Context, t *turn, s *script, number int) (*pass, error) {
	m := mode{timed: true, lanes: 1, commitClones: 1}
	if number > 0 {
		m = nextMode(t.passes[number-1], g.run.env.Clock)
	}
	m.clones = !s.negative && number == g.clonePass()
	w := walker{engine: t.engine, collect: &g.collect}
	p := new(pass)
	g.collect.maybe()
	end := g.collect.begin()
	err := g.run.guard.call(ctx, t.Label+" on "+s.id, func(ctx context.Context) error { return w.walk(ctx, s, m, p) })
	t.gc = t.gc.Add(end())
	return p, err
}

// clonePass is the pass in which clones are timed: the last warm-up, so that they
// disturb no timed one. The first pass over an instance of a schema is timed, too,
// since there the cold engine is of interest; then clones are not timed if there is
// no other warm-up.
func (g *group) clonePass() int {
	last := g.run.cfg.Measure.Warmup - 1
	if g.workload.Schema != nil {
		if last < 1 {
			return -1
		}
		return last
	}
	return max(0, last)
}

// resultOf makes a contestant's result of a round.
func (g *group) resultOf(t *turn, s *script, orders [][]string) cell.Result {
	if t.out != nil {
		t.sample = failedSample(s, t.out)
	}
	sample := g.complete(t.sample, orders)
	sample.GC = t.gc
	trace := cell.Trace{Sample: s.index}
	if len(t.passes) > 0 {
		trace.Hashes = t.passes[0].hashes
	}
	trace.Positions = s.positions[:len(trace.Hashes)]
	if sample.Outcome == cell.OK && !s.negative {
		for number, p := range t.passes {
			trace.Passes = append(trace.Passes, cell.Pass{Warmup: number < g.run.cfg.Measure.Warmup,
				Lanes: p.lanes, CommitClones: p.commitClones, Mask: p.mask, Commit: p.commit})
			if p.clone != nil {
				trace.Clone = p.clone
			}
		}
	}
	return cell.Result{Sample: sample, Trace: cell.EncodeTraces([]cell.Trace{trace})}
}

// complete fills in what a sample knows about the session.
func (g *group) complete(s cell.Sample, orders [][]string) cell.Sample {
	s.Session, s.Orders = g.session, orders
	s.ClockPairNS, s.Abandoned = g.run.env.Clock.PairNS, g.run.abandoned
	return s
}
