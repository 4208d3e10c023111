package harness

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// The times of an engine from outside are its own, and its author may want to win. Two things
// are drawn by lot that it cannot know before: in which timed walk of a document all masks are
// compared, and on which documents its times are held against the processor time of its process.

const (
	// drawnOf is of how many documents of a cell one is audited.
	drawnOf = 8
	// auditAtMost bounds the steps that are audited in a document, by the time that they took.
	auditAtMost = 100 * time.Millisecond
)

// lot draws one of n by the seed, the row of the configuration, the workload and two numbers.
func (g *group) lot(t *ask.Trial, a, b uint64, n int) int {
	h := fnv.New64a()
	fmt.Fprint(h, t.Label, "\x00", g.Workload.Name, "\x00", g.Label)
	return rand.New(rand.NewPCG(g.run.cfg.Seed^h.Sum64(), a<<16|b)).IntN(n)
}

// drawn reports whether a document is audited: one of drawnOf is, and one at least of those that
// the engine is timed on.
func (g *group) drawn(t *ask.Trial, s *prepare.Document) bool {
	of := max(1, min(drawnOf, g.Positives))
	return s.Positive%of == g.lot(t, 0, 0, of)
}

// draws reports whether processor time is read in a timed walk, and whether all of its masks are
// compared: in one walk of each document, and in the first of one whose answers came second.
func (g *group) draws(t *ask.Trial, s *prepare.Document, pass int) (drawn, whole bool) {
	if !t.Outside() {
		return false, false
	}
	whole = pass == g.compared(t, s) || pass == 0 && t.Blind != nil && t.Blind.Document == s.Index
	return g.drawn(t, s), whole
}

// compared draws one of the timed passes over a document.
func (g *group) compared(t *ask.Trial, s *prepare.Document) int {
	var timed []int
	for i, kind := range ask.Passes(g.run.cfg.Measure.Warmup, g.run.cfg.Measure.Repeat) {
		if kind == ask.FirstPass || kind == ask.WarmupPass || kind == ask.AgainPass {
			timed = append(timed, i)
		}
	}
	return timed[g.lot(t, uint64(s.Number)+1, 0, len(timed))]
}

// audits reports whether the times of a trial are compared with processor time.
func (g *group) audits(t *ask.Trial, s *prepare.Document) bool {
	return t.Outside() && len(t.Passes) > 0 && len(s.PositionsOf(t.Entry)) == len(s.Tokens) && g.drawn(t, s)
}

// audit is WalkAudit of the beginning of a document, beside the same steps one by one.
func (g *group) audit(ctx context.Context, t *ask.Trial, d *measure.Document) (*measure.Audit, error) {
	engine, ok := t.Timed.Engine.(measure.Walking)
	if !ok {
		return nil, nil
	}
	n := 0
	for spent := 0.0; n < len(d.Tokens) && spent < float64(auditAtMost); n++ {
		step, _ := shortest(t.Passes, n)
		spent += step
	}
	a, err := engine.WalkAudit(ctx, &measure.Document{Tokens: d.Tokens[:n], Proved: d.Proved[:min(n, len(d.Proved))]})
	if err != nil {
		return nil, err
	}
	for i := range a.Steps {
		step, commit := shortest(t.Passes, i)
		a.SingleNS += step
		if i < a.Steps-1 { // the next step's
			a.CommitNS += commit
		}
	}
	return &a, nil
}

// shortest are the times in ns of a step and of the commit of its token, each in the pass where it
// was shortest: what has the core in one pass has it elsewhere in the next.
func shortest(passes []cell.Pass, step int) (whole, commit float64) {
	whole, commit = math.Inf(1), math.Inf(1)
	for i := range passes {
		whole, commit = min(whole, float64(passes[i].Step[step])), min(commit, float64(passes[i].Commit[step]))
	}
	return whole, commit
}

// walkBlind walks the first document of a unit with the engine whose answers are compared, before
// it is asked for any.
func (g *group) walkBlind(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	c.Blind = nil
	i := slices.IndexFunc(u.Documents, func(s *prepare.Document) bool { return !s.Negative })
	if i < 0 || !c.Outside() || c.Prover.Engine == nil || proven(c, u.Documents[i]) {
		return nil
	}
	s := u.Documents[i]
	if u.Schema != nil && !g.drawn(&ask.Trial{Engine: c}, s) {
		return nil
	}
	if err := g.begin(c.Key, u.Index, s.Index, 0); err != nil {
		return err
	}
	d := &measure.Document{Tokens: s.Tokens, Positions: s.PositionsOf(c.Entry)}
	steps, err := bounds.CallFor(ctx, prepare.Of(g.run.guard, c.Entry), c.Label+" on "+s.ID, func(ctx context.Context) ([]uint32, error) {
		var times measure.Times
		err := g.timing.Time(ctx, c.Prover.Engine, d, &times)
		return times.Step, err
	})
	var refused *measure.RefusedError
	var failed *bounds.Failure
	switch {
	case errors.As(err, &refused) || errors.As(err, &failed):
		return nil // it is asked about the document next
	case err != nil:
		return err
	}
	c.Blind = &ask.Blind{Document: s.Index, Steps: steps}
	return nil
}

// knows adds to the audit how long the first steps of the timed process took on the document of a
// blind walk, if it was the first one for both.
func knows(t *ask.Trial, s *prepare.Document) {
	b := t.Blind
	if b == nil || b.Document != s.Index || len(t.Passes) == 0 || t.Passes[0].State != cell.Fresh || len(t.Passes[0].Step) != len(b.Steps) {
		return
	}
	if t.Audit == nil {
		t.Audit = new(measure.Audit)
	}
	t.Audit.BlindNS, t.Audit.SeenNS = shorterHalf(b.Steps), shorterHalf(t.Passes[0].Step)
}

// shorterHalf sums up the shorter half of some times: neither what an engine builds now and then
// nor what disturbs it is in it.
func shorterHalf(list []uint32) (sum float64) {
	sorted := slices.Sorted(slices.Values(list))
	for _, ns := range sorted[:(len(sorted)+1)/2] {
		sum += float64(ns)
	}
	return sum
}
