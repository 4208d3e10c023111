package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
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
		if err := g.round(ctx, s); err != nil {
			return err
		}
		g.run.progress.step(s.id)
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

// resume opens the journal and takes over what an earlier process finished.
func (g *group) resume() error {
	journal, entries, torn, err := g.run.store.OpenJournal(g.journalName())
	if err != nil {
		return err
	}
	g.journal = journal
	if torn > 0 {
		g.run.progress.note("the journal's last %d bytes were torn by the end of an earlier run and are cut off", torn)
	}
	g.session, g.started = 1, time.Now().UTC()
	for _, e := range entries {
		g.replay(e)
	}
	if n := len(entries); n > 0 {
		g.run.progress.note("resuming %s with %s: %d of %d samples are done", g.workload.Name, g.label, g.doneRounds(), len(g.scripts))
		if err := g.blame(entries[n-1].Begin); err != nil {
			return err
		}
	}
	now := time.Now().UTC()
	return g.journal.Append(cell.Entry{Session: &now})
}

// journalName is a key for the group: its question and how it is measured,
// whichever algorithms take part.
func (g *group) journalName() string {
	id := g.pending[0].id
	id.Algorithm, id.Options, id.Copy, id.Semantics = "", nil, 0, ""
	return id.Key()[:32]
}

func (g *group) replay(e cell.Entry) {
	switch {
	case e.Session != nil:
		if g.session == 1 {
			g.started = *e.Session
		}
		g.session++
	case e.Compiled != nil:
		if c := g.contestant(e.Compiled.Key); c != nil {
			p := e.Compiled.Problem
			c.compiled = &p
		}
	case e.Round != nil:
		for key, result := range e.Round.Results {
			if c := g.contestant(key); c != nil {
				c.results[e.Round.Sample] = result
			}
		}
	}
}

func (g *group) contestant(key string) *contestant {
	for _, c := range g.pending {
		if c.key == key {
			return c
		}
	}
	return nil
}

func (g *group) doneRounds() int {
	done := 0
	for _, s := range g.scripts {
		if !slices.ContainsFunc(g.pending, func(c *contestant) bool { return !c.finished(s) }) {
			done++
		}
	}
	return done
}

// blame finds the operation during which an earlier process died of a fatal
// error of the Go runtime (a stack overflow, say, which no recover catches). A
// process that was killed leaves no such words, and nothing is held against
// anybody.
func (g *group) blame(begin *cell.Begin) error {
	if begin == nil || g.run.lastWords == "" {
		return nil
	}
	words := g.run.lastWords
	g.run.lastWords = ""
	c := g.contestant(begin.Key)
	if c == nil {
		return nil
	}
	f := causeOfDeath(words)
	if begin.Sample < 0 {
		return g.recordCompile(c, cell.Problem{ID: g.problem.Grammar.Name, Outcome: f.outcome, Detail: f.detail})
	}
	return g.recordRound(begin.Sample, map[string]cell.Result{c.key: {Sample: g.complete(failedSample(g.scripts[begin.Sample], f), nil)}})
}

