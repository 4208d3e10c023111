package harness

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// round is a document of an open unit, with the trials of the engines that walk it.
type round struct {
	unit     *unit
	document *document
	trials   []*trial
}

// A runner is the part of judging that Run and Verify do differently when the answers on a document
// are judged.
type runner interface {
	// all are the algorithms of the configuration.
	all() []*entry
	// limits is the guard of all operations.
	limits() *guard
	// earlier returns the answers of an entry that has no trial now; nil if there are none.
	earlier(e *entry, s *document) (*answers, error)
	// refusedForOrder reports whether a valid instance was refused only for the order of its keys.
	refusedForOrder(ctx context.Context, r *round, t *trial) (bool, error)
	// wrongMask takes note of a trial with a wrong mask. reference is the label of the engine that it
	// was compared with; "" for none.
	wrongMask(ctx context.Context, r *round, t *trial, reference string, diff *difference) error
}

// judgeAll compares the answers on a document and settles the outcome of each trial.
func judgeAll(ctx context.Context, c runner, r *round) error {
	u, s := r.unit, r.document
	for _, t := range r.trials {
		if t.out != nil {
			t.sample = failedSample(s, t.out)
			continue
		}
		refs, whose, err := references(c, r, t)
		if err != nil {
			return err
		}
		sample, diff := t.judge(u, s, t.proof, refs...)
		wrong, reference := t, sample.Reference
		if other := whose[reference]; diff != nil && other != nil {
			sides, err := r.contractSidesWith(ctx, c.limits(), t, diff)
			if err != nil {
				return err
			}
			if sides {
				wrong, reference = other, t.Label
				diff = other.blame(t, diff)
				compared, with := sample.Compared, sample.ComparedWith
				sample, _ = judge(u, s, t.proof)
				sample.Compared, sample.ComparedWith, sample.Reference = compared, with, other.Label
			}
		}
		if refusesValid(&sample) {
			if sample.KeyOrder, err = c.refusedForOrder(ctx, r, t); err != nil {
				return err
			}
		}
		t.sample = sample
		if diff != nil {
			if err := c.wrongMask(ctx, r, wrong, reference, diff); err != nil {
				return err
			}
		}
	}
	return nil
}

// blame settles that a reference is the wrong side of a difference that was found in a trial.
// Without naive the reference is just another algorithm.
func (t *trial) blame(right *trial, diff *difference) *difference {
	what := fmt.Sprintf("at position %d it differs from %s and from the contract", diff.position, right.Label)
	t.sample.Outcome, t.sample.Detail = cell.WrongMask, what
	return &difference{diff.position, diff.masked, what}
}

// references finds the answers that a trial is compared with: those of naive, and of the first
// other algorithm in the order of the configuration, since naive may have been asked at some
// positions only. Each of them walked the document to its end, now or earlier. The list ends before
// the trial itself. whose has the trials of references that may be wrong themselves, by label:
// naive is not among them.
func references(c runner, r *round, t *trial) (refs []*answers, whose map[string]*trial, err error) {
	whose = map[string]*trial{}
	for _, e := range referenceFirst(c.all()) {
		if e.semantics() != t.semantics() {
			continue
		}
		if e == t.entry {
			break
		}
		a, of, err := r.answers(c, e)
		if err != nil {
			return nil, nil, err
		}
		if a == nil {
			continue
		}
		if refs = append(refs, a); !e.literal() {
			if of != nil {
				whose[a.label] = of
			}
			break
		}
	}
	return refs, whose, nil
}

// answers are those of an entry on the document, with its trial if there is one now; nil if it did
// not walk the document to its end.
func (r *round) answers(c runner, e *entry) (a *answers, of *trial, err error) {
	for _, t := range r.trials {
		if t.entry == e && t.out == nil && t.sample.Outcome != cell.WrongMask {
			return answersOf(e, t.proof), t, nil
		}
	}
	a, err = c.earlier(e, r.document)
	return a, nil, err
}

// contractSidesWith reports whether the contract agrees with a trial where it differs from a
// reference that is not naive. A contract that gives no answer within the limits agrees with
// nobody; the error is one that ends the command.
func (r *round) contractSidesWith(ctx context.Context, limits *guard, t *trial, diff *difference) (bool, error) {
	if r.unit.problem == nil || t.semantics() != algorithms.SemanticsContract || t.proof.Contradiction != "" {
		return false, nil // without a problem there is no contract to ask
	}
	sides, err := callFor(ctx, limits.of(t.entry), "asking the contract about a mask of "+t.Label, func(context.Context) (bool, error) {
		return r.contractAgrees(t, diff), nil
	})
	if endsAll(ctx, err) {
		return false, err
	}
	return sides && err == nil, nil
}

// contractAgrees asks the contract whether a trial is right at a position.
func (r *round) contractAgrees(t *trial, diff *difference) bool {
	u, s := r.unit, r.document
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

// explain makes a wrong mask small. The error is that of a guard.
func (g *prepared) explain(ctx context.Context, guard *guard, r *round, t *trial, reference string, diff *difference) (*Difference, error) {
	var other algorithms.Engine
	for _, o := range r.trials {
		if o.Label == reference {
			other = o.prover.engine
		}
	}
	patient := guard.of(t.entry)
	patient.timeout = 2 * shrinkTime
	return callFor(ctx, patient, "explaining a mask of "+t.Label, func(ctx context.Context) (*Difference, error) {
		return g.explainDifference(ctx, r, t, other, reference, diff), nil
	})
}
