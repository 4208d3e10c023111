// Package judging says who is right where the masks of two engines differ.
//
// An engine of another semantics is not wrong where it differs from the contract. A difference
// about a token after a prefix is settled by a text that anybody can check, and by a judge who
// shares no code with either engine (package judges):
//
//	only the reference allows the token   the reference's shortest completion makes a text of it
//	only the engine allows it             the engine itself is driven to an end of text
//
// If the text is invalid, whoever allowed it admits an invalid text. If it is valid, the other one
// excludes a valid text; unless the same value in another spelling is taken: then that is a
// convention. Without a text there is a dead end, or nothing is decided. Package harness/judged has
// the classes. The reference is judged by the same rules as the engine.
//
// The way of a judgement through the files:
//
//	cells.go         from stored hashes to the positions that differ
//	judging.go       opens what was run once more, problem by problem; writes down each document
//	contestant.go    whole masks at those positions
//	groups.go        the tokens that differ, in groups that are judged as one
//	hearing.go       one or a few tokens for each group, again now and then
//	settle.go        one token: its text, the verdict, what follows
//	drive.go         an engine is driven to its end
//	conventions.go   other spellings of a text (jsonspelling.go, textspelling.go)
//	replay.go        a witness is asked again from its file
//
// # What bounds it
//
// A finding is about a group of tokens, of which some were judged; groups that turn out mixed are
// split. What a witness proves it proves for its text alone. The completion is the reference's, so
// a fault of the reference that comes later in the same text is found as well as one at the token;
// the same holds of the engine's drive. Judges are right about languages, not about grammars that
// are wider or narrower than their language.
package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/config"
	"gcdbench/harness/judged"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/words"
	"gcdbench/judges"
	"gcdbench/recognizer"
)

