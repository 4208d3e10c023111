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
	"strings"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// contestant is an algorithm in a group that is being measured. What it has done is
// in the journal; here is only what has to be known of it.
type contestant struct {
	*entry
	key      string
	id       cell.ID
	problems []*cell.Problem // by unit; nil until compiled
	used     []*cell.Used    // by unit; nil until its documents are behind it
	answered []answered      // by script
	done     []cell.Place    // by script: where in the journal its result is
	inTurn   []bool          // by script: whether it was timed there

	// kept is what outlives its engines that are timed, keptByProver the same of
	// those whose answers are compared: these must not find what those built.
	kept, keptByProver *algorithms.Kept

	// Of the unit that is open: the engine that is timed, and the documents that it has
	// begun to walk, by index.
	compiled
	walked map[int]bool
	// prover is the engine whose answers are compared.
	prover compiled
	// lost is set if neither engine must be called again; every remaining sample of the unit gets
	// this outcome. One engine alone may be gone: see compiled.
	lost *failure

	explained int // wrong masks that were shrunk
	abandoned int // goroutines it left behind
	// badStarts is how often a process of its did not start, since the engine that is timed last
	// compiled; badStart is why not.
	badStarts int
	badStart  *failure
	// noClones is set if clones of its engine cost it a process: they are not asked for any more.
	noClones bool
	// firstNS is the time of the compile that is made before those of schemas.
	firstNS int64
}

// answered is what is known of a contestant's answers on a script.
type answered struct {
	at cell.Place // in the journal; the zero value if there are none
	// time is whether what follows is the timing: the answers are right, and the
	// document is a positive.
	time bool
}

// takeAnswers notes the answers on a script, which are in the journal.
func (c *contestant) takeAnswers(script int, s *cell.Sample, at cell.Place) {
	c.answered[script] = answered{at, s.Outcome == cell.OK && !s.Negative}
}

// takeResult notes the result on a script, which is in the journal.
func (c *contestant) takeResult(script int, s *cell.Sample, at cell.Place) {
	c.done[script], c.inTurn[script] = at, len(s.Turns) > 0
}

// proven reports whether nothing is left to ask about a script: there are answers, or
// no engine that could give some.
func (c *contestant) proven(s *script) bool {
	p := c.problems[s.problem]
	return c.answered[s.index].at != cell.Place{} || c.done[s.index] != cell.Place{} || p != nil && p.Outcome != cell.OK
}

// finished reports whether nothing is left to do for a script: it has a result, or
// answers that get no time, or there is no engine that could make one.
func (c *contestant) finished(s *script) bool {
	p := c.problems[s.problem]
	a := c.answered[s.index]
	return c.done[s.index] != cell.Place{} || a.at != cell.Place{} && !a.time || p != nil && p.Outcome != cell.OK
}

// finishedUnit reports the same of a unit. A schema without instances is compiled,
// too.
func (c *contestant) finishedUnit(u *unit) bool {
	p := c.problems[u.index]
	if p == nil || p.Outcome == cell.OK && c.used[u.index] == nil {
		return false
	}
	return !slices.ContainsFunc(u.scripts, func(s *script) bool { return !c.finished(s) })
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
	core    int // that timing threads are pinned to; -1 for none
	// timing walks what is timed, asking what is compared.
	timing, asking *measure.Walker
}

// answerSource is a finished cell that new ones are compared with. Its answers are read
// in step with the rounds: as these, they are in the order of the scripts.
type answerSource struct {
	*entry
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
		a.label = src.Label // which may have been renamed since
	}
	return a, nil
}

// newContestant is an algorithm that has done nothing yet.
func (g *prepared) newContestant(e *entry, key string, id cell.ID) *contestant {
	units, scripts := len(g.units), len(g.scripts)
	return &contestant{entry: e, key: key, id: id,
		problems: make([]*cell.Problem, units), used: make([]*cell.Used, units),
		answered: make([]answered, scripts), done: make([]cell.Place, scripts), inTurn: make([]bool, scripts),
		kept: algorithms.NewKept(), keptByProver: algorithms.NewKept(), walked: map[int]bool{}}
}

