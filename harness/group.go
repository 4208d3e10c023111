package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// contestant is an algorithm in a group that is being measured.
type contestant struct {
	*entry
	key      string
	id       cell.ID
	engine   algorithms.Engine
	compiled *cell.Problem
	results  map[int]cell.Result // by script
	// lost is set if the engine must not be called again; every remaining sample
	// gets this outcome.
	lost *failure
	// explained is set once a wrong mask was shrunk: one is enough.
	explained bool
}

// finished reports whether nothing is left to do for a script: it has a result, or
// there is no engine that could make one.
func (c *contestant) finished(s *script) bool {
	_, done := c.results[s.index]
	return done || c.compiled != nil && c.compiled.Outcome != cell.OK
}

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

// answerSource is a finished cell that new ones are compared with.
type answerSource struct {
	label    string
	byScript map[int]*answers
}

// measure brings every cell of the group into the store.
func (g *group) measure(ctx context.Context) error {
	if err := g.resume(); err != nil {
		return err
	}
	defer g.journal.Close() // closed twice after Remove, which is harmless
	if err := g.compileAll(ctx); err != nil {
		return err
	}
	for _, s := range g.scripts {
		if err := ctx.Err(); err != nil {
			return err
		}
		measured, err := g.round(ctx, s)
		if err != nil {
			return err
		}
		g.run.progress.step(s.id, measured)
	}
	for _, c := range g.pending {
		record, traces, err := g.assemble(c)
		if err != nil {
			return err
		}
		if err := g.run.store.Put(record, traces); err != nil {
			return err
		}
		g.run.summary.add(record)
	}
	return g.journal.Remove()
}

// compileAll compiles what still has samples to do.
func (g *group) compileAll(ctx context.Context) error {
	for _, c := range g.pending {
		if !slices.ContainsFunc(g.scripts, func(s *script) bool { return !c.finished(s) }) {
			continue
		}
		g.run.progress.doing("compiling %s", c.Label)
		if err := g.journal.Append(cell.Entry{Begin: &cell.Begin{Key: c.key, Sample: -1}}); err != nil {
			return err
		}
		watched, end := g.run.progress.compiling(ctx, c.Label)
		engine, problem, err := g.compile(watched, c.entry, g.run.guard, c.id.Compiles)
		end()
		var failed *failure
		switch {
		case errors.As(err, &failed):
			g.run.abandoned++
		case err != nil:
			return err
		}
		c.engine = engine
		switch {
		case c.compiled == nil: // what an earlier session measured stays
			err = g.recordCompile(c, problem)
		case problem.Outcome != cell.OK:
			c.lost = &failure{outcome: problem.Outcome, detail: "compiled again after an interruption: " + problem.Detail}
			err = nil
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordCompile keeps the result of a compile, and writes it down at once.
func (g *group) recordCompile(c *contestant, p cell.Problem) error {
	c.compiled = &p
	return g.journal.Append(cell.Entry{Compiled: &cell.Compiled{Key: c.key, Problem: p}})
}

// recordRound keeps the results of a round, and writes them down in one line.
func (g *group) recordRound(sample int, results map[string]cell.Result) error {
	for key, r := range results {
		g.contestant(key).results[sample] = r
	}
	return g.journal.Append(cell.Entry{Round: &cell.Round{Sample: sample, Results: results}})
}

// assemble makes a contestant's record of its results.
func (g *group) assemble(c *contestant) (*cell.Record, []cell.Trace, error) {
	r := &cell.Record{
		ID: c.id, Label: c.Label, Tokenizer: g.label, Workload: g.workload.Name, Grammar: grammarName(g.workload.Workload), Dataset: g.workload.dataset,
		Config: string(g.run.cfg.Text), Environment: g.run.env, Started: g.started, Finished: time.Now().UTC(),
		Outcome: c.compiled.Outcome, Problems: []cell.Problem{*c.compiled},
		Sessions: g.session, VocabularyNS: g.tokenizer.buildNS, GrammarNS: g.workload.compileNS,
	}
	for _, other := range g.pending {
		r.Group = append(r.Group, other.Label)
	}
	var traces []cell.Trace
	for _, s := range g.scripts {
		result, done := c.results[s.index]
		if !done {
			f := &failure{outcome: c.compiled.Outcome, detail: c.compiled.Detail}
			result.Sample = g.complete(failedSample(s, f), nil)
		}
		r.Samples = append(r.Samples, result.Sample)
		r.Outcome = cell.Worse(r.Outcome, result.Sample.Outcome)
		r.GC = r.GC.Add(result.Sample.GC)
		if len(result.Trace) == 0 {
			continue
		}
		got, err := cell.DecodeTraces(result.Trace)
		if err != nil {
			return nil, nil, fmt.Errorf("the journal of %s with %s: %w", g.workload.Name, g.label, err)
		}
		traces = append(traces, got...)
	}
	r.Reference = mainReference(r.Samples)
	return r, traces, nil
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
		c.engine = nil
	}
	runtime.GC()
}
