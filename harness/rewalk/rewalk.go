// Package rewalk opens the units of a stored result again, for those that walk its documents anew.
package rewalk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/tokenizers"
)

// A Rewalk loads the workloads of a run again, for questions that need the engines once more.
// Nothing is timed, compared or stored.
type Rewalk struct {
	cfg    *config.Config
	opt    prepare.Options
	loader *prepare.Loader
}

// NewRewalk is for the workloads and vocabularies of a configuration. It uses the sources of
// tokenizers, the algorithms and the progress of opt.
func NewRewalk(cfg *config.Config, opt prepare.Options) *Rewalk {
	once := *cfg
	once.Measure.Compiles = 1
	r := &Rewalk{cfg: &once, opt: opt}
	r.loader = prepare.NewLoader(r.cfg, &r.opt)
	return r
}

// EachGroup loads the wanted groups one after the other. wanted gets the names of workload and
// vocabulary in the results. Errors are *InputError, those of visit, or ctx's.
func (r *Rewalk) EachGroup(ctx context.Context, wanted func(workload, tokenizer string) bool, visit func(*Reopened) error) error {
	for _, w := range r.cfg.Workloads {
		for _, t := range r.cfg.Tokenizers {
			if !wanted(w.Name, t.Label) {
				continue
			}
			g, err := r.loader.Prepare(ctx, w, t)
			if err != nil {
				return err
			}
			opened := &Reopened{g, r.opt.NewGuard(r.cfg)}
			opened.Guard.Base = measure.Heap()
			if err := visit(opened); err != nil {
				return err
			}
		}
		delete(r.loader.Workloads, w.Name)
	}
	return nil
}

// Lookup finds an algorithm by its name.
func (r *Rewalk) Lookup(name string) (algorithms.Algorithm, error) { return r.opt.Lookup(name) }

// Reopened is a workload on a vocabulary, loaded again.
type Reopened struct {
	*prepare.Prepared
	Guard *bounds.Guard
}

// Names are the names of workload and vocabulary in the results.
func (g *Reopened) Names() (workload, tokenizer string) { return g.Workload.Name, g.Label }

// Tokenizer is the group's.
func (g *Reopened) Tokenizer() *tokenizers.Tokenizer { return g.LoadedTokenizer.Tokenizer }

// Asks reports whether a cell has the grammar, documents, tokens and vocabulary that were loaded.
func (g *Reopened) Asks(id *cell.ID) bool {
	q := &g.Question
	return id.GrammarSHA256 == q.GrammarSHA256 && id.CorpusSHA256 == q.CorpusSHA256 && id.TokensSHA256 == q.TokensSHA256 &&
		id.VocabularySHA256 == q.VocabularySHA256 && id.TokenizerSHA256 == q.TokenizerSHA256
}

// Unit opens a problem by its index in the cells' records. A problem that does not compile is an
// error. The error is ctx's if ctx is done.
func (g *Reopened) Unit(ctx context.Context, index int) (*Unit, error) {
	if index < 0 || index >= len(g.Units) {
		return nil, fmt.Errorf("there is no problem %d", index)
	}
	u := g.Units[index]
	if err := g.Open(ctx, u, g.Guard, 1, nil); err != nil && bounds.EndsAll(ctx, err) {
		return nil, err
	}
	if u.SharedProblem == nil {
		return nil, fmt.Errorf("%s: %s", u.Shared.Outcome, u.Shared.Detail)
	}
	return &Unit{u, g}, nil
}

// Unit is an open problem with its documents. Close releases it.
type Unit struct {
	*prepare.Unit
	group *Reopened
}

// Source has the grammar's text; none if its file cannot be read any more.
func (u *Unit) Source() *algorithms.Source {
	out := *u.GrammarSource
	if out.Text == nil {
		var named bool
		if out.Text, named = languages.Text(out.Name); !named {
			out.Text, _ = os.ReadFile(out.Name)
		}
	}
	return &out
}

// Close releases what a schema holds.
func (u *Unit) Close() { u.Unit.Close() }

// SchemaOptions say how the schema was compiled; nil for a grammar.
func (u *Unit) SchemaOptions() *cell.SchemaOptions {
	return prepare.SchemaOptions(u.group.Workload.Schema)
}

// Problem is a problem that no engine has used, with the Kept of the algorithm.
func (u *Unit) Problem(ctx context.Context, a algorithms.Algorithm, o algorithms.Options, kept *algorithms.Kept) (*algorithms.Problem, error) {
	return u.FreshFor(ctx, &prepare.Entry{Maker: a, Options: o}, kept)
}

// Prepare starts the process of an engine from outside if it does not run yet, within the time that
// a run allows. There is no warm-up, since nothing is timed. For other algorithms it does nothing.
// Errors are those of Guarded.
func (u *Unit) Prepare(ctx context.Context, label string, a algorithms.Algorithm, o algorithms.Options, kept *algorithms.Kept) error {
	e := &prepare.Entry{Algorithm: config.Algorithm{Label: label}, Maker: a, Options: o}
	if !e.Outside() {
		return nil
	}
	p, err := u.FreshFor(ctx, e, kept)
	if err != nil {
		return err
	}
	_, err = ask.StartCold(ctx, prepare.Of(u.group.Guard, e), e, p)
	return err
}

// Recognizer is the contract's own, which no engine uses.
func (u *Unit) Recognizer() *recognizer.Recognizer { return u.SharedProblem.Recognizer }

// Document is the sample with an index in the cells' records: its id, text and oracle tokens, EOS
// last. ok is false if the sample is not in this unit.
func (u *Unit) Document(sample int) (id string, content []byte, tokens []int32, ok bool) {
	for _, s := range u.Documents {
		if s.Index == sample {
			return s.ID, s.Content, s.Tokens, true
		}
	}
	return "", nil, nil, false
}

// Guarded runs f within a time limit and the run's limit of memory. a is the algorithm that f
// calls, nil if it calls none: an engine from outside is not stopped for the memory of this
// process. A panic of f is an error, and so is an f that does not return: abandoned is then true,
// and f may still use whatever it was given. The error is ctx's if ctx is done.
func (g *Reopened) Guarded(ctx context.Context, a algorithms.Algorithm, who string, limit time.Duration, f func(ctx context.Context) error) (abandoned bool, err error) {
	watched := prepare.Of(g.Guard, &prepare.Entry{Maker: a})
	watched.Timeout = limit
	err = watched.Call(ctx, who, f)
	var failed *bounds.Failure
	if errors.As(err, &failed) {
		return failed.Abandoned, failed
	}
	return false, err
}