// measure brings every cell of the group into the store.
func (g *group) measure(ctx context.Context) error {
	if err := g.resume(); err != nil {
		return err
	}
	defer g.journal.Close() // closed twice after Remove, which is harmless
	collectAll()
	g.run.guard.base = heap() // what is held now, no algorithm of this group is charged with
	g.collect.after = min(collectAfter, g.run.guard.memory/4)
	g.walkers()
	g.core = timingCore()
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

// timingCore is the core that a thread is pinned to here; -1 if the system does not allow it.
func timingCore() int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	core, undo := environment.Pin()
	undo()
	return core
}

// walkers makes what documents are walked with.
func (g *group) walkers() {
	size := g.tokenizer.Vocabulary().Len()
	g.asking = measure.NewWalker(size, false, g.run.env.Clock)
	g.timing = measure.NewWalker(size, g.run.cfg.Measure.Between == config.BetweenLogits, g.run.env.Clock)
	const every = 64 // positions; finding out whether to collect takes a microsecond
	collect := func(pos int) {
		if pos%every == 0 {
			g.collect.maybe()
		}
	}
	g.asking.Between, g.timing.Between = collect, collect // clones are timed while it asks
}

// unit measures one unit with every contestant that has not done it, and releases
// it: first all answers, which are compared, then the times of those that are right.
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
			c.compiled, c.prover, c.lost, c.walked = compiled{}, compiled{}, nil, map[int]bool{}
		}
	}()
	if err := g.prove(ctx, u); err != nil {
		return err
	}
	if err := g.compileAll(ctx, u); err != nil {
		return err
	}
	for _, s := range u.scripts {
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
	err := g.open(ctx, u, g.run.guard, max(1, g.run.cfg.Measure.Compiles), &g.collect)
	var failed *failure
	if errors.As(err, &failed) { // what it says of the schema is in u.shared
		return nil
	}
	return err
}

// begin writes down that an operation begins.
func (g *group) begin(key string, unit, sample, pass int) error {
	_, err := g.journal.Append(cell.Entry{Begin: &cell.Begin{Key: key, Problem: unit, Sample: sample, Pass: pass}})
	return err
}

// inTurn are the contestants with something left to do in a unit. Those of a schema
// take turns in who is first.
func (g *group) inTurn(u *unit) []*contestant {
	order := slices.Clone(g.pending)
	if u.schema != nil {
		rng := rand.New(rand.NewPCG(g.run.cfg.Seed, 1<<63|uint64(u.index)))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return slices.DeleteFunc(order, func(c *contestant) bool { return c.finishedUnit(u) })
}

// compileAll compiles the engines that are timed.
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

// notCompiled records that a contestant has no engine for a unit where that is known
// before anything is compiled: the schema itself does not compile, or the contestant
// did not return too often.
func (g *group) notCompiled(u *unit, c *contestant) (done bool, err error) {
	switch {
	case u.sharedBy(c.entry).Outcome != cell.OK:
		return true, g.recordCompile(c, u.index, *u.sharedBy(c.entry))
	case c.abandoned >= maxAbandoned:
		f := &failure{outcome: cell.Timeout, detail: fmt.Sprintf("not called any more after it did not return %d times", c.abandoned), reason: "not called any more"}
		return true, g.recordCompile(c, u.index, u.failed(c.entry, f, cell.StageAlgorithm))
	case c.notStarted() != nil:
		return true, g.recordCompile(c, u.index, u.failed(c.entry, c.notStarted(), cell.StageAlgorithm))
	}
	return false, nil
}

// compileOne compiles a unit with one contestant.
func (g *group) compileOne(ctx context.Context, u *unit, c *contestant) error {
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
	case problem.Outcome != cell.OK: // what an earlier session measured stays
		c.lost = &failure{outcome: problem.Outcome, detail: "compiled again after an interruption: " + problem.Detail}
	}
	return nil
}

