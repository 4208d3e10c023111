// Package verify compares the masks of algorithms on all documents of a configuration and times
// nothing: once by Verify, or in rounds of drawn documents and vocabularies by VerifyOn.
package verify

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
	"gcdbench/harness/stats"
)

// Verify compares the masks of every cell of a configuration. It times nothing and stores nothing.
// It spreads documents, or the schemas of a schema corpus, over all processors and walks every
// document once: naive at the positions that measure.positions chooses, other algorithms at all
// positions. What several workers allocate counts together against measure.memory; an operation
// that exceeds the limit runs again alone, and the second run decides. Engines from outside take no
// part: Run asks them, and 'gcdbench judge' settles where they differ.
//
// Errors are about input or ctx's. What algorithms do wrong is in the result.
func Verify(ctx context.Context, cfg *config.Config, opt prepare.Options) (*Verification, error) {
	list, err := prepare.Entries(cfg, &opt)
	if err != nil {
		return nil, err
	}
	list = prepare.WithRewritten(list, opt.Rewritten, cfg.Seed)
	began := time.Now()
	out := &Verification{}
	p := progress.NewProgress(opt.Progress)
	for _, e := range list {
		if e.Outside() {
			p.Note("%s runs in a process of its own and is not verified: 'gcdbench run' asks it, 'gcdbench judge' settles what differs", e.Label)
		}
	}
	list = slices.DeleteFunc(list, (*prepare.Entry).Outside)
	defer p.Finish()
	defer bounds.LimitCollector(opt.NewGuard(cfg))()
	err = prepare.NewLoader(cfg, &opt).EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		if g.Empty() {
			return nil
		}
		what, parts := g.Parts()
		p.Group(number, of, g.Name(), what, parts, len(list), len(list))
		v := NewVerifier(g, list, opt.NewGuard(cfg), p)
		if err := v.verify(ctx); err != nil {
			return err
		}
		for _, c := range v.cells {
			out.Cells = append(out.Cells, c.Verified)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Seconds = time.Since(began).Seconds()
	return out, nil
}

// Verifier checks one group.
type Verifier struct {
	*prepare.Prepared
	Entries  []*prepare.Entry
	Guard    *bounds.Guard
	progress *progress.Progress

	mu    sync.Mutex      // guards cells, progress, and engine.lost
	cells []*verifiedCell // by entry
}

// verifiedCell is a cell while it is verified.
type verifiedCell struct {
	*Verified
	entry     *prepare.Entry
	outcomes  ask.Outcomes
	abandoned int              // operations that did not return
	kept      *algorithms.Kept // outlives the engines
	spent     time.Duration    // of its walks
}

// NewVerifier is for one group.
func NewVerifier(g *prepare.Prepared, list []*prepare.Entry, guard *bounds.Guard, p *progress.Progress) *Verifier {
	v := &Verifier{Prepared: g, Entries: list, Guard: guard, progress: p}
	guard.Concurrency, guard.Base = bounds.NewConcurrency(), ask.Base(g)
	for _, e := range list {
		c := &verifiedCell{entry: e, kept: algorithms.NewKept()}
		c.begin(g)
		v.cells = append(v.cells, c)
	}
	return v
}

// begin has a cell count from nothing.
func (c *verifiedCell) begin(g *prepare.Prepared) {
	e := c.entry
	c.Verified = &Verified{ComparedWith: map[string]int{}, Algorithm: e.Name, Label: e.Label, Options: e.Options, Tokenizer: g.Label, Workload: g.Workload.Name,
		Outcome: cell.OK, Outcomes: map[cell.Outcome]int{}}
	for _, o := range cell.Outcomes {
		c.Outcomes[o] = 0
	}
	if g.Workload.Schema != nil {
		c.VerifiedSchemas = newVerifiedSchemas(len(g.Units))
	}
	c.outcomes, c.spent = ask.Outcomes{Schemas: prepare.SchemaOptions(g.Workload.Schema)}, 0
}

// Opened is a unit with an engine for each cell.
type Opened struct {
	*prepare.Unit
	Engines []*OpenedEngine // by cell
	judge   *labelJudge     // nil for programs
}

// OpenedEngine is the engine of a cell on a unit. Its prover is the engine that is asked.
type OpenedEngine struct {
	*ask.Engine
	problem cell.Problem
	right   bool // no instance of the schema got a wrong verdict
}

// verify spreads the work over all processors: schemas, or the documents of programs. Documents
// share one engine of each algorithm. Engines are safe for that by contract, and this tests it.
func (v *Verifier) verify(ctx context.Context) error {
	if v.Workload.Schema != nil {
		err := spread(ctx, v.Units, v.schema)
		for _, c := range v.cells {
			c.finish()
		}
		return err
	}
	o, err := v.OpenAll(ctx, v.Units[0])
	if err != nil {
		return err
	}
	return spread(ctx, o.Documents, func(ctx context.Context, s *prepare.Document) error {
		err := v.document(ctx, o, s)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.progress.Step(s.ID, true)
		return err
	})
}

// spread calls f for every item, on as many goroutines as there are processors. The
// first error stops all of them.
func spread[T any](ctx context.Context, items []T, f func(ctx context.Context, item T) error) error {
	work := make(chan T)
	failed := make(chan error, 1)
	var workers sync.WaitGroup
	inner, stop := context.WithCancel(ctx)
	defer stop()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for item := range work {
				if err := f(inner, item); err != nil {
					select {
					case failed <- err:
					default:
					}
					stop()
				}
			}
		})
	}
	for _, item := range items {
		select {
		case work <- item:
		case <-inner.Done():
		}
	}
	close(work)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// OpenAll opens a unit and compiles one engine for each cell.
