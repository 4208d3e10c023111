package ask

import (
	"context"
	"fmt"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/prepare"
)

// Round is a document of an open unit, with the trials of the engines that walk it.
type Round struct {
	Unit     *prepare.Unit
	Document *prepare.Document
	Trials   []*Trial
}

// A runner is the part of judging that Run and Verify do differently when the answers on a document
// are judged.
type runner interface {
	// All are the algorithms of the configuration.
	All() []*prepare.Entry
	// Limits is the guard of all operations.
	Limits() *bounds.Guard
	// Earlier returns the answers of an entry that has no trial now; nil if there are none.
	Earlier(e *prepare.Entry, s *prepare.Document) (*Answers, error)
	// RefusedForOrder reports whether a valid instance was refused only for the order of its keys.
	RefusedForOrder(ctx context.Context, r *Round, t *Trial) (bool, error)
	// WrongMask takes note of a trial with a wrong mask. reference is the label of the engine that it
	// was compared with; "" for none.
	WrongMask(ctx context.Context, r *Round, t *Trial, reference string, diff *Differing) error
}

// JudgeAll compares the answers on a document and settles the outcome of each trial.
func JudgeAll(ctx context.Context, c runner, r *Round) error {
	u, s := r.Unit, r.Document
	r.settleEnd()
	for _, t := range r.Trials {
		if t.Out != nil {
			t.Sample = FailedSample(s, t.Out)
			continue
		}
		refs, whose, err := references(c, r, t)
		if err != nil {
			return err
		}
		sample, diff := judgeAs(t.Engine.Entry, u, s, t.Proof, refs...)
		wrong, reference := t, sample.Reference
		if other := whose[reference]; diff != nil && other != nil {
			sides, err := r.contractSidesWith(ctx, c.Limits(), t, diff)
			if err != nil {
				return err
			}
			if sides {
				wrong, reference = other, t.Label
				diff = other.blame(t, diff)
				compared, with := sample.Compared, sample.ComparedWith
				sample, _ = judge(u, s, t.Proof)
				sample.Compared, sample.ComparedWith, sample.Reference = compared, with, other.Label
			}
		}
		if prepare.RefusesValid(&sample) {
			if sample.KeyOrder, err = c.RefusedForOrder(ctx, r, t); err != nil {
				return err
			}
		}
		t.Sample = sample
		if diff != nil {
			if err := c.WrongMask(ctx, r, wrong, reference, diff); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleEnd refuses the end where a text may not end, but a rule names the EOS token: a mask has
// one bit for both. Engines with a language of their own are taken at their mask's word.
func (r *Round) settleEnd() {
	p, last := r.Unit.SharedProblem, len(r.Document.Tokens)-1
	if p == nil || r.Document.Open || !p.Vocabulary.Legal(int(r.Document.Tokens[last])) || p.Check(r.Document.Content) == nil {
		return
	}
	for _, t := range r.Trials {
		if t.Out == nil && !t.Proof.Refused && !Foreign(t.Entry) {
			t.Proof.Refused, t.Proof.RefusedAt = true, last
		}
	}
}

// blame settles that a reference is the wrong side of a difference that was found in a trial.
// Without naive the reference is just another algorithm.
func (t *Trial) blame(right *Trial, diff *Differing) *Differing {
	what := fmt.Sprintf("at position %d it differs from %s and from the contract", diff.Position, right.Label)
	t.Sample.Outcome, t.Sample.Detail = cell.WrongMask, what
	return &Differing{diff.Position, diff.masked, what}
}

// references finds the answers that a trial is compared with: those of naive, and of the first
// other algorithm in the order of the configuration, since naive may have been asked at some
// positions only. Each of them walked the document to its end, now or earlier. The list ends before
// the trial itself. whose has the trials of references that may be wrong themselves, by label:
// naive is not among them.
func references(c runner, r *Round, t *Trial) (refs []*Answers, whose map[string]*Trial, err error) {
	whose = map[string]*Trial{}
	for _, e := range prepare.ReferenceFirst(c.All()) {
		if e.Semantics() != t.Semantics() {
			continue
		}
		if e == t.Entry {
			break
		}
		a, of, err := r.answers(c, e)
		if err != nil {
			return nil, nil, err
		}
		if a == nil {
			continue
		}
		if refs = append(refs, a); !e.Literal() {
			if of != nil {
				whose[a.Label] = of
			}
			break
		}
	}
	return refs, whose, nil
}

// answers are those of an entry on the document, with its trial if there is one now; nil if it did
// not walk the document to its end.
func (r *Round) answers(c runner, e *prepare.Entry) (a *Answers, of *Trial, err error) {
	for _, t := range r.Trials {
		if t.Entry == e && t.Out == nil && t.Sample.Outcome != cell.WrongMask {
			return answersOf(e, t.Proof), t, nil
		}
	}
	a, err = c.Earlier(e, r.Document)
	return a, nil, err
}

// contractSidesWith reports whether the contract agrees with a trial where it differs from a
// reference that is not naive. A contract that gives no answer within the limits agrees with
// nobody; the error is one that ends the command.
func (r *Round) contractSidesWith(ctx context.Context, limits *bounds.Guard, t *Trial, diff *Differing) (bool, error) {
	if r.Unit.SharedProblem == nil || t.Semantics() != algorithms.SemanticsContract || t.Proof.Contradiction != "" {
		return false, nil // without a problem there is no contract to ask
	}
	sides, err := bounds.CallFor(ctx, prepare.Of(limits, t.Entry), "asking the contract about a mask of "+t.Label, func(context.Context) (bool, error) {
		return r.contractAgrees(t, diff), nil
	})
	if bounds.EndsAll(ctx, err) {
		return false, err
	}
	return sides && err == nil, nil
}

// contractAgrees asks the contract whether a trial is right at a position.
func (r *Round) contractAgrees(t *Trial, diff *Differing) bool {
	u, s := r.Unit, r.Document
	contract := ContractWitness{Problem: u.SharedProblem}
	prefix := Prefix(s, diff.Position)
	if !diff.masked {
		allowed, ok := contract.Allows(prefix, int(s.Tokens[diff.Position]))
		takes := !t.Proof.Refused || t.Proof.RefusedAt > diff.Position
		return ok && allowed == takes
	}
	m, ok := contract.Mask(prefix)
	hash, asked := t.Proof.HashAt(diff.Position)
	return ok && asked && m.Hash() == hash
}

// Explain makes a wrong mask small. The error is that of a guard.
func Explain(g *prepare.Prepared, ctx context.Context, guard *bounds.Guard, r *Round, t *Trial, reference string, diff *Differing) (*Difference, error) {
	var other algorithms.Engine
	for _, o := range r.Trials {
		if o.Label == reference {
			other = o.Prover.Engine
		}
	}
	patient := prepare.Of(guard, t.Entry)
	patient.Timeout = 2 * shrinkTime
	return bounds.CallFor(ctx, patient, "explaining a mask of "+t.Label, func(ctx context.Context) (*Difference, error) {
		return ExplainDifference(g, ctx, r, t, other, reference, diff), nil
	})
}
