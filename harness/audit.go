package harness

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// The times of an engine from outside are its own, and its author may want to win. Two things
// are drawn by lot that it cannot know before: in which timed walks all masks are compared, and
// on which documents its times are held against the processor time of its process.

const (
	// drawnOf is of how many walks one is drawn, and of how many documents of a cell one is audited.
	drawnOf = 8
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

// draws reports whether all masks of a timed walk are compared: on documents that are audited, and
// in one of drawnOf other walks.
func (g *group) draws(t *trial, s *document, pass int) bool {
	return t.outside() && (g.drawn(t, s) || g.lot(t, uint64(s.number)+1, uint64(pass), drawnOf) == 0)
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
