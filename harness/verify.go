package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
)

// Verified is what Verify found about one cell. It is the line that
// `verify --json` prints.
type Verified struct {
	Algorithm string               `json:"algorithm"`
	Label     string               `json:"label"`
	Options   map[string]string    `json:"options"`
	Tokenizer string               `json:"tokenizer"`
	Workload  string               `json:"workload"`
	Reference string               `json:"reference"` // "" if it was compared with none
	Outcome   cell.Outcome         `json:"outcome"`
	Outcomes  map[cell.Outcome]int `json:"outcomes"`
	Detail    string               `json:"detail,omitempty"`
	Compared  int                  `json:"positions_compared"`
	Masks     int                  `json:"masks"`

	Positives       int `json:"positives"`
	PositivesPassed int `json:"positives_passed"`
	Negatives       int `json:"negatives"`
	NegativesPassed int `json:"negatives_passed"`

	Difference *Difference `json:"difference,omitempty"` // the first wrong mask, made small
}

// Verification is the result of Verify.
type Verification struct {
	Cells   []*Verified
	Seconds float64
}

// Failed counts the cells with an outcome that is a failure (exit status 1).
func (v *Verification) Failed() int {
	n := 0
	for _, c := range v.Cells {
		if c.Outcome.Failure() {
			n++
		}
	}
	return n
}

// Compared is how many masks were compared with a reference.
func (v *Verification) Compared() int {
	n := 0
	for _, c := range v.Cells {
		n += c.Compared
	}
	return n
}

// WriteText writes a line a cell, the wrong masks, and the sum.
func (v *Verification) WriteText(w io.Writer) error {
	var b strings.Builder
	labels, workloads, tokenizers := len("algorithm"), len("workload"), len("tokenizer")
	for _, c := range v.Cells {
		labels, workloads, tokenizers = max(labels, len(c.Label)), max(workloads, len(c.Workload)), max(tokenizers, len(c.Tokenizer))
	}
	line := fmt.Sprintf("%%-%ds  %%-%ds  %%-%ds  %%10s  %%10s  %%10s  %%-14s  %%s\n", workloads, tokenizers, labels)
	fmt.Fprintf(&b, line, "workload", "tokenizer", "algorithm", "positives", "negatives", "compared", "outcome", "with")
	for _, c := range v.Cells {
		with, compared := c.Reference, fmt.Sprint(c.Compared)
		if with == "" {
			with, compared = "nothing", "-"
			if c.Masks > 0 {
				with = "(the reference)"
			}
		}
		fmt.Fprintf(&b, line, c.Workload, c.Tokenizer, c.Label,
			fmt.Sprintf("%d/%d", c.PositivesPassed, c.Positives), fmt.Sprintf("%d/%d", c.NegativesPassed, c.Negatives),
			compared, string(c.Outcome), with)
	}
	for _, c := range v.Cells {
		switch {
		case c.Difference != nil:
			fmt.Fprintf(&b, "\n%s", c.Difference.Text())
		case c.Outcome != cell.OK:
			fmt.Fprintf(&b, "\n%s: %s on %s with %s: %s\n", c.Outcome, c.Label, c.Workload, c.Tokenizer, c.Detail)
		}
	}
	fmt.Fprintf(&b, "\n%d masks compared bit for bit in %.1f s; %d of %d cells failed\n", v.Compared(), v.Seconds, v.Failed(), len(v.Cells))
	_, err := io.WriteString(w, b.String())
	return err
}

