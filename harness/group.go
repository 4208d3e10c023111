package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/harness/stats"
)

// takeAnswers notes the answers on a document, which are in the journal.
func takeAnswers(c *ask.Engine, doc int, s *cell.Sample, at cell.Place) {
	c.Answered[doc] = ask.Answered{At: at, Time: s.Outcome == cell.OK && !s.Negative}
}

// takeResult notes the result on a document, which is in the journal.
func takeResult(c *ask.Engine, doc int, s *cell.Sample, at cell.Place) {
	c.Done[doc], c.InTurn[doc] = at, len(s.Turns) > 0
}

// proven reports whether a document needs no more answers: it has some, or no engine could give
// any.
func proven(c *ask.Engine, s *prepare.Document) bool {
	p := c.Problems[s.Problem]
	return c.Answered[s.Index].At != cell.Place{} || c.Done[s.Index] != cell.Place{} || p != nil && p.Outcome != cell.OK
}

// finished reports whether a document is done: it has a result, or answers that are not timed, or
// no engine could give any.
func finished(c *ask.Engine, s *prepare.Document) bool {
	p := c.Problems[s.Problem]
	a := c.Answered[s.Index]
	return c.Done[s.Index] != cell.Place{} || a.At != cell.Place{} && !a.Time || p != nil && p.Outcome != cell.OK
}

// finishedUnit reports whether a unit is done. A schema without instances is compiled, too.
func finishedUnit(c *ask.Engine, u *prepare.Unit) bool {
	p := c.Problems[u.Index]
	if p == nil || p.Outcome == cell.OK && c.Used[u.Index] == nil {
		return false
	}
	return !slices.ContainsFunc(u.Documents, func(s *prepare.Document) bool { return !finished(c, s) })
}

// group is one workload on one vocabulary while it is being measured.
type group struct {
	*prepare.Prepared
	run     *run
	pending []*ask.Engine   // whose cells are not in the store yet
	stored  []*answerSource // cells measured earlier
	journal *cell.Journal
	session int
	started time.Time
	collect measure.Collector
	core    int // to which timing threads are pinned; -1 for none
	// timing walks the documents that are timed, asking those whose masks are compared.
	timing, asking *measure.Walker
}

// answerSource is a finished cell that new cells are compared with. Its answers are in the order of
// the documents, and are read one document at a time.
type answerSource struct {
	*prepare.Entry
	record *cell.Record
	next   func() (cell.Trace, error, bool)
	stop   func()
	trace  cell.Trace // the last one read
	begun  bool
}

// of returns the answers on a document; nil if there are none. Documents have to be asked about in
// their order. The error is about the stored times.
func (src *answerSource) of(doc int) (*ask.Answers, error) {
	for !src.begun || src.trace.Sample < doc {
		t, err, ok := src.next()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			t.Sample = math.MaxInt
		}
		src.trace, src.begun = t, true
	}
	if src.trace.Sample != doc {
		return nil, nil
	}
	a := ask.StoredAnswers(src.record, &src.trace)
	if a != nil {
		a.Label = src.Label // which may have been renamed since
	}
	return a, nil
}

// newEngine is for an algorithm that has done nothing yet.
func newEngine(g *prepare.Prepared, e *prepare.Entry, key string, id cell.ID) *ask.Engine {
	units, documents := len(g.Units), len(g.Documents)
	return &ask.Engine{Entry: e, Key: key, ID: id,
		Problems: make([]*cell.Problem, units), Used: make([]*cell.Used, units),
		Answered: make([]ask.Answered, documents), Done: make([]cell.Place, documents), InTurn: make([]bool, documents),
		Kept: algorithms.NewKept(), KeptByProver: algorithms.NewKept(), Walked: map[int]bool{}}
}

