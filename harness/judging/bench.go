package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness"
	"gcdbench/harness/cell"
	"gcdbench/harness/judged"
	"gcdbench/internal/jsontext"
	"gcdbench/judges"
	"gcdbench/recognizer"
)

// What takes how long at most. An engine has for a compile, and for some masks of a document, what
// it had when it was measured, each side by itself. The search for a witness has Options.Timeout,
// and a group of tokens groupPatience times as much, in which its process may be started again. A
// group that is not done then is undecided, as are those that are left when a position has taken
// positionPatience times as much. What was found at the position before stays.

// bench is an open problem with those who judge it.
type bench struct {
	*court
	group *harness.Reopened
	unit  *harness.Unit
	index int

	judge     judges.Judge
	noJudge   error
	judgeName string // with the version; "" if there is none
}

// progress says how far it is, now and then. at is what is judged now.
func (b *bench) progress(p *pair, at string) {
	const every = 10 * time.Second
	if time.Since(b.last) < every {
		return
	}
	b.last = time.Now()
	b.note("%s: %s on %s: %d of %d problems left (now %s)", b.dir, p.record.Label, p.record.Workload, p.left(), len(p.record.Problems), at)
}

// close ends what was started.
func (b *bench) close() {
	if b.judge != nil {
		b.judge.Close()
	}
}

// findJudge finds the judge, and what it calls itself.
func (b *bench) findJudge(ctx context.Context) {
	s := b.unit.Source()
	language := judges.Language{Name: s.Name, Text: s.Text}
	if s.Kind == algorithms.KindSchema {
		language = judges.Language{Schema: s.Text}
	}
	if b.judge, b.noJudge = judges.For(language, b.opt.Judges); b.noJudge == nil && b.judge.Version() == "" {
		_, err := b.judge.Judge(ctx, nil) // which starts it
		if missing := new(judges.MissingError); errors.As(err, &missing) {
			b.judge, b.noJudge = nil, err
		}
	}
	if b.noJudge != nil {
		b.judge = nil
		b.note("%s: %v", s.Name, b.noJudge)
		return
	}
	b.judgeName = b.judge.Name() + " " + b.judge.Version()
}

// pair judges documents of one pair of cells.
func (b *bench) pair(ctx context.Context, p *pair, documents []*contested) error {
	h, err := b.hearing(ctx, p)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return b.failed(p, documents, "an engine did not compile again", err)
	}
	for n, d := range documents {
		abandoned, err := h.hearDocument(ctx, b, p, d)
		if err != nil {
			return err
		}
		if abandoned { // the engine may still be at work, and with it everything that it was given
			return b.failed(p, documents[n+1:], engineFailed, errors.New("it did not come back from the document before"))
		}
	}
	return nil
}

