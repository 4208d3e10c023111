package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gcdbench/harness/cell"
)

// contestant is an algorithm in a group that is being measured. What it has done is
// in the journal; here is only what has to be known of it.
type contestant struct {
	*entry
	key      string
	id       cell.ID
	problems []*cell.Problem // by unit; nil until compiled
	done     []cell.Place    // by script: where in the journal its result is

	// Of the unit that is open:
	compiled
	// lost is set if the engine must not be called again; every remaining sample
	// of the unit gets this outcome.
	lost *failure

	explained int // wrong masks that were shrunk
	abandoned int // goroutines it left behind
	// firstNS is the time of the compile that is made before those of schemas.
	firstNS int64
}

// finished reports whether nothing is left to do for a script: it has a result, or
// there is no engine that could make one.
func (c *contestant) finished(s *script) bool {
	p := c.problems[s.problem]
	return c.done[s.index] != cell.Place{} || p != nil && p.Outcome != cell.OK
}

// finishedUnit reports the same of a unit. A schema without instances is compiled,
// too.
func (c *contestant) finishedUnit(u *unit) bool {
	return c.problems[u.index] != nil && !slices.ContainsFunc(u.scripts, func(s *script) bool { return !c.finished(s) })
}

// maxAbandoned is how many goroutines an algorithm may leave behind before it is not
// called for the rest of a group: each takes processor time from all measurements.
const maxAbandoned = 3

// group is one workload on one vocabulary while it is being measured.
type group struct {
	*prepared
	run     *run
	pending []*contestant
	stored  []*answerSource // cells measured earlier
	journal *cell.Journal
	session int
	started time.Time
	collect collector
}

// answerSource is a finished cell that new ones are compared with. Its answers are read
// in step with the rounds: as these, they are in the order of the scripts.
type answerSource struct {
	label  string
	record *cell.Record
	next   func() (cell.Trace, error, bool)
	stop   func()
	trace  cell.Trace // the last one read
	begun  bool
}

// of returns the answers on a script; nil if there are none. Scripts have to be asked
// about in their order. The error is about the stored times.
func (src *answerSource) of(script int) (*answers, error) {
	for !src.begun || src.trace.Sample < script {
		t, err, ok := src.next()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			t.Sample = math.MaxInt
		}
		src.trace, src.begun = t, true
	}
	if src.trace.Sample != script {
		return nil, nil
	}
	a := storedAnswers(src.record, &src.trace)
	if a != nil {
		a.label = src.label // which may have been renamed since
	}
	return a, nil
}

// newContestant is an algorithm that has done nothing yet.
func (g *prepared) newContestant(e *entry, key string, id cell.ID) *contestant {
	return &contestant{entry: e, key: key, id: id, problems: make([]*cell.Problem, len(g.units)), done: make([]cell.Place, len(g.scripts))}
}

// measure brings every cell of the group into the store.
func (g *group) measure(ctx context.Context) error {
	if err := g.resume(); err != nil {
		return err
	}
	defer g.journal.Close() // closed twice after Remove, which is harmless
	collectAll()
	g.collect.after = min(collectAfter, g.run.guard.memory/4)
	if err := g.prelude(ctx); err != nil {
		return err
	}
	for _, u := range g.units {
		if err := g.unit(ctx, u); err != nil {
			return err
		}
	}
	for _, c := range g.pending {
		record, traces, err := g.assemble(c)
		if err != nil {
			return err
		}
		if err := g.run.store.PutEach(record, traces, g.traces(c)); err != nil {
			return err
		}
		g.run.summary.add(record)
	}
	return g.journal.Remove()
}