func (v *Verifier) OpenAll(ctx context.Context, u *prepare.Unit) (*Opened, error) {
	own := *v.Guard
	var failed *bounds.Failure
	if err := v.Open(ctx, u, &own, 1, nil); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	o := &Opened{Unit: u}
	forms := prepare.RewrittenForms{}
	for _, c := range v.cells {
		shared := u.SharedBy(c.entry)
		e := &OpenedEngine{Engine: &ask.Engine{Entry: c.entry}, problem: *shared}
		if shared.Outcome != cell.OK {
			e.Lost = prepare.FailureOf(shared)
		} else if err := v.compileOne(ctx, u, forms, c, e.Engine); err != nil {
			return nil, err
		} else if e.Lost != nil {
			e.problem = prepare.FailedProblem(*shared, e.Lost, cell.StageAlgorithm)
		}
		e.right = e.problem.Outcome == cell.OK
		o.Engines = append(o.Engines, e)
	}
	return o, nil
}

// compileOne compiles the engine of a cell. All cells share the grammar, or the rewritten one of
// their seed, since nothing is timed.
func (v *Verifier) compileOne(ctx context.Context, u *prepare.Unit, forms prepare.RewrittenForms, c *verifiedCell, e *ask.Engine) (err error) {
	v.mu.Lock()
	e.Lost = bounds.NotCalled(c.abandoned)
	v.mu.Unlock()
	if e.Lost != nil {
		return nil
	}
	shared, err := forms.Of(ctx, v.Guard, u, e.Entry)
	if err == nil {
		problem := *shared
		problem.Kept = c.kept
		e.Prover, err = ask.Compile(e.Entry, ctx, prepare.Of(v.Guard, e.Entry), u, &problem)
	}
	if errors.As(err, &e.Lost) {
		v.mu.Lock()
		c.abandoned += stats.Truth(e.Lost.Abandoned)
		v.mu.Unlock()
		return nil
	}
	return err
}