// Verify compares the masks of every cell of a configuration and times nothing.
// Samples are spread over all processors. Positives and negatives are walked
// once, at the positions that measure.positions chooses. Nothing is stored.
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
	defer p.finish()
	err = newLoader(cfg, &opt).eachGroup(ctx, func(g *prepared, number, of int) error {
		p.group(number, of, g, len(list), len(list))
		v := &verifier{prepared: g, entries: list, progress: p, guard: *opt.newGuard(cfg)}
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

	engines []algorithms.Engine // by entry; nil if there is none
	lost    []*failure          // by entry: why it is not called (any more)
	cells   []*Verified         // by entry

	mu sync.Mutex // guards lost, cells and progress
}

// verify spreads the scripts over workers. The first error stops all of them.
func (v *verifier) verify(ctx context.Context) error {
	if err := v.compileAll(ctx); err != nil {
		return err
	}
	work := make(chan *script)
	failed := make(chan error, 1)
	var workers sync.WaitGroup
	inner, stop := context.WithCancel(ctx)
	defer stop()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for s := range work {
				if err := v.sample(inner, s); err != nil {
					select {
					case failed <- err:
					default:
					}
					stop()
				}
			}
		})
	}
	for _, s := range v.scripts {
		select {
		case work <- s:
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

// compileAll compiles one engine for each entry, which all workers share: engines
// are safe for that by contract, so this tests it too.
func (v *verifier) compileAll(ctx context.Context) error {
	for _, e := range v.entries {
		c := &Verified{Algorithm: e.Name, Label: e.Label, Options: e.options, Tokenizer: v.label, Workload: v.workload.Name,
			Outcome: cell.OK, Outcomes: map[cell.Outcome]int{}}
		for _, o := range cell.Outcomes {
			c.Outcomes[o] = 0
		}
		var engine algorithms.Engine
		watch := v.guard
		err := watch.call(ctx, func(ctx context.Context) error {
			made, err := e.algorithm.Compile(ctx, v.problem, e.options)
			engine = made
			return err
		})
		var lost *failure
		if err != nil && !errors.As(err, &lost) {
			return err
		}
		if lost != nil {
			engine = nil
		}
		v.engines, v.lost, v.cells = append(v.engines, engine), append(v.lost, lost), append(v.cells, c)
	}
	return nil
}

// sample walks one script with every engine, the reference first, and compares.
func (v *verifier) sample(ctx context.Context, s *script) error {
	passes := make([]*pass, len(v.entries))
	fails := make([]*failure, len(v.entries))
	for i := range v.entries {
		var err error
		if passes[i], fails[i], err = v.walk(ctx, i, s); err != nil {
			return err
		}
	}
	for i, e := range v.entries {
		sample, diff := cell.Sample{}, (*difference)(nil)
		if fails[i] != nil {
			sample = failedSample(s, fails[i])
		} else {
			sample, diff = judge(s, passes[i], v.reference(e, passes))
		}
		if err := v.record(ctx, i, s, sample, passes[i], diff); err != nil {
			return err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress.step(s.id, true)
	return nil
}

// walk is one untimed pass; either the pass or the failure is set.
func (v *verifier) walk(ctx context.Context, i int, s *script) (*pass, *failure, error) {
	v.mu.Lock()
	lost := v.lost[i]
	v.mu.Unlock()
	if lost != nil {
		return nil, lost, nil
	}
	p := new(pass)
	watch := v.guard
	err := watch.call(ctx, func(ctx context.Context) error {
		w := walker{engine: v.engines[i]}
		return w.walk(ctx, s, mode{lanes: 1}, p)
	})
	var failed *failure
	switch {
	case errors.As(err, &failed):
		if failed.abandoned {
			v.mu.Lock()
			v.lost[i] = &failure{outcome: failed.outcome, detail: "not called again after it did not return on " + s.id + ": " + failed.detail}
			v.mu.Unlock()
		}
		return nil, failed, nil
	case err != nil:
		return nil, nil, err
	}
	return p, nil, nil
}

// reference is what entry e is compared with: see group.reference.
func (v *verifier) reference(e *entry, passes []*pass) *answers {
	for _, r := range referenceFirst(v.entries) {
		if r.algorithm.Semantics() != e.algorithm.Semantics() {
			continue
		}
		if r == e {
			return nil
		}
		for i := range v.entries {
			if v.entries[i] == r && passes[i] != nil {
				return answersOf(r, passes[i])
			}
		}
	}
	return nil
}

// record adds a sample to the cell of entry i, and explains its first difference.
func (v *verifier) record(ctx context.Context, i int, s *script, sample cell.Sample, p *pass, diff *difference) error {
	v.mu.Lock()
	c := v.cells[i]
	c.Outcomes[sample.Outcome]++
	c.Compared += sample.Compared
	if c.Reference == "" {
		c.Reference = sample.Reference
	}
	if p != nil {
		c.Masks += len(p.hashes)
	}
	if worse := cell.Worse(c.Outcome, sample.Outcome); worse != c.Outcome {
		c.Outcome, c.Detail = worse, sample.Detail
	}
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
	var d *Difference
	watch := v.guard
	watch.timeout = 2 * shrinkTime
	err := watch.call(ctx, func(ctx context.Context) error {
		d = v.explainDifference(ctx, v.entries[i], v.engines[i], v.engineOf(c.Reference), c.Reference, s, diff)
		return nil
	})
	if interrupted := ctx.Err(); interrupted != nil {
		return interrupted
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if c.Difference = d; err != nil {
		c.Difference = nil // the detail says what differed
	}
	return nil
}

// engineOf finds the engine of a label; nil if it has none.
func (v *verifier) engineOf(label string) algorithms.Engine {
	for i, e := range v.entries {
		if e.Label == label {
			return v.engines[i]
		}
	}
	return nil
}
