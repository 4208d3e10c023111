package harness

import (
	"context"
	"errors"
	"fmt"

	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// Truth comes before time. Before an algorithm is timed on a unit, another instance of it walks all
// documents untimed, negatives among them, and its masks are compared with the reference's. That
// instance meets each document for the first time, as the timed one will: the masks that are
// compared are those that an engine gives while it builds its tables. In its second pass over a
// document the timed instance is compared with these answers.

// prove asks every engine for its answers on all documents of a unit, where they are missing.
func (g *group) prove(ctx context.Context, u *prepare.Unit) error {
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
	for _, s := range u.Documents {
		if err := g.proofRound(ctx, u, s); err != nil {
			return err
		}
	}
	for _, c := range g.pending {
		c.Prover = ask.Compiled{}
		if u.Schema == nil { // no other grammar follows that could use it
			c.KeptByProver = ask.Renewed(c.KeptByProver)
		}
	}
	return nil
}

// allProven reports whether an engine needs no more answers on a unit.
func (g *group) allProven(c *ask.Engine, u *prepare.Unit) bool {
	for _, s := range u.Documents {
		if !proven(c, s) {
			return false
		}
	}
	return true
}

// compileProver compiles the engine whose answers are compared. If that fails, the unit is over for
// the algorithm: the compile that is timed would fail, too.
func (g *group) compileProver(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	if done, err := g.notCompiled(u, c); done || err != nil {
		return err
	}
	if err := g.begin(c.Key, u.Index, -1, 0); err != nil {
		return err
	}
	g.chargeFrom(u)
	if u.Schema == nil {
		g.run.progress.Doing("compiling %s, whose masks are compared", c.Label)
	}
	guard := prepare.Of(g.run.guard, c.Entry)
	fresh, err := u.FreshWithin(ctx, guard, c.Entry, c.KeptByProver)
	if err == nil {
		_, err = ask.Start(g.Prepared, ctx, guard, c.Entry, fresh)
	}
	if err == nil {
		c.Prover, err = ask.Compile(c.Entry, ctx, guard, u, fresh)
	}
	var failed *bounds.Failure
	if errors.As(err, &failed) {
		g.countFailure(c, failed)
		return g.recordCompile(c, u.Index, failedOn(u, c.Entry, failed, cell.StageAlgorithm))
	}
	return err // that it started says nothing of the process of the timed engine
}

// countFailure counts an operation that was abandoned, and a process that did not start.
func (g *group) countFailure(c *ask.Engine, f *bounds.Failure) {
	if f.Abandoned {
		c.Abandoned++
	}
	if f.Starting {
		c.BadStarts, c.BadStart = c.BadStarts+1, f
	}
}

// proofRound asks all engines about a document, and compares the answers.
func (g *group) proofRound(ctx context.Context, u *prepare.Unit, s *prepare.Document) error {
	r := &ask.Round{Unit: u, Document: s}
	for _, c := range g.pending {
		if c.Prover.Engine != nil && !proven(c, s) {
			r.Trials = append(r.Trials, &ask.Trial{Engine: c})
		}
	}
	if len(r.Trials) == 0 {
		return ctx.Err()
	}
	for _, t := range r.Trials {
		if err := g.ask(ctx, t, s); err != nil {
			return err
		}
	}
	if err := ask.JudgeAll(ctx, g, r); err != nil {
		return err
	}
	g.noteRefused(r)
	results := map[string]cell.Result{}
	for _, t := range r.Trials {
		trace := cell.Trace{Sample: s.Index}
		if t.Proof != nil {
			trace.Hashes, trace.Positions = t.Proof.Hashes, t.Proof.Positions[:len(t.Proof.Hashes)]
		}
		results[t.Key] = cell.Result{Sample: g.complete(t.Engine, t.Sample, nil), Trace: cell.EncodeTraces([]cell.Trace{trace})}
	}
	return g.recordProof(s.Index, results)
}

// ask has an engine walk a document, untimed.
func (g *group) ask(ctx context.Context, t *ask.Trial, s *prepare.Document) error {
	if t.Lost != nil {
		t.Out = t.Lost
		return nil
	}
	if err := g.begin(t.Key, s.Problem, s.Index, 0); err != nil {
		return err
	}
	if _, err := g.revive(ctx, t.Engine, &t.Prover); err != nil {
		return g.notRevived(t, err)
	}
	g.collect.Maybe()
	p, err := ask.Answer(t.Engine.Entry, ctx, prepare.Of(g.run.guard, t.Entry), g.asking, t.Prover.Engine, s)
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		return g.dropOut(t, s, failed)
	case err != nil:
		return err
	}
	t.Proof = p
	return nil
}

// notRevived ends the trial of an engine whose process does not come back. Other errors stay.
func (g *group) notRevived(t *ask.Trial, err error) error {
	var failed *bounds.Failure
	if !errors.As(err, &failed) {
		return err
	}
	t.Out = failed
	return nil
}

// dropOut ends a trial. An engine that did not return is not called again on this unit. The journal
// has that at once: if the abandoned operation takes this process down, the next one must not call
// the engine here again.
func (g *group) dropOut(t *ask.Trial, s *prepare.Document, failed *bounds.Failure) error {
	t.Out = failed
	if !failed.Abandoned {
		return nil
	}
	g.countFailure(t.Engine, failed)
	g.walkers() // the old row may still be written to
	t.Lost = failed.NotAgain(s.ID)
	return g.recordRound(s.Index, map[string]cell.Result{t.Key: g.resultOf(t, s, nil)})
}