// causeOfDeath reads the last words of a process. They are the stacks only: the
// runtime writes its message to standard error alone, so the kind of the error is
// read off the functions of the runtime that raised it.
func causeOfDeath(words string) *failure {
	f := &failure{outcome: cell.Crash, detail: "the process died of a fatal error\n" + words}
	raised, _, _ := strings.Cut(words, "\ngoroutine ")
	switch {
	case strings.Contains(raised, "runtime.newstack"):
		f.detail = "the process died of a stack overflow\n" + words
	case strings.Contains(raised, "runtime.(*mheap)"), strings.Contains(raised, "runtime.sysMap"), strings.Contains(raised, "runtime.sysReserve"):
		f.outcome, f.detail = cell.OutOfMemory, "the process died because no more memory was to be had\n"+words
	}
	return f
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
		engine, problem, err := g.compile(ctx, c.entry, g.run.guard, c.id.Compiles)
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

func (g *group) recordCompile(c *contestant, p cell.Problem) error {
	c.compiled = &p
	return g.journal.Append(cell.Entry{Compiled: &cell.Compiled{Key: c.key, Problem: p}})
}

func (g *group) recordRound(sample int, results map[string]cell.Result) error {
	for key, r := range results {
		g.contestant(key).results[sample] = r
	}
	return g.journal.Append(cell.Entry{Round: &cell.Round{Sample: sample, Results: results}})
}

// turn is a contestant in a round.
type turn struct {
	*contestant
	passes []*pass
	sample cell.Sample
	out    *failure // it dropped out of the round
	gc     cell.GC
}

// round measures one script with every contestant that has not done it.
func (g *group) round(ctx context.Context, s *script) error {
	var turns []*turn
	for _, c := range g.pending {
		if !c.finished(s) {
			turns = append(turns, &turn{contestant: c})
		}
	}
	if len(turns) == 0 {
		return nil
	}
	var orders [][]string
	for number := range g.passes(s) {
		order := g.order(turns, s, number)
		orders = append(orders, labels(order))
		for _, t := range order {
			if err := g.pass(ctx, t, s, number); err != nil {
				return err
			}
		}
		if number == 0 {
			if err := g.judgeAll(ctx, turns, s); err != nil {
				return err
			}
		}
	}
	results := map[string]cell.Result{}
	for _, t := range turns {
		results[t.key] = g.result(t, s, orders)
	}
	return g.recordRound(s.index, results)
}

// passes is how often a script is walked: a negative once, for its verdict.
func (g *group) passes(s *script) int {
	m := g.run.cfg.Measure
	if s.negative {
		return 1
	}
	return m.Warmup + m.Repeat
}

// order draws who goes first in a pass.
func (g *group) order(turns []*turn, s *script, number int) []*turn {
	order := slices.Clone(turns)
	rng := rand.New(rand.NewPCG(g.run.cfg.Seed, uint64(s.index)<<16|uint64(number)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

func labels(turns []*turn) []string {
	list := make([]string, len(turns))
	for i, t := range turns {
		list[i] = t.Label
	}
	return list
}

// pass runs one pass of one contestant, unless it dropped out.
func (g *group) pass(ctx context.Context, t *turn, s *script, number int) error {
	if t.out == nil && t.lost != nil {
		t.out = t.lost
	}
	if t.out != nil || number > 0 && t.sample.Outcome != cell.OK {
		return nil
	}
	if err := g.journal.Append(cell.Entry{Begin: &cell.Begin{Key: t.key, Sample: s.index, Pass: number}}); err != nil {
		return err
	}
	p, err := g.timed(ctx, t, s, number)
	var failed *failure
	switch {
	case errors.As(err, &failed):
		t.out = failed
		if failed.abandoned {
			g.run.abandoned++
			t.lost = &failure{outcome: failed.outcome, detail: "not called again after it did not return on " + s.id + ": " + failed.detail}
		}
		return nil
	case err != nil:
		return err
	}
	if number > 0 && t.sample.Outcome == cell.OK && !slices.Equal(p.hashes, t.passes[0].hashes) {
		t.sample.Outcome = cell.WrongMask
		t.sample.Detail = fmt.Sprintf("pass %d over the same sample gave other masks than the first", number+1)
	}
	t.passes = append(t.passes, p)
	return nil
}

// timed walks the script with the garbage collector held back.
func (g *group) timed(ctx context.Context, t *turn, s *script, number int) (*pass, error) {
	m := mode{timed: true, lanes: 1, commitClones: 1}
	if number > 0 {
		m = nextMode(t.passes[number-1], g.run.env.Clock)
	}
	m.clones = !s.negative && number == max(0, g.run.cfg.Measure.Warmup-1)
	w := walker{engine: t.engine, collect: &g.collect}
	p := new(pass)
	g.collect.maybe()
	end := g.collect.begin()
	err := g.run.guard.call(ctx, func(ctx context.Context) error { return w.walk(ctx, s, m, p) })
	t.gc = t.gc.Add(end())
	return p, err
}

// judgeAll compares the first passes and settles each contestant's outcome.
func (g *group) judgeAll(ctx context.Context, turns []*turn, s *script) error {
	for _, t := range turns {
		if t.out != nil {
			continue
		}
		ref, whose := g.reference(t, turns, s)
		sample, diff := judge(s, t.passes[0], ref)
		wrong := t
		if diff != nil && ref != nil && whose != nil && g.sidesWith(t, s, diff) {
			// Without naive the reference is just another algorithm, and here it is
			// the one that is wrong.
			wrong, diff = whose, &difference{diff.position, diff.masked, fmt.Sprintf("at position %d it differs from %s and from the contract", diff.position, t.Label)}
			whose.sample.Outcome, whose.sample.Detail = cell.WrongMask, diff.what
			compared := sample.Compared
			sample, _ = judge(s, t.passes[0], nil)
			sample.Compared, sample.Reference = compared, whose.Label
		}
		t.sample = sample
		if diff != nil && !wrong.explained {
			wrong.explained = true
			if err := g.explain(ctx, wrong, turns, s, ref, diff); err != nil {
				return err
			}
		}
	}
	return nil
}

// sidesWith reports whether the contract agrees with a contestant where it
// differs from a reference that is not naive.
func (g *group) sidesWith(t *turn, s *script, diff *difference) bool {
	if t.algorithm.Semantics() != algorithms.SemanticsContract || t.passes[0].contradiction != "" {
		return false
	}
	contract := contractWitness{g.problem}
	prefix := s.prefix(diff.position)
	if !diff.masked {
		allowed, ok := contract.allows(prefix, int(s.tokens[diff.position]))
		takes := !t.passes[0].refused || t.passes[0].refusedAt > diff.position
		return ok && allowed == takes
	}
	m, ok := contract.mask(prefix)
	at := slices.Index(s.positions, uint32(diff.position))
	return ok && m.Hash() == t.passes[0].hashes[at]
}

// reference finds whose answers a contestant is compared with on a script: the
// first of naive and then the others in the order of the configuration that got
// through it, measured now or earlier; nil if that is the contestant itself. whose
// is set if that one may be wrong itself: it is in this round, and not naive.
func (g *group) reference(t *turn, turns []*turn, s *script) (ref *answers, whose *turn) {
	for _, e := range referenceFirst(g.run.entries) {
		if e.algorithm.Semantics() != t.algorithm.Semantics() {
			continue
		}
		if e == t.entry {
			return nil, nil
		}
		for _, other := range turns {
			if other.entry != e || other.out != nil || other.sample.Outcome == cell.WrongMask {
				continue
			}
			if e.Name != "naive" {
				whose = other
			}
			return answersOf(e, other.passes[0]), whose
		}
		if a := g.earlier(e, s); a != nil {
			return a, nil
		}
	}
	return nil, nil
}

// earlier returns the answers of an entry that has the script behind it: in this
// group's journal, or in a finished cell.
func (g *group) earlier(e *entry, s *script) *answers {
	for _, c := range g.pending {
		if c.entry != e {
			continue
		}
		if r, done := c.results[s.index]; done && (r.Sample.Outcome == cell.OK || r.Sample.Outcome == cell.WrongVerdict) {
			if traces, err := cell.DecodeTraces(r.Trace); err == nil && len(traces) == 1 {
				return &answers{e.Label, e.algorithm.Semantics(), traces[0].Hashes, r.Sample.Refused, r.Sample.RefusedAt}
			}
		}
	}
	for _, src := range g.stored {
		if src.label == e.Label {
			return src.byScript[s.index]
		}
	}
	return nil
}

// explain makes a wrong mask small, prints it and stores it.
func (g *group) explain(ctx context.Context, t *turn, turns []*turn, s *script, ref *answers, diff *difference) error {
	reference, refEngine := "", algorithms.Engine(nil)
	if ref != nil {
		reference = ref.label
		for _, other := range turns {
			if other.Label == ref.label {
				refEngine = other.engine
			}
		}
	}
	patient := *g.run.guard
	patient.timeout = 2 * shrinkTime
	var d *Difference
	err := patient.call(ctx, func(ctx context.Context) error {
		d = g.explainDifference(ctx, t.entry, t.engine, refEngine, reference, s, diff)
		return nil
	})
	if interrupted := ctx.Err(); interrupted != nil {
		return interrupted
	}
	if err != nil || d == nil {
		g.run.progress.note("wrong mask: %s on %s with %s, sample %s: %s (no smaller case was found: %v)", t.Label, g.workload.Name, g.label, s.id, diff.what, err)
		return nil
	}
	g.run.summary.Differences = append(g.run.summary.Differences, d)
	path, err := g.run.store.PutDifference(t.key[:32], d)
	if err != nil {
		return err
	}
	g.run.progress.note("%sstored as %s", d.Text(), path)
	return nil
}

// result makes a contestant's result of a round.
func (g *group) result(t *turn, s *script, orders [][]string) cell.Result {
	if t.out != nil {
		t.sample = failedSample(s, t.out)
	}
	sample := g.complete(t.sample, orders)
	sample.GC = t.gc
	trace := cell.Trace{Sample: s.index}
	if len(t.passes) > 0 {
		trace.Hashes = t.passes[0].hashes
	}
	trace.Positions = s.positions[:len(trace.Hashes)]
	if sample.Outcome == cell.OK && !s.negative {
		for number, p := range t.passes {
			trace.Passes = append(trace.Passes, cell.Pass{Warmup: number < g.run.cfg.Measure.Warmup,
				Lanes: p.lanes, CommitClones: p.commitClones, Mask: p.mask, Commit: p.commit})
			if p.clone != nil {
				trace.Clone = p.clone
			}
		}
	}
	return cell.Result{Sample: sample, Trace: cell.EncodeTraces([]cell.Trace{trace})}
}

// complete fills in what a sample knows about the session.
func (g *group) complete(s cell.Sample, orders [][]string) cell.Sample {
	s.Session, s.Orders = g.session, orders
	s.ClockPairNS, s.Abandoned = g.run.env.Clock.PairNS, g.run.abandoned
	return s
}

// assemble makes a contestant's record of its results.
func (g *group) assemble(c *contestant) (*cell.Record, []cell.Trace, error) {
	r := &cell.Record{
		ID: c.id, Label: c.Label, Tokenizer: g.label, Workload: g.workload.Name, Grammar: g.workload.Grammar, Dataset: g.workload.dataset,
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