// Options say how much is judged, and by whom.
type Options struct {
	// Harness finds algorithms and tokenizers. Its Progress gets lines about how far it is; nil for
	// silence.
	Harness harness.Options
	Judges  judges.Options
	// Limit bounds the positions of a cell that are looked at, which are then chosen at random by the
	// configuration's seed; 0 for all that differ.
	Limit int
	// Timeout is how long the search for one witness may take; by default DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout is a hundred times what a witness takes with fast engines; slow ones make some
// hundred masks in it.
const DefaultTimeout = 30 * time.Second

// A Result is what is known of a cell.
type Result struct {
	Dir                                    string
	Key                                    string
	Engine, Reference, Workload, Tokenizer string // labels
	judged.Sum
}

// Judge looks at every cell of another semantics in a result directory. What is in the directory
// already is not done again; what is found is written down document by document. cfg is the
// configuration that was run.
//
// Errors are about input, among them that what cfg names is not what was measured, about the
// directory (*cell.WriteError), or ctx's.
func Judge(ctx context.Context, dir string, cfg *config.Config, opt Options) ([]*Result, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	store, err := cell.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &court{dir: dir, store: store, opt: &opt, seed: cfg.Seed, notes: opt.Harness.Progress}
	pairs, err := c.pairs()
	if err != nil {
		return nil, err
	}
	again := harness.NewRewalk(cfg, opt.Harness)
	wanted := func(workload, tokenizer string) bool {
		return slices.ContainsFunc(pairs, func(p *pair) bool { return p.of(workload, tokenizer) })
	}
	err = again.EachGroup(ctx, wanted, func(g *harness.Reopened) error { return c.group(ctx, again, g, pairs) })
	if err != nil {
		return nil, err
	}
	return c.results(pairs)
}

// court is a result directory that is being judged.
type court struct {
	dir   string
	store *cell.Store
	opt   *Options
	seed  uint64
	notes io.Writer
	last  time.Time // of a line of progress
}

// note writes a line for a person.
func (c *court) note(format string, args ...any) {
	if c.notes != nil {
		fmt.Fprintln(c.notes, words.VisibleLines(fmt.Sprintf(format, args...)))
	}
}

// results sums up what is stored.
func (c *court) results(pairs []*pair) ([]*Result, error) {
	all, err := judged.Read(c.dir)
	if err != nil {
		return nil, err
	}
	var list []*Result
	for _, p := range pairs {
		r := p.record
		documents := slices.DeleteFunc(all[r.Key], func(d judged.Document) bool { return d.Reference != p.reference.Key })
		list = append(list, &Result{c.dir, r.Key, r.Label, p.reference.Label, r.Workload, r.Tokenizer, judged.Summarize(documents)})
	}
	return list, nil
}

// group judges the pairs of a workload on a vocabulary.
func (c *court) group(ctx context.Context, again *harness.Rewalk, g *harness.Reopened, pairs []*pair) error {
	workload, tokenizer := g.Names()
	var here []*pair
	for _, p := range pairs {
		if !p.of(workload, tokenizer) {
			continue
		}
		if !g.Asks(&p.record.ID) || !g.Asks(&p.reference.ID) {
			return fmt.Errorf("%s: %s with %s is not what was measured: a grammar, a document or a vocabulary has changed since; give the configuration that was run with --config", c.dir, workload, tokenizer)
		}
		if err := p.open(c, again); err != nil {
			return err
		}
		defer p.close()
		here = append(here, p)
	}
	for n := range here[0].record.Problems {
		var open []*pair
		for _, p := range here {
			if err := p.skipEqual(n); err != nil {
				return err
			}
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
func (c *court) problem(ctx context.Context, g *harness.Reopened, index int, open []*pair) error {
	u, err := g.Unit(ctx, index)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		for _, p := range open {
			if err := c.failed(p, p.todo[index], "the grammar did not compile again", err); err != nil {
				return err
			}
		}
		return nil
	}
	defer u.Close()
	b := &bench{court: c, group: g, unit: u, index: index}
	defer b.close()
	for _, p := range open {
		b.progress(p)
		if err := b.pair(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// bench is an open problem with those who judge it.
type bench struct {
	*court
	group *harness.Reopened
	unit  *harness.Unit
	index int

	judge   judges.Judge
	noJudge error
}

// progress says how far it is, now and then.
func (b *bench) progress(p *pair) {
	const every = 10 * time.Second
	if time.Since(b.last) < every {
		return
	}
	b.last = time.Now()
	b.note("%s: %s on %s: problem %d of %d (%s)", b.dir, p.record.Label, p.record.Workload, b.index+1, len(p.record.Problems), b.unit.Source().Name)
}

// close ends what was started.
func (b *bench) close() {
	if b.judge != nil {
		b.judge.Close()
	}
}

// findJudge finds the judge once.
func (b *bench) findJudge() {
	if b.judge != nil || b.noJudge != nil {
		return
	}
	s := b.unit.Source()
	language := judges.Language{Name: s.Name, Text: s.Text}
	if s.Kind == algorithms.KindSchema {
		language = judges.Language{Schema: s.Text}
	}
	if b.judge, b.noJudge = judges.For(language, b.opt.Judges); b.noJudge != nil {
		b.judge = nil
		b.note("%s: %v", s.Name, b.noJudge)
	}
}

// pair judges the documents of one pair of cells.
func (b *bench) pair(ctx context.Context, p *pair) error {
	h, err := b.hearing(ctx, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return b.failed(p, p.todo[b.index], "an engine did not compile again", err)
	}
	for n, d := range p.todo[b.index] {
		abandoned, err := h.hearDocument(ctx, b, p, d)
		if err != nil {
			return err
		}
		if abandoned { // the engine may still be at work, and with it everything that it was given
			return b.failed(p, p.todo[b.index][n+1:], engineFailed, errors.New("it did not come back from the document before"))
		}
	}
	return nil
}

// hearing compiles both engines.
func (b *bench) hearing(ctx context.Context, p *pair) (*hearing, error) {
	b.findJudge()
	h := &hearing{opt: b.opt, tokenizer: b.group.Tokenizer(), judge: b.judge, noJudge: b.noJudge}
	switch s := b.unit.Source(); {
	case s.Kind == algorithms.KindSchema:
		h.order = append(jsontext.Order{}, jsontext.DeclaredOrder(s.Text)...) // not nil
	case s.Name == "json":
		h.order = jsontext.Order{}
	}
	_, err := b.group.Guarded(ctx, "starting "+p.record.Label, max(p.timeout, startTime), func(ctx context.Context) error { return b.prepare(ctx, p) })
	if err != nil {
		return h, err
	}
	_, err = b.group.Guarded(ctx, "compiling "+b.unit.Source().Name, p.timeout, func(ctx context.Context) (err error) {
		if h.reference, err = b.compile(ctx, p.referenceAlgorithm, p.reference, p.referenceKept); err != nil {
			return err
		}
		if h.engine, err = b.compile(ctx, p.algorithm, p.record, p.kept); err != nil {
			return err
		}
		h.recognizer = b.unit.Recognizer()
		h.begin(b.seed)
		return nil
	})
	h.describe = b.describe(p, h)
	return h, err
}

// startTime is the least that the process of an engine from outside may take to start and to set
// the vocabulary up.
const startTime = 3 * time.Minute

// prepare starts the process of an engine from outside, where it does not run yet.
func (b *bench) prepare(ctx context.Context, p *pair) error {
	from, ok := p.algorithm.(algorithms.Outside)
	if !ok {
		return nil
	}
	problem, err := b.unit.Problem(ctx, p.algorithm, p.kept)
	if err != nil {
		return err
	}
	return from.Prepare(ctx, problem, p.record.ID.Options)
}

// compile makes a contestant.
func (b *bench) compile(ctx context.Context, a algorithms.Algorithm, r *cell.Record, kept *algorithms.Kept) (*contestant, error) {
	problem, err := b.unit.Problem(ctx, a, kept)
	if err != nil {
		return nil, err
	}
	engine, err := a.Compile(ctx, problem, r.ID.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Label, err)
	}
	who := judged.Contestant{Label: r.Label, Algorithm: r.ID.Algorithm, Options: r.ID.Options, Version: versionOf(a, r.ID.Options)}
	return &contestant{who, engine, problem.Vocabulary}, nil
}

// describe fills in what the witnesses of a hearing have in common.
func (b *bench) describe(p *pair, h *hearing) func(*judged.Witness) {
	s, v := b.unit.Source(), b.group.Tokenizer().Vocabulary()
	sum := sha256.Sum256(s.Text)
	return func(w *judged.Witness) {
		w.Engine, w.Reference = h.engine.Contestant, h.reference.Contestant
		w.Kind, w.Grammar, w.Text, w.GrammarSHA256 = s.Kind, s.Name, string(s.Text), hex.EncodeToString(sum[:])
		w.Schemas = b.unit.SchemaOptions()
		w.Tokenizer, w.VocabularySHA256, w.VocabularySize = p.record.Tokenizer, v.SHA256(), v.Len()
		w.Workload, w.Document = p.record.Workload, h.document
	}
}

const (
	// atOnce is how many positions of a document have their masks in memory.
	atOnce = 512
	// patience is how long a position may take: some groups of tokens, each with a witness.
	patience = 20
)

// hearDocument judges a document and writes it down. abandoned is whether an engine was left
// behind.
func (h *hearing) hearDocument(ctx context.Context, b *bench, p *pair, d *contested) (abandoned bool, err error) {
	id, content, tokens, ok := b.unit.Document(d.sample)
	if !ok {
		return false, fmt.Errorf("%s: %s has no document %d", b.dir, b.unit.Source().Name, d.sample)
	}
	h.document, h.cursor, h.read = id, nil, 0
	w := &walk{hearing: h, bench: b, contested: d, content: content, tokens: tokens, state: h.recognizer.Start(),
		out: p.document(d), witnesses: map[judged.Finding]*judged.Witness{}}
	for chosen := range slices.Chunk(d.chosen, atOnce) {
		if abandoned {
			w.out.undecided(engineFailed, len(chosen))
			continue
		}
		if abandoned, err = w.positions(ctx, p, chosen); err != nil {
			return false, err
		}
	}
	return abandoned, p.put(b.dir, w.out, w.witnesses)
}

// engineFailed is the cause of what is undecided because an engine, or its process, did not do as
// it is told.
const engineFailed = "the engine failed"

// walk is a document while it is judged.
type walk struct {
	*hearing
	*bench
	*contested
	content []byte
	tokens  []int32

	at    int // tokens read
	text  []byte
	state recognizer.State

	out       *noted
	witnesses map[judged.Finding]*judged.Witness // the shortest of each kind
}

// positions judges some positions, whose masks are in memory together. The error is ctx's.
func (w *walk) positions(ctx context.Context, p *pair, chosen []int) (abandoned bool, err error) {
	var reference, engine []algorithms.Mask
	abandoned, err = w.bench.group.Guarded(ctx, "the masks of "+w.id, p.timeout, func(ctx context.Context) (err error) {
		if reference, err = w.reference.masks(ctx, w.tokens, w.positionsOf(chosen)); err == nil {
			engine, err = w.engine.masks(ctx, w.tokens, w.positionsOf(chosen))
		}
		return err
	})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		w.note("%s: %v", w.id, err)
		w.out.undecided(engineFailed, len(chosen))
		return abandoned, nil
	}
	for n, i := range chosen {
		if abandoned {
			w.out.undecided(engineFailed, 1)
			continue
		}
		w.readTo(int(w.contested.positions[i]))
		if n >= len(reference) || n >= len(engine) || reference[n].Hash() != w.hashes[i][0] || engine[n].Hash() != w.hashes[i][1] {
			w.out.undecided("another mask than when it was measured", 1)
			continue
		}
		if abandoned, err = w.hear(ctx, reference[n], engine[n]); err != nil {
			return false, err
		}
	}
	return abandoned, nil
}

// readTo reads tokens up to a position.
func (w *walk) readTo(position int) {
	for ; w.at < position; w.at++ {
		token := w.vocabulary.Token(int(w.tokens[w.at]))
		w.state, _ = w.recognizer.Read(w.state, token) // the reference took it
		w.text = append(w.text, token...)
	}
}

// hear judges the position that was read to. The error is ctx's.
func (w *walk) hear(ctx context.Context, reference, engine algorithms.Mask) (abandoned bool, err error) {
	q := &position{index: w.at, prefix: w.tokens[:w.at:w.at], text: w.text[:len(w.text):len(w.text)], oracle: w.tokens[w.at], content: w.content,
		state: w.state, referenceMask: reference, engineMask: engine}
	var found tally
	abandoned, err = w.bench.group.Guarded(ctx, "judging "+w.id, patience*w.hearing.opt.Timeout, func(ctx context.Context) (err error) {
		found, err = w.hearing.hear(ctx, q)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		w.note("%s, position %d: %v", w.id, w.at, err)
		w.out.undecided(engineFailed, 1)
	default:
		w.out.take(found, w.witnesses)
	}
	return abandoned, nil
}