// recordProof writes the answers of all trials of a document, in one line.
func (g *group) recordProof(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Proof: &cell.Round{Sample: sample, Results: results}})
	for key, r := range results {
		takeAnswers(g.engine(key), sample, &r.Sample, at)
	}
	return err
}

// All are the algorithms of the run.
func (g *group) All() []*prepare.Entry { return g.run.entries }

func (g *group) Limits() *bounds.Guard { return g.run.guard }

// Earlier returns the answers of an entry on a document from this group's journal or from a
// finished cell; nil if there are none. The error is about what was stored.
func (g *group) Earlier(e *prepare.Entry, s *prepare.Document) (*ask.Answers, error) {
	for _, c := range g.pending {
		if c.Entry != e {
			continue
		}
		r, done, err := g.read(c, c.Answered[s.Index].At)
		if err == nil && !done { // their line was lost; that of the times has them, too
			r, done, err = g.result(c, s.Index)
		}
		if err != nil {
			return nil, err
		}
		if !done || r.Sample.Outcome != cell.OK && r.Sample.Outcome != cell.WrongVerdict {
			return nil, nil
		}
		trace, err := g.trace(c, s, &r)
		return &ask.Answers{Label: e.Label, Positions: trace.Positions, Hashes: trace.Hashes, Refused: r.Sample.Refused, RefusedAt: r.Sample.RefusedAt}, err
	}
	for _, src := range g.stored {
		if src.Entry == e {
			return src.of(s.Index)
		}
	}
	return nil, nil
}

// maxExplained is how many wrong masks of an algorithm are made small: one for a grammar, a few for
// a corpus of schemas.
func maxExplained(u *prepare.Unit) int {
	const few = 5
	if u.Schema == nil {
		return 1
	}
	return few
}

// WrongMask makes a wrong mask small, prints it and stores it.
func (g *group) WrongMask(ctx context.Context, r *ask.Round, t *ask.Trial, reference string, diff *ask.Differing) error {
	if t.Explained >= maxExplained(r.Unit) {
		return nil
	}
	t.Explained++
	d, err := ask.Explain(g.Prepared, ctx, g.run.guard, r, t, reference, diff)
	if bounds.EndsAll(ctx, err) {
		return err
	}
	if err != nil || d == nil {
		g.run.progress.Note("wrong mask: %s on %s with %s, sample %s: %s (no smaller case was found: %v)", t.Label, g.Workload.Name, g.Label, r.Document.ID, diff.What, err)
		return nil
	}
	g.run.summary.Differences = append(g.run.summary.Differences, d)
	name := t.Key[:32]
	if t.Explained > 1 {
		name = fmt.Sprintf("%s-%d", name, t.Explained)
	}
	path, err := g.run.store.PutDifference(name, d)
	if err != nil {
		return err
	}
	g.run.progress.Note("%sstored as %s", d.Text(), path)
	return nil
}

// Valid instances that are refused only because of the order of their keys. For an algorithm that
// follows the contract the grammar with keys in any order answers: does it take the instance? An
// engine with a language of its own is asked itself: does it take the instance with its keys in an
// order of the schema, and nothing else changed?

// RefusedForOrder reports whether an engine refused a valid instance only because of the order
// of its keys.
func (g *group) RefusedForOrder(ctx context.Context, r *ask.Round, t *ask.Trial) (bool, error) {
	if !ask.Foreign(t.Engine.Entry) {
		return ask.KeyOrder(ctx, g.run.guard, r)
	}
	u, s := r.Unit, r.Document
	if u.Schema == nil {
		return false, nil
	}
	list, err := ask.OrderGuarded(ctx, g.run.guard, s, func() ([][]byte, error) {
		return ask.Reordered(u.Schema.Text, s.Content), nil
	})
	for _, text := range list {
		if t.Lost != nil || t.Prover.Gone != nil {
			break // the engine may not be called again
		}
		took, err := g.takes(ctx, t, s, text)
		if took || err != nil {
			return took, err
		}
	}
	return false, err
}

// takes asks the instance whose answers are compared about another text: whether masks and commits
// take all of it. A failure is no answer.
func (g *group) takes(ctx context.Context, t *ask.Trial, original *prepare.Document, text []byte) (bool, error) {
	id := original.ID + " with its keys in order"
	s := &prepare.Document{ID: id, Content: text}
	tokens, err := g.Encode(s)
	if err != nil {
		return false, nil
	}
	s.Tokens = tokens
	s.Choose(len(tokens), nil)
	if err := g.begin(t.Key, original.Problem, original.Index, 0); err != nil {
		return false, err
	}
	_, err = g.revive(ctx, t.Engine, &t.Prover)
	var p *ask.Proof
	if err == nil {
		p, err = ask.Answer(t.Engine.Entry, ctx, prepare.Of(g.run.guard, t.Entry), g.asking, t.Prover.Engine, s)
	}
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		if failed.Abandoned && t.Lost == nil {
			g.countFailure(t.Engine, failed)
			t.Lost = failed.NotAgain(id)
		}
		return false, nil
	case err != nil:
		return false, err
	}
	return !p.Refused && p.Contradiction == "", nil
}
