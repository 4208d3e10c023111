package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// Speculative decoding, timed by the rules of docs/methodology.md: masks are compared before
// anything is timed, engines take turns document by document in an order drawn by the seed, garbage
// is collected outside of the clock, and times are single measurements on one pinned thread.
//
// The drafts of a document are drawn once, and all engines get the same. Of each draft the first
// tokens are the document's, as many as a model would accept whose tokens are right with a given
// probability each; the others are a random walk by the masks of the first algorithm, so that each
// of them is legal and each place of the draft has a mask.

// SpeculateOptions are those of Speculate.
type SpeculateOptions struct {
	Options
	Drafts []int   // lengths of drafts in tokens
	Accept float64 // the probability that a drafted token is right, given those before it
	// Skip says which groups are not wanted; nil for none.
	Skip func(workload, tokenizer string, draft int) bool
}

// SpeculativeCell is an algorithm on a workload and a vocabulary, with drafts of one length.
type SpeculativeCell struct {
	Algorithm string            `json:"algorithm"`
	Label     string            `json:"label"`
	Options   map[string]string `json:"options"`
	Tokenizer string            `json:"tokenizer"`
	Workload  string            `json:"workload"`
	Draft     int               `json:"draft"`
	Accept    float64           `json:"accept"`
	Seed      uint64            `json:"seed"`
	Program   string            `json:"program_sha256"`
	Revision  string            `json:"git_revision"`
	Dirty     bool              `json:"git_dirty"`
	Outcome   cell.Outcome      `json:"outcome"`
	Detail    string            `json:"detail,omitempty"`
	Documents int               `json:"documents"`
	Masks     int               `json:"masks_compared"` // before anything was timed
	Emitted   int               `json:"tokens"`         // accepted and added, in one pass over all documents
	// First are the first passes over documents, Again those after a warm-up; Step is of plain
	// decoding in a pass of its own, a token and a mask at a time. All in ns.
	First SpeculativeTimes `json:"first"`
	Again SpeculativeTimes `json:"again"`
}

// SpeculativeTimes are the raw times of some passes.
type SpeculativeTimes struct {
	Round    []uint32 `json:"round_ns"`
	Rollback []uint32 `json:"rollback_ns"`
	Step     []uint32 `json:"step_ns"`
	Clone    []uint32 `json:"clone_ns,omitempty"`
}

// add adds the times of a pass.
func (t *SpeculativeTimes) add(o *measure.DraftTimes) {
	t.Round, t.Rollback = append(t.Round, o.Round...), append(t.Rollback, o.Rollback...)
}

// speculation is a group that is being measured.
type speculation struct {
	*verifier
	opt    SpeculateOptions
	cfg    *config.Config
	env    environment.Environment
	walker *measure.Walker
	gc     measure.Collector
}

