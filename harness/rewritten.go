package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gcdbench/algorithms"
	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/rewrite"
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

// withRewritten adds the entries on rewritten grammars behind the others.
func withRewritten(list []*entry, n int, seed uint64) []*entry {
	rng := rand.New(rand.NewPCG(seed, 0x7265_7772))
	all := list
	for range n {
		own := 1 + uint64(rng.Uint32()) // short enough to be read
		for _, e := range list {
			if e.outside() {
				continue // it reads the text of the grammar
			}
			again := *e
			again.rewritten = own
			again.Label = fmt.Sprintf("%s (rewritten %d)", e.Label, own)
			all = append(all, &again)
		}
	}
	return all
}

// literal reports whether an entry is naive on the grammar as it is, which is never wrong.
func (e *entry) literal() bool { return e.Name == naive && e.rewritten == 0 }

// rewrittenForms are the rewritten grammars of an open unit, by seed.
type rewrittenForms map[uint64]*rewrittenForm

// rewrittenForm is one of them, or why it cannot be compiled.
type rewrittenForm struct {
	problem *algorithms.Problem
	failed  *failure
}

// of is the problem that an entry compiles: the unit's, or a rewritten one, made when it is first
// asked for. A rewritten grammar that cannot be compiled is a *failure; it is unsupported, since it
// says nothing of the algorithm.
func (f rewrittenForms) of(ctx context.Context, guard *guard, u *unit, e *entry) (*algorithms.Problem, error) {
	if e.rewritten == 0 {
		if u.freshLate != nil && e.grows() {
			return u.freshLate(ctx)
		}
		return u.problem, nil
	}
	form := f[e.rewritten]
	if form == nil {
		form = &rewrittenForm{}
		made, err := callFor(ctx, guard, fmt.Sprintf("the grammar %s, rewritten by %d", u.id, e.rewritten), func(ctx context.Context) (*recognizer.Recognizer, error) {
			r, err := rewrite.Grammar(ctx, u.problem.Grammar, u.problem.Tables, e.rewritten)
			if err != nil {
				return nil, err
			}
			made, err := recognizer.New(ctx, r.Grammar, recognizer.Options{OnDemand: u.schema != nil})
			if err != nil && ctx.Err() == nil {
				err = &failure{outcome: cell.Unsupported, detail: "the rewritten grammar: " + err.Error(), reason: "its rewritten grammar cannot be compiled"}
			}
			return made, err
		})
		if err != nil && !errors.As(err, &form.failed) {
			return nil, err
		}
		form.problem = &algorithms.Problem{Recognizer: made, Vocabulary: u.problem.Vocabulary}
		f[e.rewritten] = form
	}
	if form.failed != nil {
		return nil, form.failed
	}
	return form.problem, nil
}