// measure brings every cell of the group into the store.
func (g *group) measure(ctx context.Context) error {
	if err := g.resume(); err != nil {
		return err
	}
	defer g.journal.Close() // closed twice after Remove, which is harmless
	g.run.guard.Base = ask.Base(g.Prepared)
	g.collect.After = min(measure.CollectAfter, g.run.guard.Memory/4)
	g.walkers()
	g.core = timingCore()
	if err := g.warmUp(ctx); err != nil {
		return err
	}
	for _, u := range g.Units {
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

// timingCore is the core that a thread is pinned to on this machine; -1 if the system allows none.
func timingCore() int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	core, undo := environment.Pin()
	undo()
	return core
}

// walkers makes the group's walkers.
func (g *group) walkers() {
	size := g.LoadedTokenizer.Vocabulary().Len()
	g.asking = measure.NewWalker(size, false, g.run.env.Clock)
	g.timing = measure.NewWalker(size, g.run.cfg.Measure.Between == config.BetweenLogits, g.run.env.Clock)
	g.asking.Between, g.timing.Between = g.collect.Between, g.collect.Between // asking times clones
}

// unit measures one unit with every engine that has not done it, and releases it. All answers are
// compared first; then the engines whose answers are right are timed.
func (g *group) unit(ctx context.Context, u *prepare.Unit) error {
	defer u.Close()
	if !slices.ContainsFunc(g.pending, func(c *ask.Engine) bool { return !finishedUnit(c, u) }) {
		g.skip(u)
		return ctx.Err()
	}
	if err := g.openUnit(ctx, u); err != nil {
		return err
	}
	defer func() {
		for _, c := range g.pending {
			c.Timed, c.Prover, c.Lost, c.Walked, c.Blind = ask.Compiled{}, ask.Compiled{}, nil, map[int]bool{}, nil
		}
	}()
	if err := g.prove(ctx, u); err != nil {
		return err
	}
	if err := g.compileAll(ctx, u); err != nil {
		return err
	}
	for _, s := range u.Documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.round(ctx, s); err != nil {
			return err
		}
		if u.Schema == nil {
			g.run.progress.Step(s.ID, true)
		}
	}
	if u.Schema != nil {
		g.run.progress.Step(u.ID, true)
	}
	return g.weighAll(ctx, u)
}

// skip says that nothing is left to do for a unit.
func (g *group) skip(u *prepare.Unit) {
	if u.Schema != nil {
		g.run.progress.Step(u.ID, false)
		return
	}
	for _, s := range u.Documents {
		g.run.progress.Step(s.ID, false)
	}
}

// openUnit compiles the grammar of a schema.
func (g *group) openUnit(ctx context.Context, u *prepare.Unit) error {
	if u.Schema == nil {
		return nil
	}
	g.collect.Maybe()
	if err := g.begin("", u.Index, -1, 0); err != nil {
		return err
	}
	err := g.Open(ctx, u, g.run.guard, max(1, g.run.cfg.Measure.Compiles), &g.collect)
	var failed *bounds.Failure
	if errors.As(err, &failed) { // u.shared has the outcome
		return nil
	}
	return err
}

// begin notes in the journal that an operation begins.
func (g *group) begin(key string, unit, sample, pass int) error {
	_, err := g.journal.Append(cell.Entry{Begin: &cell.Begin{Key: key, Problem: unit, Sample: sample, Pass: pass}})
	return err
}

