// Package plan lists the cells of a run and estimates their time, by an earlier result or by a
// trial.
package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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
	"gcdbench/harness/progress"
	"gcdbench/harness/stats"
	"gcdbench/internal/words"
)

// Planned is a cell of a plan: the line that `plan --json` prints.
type Planned struct {
	Algorithm string            `json:"algorithm"`
	Label     string            `json:"label"`
	Options   map[string]string `json:"options"`
	Tokenizer string            `json:"tokenizer"`
	Workload  string            `json:"workload"`
	Key       string            `json:"key"`
	Schemas   int               `json:"schemas,omitempty"` // in a schema corpus
	// Done is whether the cell is in the result directory.
	Done      bool `json:"done"`
	Samples   int  `json:"samples"`
	Negatives int  `json:"negatives"` // of the samples
	Tokens    int  `json:"tokens"`
	Positions int  `json:"positions"` // masked in one pass
	// Seconds is the estimated time, 0 if Done. Basis is the basis of the estimate: "done",
	// "earlier result", "trial", that of another vocabulary ("trial with llama3"), or the reason why
	// there is no estimate.
	Seconds float64 `json:"seconds"`
	Basis   string  `json:"basis"`
}

// Plan lists the cells of a run.
type Plan struct {
	Cells []*Planned
	// Notes explain the numbers of workloads.
	Notes []string
}

// Seconds is the estimated time of all cells.
func (p *Plan) Seconds() float64 {
	sum := 0.0
	for _, c := range p.Cells {
		sum += c.Seconds
	}
	return sum
}

// WriteText writes the plan as a table.
func (p *Plan) WriteText(w io.Writer) error {
	var b strings.Builder
	workloads, tokenizers, labels := 8, 9, 9
	for _, c := range p.Cells {
		workloads, tokenizers, labels = max(workloads, len(words.Visible(c.Workload))), max(tokenizers, len(words.Visible(c.Tokenizer))), max(labels, len(words.Visible(c.Label)))
	}
	line := fmt.Sprintf("%%-%ds  %%-%ds  %%-%ds  %%7s  %%9s  %%9s  %%9s  %%9s  %%s\n", workloads, tokenizers, labels)
	fmt.Fprintf(&b, line, "workload", "tokenizer", "algorithm", "samples", "negatives", "tokens", "positions", "time", "estimated from")
	for _, c := range p.Cells {
		took := "0s"
		if !c.Done {
			took = progress.Rounded(time.Duration(c.Seconds * float64(time.Second))).String()
		}
		fmt.Fprintf(&b, line, words.Visible(c.Workload), words.Visible(c.Tokenizer), words.Visible(c.Label), fmt.Sprint(c.Samples), fmt.Sprint(c.Negatives), fmt.Sprint(c.Tokens), fmt.Sprint(c.Positions), took, c.Basis)
	}
	b.WriteByte('\n')
	for _, note := range p.Notes {
		fmt.Fprintln(&b, note)
	}
	fmt.Fprintf(&b, "%s, about %s in all\n", words.Count(len(p.Cells), "cell"), progress.Rounded(time.Duration(p.Seconds()*float64(time.Second))))
	_, err := io.WriteString(w, b.String())
	return err
}

