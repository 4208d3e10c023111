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

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// The times of an engine from outside are its own, and its author may want to win. Two things
// are drawn by lot that it cannot know before: in which timed walks all masks are compared, and
// on which documents its times are held against the processor time of its process.

const (
	// drawnOf is of how many documents of a cell one is audited, walksOf of how many walks of the
	// others one has all masks compared.
	drawnOf = 8
	walksOf = 16
	// auditAtMost bounds the steps that are audited in a document, by the time that they took.
	auditAtMost = 100 * time.Millisecond
)

// lot draws one of n by the seed, the row of the configuration, the workload and two numbers.
func (g *group) lot(t *trial, a, b uint64, n int) int {
	h := fnv.New64a()
	fmt.Fprint(h, t.Label, "\x00", g.workload.Name, "\x00", g.label)
	return rand.New(rand.NewPCG(g.run.cfg.Seed^h.Sum64(), a<<16|b)).IntN(n)
}

// drawn reports whether a document is audited: one of drawnOf is, and one at least of those that
// the engine is timed on.
func (g *group) drawn(t *trial, s *document) bool {
	of := max(1, min(drawnOf, g.positives))
	return s.positive%of == g.lot(t, 0, 0, of)
}

// draws reports whether processor time is read in a timed walk, and whether all of its masks are
// compared: on documents that are audited in the first pass and in one later one, and in one of
// walksOf other walks.
func (g *group) draws(t *trial, s *document, pass int) (drawn, whole bool) {
	if !t.outside() {
		return false, false
	}
	whole = g.lot(t, uint64(s.number)+1, uint64(pass), walksOf) == 0
	if drawn = g.drawn(t, s); drawn {
		whole = pass == 0 || pass == g.later(t, s)
	}
	whole = whole || pass == 0 && t.blind != nil && t.blind.document == s.index // its answers came second
	return drawn || whole, whole
}

// later draws one of the timed passes behind the first.
func (g *group) later(t *trial, s *document) int {
	var timed []int
	for i, kind := range passes(g.run.cfg.Measure.Warmup, g.run.cfg.Measure.Repeat) {
		if kind == warmupPass || kind == againPass {
			timed = append(timed, i)
		}
	}
	if len(timed) == 0 {
		return 0
	}
	return timed[g.lot(t, uint64(s.number)+1, 0, len(timed))]
}

// audits reports whether the times of a trial are compared with processor time.
func (g *group) audits(t *trial, s *document) bool {
	return t.outside() && len(t.passes) > 0 && len(s.positionsOf(t.entry)) == len(s.tokens) && g.drawn(t, s)
}

// audit is WalkAudit of the beginning of a document, beside the same steps one by one.
func (g *group) audit(ctx context.Context, t *trial, d *measure.Document) (*measure.Audit, error) {
	engine, ok := t.timed.engine.(measure.Walking)
	if !ok {
		return nil, nil
	}
	n := 0
	for spent := 0.0; n < len(d.Tokens) && spent < float64(auditAtMost); n++ {
		step, _ := shortest(t.passes, n)
		spent += step
	}
	a, err := engine.WalkAudit(ctx, &measure.Document{Tokens: d.Tokens[:n], Proved: d.Proved[:min(n, len(d.Proved))]})
	if err != nil {
		return nil, err
	}
	for i := range a.Steps {
		step, commit := shortest(t.passes, i)
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

// A blind walk is the first one of a new process, on a document that no process of its engine has
// met. What an engine knows of documents from its earlier processes it does not know there.
type blind struct {
	document int // its index
	steps    []uint32
}

// walkBlind walks the first document of a unit with the engine whose answers are compared, before
// it is asked for any.
func (g *group) walkBlind(ctx context.Context, u *unit, c *engine) error {
	c.blind = nil
	i := slices.IndexFunc(u.documents, func(s *document) bool { return !s.negative })
	if i < 0 || !c.outside() || c.prover.engine == nil || c.proven(u.documents[i]) {
		return nil
	}
	s := u.documents[i]
	if u.schema != nil && !g.drawn(&trial{engine: c}, s) {
		return nil
	}
	if err := g.begin(c.key, u.index, s.index, 0); err != nil {
		return err
	}
	d := &measure.Document{Tokens: s.tokens, Positions: s.positionsOf(c.entry)}
	steps, err := callFor(ctx, g.run.guard.of(c.entry), c.Label+" on "+s.id, func(ctx context.Context) ([]uint32, error) {
		var times measure.Times
		err := g.timing.Time(ctx, c.prover.engine, d, &times)
		return times.Step, err
	})
	var refused *measure.RefusedError
	var failed *failure
	switch {
	case errors.As(err, &refused) || errors.As(err, &failed):
		return nil // it is asked about the document next
	case err != nil:
		return err
	}
	c.blind = &blind{s.index, steps}
	return nil
}

// knows adds to the audit how long the first steps of the timed process took on the document of a
// blind walk, if it was the first one for both.
func (t *trial) knows(s *document) {
	b := t.blind
	if b == nil || b.document != s.index || len(t.passes) == 0 || t.passes[0].State != cell.Fresh || len(t.passes[0].Step) != len(b.steps) {
		return
	}
	if t.audit == nil {
		t.audit = new(measure.Audit)
	}
	t.audit.BlindNS, t.audit.SeenNS = shorterHalf(b.steps), shorterHalf(t.passes[0].Step)
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