// inTurn are the engines with something left to do in a unit. For a schema their order is drawn by
// lot.
func (g *group) inTurn(u *prepare.Unit) []*ask.Engine {
	order := slices.Clone(g.pending)
	if u.Schema != nil {
		rng := rand.New(rand.NewPCG(g.run.cfg.Seed, 1<<63|uint64(u.Number)))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return slices.DeleteFunc(order, func(c *ask.Engine) bool { return finishedUnit(c, u) })
}

// compileAll compiles the instances that are timed.
func (g *group) compileAll(ctx context.Context, u *prepare.Unit) error {
	for _, c := range g.inTurn(u) {
		if c.Lost != nil && c.Problems[u.Index] != nil {
			continue
		}
		if err := g.compileOne(ctx, u, c); err != nil {
			return err
		}
	}
	return nil
}

// notCompiled records that an engine cannot be compiled for a unit, where that is known before: the
// schema itself does not compile, or too many operations of the engine were abandoned.
func (g *group) notCompiled(u *prepare.Unit, c *ask.Engine) (done bool, err error) {
	if shared := u.SharedBy(c.Entry); shared.Outcome != cell.OK {
		return true, g.recordCompile(c, u.Index, *shared)
	}
	if f := cmp.Or(bounds.NotCalled(c.Abandoned), notStarted(c)); f != nil {
		return true, g.recordCompile(c, u.Index, failedOn(u, c.Entry, f, cell.StageAlgorithm))
	}
	return false, nil
}

// compileOne compiles a unit with one engine.
func (g *group) compileOne(ctx context.Context, u *prepare.Unit, c *ask.Engine) error {
	before := c.Problems[u.Index]
	if before == nil {
		if done, err := g.notCompiled(u, c); done || err != nil {
			return err
		}
	}
	problem, err := g.compileNow(ctx, u, c)
	switch {
	case err != nil:
		return err
	case before == nil:
		return g.recordCompile(c, u.Index, problem)
	case problem.Outcome != cell.OK: // the times of an earlier session stay
		c.Lost = &bounds.Failure{Outcome: problem.Outcome, Detail: "compiled again after an interruption: " + problem.Detail}
	}
	return nil
}

// compileNow runs the compile.
func (g *group) compileNow(ctx context.Context, u *prepare.Unit, c *ask.Engine) (cell.Problem, error) {
	if err := g.begin(c.Key, u.Index, -1, 0); err != nil {
		return cell.Problem{}, err
	}
	g.chargeFrom(u)
	watched, end := ctx, func() {}
	if u.Schema == nil {
		g.run.progress.Doing("compiling %s", c.Label)
		watched, end = g.run.progress.Compiling(ctx, c.Label)
	}
	times := c.ID.Compiles
	if c.Problems[u.Index] != nil {
		times = 1 // its compile was measured before the interruption
	}
	maker := compiler{g.Prepared, *prepare.Of(g.run.guard, c.Entry), times, &g.collect, false}
	made, problem, err := maker.compile(watched, u, c)
	end()
	var failed *bounds.Failure
	switch {
	case errors.As(err, &failed):
		g.countFailure(c, failed)
	case err != nil:
		return problem, err
	}
	if c.Timed = made; made.Engine != nil {
		c.BadStarts = 0
	}
	return problem, nil
}

// chargeFrom charges what follows only with the growth of the heap from now on: what earlier
// engines hold is theirs. Engines of schemas are small, and a collection for each would take longer
// than their compile.
func (g *group) chargeFrom(u *prepare.Unit) {
	if u.Schema == nil {
		measure.Collect()
		g.run.guard.Base = measure.Heap()
	}
}

// recordCompile keeps the result of a compile, and writes it to the journal at once.
func (g *group) recordCompile(c *ask.Engine, unit int, p cell.Problem) error {
	c.Problems[unit] = &p
	_, err := g.journal.Append(cell.Entry{Compiled: &cell.Compiled{Key: c.Key, Index: unit, Problem: p}})
	return err
}

// recordRound writes the results of all trials of a document, in one line.
func (g *group) recordRound(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Round: &cell.Round{Sample: sample, Results: results}})
	for key, r := range results {
		takeResult(g.engine(key), sample, &r.Sample, at)
	}
	return err
}

// result reads an engine's result on a document back: its times, or else its answers; ok is false
// if it has neither.
func (g *group) result(c *ask.Engine, sample int) (r cell.Result, ok bool, err error) {
	return g.read(c, cmp.Or(c.Done[sample], c.Answered[sample].At))
}

// read reads an engine's part of a line of the journal back; ok is false if there is none.
func (g *group) read(c *ask.Engine, at cell.Place) (r cell.Result, ok bool, err error) {
	if (at == cell.Place{}) {
		return r, false, nil
	}
	e, err := g.journal.Read(at)
	if round := cmp.Or(e.Round, e.Proof); err == nil && round != nil {
		r, ok = round.Results[c.Key]
	}
	return r, ok, err
}

// trace is the trace of a result that was read back.
func (g *group) trace(c *ask.Engine, s *prepare.Document, r *cell.Result) (cell.Trace, error) {
	traces, err := cell.DecodeTraces(r.Trace)
	if err == nil && len(traces) != 1 {
		err = fmt.Errorf("%d traces where one belongs", len(traces))
	}
	if err != nil {
		return cell.Trace{}, fmt.Errorf("the journal of %s with %s: %s on %s: %w", g.Workload.Name, g.Label, c.Label, s.ID, err)
	}
	return traces[0], nil
}

