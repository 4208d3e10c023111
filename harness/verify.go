package harness

import (
	"gcdbench/harness/stats"

	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// Verify compares the masks of every cell of a configuration. It times nothing and stores nothing.
// It spreads documents, or the schemas of a schema corpus, over all processors and walks every
// document once: naive at the positions that measure.positions chooses, other algorithms at all
// positions. What several workers allocate counts together against measure.memory; an operation
// that exceeds the limit runs again alone, and the second run decides. Engines from outside take no
// part: Run asks them, and 'gcdbench judge' settles where they differ.
//
// Errors are about input or ctx's. What algorithms do wrong is in the result.
func Verify(ctx context.Context, cfg *config.Config, opt Options) (*Verification, error) {
	list, err := entries(cfg, &opt)
	if err != nil {
		return nil, err
	}
	list = withRewritten(list, opt.Rewritten, cfg.Seed)
	opt.splitPrograms = true // nothing is timed, so documents need not share an engine
	began := time.Now()
	out := &Verification{}
	p := newProgress(opt.Progress)
	for _, e := range list {
		if e.outside() {
			p.note("%s runs in a process of its own and is not verified: 'gcdbench run' asks it, 'gcdbench judge' settles what differs", e.Label)
		}
	}
	list = slices.DeleteFunc(list, (*entry).outside)
	defer p.finish()
	defer limitCollector(opt.newGuard(cfg))()
	err = newLoader(cfg, &opt).eachGroup(ctx, func(g *prepared, number, of int) error {
		if g.empty() {
			return nil
		}
		what, parts := g.parts()
		p.group(number, of, g.name(), what, parts, len(list), len(list))
		v := newVerifier(g, list, opt.newGuard(cfg), p)
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

// verifier checks one group.
type verifier struct {
	*prepared
	entries  []*entry
	guard    *guard
	progress *progress

	mu    sync.Mutex      // guards cells, progress, and engine.lost
	cells []*verifiedCell // by entry
}

// verifiedCell is a cell while it is verified.
type verifiedCell struct {
	*Verified
	entry     *entry
	outcomes  outcomes
	abandoned int              // operations that did not return
	kept      *algorithms.Kept // outlives the engines
	spent     time.Duration    // of its walks
}

// newVerifier is for one group.
func newVerifier(g *prepared, list []*entry, guard *guard, p *progress) *verifier {
	v := &verifier{prepared: g, entries: list, guard: guard, progress: p}
	collectAll()
	guard.concurrency, guard.base = newConcurrency(), measure.Heap()
	for _, e := range list {
		c := &verifiedCell{entry: e, kept: algorithms.NewKept()}
		c.begin(g)
		v.cells = append(v.cells, c)
	}
	return v
}

// begin has a cell count from nothing.
func (c *verifiedCell) begin(g *prepared) {
	e := c.entry
	c.Verified = &Verified{ComparedWith: map[string]int{}, Algorithm: e.Name, Label: e.Label, Options: e.options, Tokenizer: g.label, Workload: g.workload.Name,
		Outcome: cell.OK, Outcomes: map[cell.Outcome]int{}}
	for _, o := range cell.Outcomes {
		c.Outcomes[o] = 0
	}
	if g.workload.Schema != nil {
		c.VerifiedSchemas = newVerifiedSchemas(len(g.units))
	}
	c.outcomes, c.spent = outcomes{schemas: schemaOptions(g.workload.Schema)}, 0
}

// opened is a unit with an engine for each cell.
type opened struct {
	*unit
	engines []*openedEngine // by cell
	judge   *labelJudge     // nil for programs
}

// openedEngine is the engine of a cell on a unit. Its prover is the engine that is asked.
type openedEngine struct {
	*engine
	problem cell.Problem
	right   bool // no instance of the schema got a wrong verdict
}

// verify spreads the work over all processors: schemas, or the documents of programs. Documents
// share one engine of each algorithm. Engines are safe for that by contract, and this tests it.
func (v *verifier) verify(ctx context.Context) error {
	if v.workload.Schema != nil {
		err := spread(ctx, v.units, v.schema)
		for _, c := range v.cells {
			c.finish()
		}
		return err
	}
	o, err := v.openAll(ctx, v.units[0])
	if err != nil {
		return err
	}
	return spread(ctx, o.documents, func(ctx context.Context, s *document) error {
		err := v.document(ctx, o, s)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.progress.step(s.id, true)
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

// openAll opens a unit and compiles one engine for each cell.
func (v *verifier) openAll(ctx context.Context, u *unit) (*opened, error) {
	own := *v.guard
	var failed *failure
	if err := v.open(ctx, u, &own, 1, nil); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	o := &opened{unit: u}
	forms := rewrittenForms{}
	for _, c := range v.cells {
		shared := u.sharedBy(c.entry)
		e := &openedEngine{engine: &engine{entry: c.entry}, problem: *shared}
		if shared.Outcome != cell.OK {
			e.lost = failureOf(shared)
		} else if err := v.compileOne(ctx, u, forms, c, e.engine); err != nil {
			return nil, err
		} else if e.lost != nil {
			e.problem = failedProblem(*shared, e.lost, cell.StageAlgorithm)
		}
		e.right = e.problem.Outcome == cell.OK
		o.engines = append(o.engines, e)
	}
	return o, nil
}

// compileOne compiles the engine of a cell. All cells share the grammar, or the rewritten one of
// their seed, since nothing is timed.
func (v *verifier) compileOne(ctx context.Context, u *unit, forms rewrittenForms, c *verifiedCell, e *engine) (err error) {
	v.mu.Lock()
	e.lost = notCalled(c.abandoned)
	v.mu.Unlock()
	if e.lost != nil {
		return nil
	}
	shared, err := forms.of(ctx, v.guard, u, e.entry)
	if err == nil {
		problem := *shared
		problem.Kept = c.kept
		e.prover, err = e.compile(ctx, v.guard.of(e.entry), u, &problem)
	}
	if errors.As(err, &e.lost) {
		v.mu.Lock()
		c.abandoned += stats.Truth(e.lost.abandoned)
		v.mu.Unlock()
		return nil
	}
	return err
}

// document has every engine walk one document, and counts what the answers come to.
func (v *verifier) document(ctx context.Context, o *opened, s *document) error {
	r := &round{unit: o.unit, document: s}
	for i, e := range o.engines {
		t := &trial{engine: e.engine}
		if err := v.ask(ctx, o, v.cells[i], t, s); err != nil {
			return err
		}
		r.trials = append(r.trials, t)
	}
	valid, err := o.judge.valid(ctx, v.guard, s)
	if err != nil {
		return err
	}
	if err := judgeAll(ctx, v, r); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, t := range r.trials {
		v.cells[i].add(o.engines[i], s, t)
		if o.judge != nil {
			v.cells[i].instance(o.engines[i], s, &t.sample, valid)
		}
	}
	return nil
}

// ask has an engine walk a document, untimed.
func (v *verifier) ask(ctx context.Context, o *opened, c *verifiedCell, t *trial, s *document) error {
	v.mu.Lock()
	t.out = t.lost
	v.mu.Unlock()
	if t.out != nil {
		return nil
	}
	w := measure.NewWalker(v.tokenizer.Vocabulary().Len(), false, environment.Clock{})
	began := time.Now()
	p, err := t.answer(ctx, v.guard.of(t.entry), w, t.prover.engine, s)
	v.mu.Lock()
	c.spent += time.Since(began)
	v.mu.Unlock()
	if err == nil && o.schema != nil {
		err = lexerFailure(t.entry, t.prover.problem)
	}
	if errors.As(err, &t.out) {
		if t.out.abandoned {
			v.mu.Lock()
			defer v.mu.Unlock()
			c.abandoned++
			t.lost = t.out.notAgain(s.id)
		}
		return nil
	}
	t.proof = p
	return err
}

// Of what judging asks, Verify has nothing stored, and no engine with a language of its own.

func (v *verifier) all() []*entry { return v.entries }

func (v *verifier) limits() *guard { return v.guard }

func (v *verifier) earlier(*entry, *document) (*answers, error) { return nil, nil }

func (v *verifier) refusedForOrder(ctx context.Context, r *round, _ *trial) (bool, error) {
	return keyOrder(ctx, v.guard, r)
}

// wrongMask explains the first wrong mask of a cell.
func (v *verifier) wrongMask(ctx context.Context, r *round, t *trial, reference string, diff *difference) error {
	c := v.cells[slices.Index(v.entries, t.entry)]
	v.mu.Lock()
	first := c.Difference == nil
	if first {
		c.Difference = &Difference{} // claims it, so that no other worker does
	}
	v.mu.Unlock()
	if !first {
		return nil
	}
	d, err := v.explain(ctx, v.guard, r, t, reference, diff)
	if endsAll(ctx, err) {
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
func (c *verifiedCell) add(e *openedEngine, s *document, t *trial) {
	sample := &t.sample
	c.Outcomes[sample.Outcome]++
	c.Compared += sample.Compared
	for label, n := range sample.ComparedWith {
		c.ComparedWith[label] += n
	}
	c.Reference = cmp.Or(c.Reference, sample.Reference)
	if t.proof != nil {
		c.Masks += len(t.proof.Hashes)
	}
	c.outcomes.sample(sample, &e.problem)
	c.settle(sample.Detail)
	passed := stats.Truth(sample.Passed())
	if s.negative {
		c.Negatives++
		c.NegativesPassed += passed
	} else {
		c.Positives++
		c.PositivesPassed += passed
	}
}

// settle takes over the cell's outcome if it became worse, for the reason in detail.
func (c *verifiedCell) settle(detail string) {
	if now := c.outcomes.result(); now != c.Outcome {
		c.Outcome, c.Detail = now, detail
	}
}