// Speculate measures speculative decoding with every algorithm of a configuration that runs in this
// process, on its valid documents. each is called with every cell as soon as it is done. The errors
// are those of Run, and that of each.
func Speculate(ctx context.Context, cfg *config.Config, opt SpeculateOptions, each func(*SpeculativeCell) error) error {
	list, err := entries(cfg, &opt.Options)
	if err != nil {
		return err
	}
	p := newProgress(opt.Progress)
	defer p.finish()
	list = slices.DeleteFunc(list, func(e *entry) bool {
		if e.outside() {
			p.note("%s runs in a process of its own, whose protocol has no drafts; it is left out", e.Label)
		}
		return e.outside()
	})
	env := environment.Here(environment.Calibrate())
	defer limitCollector(opt.newGuard(cfg))()
	return newLoader(cfg, &opt.Options).eachGroup(ctx, func(g *prepared, number, of int) error {
		if g.empty() {
			return nil
		}
		for _, k := range opt.Drafts {
			if opt.Skip != nil && opt.Skip(g.workload.Name, g.label, k) {
				continue
			}
			p.note("[%d/%d] %s with %s, drafts of %d tokens", number, of, g.workload.Name, g.label, k)
			s := &speculation{verifier: newVerifier(g, list, opt.newGuard(cfg), p), opt: opt, cfg: cfg, env: env,
				walker: measure.NewWalker(g.tokenizer.Vocabulary().Len(), cfg.Measure.Between != "nothing", env.Clock)}
			s.walker.Between = s.gc.Between
			cells, err := s.group(ctx, k)
			if err != nil {
				return err
			}
			for _, c := range cells {
				if err := each(c); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// group measures all engines with drafts of k tokens.
func (s *speculation) group(ctx context.Context, k int) ([]*SpeculativeCell, error) {
	var cells []*SpeculativeCell
	for _, e := range s.entries {
		cells = append(cells, &SpeculativeCell{Algorithm: e.Name, Label: e.Label, Options: e.options, Tokenizer: s.label, Workload: s.workload.Name,
			Draft: k, Accept: s.opt.Accept, Seed: s.cfg.Seed, Program: s.env.Program, Revision: s.env.Revision, Dirty: s.env.Dirty, Outcome: cell.OK})
	}
	for _, u := range s.units {
		if err := s.unit(ctx, u, k, cells); err != nil {
			return nil, err
		}
		u.close()
	}
	return cells, nil
}

// unit compiles a grammar twice with each engine, one instance to be compared and one to be timed,
// and walks its documents.
func (s *speculation) unit(ctx context.Context, u *unit, k int, cells []*SpeculativeCell) error {
	asked, err := s.openAll(ctx, u)
	if err != nil {
		return err
	}
	timed, err := s.openAll(ctx, u)
	if err != nil {
		return err
	}
	for i, c := range cells {
		for _, o := range []*opened{asked, timed} {
			if lost := o.engines[i].lost; lost != nil {
				c.end(lost)
			}
		}
	}
	for _, d := range u.documents {
		if d.negative {
			continue
		}
		if err := s.document(ctx, asked, timed, d, k, cells); err != nil {
			return err
		}
	}
	return nil
}

// end has a cell end with a failure, unless it has one of those that count as an answer: a schema
// that is not supported is left out.
func (c *SpeculativeCell) end(f *failure) {
	if c.Outcome == cell.OK && (f.outcome != cell.Unsupported || c.Documents == 0) {
		c.Outcome, c.Detail = f.outcome, f.detail
	}
}

// document compares and then times the engines on a document.
func (s *speculation) document(ctx context.Context, asked, timed *opened, d *document, k int, cells []*SpeculativeCell) error {
	doc := &measure.Document{Tokens: d.tokens}
	rng := rand.New(rand.NewPCG(s.cfg.Seed, uint64(k)<<32|uint64(d.number)))
	var drafts []measure.Draft
	var want []uint64
	var ready []int
	for i, c := range cells {
		e := asked.engines[i]
		if c.Outcome != cell.OK || e.lost != nil {
			continue
		}
		var got []uint64
		err := s.call(ctx, e, d, func(ctx context.Context) (err error) {
			if drafts == nil {
				drafts = s.draw(e.prover.engine, d, k, rng)
			}
			return s.walker.Speculate(ctx, e.prover.engine, doc, drafts, nil, &got)
		})
		var failed *failure
		switch {
		case errors.As(err, &failed):
			c.end(failed)
			continue
		case err != nil:
			return err
		case want == nil:
			want = got
		case !slices.Equal(got, want):
			c.Outcome, c.Detail = cell.WrongMask, fmt.Sprintf("on %s its masks differ from those of %s", d.id, cells[ready[0]].Label)
			continue
		}
		c.Masks += len(got)
		ready = append(ready, i)
	}
	for pass := range s.cfg.Measure.Warmup + s.cfg.Measure.Repeat + 1 {
		order := slices.Clone(ready)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			if err := s.pass(ctx, timed.engines[i], d, drafts, pass, cells[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// call calls f within the limits. That an engine refuses a token is a failure.
func (s *speculation) call(ctx context.Context, e *openedEngine, d *document, f func(ctx context.Context) error) error {
	err := s.guard.of(e.entry).call(ctx, e.Label+" on "+d.id, f)
	var refused *measure.RefusedError
	if errors.As(err, &refused) {
		return &failure{outcome: cell.WrongMask, detail: fmt.Sprintf("on %s: %v", d.id, refused)}
	}
	return err
}

// pass times one engine: by drafts, and then one token at a time.
func (s *speculation) pass(ctx context.Context, e *openedEngine, d *document, drafts []measure.Draft, pass int, c *SpeculativeCell) error {
	if c.Outcome != cell.OK {
		return nil
	}
	s.gc.Maybe()
	on := s.gc.Off()
	var t measure.DraftTimes
	var plain measure.Times
	var clones measure.Proof
	doc := &measure.Document{Tokens: d.tokens}
	err := s.call(ctx, e, d, func(ctx context.Context) error {
		_, release := environment.Pin()
		defer release()
		if err := s.walker.Speculate(ctx, e.prover.engine, doc, drafts, &t, nil); err != nil || pass == 0 {
			return err // a first pass of plain decoding would find what the drafts built
		}
		if pass == s.cfg.Measure.Warmup+s.cfg.Measure.Repeat {
			clones.Clones = []uint32{}
			if err := s.walker.Prove(ctx, e.prover.engine, doc, &clones); err != nil {
				return err
			}
		}
		return s.walker.Time(ctx, e.prover.engine, doc, &plain)
	})
	on()
	var failed *failure
	switch {
	case errors.As(err, &failed):
		c.end(failed)
		return nil
	case err != nil:
		return err
	case pass == 0:
		c.Documents++
		for _, r := range drafts {
			c.Emitted += r.Accepted + 1
		}
		c.First.add(&t)
	case pass > s.cfg.Measure.Warmup:
		c.Again.add(&t)
		c.Again.Step = append(c.Again.Step, plain.Step...)
		c.Again.Clone = append(c.Again.Clone, clones.Clones...)
	}
	return nil
}

// draw draws the drafts of a document: as many as fit before its end.
func (s *speculation) draw(engine algorithms.Engine, d *document, k int, rng *rand.Rand) (drafts []measure.Draft) {
	v := s.tokenizer.Vocabulary()
	roots := rootsOf(v.Trie())
	state := engine.Start()
	for at := 0; at+k < len(d.tokens)-1; {
		r := measure.Draft{At: at}
		for r.Accepted < k && rng.Float64() < s.opt.Accept {
			r.Accepted++
		}
		r.Tokens = slices.Clone(d.tokens[at : at+r.Accepted])
		for _, t := range r.Tokens {
			if state.Commit(int(t)) != nil {
				return drafts // the walk says so
			}
		}
		for other := state.Clone(); len(r.Tokens) < k; {
			t, ok := draw(v, roots, other.Mask(), rng)
			if !ok || v.IsEOS(t) || other.Commit(t) != nil {
				break
			}
			r.Tokens = append(r.Tokens, int32(t))
		}
		if state.Commit(int(d.tokens[at+r.Accepted])) != nil {
			return drafts
		}
		at += r.Accepted + 1
		drafts = append(drafts, r)
	}
	return drafts
}