// compileNow runs the compile.
func (g *group) compileNow(ctx context.Context, u *unit, c *contestant) (cell.Problem, error) {
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
		times = 1 // it is compiled again after an interruption, and was measured before
	}
	maker := compiler{g.prepared, *g.run.guard.of(c.entry), times, &g.collect}
	made, problem, err := maker.compile(watched, u, c)
	end()
	var failed *failure
	switch {
	case errors.As(err, &failed):
		g.leftBehind(c, failed)
	case err != nil:
		return problem, err
	}
	if c.compiled = made; made.engine != nil {
		c.badStarts = 0
	}
	return problem, nil
}

// chargeFrom has what follows charged only with what the heap grows by from now on: the engines of the
// contestants before are theirs. Schemas' engines are small, and a collection for each would take longer
// than their compile.
func (g *group) chargeFrom(u *unit) {
	if u.schema == nil {
		runtime.GC()
		g.run.guard.base = heap()
	}
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
	for key, r := range results {
		g.contestant(key).takeResult(sample, &r.Sample, at)
	}
	return err
}

// result reads a contestant's result of a script back: the one with times, or else its
// answers; ok is false if it has neither.
func (g *group) result(c *contestant, sample int) (r cell.Result, ok bool, err error) {
	if (c.done[sample] == cell.Place{}) {
		return g.answersRead(c, sample)
	}
	e, err := g.journal.Read(c.done[sample])
	if err != nil || e.Round == nil {
		return r, false, err
	}
	r, ok = e.Round.Results[c.key]
	return r, ok, nil
}

// answersRead reads a contestant's answers on a script back; ok is false if it has none.
func (g *group) answersRead(c *contestant, sample int) (r cell.Result, ok bool, err error) {
	at := c.answered[sample].at
	if (at == cell.Place{}) {
		return r, false, nil
	}
	e, err := g.journal.Read(at)
	if err != nil || e.Proof == nil {
		return r, false, err
	}
	r, ok = e.Proof.Results[c.key]
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
		Core: g.core,
	}
	if g.workload.Schema != nil && !c.outside() {
		r.KeptBytes = g.weighKept(c)
	}
	if c.outside() {
		r.VocabularyNS, r.GrammarNS = 0, nil // it has its own, and reads a grammar in its own compile
	}
	out := outcomes{schemas: r.Schemas, outside: c.outside(), foreign: c.foreign()}
	for i, p := range c.problems {
		r.Problems = append(r.Problems, c.withUse(p, i))
		out.problem(p)
		if r.Outside == nil && p.Outside != nil {
			r.Outside, r.VocabularyNS = p.Outside, p.Outside.VocabularyNS
		}
	}
	for _, s := range g.scripts {
		result, done, err := g.result(c, s.index)
		if err != nil {
			return nil, 0, err
		}
		traces += boolToInt(len(result.Trace) > 0)
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
	r.Outcome, r.Reference = out.result(), mainReference(r.Samples)
	return r, traces, nil
}

// tookTurns lists the labels of those that were timed in turn with a contestant on all
// samples that both were timed on, the contestant among them; nil if there are none.
func (g *group) tookTurns(samples []cell.Sample) (labels []string) {
	for _, e := range g.run.entries {
		key, timed := g.id(e, g.run.cfg, g.run.env).Key(), g.timedOn(e)
		both, turns := 0, 0
		for i := range samples {
			if len(samples[i].Turns) > 0 && timed(i) {
				both++
				turns += boolToInt(samples[i].TookTurns(key))
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
		c.kept, c.keptByProver = renewed(c.kept), renewed(c.keptByProver)
	}
	runtime.GC()
}
