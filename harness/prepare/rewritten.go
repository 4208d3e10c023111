package prepare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/rewrite"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
)

// Verification with rewritten grammars: a second net, for what all engines share.
//
// Each algorithm takes part again on grammars that package rewrite makes of those of the
// configuration. Its tables, its lexer and its preprocessing are then others, its masks have to be
// the same. All other rules hold as for any further algorithm: what it is compared with, sampling,
// shards, how a difference is made small.
//
// Conflicts of the grammars of programs are kept in the original, too, and not resolved. The parser
// then takes the language of the rules, which is what rewriting keeps. So a verification with
// rewritten grammars says nothing of resolved conflicts, and one without is needed beside it.

// conflicts is how the conflicts of the grammars of programs are treated; nil for what they say.
func (o *Options) conflicts() *grammar.ConflictMode {
	if o.Rewritten == 0 {
		return nil
	}
	keep := grammar.KeepConflicts
	return &keep
}

// WithRewritten adds the entries on rewritten grammars behind the others.
func WithRewritten(list []*Entry, n int, seed uint64) []*Entry {
	rng := rand.New(rand.NewPCG(seed, 0x7265_7772))
	all := list
	for range n {
		own := 1 + uint64(rng.Uint32()) // short enough to be read
		for _, e := range list {
			if e.Outside() {
				continue // it reads the text of the grammar
			}
			again := *e
			again.Rewritten = own
			again.Label = fmt.Sprintf("%s (rewritten %d)", e.Label, own)
			all = append(all, &again)
		}
	}
	return all
}

// Literal reports whether an entry is naive on the grammar as it is, which is never wrong.
func (e *Entry) Literal() bool { return e.Name == Naive && e.Rewritten == 0 }

// RewrittenForms are the rewritten grammars of an open unit, by seed.
type RewrittenForms map[uint64]*rewrittenForm

// rewrittenForm is one of them, or why it cannot be compiled.
type rewrittenForm struct {
	problem *algorithms.Problem
	failed  *bounds.Failure
}

// Of is the problem that an entry compiles: the unit's, or a rewritten one, made when it is first
// asked for. A rewritten grammar that cannot be compiled is a *failure; it is unsupported, since it
// says nothing of the algorithm.
func (f RewrittenForms) Of(ctx context.Context, guard *bounds.Guard, u *Unit, e *Entry) (*algorithms.Problem, error) {
	if e.Rewritten == 0 {
		if u.freshLate != nil && e.Grows() {
			return u.freshLate(ctx)
		}
		return u.SharedProblem, nil
	}
	form := f[e.Rewritten]
	if form == nil {
		form = &rewrittenForm{}
		made, err := bounds.CallFor(ctx, guard, fmt.Sprintf("the grammar %s, rewritten by %d", u.ID, e.Rewritten), func(ctx context.Context) (*recognizer.Recognizer, error) {
			r, err := rewrite.Grammar(ctx, u.SharedProblem.Grammar, u.SharedProblem.Tables, e.Rewritten)
			if err != nil {
				return nil, err
			}
			made, err := recognizer.New(ctx, r.Grammar, recognizer.Options{OnDemand: u.Schema != nil})
			if err != nil && ctx.Err() == nil {
				err = &bounds.Failure{Outcome: cell.Unsupported, Detail: "the rewritten grammar: " + err.Error(), Reason: "its rewritten grammar cannot be compiled"}
			}
			return made, err
		})
		if err != nil && !errors.As(err, &form.failed) {
			return nil, err
		}
		form.problem = &algorithms.Problem{Recognizer: made, Vocabulary: u.SharedProblem.Vocabulary}
		f[e.Rewritten] = form
	}
	if form.failed != nil {
		return nil, form.failed
	}
	return form.problem, nil
}
