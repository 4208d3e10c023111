package judging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gcdbench/algorithms"
	"gcdbench/grammar/recognizer"
)

// A document is walked once for the masks of both engines, and then position by position.

const (
	// atOnce is how many positions of a document have their masks in memory.
	atOnce = 512
	// How many times the limit of a witness a group of tokens may take, and a position.
	groupPatience, positionPatience = 10, 60
	// often is how often a document is written down before it is done.
	often = time.Minute
)

// Causes of Undecided: time limits, and engines that fail.
const (
	engineFailed   = "the engine failed"
	groupIsOver    = "the time of a group of tokens is over"
	positionIsOver = "the time of a position is over"
)

// judgeDocument judges a document and stores the findings, also if it is interrupted. abandoned is
// whether an operation of an engine was abandoned.
func (h *comparison) judgeDocument(ctx context.Context, b *openProblem, p *pair, d *document) (abandoned bool, err error) {
	id, content, tokens, ok := b.unit.Document(d.sample)
	if !ok {
		return false, fmt.Errorf("%s: %s has no document %d", b.dir, b.unit.Source().Name, d.sample)
	}
	h.document, h.cursor, h.read = id, nil, 0
	w := &walk{comparison: h, openProblem: b, document: d, pair: p, content: content, tokens: tokens, state: h.recognizer.Start(),
		out: p.document(d, b.judgeName, b.opt.Timeout)}
	for chosen := range slices.Chunk(d.chosen, atOnce) {
		if abandoned {
			w.out.undecided(engineFailed, d.positionsOf(chosen)...)
			continue
		}
		if abandoned, err = w.judgeSome(ctx, chosen); err != nil {
			break
		}
	}
	if len(w.out.Positions) == 0 {
		return abandoned, err
	}
	return abandoned, errors.Join(err, p.put(b.dir, w.out))
}

// walk is a document that is being judged.
type walk struct {
	*comparison
	*openProblem
	*document
	pair    *pair
	content []byte
	tokens  []int32

	at    int // tokens read
	text  []byte
	state recognizer.State

	out *documentFindings
}

// ready starts the engine again if it may have died, so that the time for masks does not include
// that. A failure shows when the masks are asked.
func (w *walk) ready(ctx context.Context) {
	if w.died && w.prepare(ctx, w.pair) == nil {
		w.openProblem.group.Guarded(ctx, w.pair.algorithm, "compiling "+w.unit.Source().Name, w.pair.timeout, w.alive)
	}
}

// masks are the masks of one engine at some positions.
func (w *walk) masks(ctx context.Context, a algorithms.Algorithm, c *engine, chosen []int) (list []algorithms.Mask, abandoned bool, err error) {
	var made []algorithms.Mask
	abandoned, err = w.openProblem.group.Guarded(ctx, a, "the masks of "+w.id, w.pair.timeout, func(ctx context.Context) (err error) {
		made, err = c.masks(ctx, w.tokens, w.positionsOf(chosen))
		return err
	})
	if err != nil {
		w.died = true
		return nil, abandoned, err
	}
	return made, false, nil
}

// judgeSome judges some positions, whose masks are in memory together. Errors are ctx's, or about
// the directory.
func (w *walk) judgeSome(ctx context.Context, chosen []int) (abandoned bool, err error) {
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
		position := w.document.positions[i]
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
		if abandoned, err = w.judgePosition(ctx, reference[n], engine[n]); err != nil {
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

// judgePosition judges the position at hand, one group of tokens after the other. The gravest
// finding leads. Faults that were found after a token do not lead. The error is ctx's.
func (w *walk) judgePosition(ctx context.Context, reference, engine algorithms.Mask) (abandoned bool, err error) {
	q := &position{index: w.at, prefix: w.tokens[:w.at:w.at], text: w.text[:len(w.text):len(w.text)], oracle: w.tokens[w.at], content: w.content,
		state: w.state, referenceMask: reference, engineMask: engine}
	var found tally
	w.later = nil
	over := time.Now().Add(positionPatience * w.comparison.opt.Timeout)
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
	if !abandoned { // else the operation may still write to it
		for _, s := range w.later {
			found.add(s, 1)
		}
	}
	w.out.take(uint32(w.at), found)
	return abandoned, nil
}

// settleWithin settles a group within its time limit. Tokens that are not settled then are
// undecided. The error is ctx's.
func (w *walk) settleWithin(ctx context.Context, q *position, g *group, found *tally) (abandoned bool, err error) {
	limit, begun, own := groupPatience*w.comparison.opt.Timeout, time.Now(), new(tally)
	abandoned, err = w.openProblem.group.Guarded(ctx, w.pair.algorithm, "judging "+w.id, limit, func(ctx context.Context) error { return w.settleGroup(ctx, q, g, own) })
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	left := len(g.tokens)
	if !abandoned { // else the operation may still write to it
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

// notSettled notes that some tokens of a group are undecided.
func (w *walk) notSettled(p *position, g *group, tokens int, cause, why string, found *tally) {
	found.add(w.unsettled(p, g.tokens[len(g.tokens)-1], g.key.allows, cause, why), tokens)
}