// unit measures one unit with every contestant that has not done it, and releases
// it.
func (g *group) unit(ctx context.Context, u *unit) error {
	defer u.close()
	if !slices.ContainsFunc(g.pending, func(c *contestant) bool { return !c.finishedUnit(u) }) {
		g.skip(u)
		return ctx.Err()
	}
	if err := g.openUnit(ctx, u); err != nil {
		return err
	}
	defer func() {
		for _, c := range g.pending {
			c.compiled, c.lost = compiled{}, nil
		}
	}()
	if err := g.compileAll(ctx, u); err != nil {
		return err
	}
	for _, s := range u.scripts {
		if err := ctx.Err(); err != nil {
			return err
		}
		measured, err := g.round(ctx, u, s)
		if err != nil {
			return err
		}
		if u.schema == nil {
			g.run.progress.step(s.id, measured)
		}
	}
	if u.schema != nil {
		g.run.progress.step(u.id, true)
	}
	return nil
}

// skip says that nothing is left to do for a unit.
func (g *group) skip(u *unit) {
	if u.schema != nil {
		g.run.progress.step(u.id, false)
		return
	}
	for _, s := range u.scripts {
		g.run.progress.step(s.id, false)
	}
}

// openUnit compiles the grammar of a schema.
func (g *group) openUnit(ctx context.Context, u *unit) error {
	if u.schema == nil {
		return nil
	}
	g.collect.maybe()
	if err := g.begin("", u.index, -1, 0); err != nil {
		return err
	}
	err := g.open(ctx, u, g.run.guard, g.run.cfg.Measure.Compiles, &g.collect)
	var failed *failure
	if errors.As(err, &failed) { // what it says of the schema is in u.shared
		g.run.abandoned++
		return nil
	}
	return err
}

// begin writes down that an operation begins.
func (g *group) begin(key string, unit, sample, pass int) error {
	_, err := g.journal.Append(cell.Entry{Begin: &cell.Begin{Key: key, Problem: unit, Sample: sample, Pass: pass}})
	return err
}

// compileAll compiles what still has samples to do, or was not compiled. Those of a
// schema take turns in who is first.
func (g *group) compileAll(ctx context.Context, u *unit) error {
	order := slices.Clone(g.pending)
	if u.schema != nil {
		rng := rand.New(rand.NewPCG(g.run.cfg.Seed, 1<<63|uint64(u.index)))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	for _, c := range order {
		if c.finishedUnit(u) {
			continue
		}
		if err := g.compileOne(ctx, u, c); err != nil {
			return err
		}
	}
	return nil
}

// compileOne compiles a unit with one contestant.
func (g *group) compileOne(ctx context.Context, u *unit, c *contestant) error {
	problem, err := u.shared, error(nil)
	switch {
	case problem.Outcome != cell.OK: // the schema itself does not compile
	case c.abandoned >= maxAbandoned:
		f := &failure{outcome: cell.Timeout, detail: fmt.Sprintf("not called any more after it did not return %d times", c.abandoned), reason: "not called any more"}
		problem = failedProblem(problem, f, cell.StageAlgorithm)
	default:
		if problem, err = g.compileNow(ctx, u, c); err != nil {
			return err
		}
	}
	switch {
	case c.problems[u.index] == nil: // what an earlier session measured stays
		return g.recordCompile(c, u.index, problem)
	case problem.Outcome != cell.OK:
		c.lost = &failure{outcome: problem.Outcome, detail: "compiled again after an interruption: " + problem.Detail}
	}
	return nil
}

// compileNow runs the compile.
func (g *group) compileNow(ctx context.Context, u *unit, c *contestant) (cell.Problem, error) {
	if err := g.begin(c.key, u.index, -1, 0); err != nil {
		return cell.Problem{}, err
	}
	watched, end := ctx, func() {}
	if u.schema == nil {
		g.run.progress.doing("compiling %s", c.Label)
		watched, end = g.run.progress.compiling(ctx, c.Label)
	}
	maker := compiler{g.prepared, *g.run.guard, c.id.Compiles, &g.collect}
	made, problem, err := maker.compile(watched, u, c.entry)
	end()
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.run.abandoned++
		c.abandoned++
	case err != nil:
		return problem, err
	}
	c.compiled = made
	return problem, nil
}