// hearing compiles both engines.
func (b *bench) hearing(ctx context.Context, p *pair) (*hearing, error) {
	h := &hearing{opt: b.opt, tokenizer: b.group.Tokenizer(), judge: b.judge, noJudge: b.noJudge, recognizer: b.unit.Recognizer()}
	source := b.unit.Source()
	h.order = orderOf(source)
	if source.Kind == algorithms.KindSchema {
		h.schema, h.schemaOptions = source.Text, b.unit.SchemaOptions()
	}
	err := b.prepare(ctx, p)
	if err == nil {
		h.reference, err = b.compile(ctx, p, p.referenceAlgorithm, p.reference, p.referenceKept)
	}
	if err == nil {
		h.engine, err = b.compile(ctx, p, p.algorithm, p.record, p.kept)
	}
	if err != nil {
		return nil, err
	}
	_, err = b.group.Guarded(ctx, nil, "completions of "+b.unit.Source().Name, p.timeout, func(context.Context) error {
		h.begin(p.file.Overview.Seed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	h.revive = func(ctx context.Context) error { return b.revive(ctx, p, h.engine) }
	h.describe = b.describe(p, h)
	return h, nil
}

// orderOf is the order of keys that a source declares; nil if its texts are not JSON.
func orderOf(s *algorithms.Source) jsontext.Order {
	switch {
	case s.Kind == algorithms.KindSchema:
		return append(jsontext.Order{}, jsontext.DeclaredOrder(s.Text)...) // not nil
	case s.Name == "json":
		return jsontext.Order{}
	}
	return nil
}

// prepare starts the process of an engine from outside, where it does not run yet.
func (b *bench) prepare(ctx context.Context, p *pair) error {
	return b.unit.Prepare(ctx, p.record.Label, p.algorithm, p.record.ID.Options, p.kept)
}

// revive has the process of an engine run again, with its grammar, after a question that it did not
// survive: the next question's time is for the question.
func (b *bench) revive(ctx context.Context, p *pair, engine *contestant) error {
	if !algorithms.IsOutside(p.algorithm) {
		return nil
	}
	err := b.prepare(ctx, p)
	if err == nil {
		_, err = engine.masks(ctx, []int32{0}, []uint32{0}) // any question has it compile
	}
	return err
}

// alive revives the engine if it may have died.
func (h *hearing) alive(ctx context.Context) error {
	if !h.died || h.revive == nil {
		return nil
	}
	err := h.revive(ctx)
	h.died = err != nil
	return err
}

// compile makes a contestant.
func (b *bench) compile(ctx context.Context, p *pair, a algorithms.Algorithm, r *cell.Record, kept *algorithms.Kept) (*contestant, error) {
	var out *contestant
	_, err := b.group.Guarded(ctx, a, "compiling "+b.unit.Source().Name, p.timeout, func(ctx context.Context) error {
		problem, err := b.unit.Problem(ctx, a, kept)
		if err != nil {
			return err
		}
		engine, err := a.Compile(ctx, problem, r.ID.Options)
		if err != nil {
			return err
		}
		out = &contestant{who(r.Label, a, r.ID.Algorithm, r.ID.Options, engine), engine, problem.Vocabulary}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Label, err)
	}
	return out, nil
}

// who describes a compiled engine.
func who(label string, a algorithms.Algorithm, name string, options algorithms.Options, engine algorithms.Engine) judged.Contestant {
	out := judged.Contestant{Label: label, Algorithm: name, Options: options, Version: versionOf(a, options)}
	if billed, ok := engine.(algorithms.Billed); ok {
		out.Effective = billed.Provenance().Options
	}
	return out
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
	// How many times the limit of a witness a group of tokens may take, and a position.
	groupPatience, positionPatience = 10, 60
	// often is how often a document is written down before it is done.
	often = time.Minute
)

// Causes of what is undecided because of limits, and of engines that do not do as they are told.
const (
	engineFailed   = "the engine failed"
	groupIsOver    = "the time of a group of tokens is over"
	positionIsOver = "the time of a position is over"
)

// hearDocument judges a document and writes it down, as far as it came if it is interrupted.
// abandoned is whether an engine was left behind.
func (h *hearing) hearDocument(ctx context.Context, b *bench, p *pair, d *contested) (abandoned bool, err error) {
	id, content, tokens, ok := b.unit.Document(d.sample)
	if !ok {
		return false, fmt.Errorf("%s: %s has no document %d", b.dir, b.unit.Source().Name, d.sample)
	}
	h.document, h.cursor, h.read = id, nil, 0
	w := &walk{hearing: h, bench: b, contested: d, pair: p, content: content, tokens: tokens, state: h.recognizer.Start(),
		out: p.document(d, b.judgeName, b.opt.Timeout)}
	for chosen := range slices.Chunk(d.chosen, atOnce) {
		if abandoned {
			w.out.undecided(engineFailed, d.positionsOf(chosen)...)
			continue
		}
		if abandoned, err = w.hearSome(ctx, chosen); err != nil {
			break
		}
	}
	if len(w.out.Positions) == 0 {
		return abandoned, err
	}
	return abandoned, errors.Join(err, p.put(b.dir, w.out))
}

// walk is a document while it is judged.
type walk struct {
	*hearing
	*bench
	*contested
	pair    *pair
	content []byte
	tokens  []int32

	at    int // tokens read
	text  []byte
	state recognizer.State

	out *noted
}

// ready has the engine run again, if it may have died: what that takes is no part of the time for
// masks. That it does not run is found out there.
func (w *walk) ready(ctx context.Context) {
	if w.died && w.prepare(ctx, w.pair) == nil {
		w.bench.group.Guarded(ctx, w.pair.algorithm, "compiling "+w.unit.Source().Name, w.pair.timeout, w.alive)
	}
}

// masks are those of one side at some positions.
func (w *walk) masks(ctx context.Context, a algorithms.Algorithm, c *contestant, chosen []int) (list []algorithms.Mask, abandoned bool, err error) {
	var made []algorithms.Mask
	abandoned, err = w.bench.group.Guarded(ctx, a, "the masks of "+w.id, w.pair.timeout, func(ctx context.Context) (err error) {
		made, err = c.masks(ctx, w.tokens, w.positionsOf(chosen))
		return err
	})
	if err != nil {
		w.died = true
		return nil, abandoned, err
	}
	return made, false, nil
}

// hearSome judges some positions, whose masks are in memory together. Errors are ctx's, or of the
// directory.
func (w *walk) hearSome(ctx context.Context, chosen []int) (abandoned bool, err error) {
	w.ready(ctx)
	reference, abandoned, err := w.masks(ctx, w.pair.referenceAlgorithm, w.reference, chosen)
	var engine []algorithms.Mask
	if err == nil {
		engine, abandoned, err = w.masks(ctx, w.pair.algorithm, w.engine, chosen)
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		w.note("%s: %v", w.id, err)
		w.out.undecided(engineFailed, w.positionsOf(chosen)...)
		return abandoned, nil
	}
	for n, i := range chosen {
		position := w.contested.positions[i]
		switch {
		case abandoned:
			w.out.undecided(engineFailed, position)
			continue
		case n >= len(reference) || n >= len(engine) || reference[n].Hash() != w.hashes[i][0] || engine[n].Hash() != w.hashes[i][1]:
			w.out.undecided("another mask than when it was measured", position)
			continue
		}
		w.progress(w.pair, fmt.Sprintf("%s, position %d of %d", w.id, n+1, len(chosen)))
		w.readTo(int(position))
		if abandoned, err = w.hear(ctx, reference[n], engine[n]); err != nil {
			return false, err
		}
		if time.Since(w.out.written) > often {
			if err := w.pair.put(w.dir, w.out); err != nil {
				return false, err
			}
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

// hear judges the position that was read to, a group of tokens after the other. The gravest finding
// about them leads; faults that were found behind a token do not. The error is ctx's.
func (w *walk) hear(ctx context.Context, reference, engine algorithms.Mask) (abandoned bool, err error) {
	q := &position{index: w.at, prefix: w.tokens[:w.at:w.at], text: w.text[:len(w.text):len(w.text)], oracle: w.tokens[w.at], content: w.content,
		state: w.state, referenceMask: reference, engineMask: engine}
	var found tally
	w.later = nil
	over := time.Now().Add(positionPatience * w.hearing.opt.Timeout)
	for _, g := range w.comparer.groups(q.state, q.text, reference, engine) {
		if abandoned {
			w.notSettled(q, g, len(g.tokens), engineFailed, "it did not come back from the group of tokens before", &found)
			continue
		}
		if time.Now().After(over) {
			w.notSettled(q, g, len(g.tokens), positionIsOver, "other groups of the position took it", &found)
			continue
		}
		if abandoned, err = w.settleWithin(ctx, q, g, &found); err != nil {
			return false, err
		}
	}
	slices.SortFunc(found, func(a, b tallied) int { return a.Compare(&b.Finding) })
	if len(found) > 0 {
		found[0].Leading = 1
	}
	if !abandoned { // else it may still be written to
		for _, s := range w.later {
			found.add(s, 1)
		}
	}
	w.out.take(uint32(w.at), found)
	return abandoned, nil
}

// settleWithin settles a group within its time. What is not settled then is undecided. The error is
// ctx's.
func (w *walk) settleWithin(ctx context.Context, q *position, g *group, found *tally) (abandoned bool, err error) {
	limit, begun, own := groupPatience*w.hearing.opt.Timeout, time.Now(), new(tally)
	abandoned, err = w.bench.group.Guarded(ctx, w.pair.algorithm, "judging "+w.id, limit, func(ctx context.Context) error { return w.settleGroup(ctx, q, g, own) })
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	left := len(g.tokens)
	if !abandoned { // else it may still be written to
		for _, t := range *own {
			found.add(&settled{Witness: *t.witness}, t.Tokens)
			left -= t.Tokens
		}
	}
	if err != nil && left > 0 {
		w.note("%s, position %d: %v", w.id, w.at, err)
		cause := engineFailed
		if time.Since(begun) >= limit {
			cause = groupIsOver
		}
		w.notSettled(q, g, left, cause, err.Error(), found)
	}
	return abandoned, nil
}

// notSettled notes that nothing is known of some tokens of a group.
func (w *walk) notSettled(p *position, g *group, tokens int, cause, why string, found *tally) {
	q := &question{hearing: w.hearing, position: p, difference: g.tokens[len(g.tokens)-1], allows: g.key.allows}
	q.undecided(cause, why)
	q.complete()
	found.add(&q.found, tokens)
}