// assemble makes an engine's record of its results, and counts the traces that go with it.
func (g *group) assemble(c *ask.Engine) (r *cell.Record, traces int, err error) {
	r = &cell.Record{
		ID: c.ID, Label: c.Label, Tokenizer: g.Label, Workload: g.Workload.Name, Grammar: prepare.GrammarName(g.Workload.Workload), Dataset: g.Workload.DatasetName, Published: g.Workload.Published,
		Selection: g.Workload.Selection,
		Schemas:   prepare.SchemaOptions(g.Workload.Schema),
		Tools:     prepare.ToolsOptions(g.Workload.Tools, g.Markers),
		Config:    string(g.run.cfg.Text), Environment: g.run.env, Started: g.started, Finished: time.Now().UTC(),
		Sessions: g.session, VocabularyNS: g.LoadedTokenizer.BuildNS, GrammarNS: g.Workload.CompileNS, FirstCompileNS: c.FirstNS,
		Core: g.core,
	}
	if g.Workload.Schema != nil && !c.Outside() && !g.Unweighed {
		before := ask.Settled()
		c.Kept = ask.Renewed(c.Kept)
		r.KeptBytes = max(0, before-ask.Settled())
	}
	if c.Outside() {
		r.VocabularyNS, r.GrammarNS = 0, nil // its own compile has both
	}
	out := ask.Outcomes{Schemas: r.Schemas, Outside: c.Outside(), Foreign: ask.Foreign(c.Entry)}
	for i, p := range c.Problems {
		r.Problems = append(r.Problems, withUse(c, p, i))
		out.Problem(p)
		if r.Outside == nil && p.Outside != nil {
			r.Outside, r.VocabularyNS = p.Outside, p.Outside.VocabularyNS
		}
	}
	for _, s := range g.Documents {
		result, done, err := g.result(c, s.Index)
		if err != nil {
			return nil, 0, err
		}
		traces += stats.Truth(len(result.Trace) > 0)
		p := c.Problems[s.Problem]
		if !done {
			failed := prepare.FailureOf(p)
			if p.Stage != cell.StageGrammar && strings.HasPrefix(failed.Detail, "not done after") {
				failed.Detail = "its compile was " + failed.Detail
			}
			result.Sample = g.complete(c, ask.FailedSample(s, failed), nil)
		}
		r.Samples = append(r.Samples, result.Sample)
		r.GC = r.GC.Add(result.Sample.GC)
		out.Sample(&result.Sample, p)
	}
	r.Group = g.tookTurns(r.Samples)
	r.Outcome, r.Reference = out.Result(), cell.MainReference(r.Samples)
	return r, traces, nil
}

// tookTurns lists the labels of the engines that were timed in turn with the engine of these
// samples on all samples that both were timed on, its own among them; nil if there are none.
func (g *group) tookTurns(samples []cell.Sample) (labels []string) {
	for _, e := range g.run.entries {
		key, timed := g.IdOf(e, g.run.cfg, g.run.env).Key(), g.timedOn(e)
		both, turns := 0, 0
		for i := range samples {
			if len(samples[i].Turns) > 0 && timed(i) {
				both++
				turns += stats.Truth(samples[i].TookTurns(key))
			}
		}
		if both > 0 && turns == both {
			labels = append(labels, e.Label)
		}
	}
	return labels
}

// timedOn returns a function that tells on which samples an entry was timed, now or earlier.
func (g *group) timedOn(e *prepare.Entry) func(sample int) bool {
	for _, c := range g.pending {
		if c.Entry == e {
			return func(sample int) bool { return c.InTurn[sample] }
		}
	}
	for _, src := range g.stored {
		if src.Entry == e {
			return func(sample int) bool { return len(src.record.Samples[sample].Turns) > 0 }
		}
	}
	return func(int) bool { return false }
}

// traces reads an engine's traces back, one after the other.
func (g *group) traces(c *ask.Engine) iter.Seq2[cell.Trace, error] {
	return func(yield func(cell.Trace, error) bool) {
		for i := range g.Documents {
			result, done, err := g.result(c, i)
			if err == nil && (!done || len(result.Trace) == 0) {
				continue
			}
			var got []cell.Trace
			if err == nil {
				got, err = cell.DecodeTraces(result.Trace)
			}
			if err != nil {
				yield(cell.Trace{}, fmt.Errorf("the journal of %s with %s: %w", g.Workload.Name, g.Label, err))
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

// release drops the engines, so that the next group begins with their memory.
func (g *group) release() {
	for _, c := range g.pending {
		c.Timed = ask.Compiled{}
		c.Kept, c.KeptByProver = ask.Renewed(c.Kept), ask.Renewed(c.KeptByProver)
	}
	measure.Collect()
}

// noteRefused shows a valid program that algorithms refused, once for all of them.
func (g *group) noteRefused(r *ask.Round) {
	var labels []string
	detail := ""
	for _, t := range r.Trials {
		if t.Out == nil && prepare.RefusesValid(&t.Sample) {
			labels, detail = append(labels, t.Label), t.Sample.Detail
		}
	}
	if detail == "" || r.Unit.Schema != nil { // of schemas it is expected, and counted
		return
	}
	p := g.run.progress
	switch p.Refused++; {
	case p.Refused <= prepare.MaxRefusedShown:
		p.Note("wrong verdict of %s on %s with %s: %s", strings.Join(labels, ", "), g.Workload.Name, g.Label, detail)
	case p.Refused == prepare.MaxRefusedShown+1:
		p.Note("%s with %s: further documents are refused; these are the first %d", g.Workload.Name, g.Label, prepare.MaxRefusedShown)
	}
}
