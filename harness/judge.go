package harness

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// judgeAll compares the first passes and settles each contestant's outcome.
func (g *group) judgeAll(ctx context.Context, u *unit, turns []*turn, s *script) error {
	for _, t := range turns {
		if t.out != nil {
			continue
		}
		ref, whose, err := g.reference(t, turns, s)
		if err != nil {
			return err
		}
		sample, diff := judge(u, s, t.passes[0], ref)
		wrong := t
		if diff != nil && ref != nil && whose != nil && g.sidesWith(u, t, s, diff) {
			// Without naive the reference is just another algorithm, and here it is
			// the one that is wrong.
			wrong, diff = whose, &difference{diff.position, diff.masked, fmt.Sprintf("at position %d it differs from %s and from the contract", diff.position, t.Label)}
			whose.sample.Outcome, whose.sample.Detail = cell.WrongMask, diff.what
			compared := sample.Compared
			sample, _ = judge(u, s, t.passes[0], nil)
			sample.Compared, sample.Reference = compared, whose.Label
		}
		if refusesValid(&sample) {
			if sample.KeyOrder, err = g.keyOrder(ctx, u, *g.run.guard, s); err != nil {
				return err
			}
		}
		t.sample = sample
		if diff != nil && wrong.explained < maxExplained(u) {
			wrong.explained++
			if err := g.explain(ctx, u, wrong, turns, s, ref, diff); err != nil {
				return err
			}
		}
	}
	g.noteRefused(u, turns)
	return nil
}

// maxExplained is how many wrong masks of an algorithm are made small: one of a
// grammar is enough, and of many schemas a few.
func maxExplained(u *unit) int {
	const few = 5
	if u.schema == nil {
		return 1
	}
	return few
}

// sidesWith reports whether the contract agrees with a contestant where it
// differs from a reference that is not naive.
func (g *group) sidesWith(u *unit, t *turn, s *script, diff *difference) bool {
	if t.algorithm.Semantics() != algorithms.SemanticsContract || t.passes[0].contradiction != "" {
		return false
	}
	contract := contractWitness{u.problem}
	prefix := s.prefix(diff.position)
	if !diff.masked {
		allowed, ok := contract.allows(prefix, int(s.tokens[diff.position]))
		takes := !t.passes[0].refused || t.passes[0].refusedAt > diff.position
		return ok && allowed == takes
	}
	m, ok := contract.mask(prefix)
	at := slices.Index(s.positions, uint32(diff.position))
	return ok && m.Hash() == t.passes[0].hashes[at]
}

// reference finds whose answers a contestant is compared with on a script: the
// first of naive and then the others in the order of the configuration that got
// through it, measured now or earlier; nil if that is the contestant itself. whose
// is set if that one may be wrong itself: it is in this round, and not naive.
func (g *group) reference(t *turn, turns []*turn, s *script) (ref *answers, whose *turn, err error) {
	for _, e := range referenceFirst(g.run.entries) {
		if e.algorithm.Semantics() != t.algorithm.Semantics() {
			continue
		}
		if e == t.entry {
			return nil, nil, nil
		}
		for _, other := range turns {
			if other.entry != e || other.out != nil || other.sample.Outcome == cell.WrongMask {
				continue
			}
			if e.Name != "naive" {
				whose = other
			}
			return answersOf(e, other.passes[0]), whose, nil
		}
		if a, err := g.earlier(e, s); a != nil || err != nil {
			return a, nil, err
		}
	}
	return nil, nil, nil
}

// earlier returns the answers of an entry that has the script behind it, in this
// group's journal or in a finished cell; nil if it has not.
// The error is about what was stored: without it, nothing would be compared and nobody told.
func (g *group) earlier(e *entry, s *script) (*answers, error) {
	for _, c := range g.pending {
		if c.entry != e {
			continue
		}
		r, done, err := g.result(c, s.index)
		if err != nil {
			return nil, err
		}
		if !done || r.Sample.Outcome != cell.OK && r.Sample.Outcome != cell.WrongVerdict {
			return nil, nil
		}
		traces, err := cell.DecodeTraces(r.Trace)
		if err == nil && len(traces) != 1 {
			err = fmt.Errorf("%d traces where one belongs", len(traces))
		}
		if err != nil {
			return nil, fmt.Errorf("the journal of %s with %s: %s on %s: %w", g.workload.Name, g.label, e.Label, s.id, err)
		}
		return &answers{e.Label, e.algorithm.Semantics(), traces[0].Hashes, r.Sample.Refused, r.Sample.RefusedAt}, nil
	}
	for _, src := range g.stored {
		if src.label == e.Label {
			return src.of(s.index)
		}
	}
	return nil, nil
}

// explain makes a wrong mask small, prints it and stores it.
func (g *group) explain(ctx context.Context, u *unit, t *turn, turns []*turn, s *script, ref *answers, diff *difference) error {
	reference, refEngine := "", algorithms.Engine(nil)
	if ref != nil {
		reference = ref.label
		for _, other := range turns {
			if other.Label == ref.label {
				refEngine = other.engine
			}
		}
	}
	patient := *g.run.guard
	patient.timeout = 2 * shrinkTime
	d, err := callFor(ctx, &patient, "explaining a mask of "+t.Label, func(ctx context.Context) (*Difference, error) {
		return g.explainDifference(ctx, u, t.entry, t.engine, refEngine, reference, s, diff), nil
	})
	if endsAll(ctx, err) {
		return err
	}
	if err != nil || d == nil {
		g.run.progress.note("wrong mask: %s on %s with %s, sample %s: %s (no smaller case was found: %v)", t.Label, g.workload.Name, g.label, s.id, diff.what, err)
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
