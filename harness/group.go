package harness

import (
	"gcdbench/harness/stats"

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
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// engine is an algorithm with its options in a group that is measured. The journal has its results;
// here is only what the group has to know of them.
type engine struct {
	*entry
	key      string
	id       cell.ID
	problems []*cell.Problem // by unit; nil until compiled
	used     []*cell.Used    // by unit; nil until all its documents are done
	answered []answered      // by document
	done     []cell.Place    // by document: the place of the result in the journal
	inTurn   []bool          // by document: whether it was timed there

	// kept is the Kept of the instances that are timed, keptByProver of those whose answers are
	// compared: neither may find what the other built.
	kept, keptByProver *algorithms.Kept

	// The rest but for the counts is about the unit that is open. timed is the instance that is timed,
	// prover the one whose answers are compared. walked has the documents that timed has begun to
	// walk, by index.
	timed, prover compiled
	walked        map[int]bool
	// lost is set if neither instance may be called again; every remaining sample of the unit gets
	// this outcome. The failure of one instance alone is in compiled.gone.
	lost *failure

	explained int // wrong masks that were shrunk
	abandoned int // operations that did not return
	// badStarts counts the starts of its process that failed since a timed instance last compiled;
	// badStart is the last of these failures.
	badStarts int
	badStart  *failure
	// noClones is set if a clone cost it a process: clones are not timed any more.
	noClones bool
	// firstNS is the time of the compile in the warm-up, in ns.
	firstNS int64
}

// answered is what is known of an engine's answers on a document.
type answered struct {
	at cell.Place // in the journal; the zero value if there are none
	// time is whether the document is to be timed: the answers are right, and it is a positive.
	time bool
}

// takeAnswers notes the answers on a document, which are in the journal.
func (c *engine) takeAnswers(doc int, s *cell.Sample, at cell.Place) {
	c.answered[doc] = answered{at, s.Outcome == cell.OK && !s.Negative}
}

// takeResult notes the result on a document, which is in the journal.
func (c *engine) takeResult(doc int, s *cell.Sample, at cell.Place) {
	c.done[doc], c.inTurn[doc] = at, len(s.Turns) > 0
}

// proven reports whether a document needs no more answers: it has some, or no engine could give
// any.
func (c *engine) proven(s *document) bool {
	p := c.problems[s.problem]
	return c.answered[s.index].at != cell.Place{} || c.done[s.index] != cell.Place{} || p != nil && p.Outcome != cell.OK
}

// finished reports whether a document is done: it has a result, or answers that are not timed, or
// no engine could give any.
func (c *engine) finished(s *document) bool {
	p := c.problems[s.problem]
	a := c.answered[s.index]
	return c.done[s.index] != cell.Place{} || a.at != cell.Place{} && !a.time || p != nil && p.Outcome != cell.OK
}

// finishedUnit reports whether a unit is done. A schema without instances is compiled, too.
func (c *engine) finishedUnit(u *unit) bool {
	p := c.problems[u.index]
	if p == nil || p.Outcome == cell.OK && c.used[u.index] == nil {
		return false
	}
	return !slices.ContainsFunc(u.documents, func(s *document) bool { return !c.finished(s) })
}

// group is one workload on one vocabulary while it is being measured.
type group struct {
	*prepared
	run     *run
	pending []*engine       // whose cells are not in the store yet
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
	*entry
	record *cell.Record
	next   func() (cell.Trace, error, bool)
	stop   func()
	trace  cell.Trace // the last one read
	begun  bool
}

// of returns the answers on a document; nil if there are none. Documents have to be asked about in
// their order. The error is about the stored times.
func (src *answerSource) of(doc int) (*answers, error) {
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
	a := storedAnswers(src.record, &src.trace)
	if a != nil {
		a.label = src.Label // which may have been renamed since
	}
	return a, nil
}

// newEngine is for an algorithm that has done nothing yet.
func (g *prepared) newEngine(e *entry, key string, id cell.ID) *engine {
	units, documents := len(g.units), len(g.documents)
	return &engine{entry: e, key: key, id: id,
		problems: make([]*cell.Problem, units), used: make([]*cell.Used, units),
		answered: make([]answered, documents), done: make([]cell.Place, documents), inTurn: make([]bool, documents),
		kept: algorithms.NewKept(), keptByProver: algorithms.NewKept(), walked: map[int]bool{}}
}

// measure brings every cell of the group into the store.
func (g *group) measure(ctx context.Context) error {
	if err := g.resume(); err != nil {
		return err
	}
	defer g.journal.Close() // closed twice after Remove, which is harmless
	collectAll()
	g.run.guard.base = measure.Heap() // no algorithm of this group is charged with it
	g.collect.After = min(measure.CollectAfter, g.run.guard.memory/4)
	g.walkers()
	g.core = timingCore()
	if err := g.warmUp(ctx); err != nil {
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
	size := g.tokenizer.Vocabulary().Len()
	g.asking = measure.NewWalker(size, false, g.run.env.Clock)
	g.timing = measure.NewWalker(size, g.run.cfg.Measure.Between == config.BetweenLogits, g.run.env.Clock)
	g.asking.Between, g.timing.Between = g.collect.Between, g.collect.Between // asking times clones
}

// unit measures one unit with every engine that has not done it, and releases it. All answers are
// compared first; then the engines whose answers are right are timed.
func (g *group) unit(ctx context.Context, u *unit) error {
	defer u.close()
	if !slices.ContainsFunc(g.pending, func(c *engine) bool { return !c.finishedUnit(u) }) {
		g.skip(u)
		return ctx.Err()
	}
	if err := g.openUnit(ctx, u); err != nil {
		return err
	}
	defer func() {
		for _, c := range g.pending {
			c.timed, c.prover, c.lost, c.walked = compiled{}, compiled{}, nil, map[int]bool{}
		}
	}()
	if err := g.prove(ctx, u); err != nil {
		return err
	}
	if err := g.compileAll(ctx, u); err != nil {
		return err
	}
	for _, s := range u.documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.round(ctx, s); err != nil {
			return err
		}
		if u.schema == nil {
			g.run.progress.step(s.id, true)
		}
	}
	if u.schema != nil {
		g.run.progress.step(u.id, true)
	}
	return g.weighAll(ctx, u)
}

// skip says that nothing is left to do for a unit.
func (g *group) skip(u *unit) {
	if u.schema != nil {
		g.run.progress.step(u.id, false)
		return
	}
	for _, s := range u.documents {
		g.run.progress.step(s.id, false)
	}
}

// openUnit compiles the grammar of a schema.
func (g *group) openUnit(ctx context.Context, u *unit) error {
	if u.schema == nil {
		return nil
	}
	g.collect.Maybe()
	if err := g.begin("", u.index, -1, 0); err != nil {
		return err
	}
	err := g.open(ctx, u, g.run.guard, max(1, g.run.cfg.Measure.Compiles), &g.collect)
	var failed *failure
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
func (g *group) inTurn(u *unit) []*engine {
	order := slices.Clone(g.pending)
	if u.schema != nil {
		rng := rand.New(rand.NewPCG(g.run.cfg.Seed, 1<<63|uint64(u.number)))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return slices.DeleteFunc(order, func(c *engine) bool { return c.finishedUnit(u) })
}

// compileAll compiles the instances that are timed.
func (g *group) compileAll(ctx context.Context, u *unit) error {
	for _, c := range g.inTurn(u) {
		if c.lost != nil && c.problems[u.index] != nil {
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
func (g *group) notCompiled(u *unit, c *engine) (done bool, err error) {
	if shared := u.sharedBy(c.entry); shared.Outcome != cell.OK {
		return true, g.recordCompile(c, u.index, *shared)
	}
	if f := cmp.Or(notCalled(c.abandoned), c.notStarted()); f != nil {
		return true, g.recordCompile(c, u.index, u.failed(c.entry, f, cell.StageAlgorithm))
	}
	return false, nil
}

// compileOne compiles a unit with one engine.
func (g *group) compileOne(ctx context.Context, u *unit, c *engine) error {
	before := c.problems[u.index]
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
		return g.recordCompile(c, u.index, problem)
	case problem.Outcome != cell.OK: // the times of an earlier session stay
		c.lost = &failure{outcome: problem.Outcome, detail: "compiled again after an interruption: " + problem.Detail}
	}
	return nil
}

// compileNow runs the compile.
func (g *group) compileNow(ctx context.Context, u *unit, c *engine) (cell.Problem, error) {
	if err := g.begin(c.key, u.index, -1, 0); err != nil {
		return cell.Problem{}, err
	}
	g.chargeFrom(u)
	watched, end := ctx, func() {}
	if u.schema == nil {
		g.run.progress.doing("compiling %s", c.Label)
		watched, end = g.run.progress.compiling(ctx, c.Label)
	}
	times := c.id.Compiles
	if c.problems[u.index] != nil {
		times = 1 // its compile was measured before the interruption
	}
	maker := compiler{g.prepared, *g.run.guard.of(c.entry), times, &g.collect}
	made, problem, err := maker.compile(watched, u, c)
	end()
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.countFailure(c, failed)
	case err != nil:
		return problem, err
	}
	if c.timed = made; made.engine != nil {
		c.badStarts = 0
	}
	return problem, nil
}

// chargeFrom charges what follows only with the growth of the heap from now on: what earlier
// engines hold is theirs. Engines of schemas are small, and a collection for each would take longer
// than their compile.
func (g *group) chargeFrom(u *unit) {
	if u.schema == nil {
		runtime.GC()
		g.run.guard.base = measure.Heap()
	}
}

// recordCompile keeps the result of a compile, and writes it to the journal at once.
func (g *group) recordCompile(c *engine, unit int, p cell.Problem) error {
	c.problems[unit] = &p
	_, err := g.journal.Append(cell.Entry{Compiled: &cell.Compiled{Key: c.key, Index: unit, Problem: p}})
	return err
}

// recordRound writes the results of all trials of a document, in one line.
func (g *group) recordRound(sample int, results map[string]cell.Result) error {
	at, err := g.journal.Append(cell.Entry{Round: &cell.Round{Sample: sample, Results: results}})
	for key, r := range results {
		g.engine(key).takeResult(sample, &r.Sample, at)
	}
	return err
}

// result reads an engine's result on a document back: its times, or else its answers; ok is false
// if it has neither.
func (g *group) result(c *engine, sample int) (r cell.Result, ok bool, err error) {
	return g.read(c, cmp.Or(c.done[sample], c.answered[sample].at))
}

// read reads an engine's part of a line of the journal back; ok is false if there is none.
func (g *group) read(c *engine, at cell.Place) (r cell.Result, ok bool, err error) {
	if (at == cell.Place{}) {
		return r, false, nil
	}
	e, err := g.journal.Read(at)
	if round := cmp.Or(e.Round, e.Proof); err == nil && round != nil {
		r, ok = round.Results[c.key]
	}
	return r, ok, err
}

// trace is the trace of a result that was read back.
func (g *group) trace(c *engine, s *document, r *cell.Result) (cell.Trace, error) {
	traces, err := cell.DecodeTraces(r.Trace)
	if err == nil && len(traces) != 1 {
		err = fmt.Errorf("%d traces where one belongs", len(traces))
	}
	if err != nil {
		return cell.Trace{}, fmt.Errorf("the journal of %s with %s: %s on %s: %w", g.workload.Name, g.label, c.Label, s.id, err)
	}
	return traces[0], nil
}

// assemble makes an engine's record of its results, and counts the traces that go with it.
func (g *group) assemble(c *engine) (r *cell.Record, traces int, err error) {
	r = &cell.Record{
		ID: c.id, Label: c.Label, Tokenizer: g.label, Workload: g.workload.Name, Grammar: grammarName(g.workload.Workload), Dataset: g.workload.dataset, Published: g.workload.Published,
		Selection: g.workload.selection,
		Schemas:   schemaOptions(g.workload.Schema),
		Tools:     toolsOptions(g.workload.Tools, g.markers),
		Config:    string(g.run.cfg.Text), Environment: g.run.env, Started: g.started, Finished: time.Now().UTC(),
		Sessions: g.session, VocabularyNS: g.tokenizer.buildNS, GrammarNS: g.workload.compileNS, FirstCompileNS: c.firstNS,
		Core: g.core, Part: g.part,
	}
	if g.workload.Schema != nil && !c.outside() {
		r.KeptBytes = g.weighKept(c)
	}
	if c.outside() {
		r.VocabularyNS, r.GrammarNS = 0, nil // its own compile has both
	}
	out := outcomes{schemas: r.Schemas, outside: c.outside(), foreign: c.foreign()}
	for i, p := range c.problems {
		r.Problems = append(r.Problems, c.withUse(p, i))
		out.problem(p)
		if r.Outside == nil && p.Outside != nil {
			r.Outside, r.VocabularyNS = p.Outside, p.Outside.VocabularyNS
		}
	}
	for _, s := range g.documents {
		result, done, err := g.result(c, s.index)
		if err != nil {
			return nil, 0, err
		}
		traces += stats.Truth(len(result.Trace) > 0)
		p := c.problems[s.problem]
		if !done {
			failed := failureOf(p)
			if p.Stage != cell.StageGrammar && strings.HasPrefix(failed.detail, "not done after") {
				failed.detail = "its compile was " + failed.detail
			}
			result.Sample = g.complete(c, failedSample(s, failed), nil)
		}
		r.Samples = append(r.Samples, result.Sample)
		r.GC = r.GC.Add(result.Sample.GC)
		out.sample(&result.Sample, p)
	}
	r.Group = g.tookTurns(r.Samples)
	r.Outcome, r.Reference = out.result(), cell.MainReference(r.Samples)
	return r, traces, nil
}

// tookTurns lists the labels of the engines that were timed in turn with the engine of these
// samples on all samples that both were timed on, its own among them; nil if there are none.
func (g *group) tookTurns(samples []cell.Sample) (labels []string) {
	for _, e := range g.run.entries {
		key, timed := g.id(e, g.run.cfg, g.run.env).Key(), g.timedOn(e)
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
func (g *group) timedOn(e *entry) func(sample int) bool {
	for _, c := range g.pending {
		if c.entry == e {
			return func(sample int) bool { return c.inTurn[sample] }
		}
	}
	for _, src := range g.stored {
		if src.entry == e {
			return func(sample int) bool { return len(src.record.Samples[sample].Turns) > 0 }
		}
	}
	return func(int) bool { return false }
}

// traces reads an engine's traces back, one after the other.
func (g *group) traces(c *engine) iter.Seq2[cell.Trace, error] {
	return func(yield func(cell.Trace, error) bool) {
		for i := range g.documents {
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

// release drops the engines, so that the next group begins with their memory.
func (g *group) release() {
	for _, c := range g.pending {
		c.timed = compiled{}
		c.kept, c.keptByProver = renewed(c.kept), renewed(c.keptByProver)
	}
	runtime.GC()
}
