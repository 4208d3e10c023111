package harness

import (
	"context"
	"errors"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// Truth comes before time. Before an algorithm is timed on a unit, another instance of it walks all
// documents untimed, negatives among them, and its masks are compared with the reference's. That
// instance meets each document for the first time, as the timed one will: the masks that are
// compared are those that an engine gives while it builds its tables. In its second pass over a
// document the timed instance is compared with these answers.

// prove asks every engine for its answers on all documents of a unit, where they are missing.
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
		if err := g.walkBlind(ctx, u, c); err != nil {
			return err
		}
	}
	if !asked {
		return nil
	}
	for _, s := range u.documents {
		if err := g.proofRound(ctx, u, s); err != nil {
			return err
		}
	}
	for _, c := range g.pending {
		c.prover = compiled{}
		if u.schema == nil { // no other grammar follows that could use it
			c.keptByProver = renewed(c.keptByProver)
		}
	}
	return nil
}

// renewed closes a Kept and returns an empty one. Processes of engines from outside end with the
// old.
func renewed(old *algorithms.Kept) *algorithms.Kept {
	old.Close() // an engine that does not end well has ended
	return algorithms.NewKept()
}

// allProven reports whether an engine needs no more answers on a unit.
func (g *group) allProven(c *engine, u *unit) bool {
	for _, s := range u.documents {
		if !c.proven(s) {
			return false
		}
	}
	return true
}

// compileProver compiles the engine whose answers are compared. If that fails, the unit is over for
// the algorithm: the compile that is timed would fail, too.
func (g *group) compileProver(ctx context.Context, u *unit, c *engine) error {
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
	fresh, err := u.freshWithin(ctx, guard, c.entry, c.keptByProver)
	if err == nil {
		_, err = g.start(ctx, guard, c.entry, fresh)
	}
	if err == nil {
		c.prover, err = c.compile(ctx, guard, u, fresh)
	}
	var failed *failure
	if errors.As(err, &failed) {
		g.countFailure(c, failed)
		return g.recordCompile(c, u.index, u.failed(c.entry, failed, cell.StageAlgorithm))
	}
	return err // that it started says nothing of the process of the timed engine
}

// countFailure counts an operation that was abandoned, and a process that did not start.
func (g *group) countFailure(c *engine, f *failure) {
	if f.abandoned {
		c.abandoned++
	}
	if f.starting {
		c.badStarts, c.badStart = c.badStarts+1, f
	}
}

// proofRound asks all engines about a document, and compares the answers.
func (g *group) proofRound(ctx context.Context, u *unit, s *document) error {
	r := &round{unit: u, document: s}
	for _, c := range g.pending {
		if c.prover.engine != nil && !c.proven(s) {
			r.trials = append(r.trials, &trial{engine: c})
		}
	}
	if len(r.trials) == 0 {
		return ctx.Err()
	}
	for _, t := range r.trials {
		if err := g.ask(ctx, t, s); err != nil {
			return err
		}
	}
	if err := judgeAll(ctx, g, r); err != nil {
		return err
	}
	g.noteRefused(r)
	results := map[string]cell.Result{}
	for _, t := range r.trials {
		trace := cell.Trace{Sample: s.index}
		if t.proof != nil {
			trace.Hashes, trace.Positions = t.proof.Hashes, t.proof.positions[:len(t.proof.Hashes)]
		}
		results[t.key] = cell.Result{Sample: g.complete(t.engine, t.sample, nil), Trace: cell.EncodeTraces([]cell.Trace{trace})}
	}
	return g.recordProof(s.index, results)
}

// ask has an engine walk a document, untimed.
func (g *group) ask(ctx context.Context, t *trial, s *document) error {
	if t.lost != nil {
		t.out = t.lost
		return nil
	}
	if err := g.begin(t.key, s.problem, s.index, 0); err != nil {
		return err
	}
	if _, err := g.revive(ctx, t.engine, &t.prover); err != nil {
		return g.notRevived(t, err)
	}
	g.collect.Maybe()
	p, err := t.answer(ctx, g.run.guard.of(t.entry), g.asking, t.prover.engine, s)
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

// notRevived ends the trial of an engine whose process does not come back. Other errors stay.
func (g *group) notRevived(t *trial, err error) error {
	var failed *failure
	if !errors.As(err, &failed) {
		return err
	}
	t.out = failed
	return nil
}

// dropOut ends a trial. An engine that did not return is not called again on this unit. The journal
// has that at once: if the abandoned operation takes this process down, the next one must not call
// the engine here again.
func (g *group) dropOut(t *trial, s *document, failed *failure) error {
	t.out = failed
	if !failed.abandoned {
		return nil
	}
	g.countFailure(t.engine, failed)
	g.walkers() // the old row may still be written to
	t.lost = failed.notAgain(s.id)
	return g.recordRound(s.index, map[string]cell.Result{t.key: g.resultOf(t, s, nil)})
}

// recordProof writes the answers of all trials of a document, in one line.
func (g *group) recordProof(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Proof: &cell.Round{Sample: sample, Results: results}})
	for key, r := range results {
		g.engine(key).takeAnswers(sample, &r.Sample, at)
	}
	return err
}

// all are the algorithms of the run.
func (g *group) all() []*entry { return g.run.entries }

func (g *group) limits() *guard { return g.run.guard }

// earlier returns the answers of an entry on a document from this group's journal or from a
// finished cell; nil if there are none. The error is about what was stored.
func (g *group) earlier(e *entry, s *document) (*answers, error) {
	for _, c := range g.pending {
		if c.entry != e {
			continue
		}
		r, done, err := g.read(c, c.answered[s.index].at)
		if err == nil && !done { // their line was lost; that of the times has them, too
			r, done, err = g.result(c, s.index)
		}
		if err != nil {
			return nil, err
		}
		if !done || r.Sample.Outcome != cell.OK && r.Sample.Outcome != cell.WrongVerdict {
			return nil, nil
		}
		trace, err := g.trace(c, s, &r)
		return &answers{e.Label, e.semantics(), trace.Positions, trace.Hashes, r.Sample.Refused, r.Sample.RefusedAt}, err
	}
	for _, src := range g.stored {
		if src.entry == e {
			return src.of(s.index)
		}
	}
	return nil, nil
}

// maxExplained is how many wrong masks of an algorithm are made small: one for a grammar, a few for
// a corpus of schemas.
func maxExplained(u *unit) int {
	const few = 5
	if u.schema == nil {
		return 1
	}
	return few
}

// wrongMask makes a wrong mask small, prints it and stores it.
func (g *group) wrongMask(ctx context.Context, r *round, t *trial, reference string, diff *difference) error {
	if t.explained >= maxExplained(r.unit) {
		return nil
	}
	t.explained++
	d, err := g.explain(ctx, g.run.guard, r, t, reference, diff)
	if endsAll(ctx, err) {
		return err
	}
	if err != nil || d == nil {
		g.run.progress.note("wrong mask: %s on %s with %s, sample %s: %s (no smaller case was found: %v)", t.Label, g.workload.Name, g.label, r.document.id, diff.what, err)
		return nil
	}
	g.run.summary.Differences = append(g.run.summary.Differences, d)
	name := t.key[:32]
	if t.explained > 1 {
		name = fmt.Sprintf("%s-%d", name, t.explained)
	}
	path, err := g.run.store.PutDifference(name, d)
	if err != nil {
		return err
	}
	g.run.progress.note("%sstored as %s", d.Text(), path)
	return nil
}