// MakePlan lists the cells of a configuration and estimates their time: from an earlier result of
// the same names in opt.Out, or else from a short trial, with the first of the vocabularies that
// are about as large as another. It writes nothing.
func MakePlan(ctx context.Context, cfg *config.Config, opt prepare.Options) (*Plan, error) {
	if err := prepare.CheckThroughput(cfg); err != nil {
		return nil, err
	}
	list, err := prepare.Entries(cfg, &opt)
	if err != nil {
		return nil, err
	}
	p := &planner{cfg: cfg, env: environment.Here(environment.Calibrate()), earlier: map[string]*cell.Record{},
		guard: *opt.NewGuard(cfg)}
	p.guard.Timeout = min(p.guard.Timeout, trialTime)
	if err := p.readEarlier(opt.Out); err != nil {
		return nil, err
	}
	defer bounds.LimitCollector(&p.guard)()
	p.progress, p.tried = progress.NewProgress(opt.Progress), map[string][]*rates{}
	err = prepare.NewLoader(cfg, &opt).EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		p.number, p.of = number, of
		p.plan.note(g)
		for _, e := range list {
			c, err := p.cell(ctx, g, e)
			if err != nil {
				return err
			}
			p.plan.Cells = append(p.plan.Cells, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t := cfg.Throughput; t != nil {
		p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("throughput: times include the batches. Each compiles a cell and decodes its documents up to twice: batches of %v, threads %v",
			t.Batch, t.Threads))
	}
	return &p.plan, nil
}

// note notes, once for each workload, that a limit does not count its negatives.
func (p *Plan) note(g *prepare.Prepared) {
	d, negatives := g.Workload.Dataset, Negatives(g)
	if d.Limit == 0 || d.Negatives >= 0 || negatives == 0 || g.Workload.Schema != nil {
		return
	}
	note := fmt.Sprintf("%s: \"limit: %d\" is about valid documents; those with a known mistake come besides, %d of them (\"negatives: none\" leaves them out)",
		g.Workload.Name, d.Limit, negatives)
	if !slices.Contains(p.Notes, note) {
		p.Notes = append(p.Notes, note)
	}
}

// Negatives counts the group's documents with a known mistake.
func Negatives(g *prepare.Prepared) int {
	n := 0
	for _, s := range g.Documents {
		n += stats.Truth(s.Negative)
	}
	return n
}

type planner struct {
	cfg     *config.Config
	env     environment.Environment
	store   *cell.Store
	earlier map[string]*cell.Record // by name, any key
	guard   bounds.Guard
	plan    Plan
	// tried are the trials there were, by workload and algorithm.
	tried      map[string][]*rates
	progress   *progress.Progress
	number, of int // of the group
}

// trialTime bounds a trial: compile and a few masks. A longer trial is estimated at the time limit
// of the run.
const trialTime = 30 * time.Second

// A pass of a trial goes to trialMasks positions, as long as that takes less than trialWalk. The
// beginnings of programs are comments, which are cheap, and an engine that builds on demand takes
// some hundred steps to have most of it: a shorter walk says ten times too much or too little.
const (
	trialMasks = 1000
	trialWalk  = 8 * time.Second
)

// readEarlier collects the cells of the result directory by name, whatever their keys: the result
// of an earlier build is good enough for an estimate.
func (p *planner) readEarlier(dir string) error {
	store, err := cell.Open(dir)
	if err != nil {
		return nil // nothing was measured there yet
	}
	keys, err := store.Keys()
	if err != nil {
		return err
	}
	p.store = store
	for _, key := range keys {
		if r, err := store.Get(key); err == nil {
			p.earlier[earlierName(r.ID.Algorithm, r.ID.Options, r.Tokenizer, r.Workload)] = r
		}
	}
	return nil
}

func earlierName(algorithm string, options map[string]string, tokenizer, workload string) string {
	return strings.Join([]string{algorithm, config.OptionText(options), tokenizer, workload}, "\x00")
}

// cell plans one cell: nothing to do if it is there, an earlier result, or a trial.
func (p *planner) cell(ctx context.Context, g *prepare.Prepared, e *prepare.Entry) (*Planned, error) {
	c := &Planned{Algorithm: e.Name, Label: e.Label, Options: e.Options, Tokenizer: g.Label, Workload: g.Workload.Name,
		Key: g.IdOf(e, p.cfg, p.env).Key(), Samples: len(g.Documents), Negatives: Negatives(g), Schemas: g.Schemas()}
	w := p.count(g, e, c)
	if p.store != nil {
		if _, err := p.store.Get(c.Key); err == nil {
			c.Done, c.Basis = true, "done"
			return c, nil
		} else if !errors.Is(err, fs.ErrNotExist) && !isDamaged(err) {
			return nil, err
		}
	}
	if r := p.earlier[earlierName(e.Name, e.Options, g.Label, g.Workload.Name)]; r != nil {
		if compile, mask, commit, ok := p.stepTimes(r); ok {
			c.Basis = "earlier result"
			r := &rates{compile: compile / float64(max(1, len(g.Units))), firstMask: mask, laterMask: mask, firstCommit: commit, laterCommit: commit}
			c.Seconds = (compile*p.compiles(g, time.Duration(compile)) + mask*w.masks + commit*w.commits + p.batches(g, r)) / 1e9
			return c, nil
		}
	}
	r := p.triedWith(g, e)
	if r == nil {
		p.progress.Note("[%d/%d] %s with %s: trying %s", p.number, p.of, g.Workload.Name, g.Label, e.Label)
		var err error
		if r, err = p.trial(ctx, g, e); err != nil {
			return nil, err
		}
		name := g.Workload.Name + "\x00" + e.Label
		p.tried[name] = append(p.tried[name], r)
	}
	p.estimate(g, c, w, r)
	return c, nil
}

// isDamaged reports whether a stored cell would be measured again.
func isDamaged(err error) bool {
	var damaged *cell.DamagedError
	return errors.As(err, &damaged)
}

// work counts the masks and commits of all passes, and separately those of first passes. There are
// two first passes, since the answers that are compared come from another instance than the times.
type work struct{ masks, commits, firstMasks, firstCommits float64 }

// count fills in tokens and positions and returns the work.
func (p *planner) count(g *prepare.Prepared, e *prepare.Entry, c *Planned) (w work) {
	all := ask.Passes(p.cfg.Measure.Warmup, p.cfg.Measure.Repeat)
	for _, s := range g.Documents {
		positions := s.Length
		if e.Name == prepare.Naive {
			positions = s.Want
		}
		times, firsts := float64(len(all)-1), 2.0 // blocks are walked for the fastest only, audits on few documents
		if s.Negative {
			times, firsts = 1, 1
		}
		c.Tokens += s.Length
		c.Positions += positions
		w.masks += times * float64(positions)
		w.commits += times * float64(s.Length)
		w.firstMasks += firsts * float64(positions)
		w.firstCommits += firsts * float64(s.Length)
	}
	return w
}

// compiles is how often a unit is compiled, for the untimed instance as well.
func (p *planner) compiles(g *prepare.Prepared, took time.Duration) float64 {
	times := p.cfg.Measure.Compiles
	switch {
	case times > 0:
	case g.Workload.Schema == nil && took < prepare.Quick:
		times = prepare.Repeats
	default:
		times = 1
	}
	return float64(times + 1)
}

// stepTimes are the sum of the compile times of an earlier result, and the mean times of its steps,
// in ns.
func (p *planner) stepTimes(r *cell.Record) (compile, mask, commit float64, ok bool) {
	for i := range r.Problems {
		for _, times := range [][]int64{r.Problems[i].GrammarNS, r.Problems[i].CompileNS, r.Problems[i].FirstMaskNS} {
			if len(times) > 0 {
				compile += float64(times[0])
			}
		}
	}
	n := 0
	for t, err := range p.store.Traces(r) {
		if err != nil {
			return 0, 0, 0, false // damaged: a run would measure it again
		}
		for _, pass := range t.Passes {
			for i := range min(len(pass.Mask), len(pass.Commit)) {
				mask += float64(pass.Mask[i])
				commit += float64(pass.Commit[i])
				n++
			}
		}
	}
	if n == 0 {
		return 0, 0, 0, false
	}
	return compile, mask / float64(n), commit / float64(n), true
}

// trialSchemas is how many schemas a trial looks at, evenly spread over the corpus.
const trialSchemas = 8

// tried is the result of a trial: the number of compiled units, their compile time, and the steps
// of a first pass, in which an engine builds on demand, and of a second one.
type tried struct {
	units        int
	engines      int             // of the units that have one
	grammar      *bounds.Failure // of the last unit whose grammar did not compile
	compile      time.Duration
	first, later steps
}

// steps are the times of masks and commits, in ns and in turn.
type steps struct{ mask, commit []float64 }

func (t *tried) add(o tried) {
	t.units, t.engines, t.compile = t.units+o.units, t.engines+o.engines, t.compile+o.compile
	t.first.add(o.first)
	t.later.add(o.later)
}

func (s *steps) add(o steps) {
	s.mask, s.commit = append(s.mask, o.mask...), append(s.commit, o.commit...)
}

// sum adds up times.
func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// slowing tells how the time of the first n masks grows with n: as its power of this. It is 1 where
// a mask takes as long as those before, and less where most is built in the first steps.
func (s *steps) slowing() float64 {
	half, all := sum(s.mask[:len(s.mask)/2]), sum(s.mask)
	if half <= 0 {
		return 1
	}
	return min(1, math.Log2(all/half)/math.Log2(float64(len(s.mask))/float64(len(s.mask)/2)))
}

// rates are the findings of a trial, from which the time of a cell is computed.
type rates struct {
	tokenizer string // with which it was tried
	size      int    // |V|
	// failed is how the trial ended; nil if an engine compiled.
	failed *bounds.Failure
	// compile is of one unit, the others are of one mask or commit, in ns.
	compile                                        float64
	firstMask, firstCommit, laterMask, laterCommit float64
	// firstMask is the mean of walked steps of a first pass over a program, and the time of more of
	// them grows by the power slowing. walked is 0 for schemas, each of which is new.
	walked, slowing float64
}

// firstMasks is the time of n masks of two first passes, in ns.
func (r *rates) firstMasks(n float64) float64 {
	if r.walked == 0 || n <= 2*r.walked {
		return n * r.firstMask
	}
	return 2 * r.walked * r.firstMask * math.Pow(n/(2*r.walked), r.slowing)
}

// alike is how many times as large as another a vocabulary may be for the trial of the one to be
// good enough for the other.
const alike = 4

// triedWith are the rates of a trial of the same workload and algorithm with another vocabulary of
// about this size; nil if there was none.
func (p *planner) triedWith(g *prepare.Prepared, e *prepare.Entry) *rates {
	size := g.LoadedTokenizer.Vocabulary().Len()
	for _, r := range p.tried[g.Workload.Name+"\x00"+e.Label] {
		if size <= alike*r.size && r.size <= alike*size {
			return r
		}
	}
	return nil
}

// trial compiles some units (for programs the only one) and walks the beginning of a document of
// each.
func (p *planner) trial(ctx context.Context, g *prepare.Prepared, e *prepare.Entry) (*rates, error) {
	r := &rates{tokenizer: g.Label, size: g.LoadedTokenizer.Vocabulary().Len()}
	var t tried
	var last *bounds.Failure
	kept := algorithms.NewKept()
	defer kept.Close()
	every := max(1, (len(g.Units)+trialSchemas-1)/trialSchemas)
	for i := every / 2; i < len(g.Units); i += every {
		err := p.try(ctx, g, g.Units[i], e, kept, &t)
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			last = failed
		case err != nil:
			return nil, err
		}
	}
	if last == nil {
		last = t.grammar
	}
	if t.engines == 0 && last != nil {
		r.failed = last
		return r, nil
	}
	r.found(&t, g.Workload.Schema == nil)
	return r, nil
}

