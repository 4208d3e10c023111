// Package judging finds out which of two engines is right where their masks differ.
//
// An engine of another semantics is not wrong where it differs from the contract. A difference
// about a token after a prefix is settled by a text that everyone can check, and by a judge that
// shares no code with either engine (package judges). The text begins with the prefix and the
// token:
//
//	only the reference allows the token   the reference's grammar completes the text
//	only the engine allows the token      the engine's own masks drive it to an end of text
//
// If the text is invalid, the side that allowed it admits an invalid text. If it is valid, the
// other side excludes a valid text, unless it takes the same value in another spelling: that is a
// convention. Without a text the token is a dead end, or the difference is undecided. Package
// harness/judged has the classes. The reference is judged by the same rules as the engine.
//
// The way of a judgement through the files:
//
//	cells.go         from stored hashes to the positions that differ
//	judging.go       opens a result directory, problem by problem (a session)
//	findings.go      stores the findings about each document
//	openproblem.go   compiles the engines of a problem
//	walk.go          walks its documents
//	engine.go        whole masks at those positions
//	groups.go        the tokens that differ, in groups that are judged as one
//	comparison.go    judges one or a few tokens of each group, and more when it is met again
//	settle.go        one token (a question): its text, the verdict, the finding
//	excluded.go      tokens that only the reference allows
//	aftertoken.go    texts that are refused after the token
//	drive.go         drives an engine to its end (jsonopen.go, wishes.go: likely next bytes)
//	conventions.go   other spellings of a text (jsonspelling.go, textspelling.go)
//	replay.go        asks about a witness again, from its file (questions.go)
//
// # What bounds it
//
// A finding is about a group of tokens. Some of them are judged; groups with several answers are
// split. A witness is proof for its own text alone. Since the reference completes the text, a later
// fault of the reference in the same text is found as well as a fault at the token; the same holds
// for texts that the engine generates. Judges know languages: a grammar may be wider or narrower
// than its language.
package judging

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/judged"
	"gcdbench/harness/judges"
	"gcdbench/harness/prepare"
	"gcdbench/harness/rewalk"
	"gcdbench/internal/words"
)

// Options say how much is judged, and by whom.
type Options struct {
	// Harness finds algorithms and tokenizers. Its Progress gets lines about how far it is; nil for
	// silence.
	Harness prepare.Options
	Judges  judges.Options
	// WithoutJudge leaves differences undecided whose judge this machine lacks; otherwise that ends
	// Judge, before it looks for witnesses.
	WithoutJudge bool
	// Limit bounds the positions of a cell that are judged; 0 for all. The configuration's seed draws
	// them: all engines are judged at the same positions where all of them differ.
	Limit int
	// Timeout bounds the search for one witness; by default DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout bounds the search for one witness. A fast engine needs a hundredth of it; a slow
// one makes some hundred masks in that time.
const DefaultTimeout = 30 * time.Second

// A Result sums up the findings about a cell.
type Result struct {
	Dir       string `json:"dir"`
	Key       string `json:"-"`
	Engine    string `json:"engine"`    // its label
	Reference string `json:"reference"` // its label
	Workload  string `json:"workload"`
	Tokenizer string `json:"tokenizer"`
	judged.Sum
}

// Judge judges every cell of another semantics in a result directory. It goes on where an earlier
// call stopped, and stores its findings document by document. cfg is the configuration that was
// run.
//
// Errors are about input, for example a grammar that has changed since the run; about the directory
// (*cell.WriteError, or *cell.LockedError if another process writes to it); or ctx's.
func Judge(ctx context.Context, dir string, cfg *config.Config, opt Options) ([]*Result, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	store, err := cell.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &session{dir: dir, store: store, opt: &opt, seed: cfg.Seed, notes: opt.Harness.Progress}
	pairs, err := c.pairs()
	if err != nil || len(pairs) == 0 {
		return nil, err
	}
	unlock, err := store.Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	again := rewalk.NewRewalk(cfg, opt.Harness)
	wanted := func(workload, tokenizer string) bool {
		return slices.ContainsFunc(pairs, func(p *pair) bool { return p.of(workload, tokenizer) })
	}
	err = again.EachGroup(ctx, wanted, func(g *rewalk.Reopened) error { return c.group(ctx, again, g, pairs) })
	if err != nil {
		return nil, err
	}
	return c.results(pairs)
}

// session is a result directory that is being judged.
type session struct {
	dir   string
	store *cell.Store
	opt   *Options
	seed  uint64
	notes io.Writer
	last  time.Time // of a line of progress
}

// note writes a line of progress.
func (c *session) note(format string, args ...any) {
	if c.notes != nil {
		fmt.Fprintln(c.notes, words.VisibleLines(fmt.Sprintf(format, args...)))
	}
}

// results sums up the stored findings.
func (c *session) results(pairs []*pair) ([]*Result, error) {
	all, _, err := judged.Read(c.dir)
	if err != nil {
		return nil, err
	}
	var list []*Result
	for _, p := range pairs {
		r := p.record
		if stored := all[r.Key]; stored != nil && stored.Reference == p.reference.Key {
			list = append(list, &Result{c.dir, r.Key, r.Label, p.reference.Label, r.Workload, r.Tokenizer, stored.Sum()})
		}
	}
	return list, nil
}

// group judges the pairs of a workload on a vocabulary.
func (c *session) group(ctx context.Context, again *rewalk.Rewalk, g *rewalk.Reopened, pairs []*pair) error {
	workload, tokenizer := g.Names()
	var here []*pair
	for _, p := range pairs {
		if !p.of(workload, tokenizer) {
			continue
		}
		if !g.Asks(&p.record.ID) || !g.Asks(&p.reference.ID) {
			return fmt.Errorf("%s: %s with %s is not what was measured: a grammar, a document or a vocabulary has changed since; give the configuration and the corpora that were run, with --config and --corpus", c.dir, workload, tokenizer)
		}
		if err := p.open(c, again); err != nil {
			return err
		}
		defer p.close()
		here = append(here, p)
	}
	for _, n := range inOrder(c.seed, len(here[0].record.Problems)) {
		var open []*pair
		for _, p := range here {
			if len(p.todo[n]) > 0 {
				open = append(open, p)
			}
		}
		if len(open) == 0 {
			continue
		}
		if err := c.problem(ctx, g, n, open); err != nil {
			return err
		}
	}
	return nil
}

// problem judges the documents of a problem.
func (c *session) problem(ctx context.Context, g *rewalk.Reopened, index int, open []*pair) error {
	u, err := g.Unit(ctx, index)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b := &openProblem{session: c, group: g, unit: u, index: index}
	if err != nil {
		for _, p := range open {
			left := slices.DeleteFunc(p.todo[index], func(d *document) bool { return len(d.chosen) == 0 })
			if err := b.failed(p, left, "the grammar did not compile again", err); err != nil {
				return err
			}
		}
		return nil
	}
	defer u.Close()
	defer b.close()
	if err := b.findJudge(ctx); err != nil {
		return err
	}
	for _, p := range open {
		documents := askedBy(b.judgeName, p.todo[index])
		if len(documents) == 0 {
			continue
		}
		b.progress(p, u.Source().Name)
		if err := b.pair(ctx, p, documents); err != nil {
			return err
		}
		delete(p.todo, index)
	}
	return ctx.Err()
}
