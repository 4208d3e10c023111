package harness

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// judgeAll compares the answers on a script and settles each contestant's outcome.
func (g *group) judgeAll(ctx context.Context, u *unit, turns []*turn, s *script) error {
	for _, t := range turns {
		if t.out != nil {
			continue
		}
		refs, whose, err := g.references(t, turns, s)
		if err != nil {
			return err
		}
		sample, diff := t.judge(u, s, t.proof, refs...)
		wrong := t
		if diff != nil && len(refs) > 0 && whose[sample.Reference] != nil && g.sidesWith(u, t, s, diff) {
			// Without naive the reference is just another algorithm, and here it is
			// the one that is wrong.
			wrong = whose[sample.Reference]
			diff = &difference{diff.position, diff.masked, fmt.Sprintf("at position %d it differs from %s and from the contract", diff.position, t.Label)}
			wrong.sample.Outcome, wrong.sample.Detail = cell.WrongMask, diff.what
			compared := sample.Compared
			sample, _ = judge(u, s, t.proof)
			sample.Compared, sample.Reference = compared, wrong.Label
		}
		if refusesValid(&sample) {
			if sample.KeyOrder, err = g.refusedForOrder(ctx, u, t, s); err != nil {
				return err
			}
		}
		t.sample = sample
		if diff != nil && wrong.explained < maxExplained(u) {
			wrong.explained++
			if err := g.explain(ctx, u, wrong, turns, s, sample.Reference, diff); err != nil {
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
	if u.problem == nil || t.semantics() != algorithms.SemanticsContract || t.proof.Contradiction != "" {
		return false // without a problem there is no contract to ask: the schema is none for this program
	}
	contract := contractWitness{u.problem}
	prefix := s.prefix(diff.position)
	if !diff.masked {
		allowed, ok := contract.allows(prefix, int(s.tokens[diff.position]))
		takes := !t.proof.Refused || t.proof.RefusedAt > diff.position
		return ok && allowed == takes
	}
	m, ok := contract.mask(prefix)
	hash, asked := t.proof.hashAt(diff.position)
	return ok && asked && m.Hash() == hash
}

// references finds whose answers a contestant is compared with on a script: those of
// naive, and of the first other one in the order of the configuration, since naive may
// have been asked at some positions only. Each got through the script, now or
// earlier. The list ends before the contestant itself. whose has those of this round that may
// be wrong themselves, by label: they are not naive.
func (g *group) references(t *turn, turns []*turn, s *script) (refs []*answers, whose map[string]*turn, err error) {
	whose = map[string]*turn{}
	for _, e := range referenceFirst(g.run.entries) {
		if e.semantics() != t.semantics() {
			continue
		}
		if e == t.entry {
			break
		}
		a, turn, err := g.answers(e, turns, s)
		if err != nil {
			return nil, nil, err
		}
		if a == nil {
			continue
		}
		if refs = append(refs, a); e.Name != naive {
			if turn != nil {
				whose[a.label] = turn
			}
			break
		}
	}
	return refs, whose, nil
}

// answers are those of an entry on a script, from this round (then turn is set) or
// from earlier; nil if it did not get through it.
func (g *group) answers(e *entry, turns []*turn, s *script) (a *answers, t *turn, err error) {
	for _, other := range turns {
		if other.entry == e && other.out == nil && other.sample.Outcome != cell.WrongMask {
			return answersOf(e, other.proof), other, nil
		}
	}
	a, err = g.earlier(e, s)
	return a, nil, err
}

// earlier returns the answers of an entry that has the script behind it, in this
// group's journal or in a finished cell; nil if it has not.
// The error is about what was stored: without it, nothing would be compared and nobody told.
func (g *group) earlier(e *entry, s *script) (*answers, error) {
	for _, c := range g.pending {
		if c.entry != e {
			continue
		}
		r, done, err := g.answersRead(c, s.index)
		if err == nil && !done { // lost with their line; the times hold them, too
			r, done, err = g.result(c, s.index)
		}
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
		return &answers{e.Label, e.semantics(), traces[0].Positions, traces[0].Hashes, r.Sample.Refused, r.Sample.RefusedAt}, nil
	}
	for _, src := range g.stored {
		if src.entry == e {
			return src.of(s.index)
		}
	}
	return nil, nil
}

// explain makes a wrong mask small, prints it and stores it. reference is the label of
// who it was compared with, "" for nobody.
func (g *group) explain(ctx context.Context, u *unit, t *turn, turns []*turn, s *script, reference string, diff *difference) error {
	var refEngine algorithms.Engine
	for _, other := range turns {
		if other.Label == reference {
			refEngine = other.prover.engine
		}
	}
	patient := *g.run.guard.of(t.entry)
	patient.timeout = 2 * shrinkTime
	d, err := callFor(ctx, &patient, "explaining a mask of "+t.Label, func(ctx context.Context) (*Difference, error) {
		return g.explainDifference(ctx, u, t.entry, t.prover.engine, refEngine, reference, s, diff), nil
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