// found takes the means of a trial, of a program or else of schemas.
func (r *rates) found(t *tried, program bool) {
	mean := func(list []float64) float64 { return sum(list) / float64(max(1, len(list))) }
	r.compile = float64(t.compile) / float64(max(1, t.units))
	r.firstMask, r.firstCommit = mean(t.first.mask), mean(t.first.commit)
	r.laterMask, r.laterCommit = mean(t.later.mask), mean(t.later.commit)
	if program && len(t.first.mask) > 1 {
		r.walked, r.slowing = float64(len(t.first.mask)), t.first.slowing()
	}
}

// estimate is the time of a cell by the rates of a trial.
func (p *planner) estimate(g *prepare.Prepared, c *Planned, w work, r *rates) {
	c.Basis = "trial"
	if r.tokenizer != g.Label {
		c.Basis += " with " + r.tokenizer
	}
	if r.failed != nil {
		c.Basis = "none: the " + c.Basis + " ended with " + string(r.failed.Outcome)
		if r.failed.Outcome == cell.Timeout {
			c.Seconds = p.cfg.Measure.Timeout.Seconds() * float64(max(len(g.Documents), len(g.Units)))
		}
		return
	}
	ns := r.compile * float64(len(g.Units)) * p.compiles(g, time.Duration(r.compile))
	c.Seconds = (ns + r.walks(w) + p.batches(g, r)) / 1e9
}

