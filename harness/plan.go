package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
)

// Planned is a cell that a run would come to. It is the line that `plan --json`
// prints.
type Planned struct {
	Algorithm string            `json:"algorithm"`
	Label     string            `json:"label"`
	Options   map[string]string `json:"options"`
	Tokenizer string            `json:"tokenizer"`
	Workload  string            `json:"workload"`
	Key       string            `json:"key"`
	// Done is whether the cell is in the result directory.
	Done      bool `json:"done"`
	Samples   int  `json:"samples"`
	Tokens    int  `json:"tokens"`
	Positions int  `json:"positions"` // masked in one pass
	// Seconds is the time it should take, 0 if Done; Basis says how it was
	// estimated: "done", "earlier result", "trial", or why there is no estimate.
	Seconds float64 `json:"seconds"`
	Basis   string  `json:"basis"`
}

// Plan is what a run would do.
type Plan struct{ Cells []*Planned }

// Seconds is the time all cells should take together.
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
		workloads, tokenizers, labels = max(workloads, len(c.Workload)), max(tokenizers, len(c.Tokenizer)), max(labels, len(c.Label))
	}
	line := fmt.Sprintf("%%-%ds  %%-%ds  %%-%ds  %%7s  %%9s  %%9s  %%9s  %%s\n", workloads, tokenizers, labels)
	fmt.Fprintf(&b, line, "workload", "tokenizer", "algorithm", "samples", "tokens", "positions", "time", "estimated from")
	for _, c := range p.Cells {
		took := "0s"
		if !c.Done {
			took = rounded(time.Duration(c.Seconds * float64(time.Second))).String()
		}
		fmt.Fprintf(&b, line, c.Workload, c.Tokenizer, c.Label, fmt.Sprint(c.Samples), fmt.Sprint(c.Tokens), fmt.Sprint(c.Positions), took, c.Basis)
	}
	fmt.Fprintf(&b, "\n%d cells, about %s in all\n", len(p.Cells), rounded(time.Duration(p.Seconds()*float64(time.Second))))
	_, err := io.WriteString(w, b.String())
	return err
}

// MakePlan lists the cells of a configuration and estimates their time: from an
// earlier result of the same names in opt.Out, or else from a short trial. It
// writes nothing.
func MakePlan(ctx context.Context, cfg *config.Config, opt Options) (*Plan, error) {
	list, err := entries(cfg, &opt)
	if err != nil {
		return nil, err
	}
	p := &planner{cfg: cfg, env: environment.Here(environment.Calibrate()), earlier: map[string]*cell.Record{},
		guard: *opt.newGuard(cfg)}
	p.guard.timeout = min(p.guard.timeout, trialTime)
	if err := p.readEarlier(opt.Out); err != nil {
		return nil, err
	}
	progress := newProgress(opt.Progress)
	defer progress.finish()
	err = newLoader(cfg, &opt).eachGroup(ctx, func(g *prepared, number, of int) error {
		progress.note("[%d/%d] %s with %s", number, of, g.workload.Name, g.label)
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
	return &p.plan, nil
}

type planner struct {
	cfg     *config.Config
	env     environment.Environment
	store   *cell.Store
	earlier map[string]*cell.Record // by name, any key
	guard   guard
	plan    Plan
}

// trialTime bounds a trial: compile and a few masks. What takes longer is
// estimated to take its time limit.
const trialTime = 30 * time.Second

// trialMasks is how many positions a trial looks at, at most.
const trialMasks = 10

// readEarlier collects the cells of the result directory by name, of any key: for
// an estimate a result of last week's build is good enough.
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
func (p *planner) cell(ctx context.Context, g *prepared, e *entry) (*Planned, error) {
	c := &Planned{Algorithm: e.Name, Label: e.Label, Options: e.options, Tokenizer: g.label, Workload: g.workload.Name,
		Key: g.id(e, p.cfg, p.env).Key(), Samples: len(g.scripts)}
	masks, commits := p.count(g, c)
	if p.store != nil {
		if _, err := p.store.Get(c.Key); err == nil {
			c.Done, c.Basis = true, "done"
			return c, nil
		} else if !errors.Is(err, fs.ErrNotExist) && !isDamaged(err) {
			return nil, err
		}
	}
	if r := p.earlier[earlierName(e.Name, e.options, g.label, g.workload.Name)]; r != nil {
		if compile, mask, commit, ok := p.stepTimes(r); ok {
			c.Basis = "earlier result"
			c.Seconds = (compile*float64(p.cfg.Measure.Compiles) + mask*masks + commit*commits) / 1e9
			return c, nil
		}
	}
	return c, p.trial(ctx, g, e, c, masks, commits)
}

// isDamaged reports whether a stored cell would be measured again.
func isDamaged(err error) bool {
	var damaged *cell.DamagedError
	return errors.As(err, &damaged)
}

// count fills in tokens and positions and returns how many masks and commits
// all passes make.
func (p *planner) count(g *prepared, c *Planned) (masks, commits float64) {
	for _, s := range g.scripts {
		passes := float64(p.cfg.Measure.Warmup + p.cfg.Measure.Repeat)
		if s.negative {
			passes = 1
		}
		c.Tokens += len(s.tokens)
		c.Positions += len(s.positions)
		masks += passes * float64(len(s.positions))
		commits += passes * float64(len(s.tokens))
	}
	return masks, commits
}

// stepTimes are the mean times, in ns, of an earlier result.
func (p *planner) stepTimes(r *cell.Record) (compile, mask, commit float64, ok bool) {
	traces, err := p.store.Traces(r)
	if err != nil || len(r.Problems) == 0 || len(r.Problems[0].CompileNS) == 0 {
		return 0, 0, 0, false
	}
	n := 0
	for _, t := range traces {
		times := t.Times()
		for i := range times.Mask {
			mask += times.Mask[i]
			commit += times.Commit[i]
			n++
		}
	}
	if n == 0 {
		return 0, 0, 0, false
	}
	return float64(r.Problems[0].CompileNS[0]), mask / float64(n), commit / float64(n), true
}

// trial compiles and walks the beginning of the first script.
func (p *planner) trial(ctx context.Context, g *prepared, e *entry, c *Planned, masks, commits float64) error {
	var compile, mask, commit time.Duration
	err := p.guard.call(ctx, func(ctx context.Context) error {
		begin := environment.Now()
		engine, err := e.algorithm.Compile(ctx, g.problem, e.options)
		if err != nil {
			return err
		}
		compile = environment.Now() - begin
		state := engine.Start()
		tokens := g.scripts[0].tokens
		n := min(trialMasks, len(tokens))
		for _, token := range tokens[:n] {
			begin := environment.Now()
			state.Mask()
			mid := environment.Now()
			if state.Commit(int(token)) != nil {
				break
			}
			mask += (mid - begin) / time.Duration(n)
			commit += (environment.Now() - mid) / time.Duration(n)
		}
		return nil
	})
	var failed *failure
	switch {
	case errors.As(err, &failed):
		c.Basis = fmt.Sprintf("none: the trial ended with %s", failed.outcome)
		if failed.outcome == cell.Timeout {
			c.Seconds = p.cfg.Measure.Timeout.Seconds() * float64(len(g.scripts))
		}
		return nil
	case err != nil:
		return err
	}
	c.Basis = "trial"
	c.Seconds = (float64(compile)*float64(p.cfg.Measure.Compiles) + float64(mask)*masks + float64(commit)*commits) / 1e9
	return nil
}
