package harness

import (
	"context"
	"errors"
	"fmt"
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

// Verify compares the masks of every cell of a configuration and times nothing.
// Samples, or the schemas of a schema corpus, are spread over all processors.
// Positives and negatives are walked once: naive at the positions that measure.positions
// chooses, the others at all. Nothing is stored. What several workers allocate counts together against
// measure.memory; an operation that is beyond it is run again alone, and that counts.
// Engines from outside take no part: Run asks them, and what differs is judged, not verified.
//
// Errors are about input or ctx's; what algorithms do wrong is in the result.
func Verify(ctx context.Context, cfg *config.Config, opt Options) (*Verification, error) {
	list, err := entries(cfg, &opt)
	if err != nil {
		return nil, err
	}
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
		p.group(number, of, g, len(list), len(list))
		v := &verifier{prepared: g, entries: list, progress: p, guard: *opt.newGuard(cfg)}
		v.guard.company = newCompany()
		collectAll()
		v.guard.base = heap()
		if err := v.verify(ctx); err != nil {
			return err
		}
		out.Cells = append(out.Cells, v.cells...)
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
	guard    guard
	progress *progress

	cells     []*Verified // by entry
	outcomes  []outcomes  // by entry
	abandoned []int       // by entry: goroutines it left behind

	kept []*algorithms.Kept // by entry: what outlives its engines

	mu sync.Mutex // guards the three above, progress, and what units say is guarded
}

// opened is a unit with an engine of each entry.
type opened struct {
	*unit
	engines  []compiled     // by entry; nil engine if there is none
	problems []cell.Problem // by entry
	lost     []*failure     // by entry: why it is not called (any more); guarded
	right    []bool         // by entry: no instance of the schema got a wrong verdict
	judge    *labelJudge    // nil for programs
}

// verify spreads the work over all processors: the scripts of programs, which
// share one engine of each algorithm (engines are safe for that by contract, so this
// tests it, too), and otherwise the schemas.
func (v *verifier) verify(ctx context.Context) error {
	for _, e := range v.entries {
		c := &Verified{Algorithm: e.Name, Label: e.Label, Options: e.options, Tokenizer: v.label, Workload: v.workload.Name,
			Outcome: cell.OK, Outcomes: map[cell.Outcome]int{}}
		for _, o := range cell.Outcomes {
			c.Outcomes[o] = 0
		}
		if v.workload.Schema != nil {
			c.VerifiedSchemas = newVerifiedSchemas(len(v.units))
		}
		v.cells = append(v.cells, c)
		v.outcomes = append(v.outcomes, outcomes{schemas: schemaOptions(v.workload.Schema)})
	}
	v.abandoned = make([]int, len(v.entries))
	for range v.entries {
		v.kept = append(v.kept, algorithms.NewKept())
	}
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
	return spread(ctx, o.scripts, func(ctx context.Context, s *script) error {
		err := v.sample(ctx, o, s)
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

// openAll opens a unit and compiles one engine for each entry.
func (v *verifier) openAll(ctx context.Context, u *unit) (*opened, error) {
	guard := v.guard
	var failed *failure
	if err := v.open(ctx, u, &guard, 1, nil); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	o := &opened{unit: u}
	for i, e := range v.entries {
		engine, problem, lost := compiled{}, u.shared, (*failure)(nil)
		if u.shared.Outcome == cell.OK {
			var err error
			if engine, lost, err = v.compileOne(ctx, u, i, e); err != nil {
				return nil, err
			}
		} else {
			lost = failureOf(&u.shared)
		}
		if lost != nil && u.shared.Outcome == cell.OK {
			problem = failedProblem(u.shared, lost, cell.StageAlgorithm)
		}
		o.engines, o.problems = append(o.engines, engine), append(o.problems, problem)
		o.lost, o.right = append(o.lost, lost), append(o.right, problem.Outcome == cell.OK)
	}
	return o, nil
}

// compileOne compiles an entry's engine. All share the grammar: nothing is timed.
func (v *verifier) compileOne(ctx context.Context, u *unit, i int, e *entry) (compiled, *failure, error) {
	v.mu.Lock()
	abandoned := v.abandoned[i]
	v.mu.Unlock()
	if abandoned >= maxAbandoned {
		return compiled{}, &failure{outcome: cell.Timeout, detail: fmt.Sprintf("not called any more after it did not return %d times", abandoned), reason: "not called any more"}, nil
	}
	watch := v.guard
	engine, err := callFor(ctx, &watch, e.Label+" compiling "+u.id, func(ctx context.Context) (algorithms.Engine, error) {
		p := *u.problem
		p.Kept = v.kept[i]
		return e.algorithm.Compile(ctx, &p, e.options)
	})
	var lost *failure
	switch {
	case errors.As(err, &lost):
		v.mu.Lock()
		v.abandoned[i] += boolToInt(lost.abandoned)
		v.mu.Unlock()
		return compiled{}, lost, nil
	case err != nil:
		return compiled{}, nil, err
	}
	return compiled{engine: engine, problem: u.problem}, nil, nil
}

// sample walks one script with every engine, the reference first, and compares.
func (v *verifier) sample(ctx context.Context, o *opened, s *script) error {
	proofs := make([]*proof, len(v.entries))
	fails := make([]*failure, len(v.entries))
	for i := range v.entries {
		var err error
		if proofs[i], fails[i], err = v.walk(ctx, o, i, s); err != nil {
			return err
		}
	}
	valid, err := o.judge.valid(ctx, v.guard, s)
	if err != nil {
		return err
	}
	for i, e := range v.entries {
		sample, diff := cell.Sample{}, (*difference)(nil)
		if fails[i] != nil {
			sample = failedSample(s, fails[i])
		} else {
			sample, diff = judge(o.unit, s, proofs[i], v.references(e, proofs)...)
		}
		if refusesValid(&sample) {
			if sample.KeyOrder, err = v.keyOrder(ctx, o.unit, &v.guard, s); err != nil {
				return err
			}
		}
		if err := v.record(ctx, o, i, s, &sample, proofs[i], diff); err != nil {
			return err
		}
		if o.judge != nil {
			v.mu.Lock()
			v.cells[i].instance(o, i, s, &sample, valid)
			v.mu.Unlock()
		}
	}
	return nil
}

// walk is one untimed walk; either the proof or the failure is set.
func (v *verifier) walk(ctx context.Context, o *opened, i int, s *script) (*proof, *failure, error) {
	v.mu.Lock()
	lost := o.lost[i]
	v.mu.Unlock()
	if lost != nil {
		return nil, lost, nil
	}
	watch := v.guard
	p, err := callFor(ctx, &watch, v.entries[i].Label+" on "+s.id, func(ctx context.Context) (*proof, error) {
		p := newProof(v.entries[i], s)
		return p, p.prove(ctx, measure.NewWalker(v.tokenizer.Vocabulary().Len(), false, environment.Clock{}), o.engines[i].engine, s)
	})
	if err == nil && o.schema != nil {
		err = lexerFailure(v.entries[i], o.unit.problem)
	}
	var failed *failure
	switch {
	case errors.As(err, &failed):
		if failed.abandoned {
			v.mu.Lock()
			v.abandoned[i]++
			o.lost[i] = &failure{outcome: failed.outcome, detail: "not called again after it did not return on " + s.id + ": " + failed.detail}
			v.mu.Unlock()
		}
		return nil, failed, nil
	case err != nil:
		return nil, nil, err
	}
	return p, nil, nil
}

// references are what entry e is compared with: see group.references.
func (v *verifier) references(e *entry, proofs []*proof) (refs []*answers) {
	for _, r := range referenceFirst(v.entries) {
		i := slices.Index(v.entries, r)
		if r.semantics() != e.semantics() || r != e && proofs[i] == nil {
			continue
		}
		if r == e {
			return refs
		}
		refs = append(refs, answersOf(r, proofs[i]))
		if r.Name != naive {
			return refs
		}
	}
	return refs
}

// record adds a sample to the cell of entry i, and explains its first difference.
func (v *verifier) record(ctx context.Context, o *opened, i int, s *script, sample *cell.Sample, p *proof, diff *difference) error {
	v.mu.Lock()
	c := v.cells[i]
	c.Outcomes[sample.Outcome]++
	c.Compared += sample.Compared
	if c.Reference == "" {
		c.Reference = sample.Reference
	}
	if p != nil {
		c.Masks += len(p.Hashes)
	}
	v.outcomes[i].sample(sample, &o.problems[i])
	v.settle(i, sample.Detail)
	passed := boolToInt(sample.Passed())
	if s.negative {
		c.Negatives++
		c.NegativesPassed += passed
	} else {
		c.Positives++
		c.PositivesPassed += passed
	}
	first := diff != nil && c.Difference == nil
	if first {
		c.Difference = &Difference{} // claims it, so that no other worker does
	}
	v.mu.Unlock()
	if !first {
		return nil
	}
	watch := v.guard
	watch.timeout = 2 * shrinkTime
	d, err := callFor(ctx, &watch, "explaining a mask of "+v.entries[i].Label, func(ctx context.Context) (*Difference, error) {
		return v.explainDifference(ctx, o.unit, v.entries[i], o.engines[i].engine, v.engineOf(o, c.Reference), c.Reference, s, diff), nil
	})
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

// settle takes over the outcome of entry i if it became worse, for the reason in
// detail. v.mu is held.
func (v *verifier) settle(i int, detail string) {
	if now := v.outcomes[i].result(); now != v.cells[i].Outcome {
		v.cells[i].Outcome, v.cells[i].Detail = now, detail
	}
}

// engineOf finds the engine of a label; nil if it has none.
func (v *verifier) engineOf(o *opened, label string) algorithms.Engine {
	for i, e := range v.entries {
		if e.Label == label {
			return o.engines[i].engine
		}
	}
	return nil
}