// walks is the time of all passes, in ns.
func (r *rates) walks(w work) float64 {
	return r.firstMasks(w.firstMasks) + r.laterMask*(w.masks-w.firstMasks) +
		r.firstCommit*w.firstCommits + r.laterCommit*(w.commits-w.firstCommits)
}

// batches is the time in ns of a cell's batches, which decode all requests once, those of programs
// twice.
func (p *planner) batches(g *prepare.Prepared, r *rates) float64 {
	t := prepare.ThroughputPlan(p.cfg.Throughput)
	if t == nil || !t.Has(g.Label) {
		return 0
	}
	requests, tokens, seen := 0, 0, map[int]bool{}
	for _, s := range g.Documents {
		if s.Negative || g.Workload.Schema != nil && seen[s.Problem] {
			continue
		}
		seen[s.Problem] = true
		requests++
		if n := s.Length; t.MaxTokens > 0 {
			tokens += min(n, t.MaxTokens)
		} else {
			tokens += n
		}
	}
	one := r.compile + float64(tokens)*(r.firstMask+r.firstCommit+r.laterMask+r.laterCommit)
	if g.Workload.Schema != nil {
		one = r.compile*float64(requests) + float64(tokens)*(r.firstMask+r.firstCommit)
	}
	n := 0
	for _, size := range t.Batch {
		n += stats.Truth(size <= requests)
	}
	return one * float64(n*len(t.Threads))
}