// recordCompile keeps the result of a compile, and writes it down at once.
func (g *group) recordCompile(c *contestant, unit int, p cell.Problem) error {
	c.problems[unit] = &p
	_, err := g.journal.Append(cell.Entry{Compiled: &cell.Compiled{Key: c.key, Index: unit, Problem: p}})
	return err
}

// recordRound writes down the results of a round, in one line.
func (g *group) recordRound(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Round: &cell.Round{Sample: sample, Results: results}})
	for key := range results {
		g.contestant(key).done[sample] = at
	}
	return err
}

// result reads a contestant's result of a script back; ok is false if it has none.
func (g *group) result(c *contestant, sample int) (r cell.Result, ok bool, err error) {
	if (c.done[sample] == cell.Place{}) {
		return r, false, nil
	}
	e, err := g.journal.Read(c.done[sample])
	if err != nil || e.Round == nil {
		return r, false, err
	}
	r, ok = e.Round.Results[c.key]
	return r, ok, nil
}

// assemble makes a contestant's record of its results, and says how many traces go
// with it.
func (g *group) assemble(c *contestant) (r *cell.Record, traces int, err error) {
	r = &cell.Record{
		ID: c.id, Label: c.Label, Tokenizer: g.label, Workload: g.workload.Name, Grammar: grammarName(g.workload.Workload), Dataset: g.workload.dataset, Published: g.workload.Published,
		Schemas: schemaOptions(g.workload.Schema),
		Config:  string(g.run.cfg.Text), Environment: g.run.env, Started: g.started, Finished: time.Now().UTC(),
		Sessions: g.session, VocabularyNS: g.tokenizer.buildNS, GrammarNS: g.workload.compileNS, FirstCompileNS: c.firstNS,
	}
	for _, other := range g.pending {
		r.Group = append(r.Group, other.Label)
	}
	out := outcomes{schemas: r.Schemas}
	for _, p := range c.problems {
		r.Problems = append(r.Problems, *p)
		out.problem(p)
	}
	for _, s := range g.scripts {
		result, done, err := g.result(c, s.index)
		if err != nil {
			return nil, 0, err
		}
		traces += boolToInt(len(result.Trace) > 0)
		p := c.problems[s.problem]
		if !done {
			result.Sample = g.complete(failedSample(s, failureOf(p)), nil)
		}
		r.Samples = append(r.Samples, result.Sample)
		r.GC = r.GC.Add(result.Sample.GC)
		out.sample(&result.Sample, p)
	}
	r.Outcome, r.Reference = out.result(), mainReference(r.Samples)
	return r, traces, nil
}

// traces reads a contestant's traces back, one after the other.
func (g *group) traces(c *contestant) iter.Seq2[cell.Trace, error] {
	return func(yield func(cell.Trace, error) bool) {
		for i := range g.scripts {
			result, done, err := g.result(c, i)
			if err == nil && (!done || len(result.Trace) == 0) {
				continue
			}
			var got []cell.Trace
			if err == nil {
				got, err = cell.DecodeTraces(result.Trace)
			}
			if err != nil {
				yield(cell.Trace{}, fmt.Errorf("the journal of %s with %s: %w", g.workload.Name, g.label, err))
				return
			}
			for _, t := range got {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// mainReference is the label that most samples were compared with.
func mainReference(samples []cell.Sample) string {
	counts := map[string]int{}
	best := ""
	for _, s := range samples {
		if s.Reference == "" {
			continue
		}
		if counts[s.Reference]++; counts[s.Reference] > counts[best] {
			best = s.Reference
		}
	}
	return best
}

// release drops the engines, so that the next group begins with their memory.
func (g *group) release() {
	for _, c := range g.pending {
		c.compiled = compiled{}
	}
	runtime.GC()
}