// document has every engine walk one document, and counts what the answers come to.
func (v *Verifier) document(ctx context.Context, o *Opened, s *prepare.Document) error {
	r := &ask.Round{Unit: o.Unit, Document: s}
	for i, e := range o.Engines {
		t := &ask.Trial{Engine: e.Engine}
		if err := v.ask(ctx, o, v.cells[i], t, s); err != nil {
			return err
		}
		r.Trials = append(r.Trials, t)
	}
	valid, err := o.judge.valid(ctx, v.Guard, s)
	if err != nil {
		return err
	}
	if err := ask.JudgeAll(ctx, v, r); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, t := range r.Trials {
		v.cells[i].add(o.Engines[i], s, t)
		if o.judge != nil {
			v.cells[i].instance(o.Engines[i], s, &t.Sample, valid)
		}
	}
	return nil
}

// ask has an engine walk a document, untimed.
func (v *Verifier) ask(ctx context.Context, o *Opened, c *verifiedCell, t *ask.Trial, s *prepare.Document) error {
	v.mu.Lock()
	t.Out = t.Lost
	v.mu.Unlock()
	if t.Out != nil {
		return nil
	}
	w := measure.NewWalker(v.LoadedTokenizer.Vocabulary().Len(), false, environment.Clock{})
	began := time.Now()
	p, err := ask.Answer(t.Engine.Entry, ctx, prepare.Of(v.Guard, t.Entry), w, t.Prover.Engine, s)
	v.mu.Lock()
	c.spent += time.Since(began)
	v.mu.Unlock()
	if err == nil && o.Schema != nil {
		err = ask.LexerFailure(t.Entry, t.Prover.Problem)
	}
	if errors.As(err, &t.Out) {
		if t.Out.Abandoned {
			v.mu.Lock()
			defer v.mu.Unlock()
			c.abandoned++
			t.Lost = t.Out.NotAgain(s.ID)
		}
		return nil
	}
	t.Proof = p
	return err
}

// Of what judging asks, Verify has nothing stored, and no engine with a language of its own.

func (v *Verifier) All() []*prepare.Entry { return v.Entries }

func (v *Verifier) Limits() *bounds.Guard { return v.Guard }

func (v *Verifier) Earlier(*prepare.Entry, *prepare.Document) (*ask.Answers, error) { return nil, nil }

func (v *Verifier) RefusedForOrder(ctx context.Context, r *ask.Round, _ *ask.Trial) (bool, error) {
	return ask.KeyOrder(ctx, v.Guard, r)
}

// WrongMask explains the first wrong mask of a cell.
func (v *Verifier) WrongMask(ctx context.Context, r *ask.Round, t *ask.Trial, reference string, diff *ask.Differing) error {
	c := v.cells[slices.Index(v.Entries, t.Entry)]
	v.mu.Lock()
	first := c.Difference == nil
	if first {
		c.Difference = &ask.Difference{} // claims it, so that no other worker does
	}
	v.mu.Unlock()
	if !first {
		return nil
	}
	d, err := ask.Explain(v.Prepared, ctx, v.Guard, r, t, reference, diff)
	if bounds.EndsAll(ctx, err) {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if c.Difference = d; err != nil {
		c.Difference = nil // the detail says what differed
	}
	return nil
}

// add counts a trial. The verifier's mutex is held.
func (c *verifiedCell) add(e *OpenedEngine, s *prepare.Document, t *ask.Trial) {
	sample := &t.Sample
	c.Outcomes[sample.Outcome]++
	c.Compared += sample.Compared
	for label, n := range sample.ComparedWith {
		c.ComparedWith[label] += n
	}
	c.Reference = cmp.Or(c.Reference, sample.Reference)
	if t.Proof != nil {
		c.Masks += len(t.Proof.Hashes)
	}
	c.outcomes.Sample(sample, &e.problem)
	c.settle(sample.Detail)
	passed := stats.Truth(sample.Passed())
	if s.Negative {
		c.Negatives++
		c.NegativesPassed += passed
	} else {
		c.Positives++
		c.PositivesPassed += passed
	}
}

// settle takes over the cell's outcome if it became worse, for the reason in detail.
func (c *verifiedCell) settle(detail string) {
	if now := c.outcomes.Result(); now != c.Outcome {
		c.Outcome, c.Detail = now, detail
	}
}
