// Package speculate times drafts: tokens that are committed ahead and taken back.
package speculate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/bounds"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
	"gcdbench/harness/progress"
	"gcdbench/harness/verify"
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
	prepare.Options
	Drafts []int   // lengths of drafts in tokens
	Accept float64 // the probability that a drafted token is right, given those before it
	// Skip says which groups of engines, by their labels, are not wanted; nil for none.
	Skip func(workload, tokenizer string, draft int, labels []string) bool
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
	environment.Machine
	Revision  string       `json:"git_revision"`
	Dirty     bool         `json:"git_dirty"`
	Outcome   cell.Outcome `json:"outcome"`
	Detail    string       `json:"detail,omitempty"`
	Documents int          `json:"documents"`
	Masks     int          `json:"masks_compared"` // before anything was timed
	Emitted   int          `json:"tokens"`         // accepted and added, in one pass over all documents
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
	*verify.Verifier
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
	list, err := prepare.Entries(cfg, &opt.Options)
	if err != nil {
		return err
	}
	p := progress.NewProgress(opt.Progress)
	defer p.Finish()
	list = slices.DeleteFunc(list, func(e *prepare.Entry) bool {
		if e.Outside() {
			p.Note("%s runs in a process of its own, whose protocol has no drafts; it is left out", e.Label)
		}
		return e.Outside()
	})
	var labels []string
	for _, e := range list {
		labels = append(labels, e.Label)
	}
	env := environment.Here(environment.Calibrate())
	defer bounds.LimitCollector(opt.NewGuard(cfg))()
	return prepare.NewLoader(cfg, &opt.Options).EachGroup(ctx, func(g *prepare.Prepared, number, of int) error {
		for _, k := range opt.Drafts {
			if opt.Skip != nil && opt.Skip(g.Workload.Name, g.Label, k, labels) {
				continue
			}
			p.Note("[%d/%d] %s with %s, drafts of %d tokens", number, of, g.Workload.Name, g.Label, k)
			s := &speculation{Verifier: verify.NewVerifier(g, list, opt.NewGuard(cfg), p), opt: opt, cfg: cfg, env: env,
				walker: measure.NewWalker(g.LoadedTokenizer.Vocabulary().Len(), cfg.Measure.Between != "nothing", env.Clock)}
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
	for _, e := range s.Entries {
		cells = append(cells, &SpeculativeCell{Algorithm: e.Name, Label: e.Label, Options: e.Options, Tokenizer: s.Label, Workload: s.Workload.Name,
			Draft: k, Accept: s.opt.Accept, Seed: s.cfg.Seed, Machine: s.env.Machine, Revision: s.env.Revision, Dirty: s.env.Dirty, Outcome: cell.OK})
	}
	for _, u := range s.Units {
		if err := s.unit(ctx, u, k, cells); err != nil {
			return nil, err
		}
		u.Close()
	}
	return cells, nil
}

// unit compiles a grammar twice with each engine, one instance to be compared and one to be timed,
// and walks its documents.
func (s *speculation) unit(ctx context.Context, u *prepare.Unit, k int, cells []*SpeculativeCell) error {
	asked, err := s.OpenAll(ctx, u)
	if err != nil {
		return err
	}
	timed, err := s.OpenAll(ctx, u)
	if err != nil {
		return err
	}
	for i, c := range cells {
		for _, o := range []*verify.Opened{asked, timed} {
			if lost := o.Engines[i].Lost; lost != nil {
				c.end(lost)
			}
		}
	}
	for _, d := range u.Documents {
		if d.Negative {
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
func (c *SpeculativeCell) end(f *bounds.Failure) {
	if c.Outcome == cell.OK && (f.Outcome != cell.Unsupported || c.Documents == 0) {
		c.Outcome, c.Detail = f.Outcome, f.Detail
	}
}

// document compares and then times the engines on a document.
func (s *speculation) document(ctx context.Context, asked, timed *verify.Opened, d *prepare.Document, k int, cells []*SpeculativeCell) error {
	doc := &measure.Document{Tokens: d.Tokens}
	rng := rand.New(rand.NewPCG(s.cfg.Seed, uint64(k)<<32|uint64(d.Number)))
	var drafts []measure.Draft
	var want []uint64
	var ready []int
	for i, c := range cells {
		e := asked.Engines[i]
		if c.Outcome != cell.OK || e.Lost != nil {
			continue
		}
		var got []uint64
		err := s.call(ctx, e, d, func(ctx context.Context) (err error) {
			if drafts == nil {
				drafts = s.draw(e.Prover.Engine, d, k, rng)
			}
			return s.walker.Speculate(ctx, e.Prover.Engine, doc, drafts, nil, &got)
		})
		var failed *bounds.Failure
		switch {
		case errors.As(err, &failed):
			c.end(failed)
			continue
		case err != nil:
			return err
		case want == nil:
			want = got
		case !slices.Equal(got, want):
			c.Outcome, c.Detail = cell.WrongMask, fmt.Sprintf("on %s its masks differ from those of %s", d.ID, cells[ready[0]].Label)
			continue
		}
		c.Masks += len(got)
		ready = append(ready, i)
	}
	for pass := range s.cfg.Measure.Warmup + s.cfg.Measure.Repeat + 1 {
		order := slices.Clone(ready)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			if err := s.pass(ctx, timed.Engines[i], d, drafts, pass, cells[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// call calls f within the limits. That an engine refuses a token is a failure.
func (s *speculation) call(ctx context.Context, e *verify.OpenedEngine, d *prepare.Document, f func(ctx context.Context) error) error {
	err := prepare.Of(s.Guard, e.Entry).Call(ctx, e.Label+" on "+d.ID, f)
	var refused *measure.RefusedError
	if errors.As(err, &refused) {
		return &bounds.Failure{Outcome: cell.WrongMask, Detail: fmt.Sprintf("on %s: %v", d.ID, refused)}
	}
	return err
}

// pass times one engine: by drafts, and then one token at a time.
func (s *speculation) pass(ctx context.Context, e *verify.OpenedEngine, d *prepare.Document, drafts []measure.Draft, pass int, c *SpeculativeCell) error {
	if c.Outcome != cell.OK {
		return nil
	}
	s.gc.Maybe()
	on := s.gc.Off()
	var t measure.DraftTimes
	var plain measure.Times
	var clones measure.Proof
	doc := &measure.Document{Tokens: d.Tokens}
	err := s.call(ctx, e, d, func(ctx context.Context) error {
		_, release := environment.Pin()
		defer release()
		if err := s.walker.Speculate(ctx, e.Prover.Engine, doc, drafts, &t, nil); err != nil || pass == 0 {
			return err // a first pass of plain decoding would find what the drafts built
		}
		if pass == s.cfg.Measure.Warmup+s.cfg.Measure.Repeat {
			clones.Clones = []uint32{}
			if err := s.walker.Prove(ctx, e.Prover.Engine, doc, &clones); err != nil {
				return err
			}
		}
		return s.walker.Time(ctx, e.Prover.Engine, doc, &plain)
	})
	on()
	var failed *bounds.Failure
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
func (s *speculation) draw(engine algorithms.Engine, d *prepare.Document, k int, rng *rand.Rand) (drafts []measure.Draft) {
	v := s.LoadedTokenizer.Vocabulary()
	roots := verify.RootsOf(v.Trie())
	state := engine.Start()
	for at := 0; at+k < len(d.Tokens)-1; {
		r := measure.Draft{At: at}
		for r.Accepted < k && rng.Float64() < s.opt.Accept {
			r.Accepted++
		}
		r.Tokens = slices.Clone(d.Tokens[at : at+r.Accepted])
		for _, t := range r.Tokens {
			if state.Commit(int(t)) != nil {
				return drafts // the walk says so
			}
		}
		for other := state.Clone(); len(r.Tokens) < k; {
			t, ok := verify.Draw(v, roots, other.Mask(), rng)
			if !ok || v.IsEOS(t) || other.Commit(t) != nil {
				break
			}
			r.Tokens = append(r.Tokens, int32(t))
		}
		if state.Commit(int(d.Tokens[at+r.Accepted])) != nil {
			return drafts
		}
		at += r.Accepted + 1
		drafts = append(drafts, r)
	}
	return drafts
}