// try compiles one unit and takes a few steps. A schema that does not compile counts as a unit
// without a time.
func (p *planner) try(ctx context.Context, g *prepare.Prepared, u *prepare.Unit, e *prepare.Entry, kept *algorithms.Kept, t *tried) error {
	defer u.Close()
	began := environment.Now()
	if err := g.Open(ctx, u, &p.guard, 1, new(measure.Collector)); err != nil {
		return err
	}
	if shared := u.SharedBy(e); shared.Outcome != cell.OK {
		t.units++
		t.grammar = prepare.FailureOf(shared)
		return nil
	}
	if e.Outside() {
		problem, err := u.FreshFor(ctx, e, kept)
		if err == nil {
			_, err = ask.Start(g, ctx, prepare.Of(&p.guard, e), e, problem)
		}
		if err != nil {
			return err
		}
		began = environment.Now()
	}
	var one tried // own, since an abandoned operation goes on
	err := prepare.Of(&p.guard, e).Call(ctx, e.Label+" on "+u.ID, func(ctx context.Context) error {
		if u.Schema == nil {
			began = environment.Now() // all algorithms share the grammar
		}
		problem, err := u.SharedProblem, error(nil)
		if e.Outside() {
			problem, err = u.FreshFor(ctx, e, kept)
		}
		if err != nil {
			return err
		}
		engine, err := e.Maker.Compile(ctx, problem, e.Options)
		if err != nil {
			return err
		}
		engine.Start().Mask()
		one.units, one.engines = 1, 1
		one.compile += environment.Now() - began
		row := make([]uint64, algorithms.MaskWords(g.LoadedTokenizer.Vocabulary().Len()))
		for _, pass := range []*steps{&one.first, &one.later} {
			began := environment.Now()
			for _, s := range u.Documents {
				n := s.Length
				if e.Name == prepare.Naive {
					n = s.Want
				}
				pass.add(takeSteps(engine, s.Tokens[:n], row, trialMasks-len(pass.mask), began+trialWalk))
			}
		}
		return nil
	})
	if err == nil {
		t.add(one)
	}
	return err
}

// takeSteps walks an engine along at most n tokens, up to one that is refused, or to the deadline.
func takeSteps(engine algorithms.Engine, tokens []int32, row []uint64, n int, deadline time.Duration) (s steps) {
	state := engine.Start()
	for _, token := range tokens[:min(n, len(tokens))] {
		begin := environment.Now()
		if begin > deadline {
			break
		}
		algorithms.Deliver(state, row)
		mid := environment.Now()
		if state.Commit(int(token)) != nil {
			break
		}
		s.mask, s.commit = append(s.mask, float64(mid-begin)), append(s.commit, float64(environment.Now()-mid))
	}
	return s
}
