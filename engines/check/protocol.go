package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/engines"
	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
	"gcdbench/tokenizers"
)

// A walked document: its masks and the proof.
type walked struct {
	tokens []int32
	rows   [][]uint64
	proof  measure.Proof
}

// walk walks a document and keeps all masks.
func walk(ctx context.Context, e *engines.Engine, tokens []int32, positions ...uint32) (*walked, error) {
	w := &walked{tokens: tokens}
	err := e.WalkProof(ctx, &measure.Document{Tokens: tokens, Positions: positions}, &w.proof, func(_ int, row []uint64) bool {
		w.rows = append(w.rows, slices.Clone(row))
		return true
	})
	if err == nil && w.proof.Contradiction != "" {
		err = fmt.Errorf("at position %d %s", w.proof.ContradictAt, w.proof.Contradiction)
	}
	return w, err
}

// where names the refused token.
func (w *walked) where(v *tokenizers.Vocabulary) string {
	at := w.proof.RefusedAt
	return fmt.Sprintf("token %d %q at position %d", w.tokens[at], v.Token(int(w.tokens[at])), at)
}

// equal compares the masks of two walks.
func (w *walked) equal(o *walked, what string) error {
	if len(w.rows) != len(o.rows) {
		return fmt.Errorf("%s has %d masks and not %d", what, len(o.rows), len(w.rows))
	}
	for i, row := range w.rows {
		if !slices.Equal(row, o.rows[i]) {
			d := algorithms.MaskOf(row, size).FirstDifference(algorithms.MaskOf(o.rows[i], size))
			return fmt.Errorf("%s has another mask at position %d, from token %d on", what, i, d)
		}
	}
	return nil
}

// hello checks the fields of hello that the start of a process does not check.
func (r *runner) hello(h *wire.HelloAnswer) {
	var err error
	switch {
	case h.Version == "":
		err = errors.New("it has no version")
	case slices.ContainsFunc(h.Takes, func(k string) bool { return !slices.Contains(wire.Kinds, k) }):
		err = fmt.Errorf("it takes %s; the kinds there are: %s", strings.Join(h.Takes, ", "), strings.Join(wire.Kinds, ", "))
	case slices.ContainsFunc(h.Can, func(c string) bool {
		return !slices.Contains([]string{wire.CanClone, wire.CanRollback, wire.CanDraft, wire.CanBatch}, c)
	}):
		err = fmt.Errorf("it can %s, among which is something unknown", strings.Join(h.Can, ", "))
	case h.ClockPairNS <= 0 || h.ClockEmptyNS <= 0 || h.ClockEmptyNS > 1.5*h.ClockPairNS || h.ClockPairNS > 1e5:
		err = fmt.Errorf("a pair of reads of its clock costs %v ns and shows %v ns: the first is more than 0, and the second not much more than the first", h.ClockPairNS, h.ClockEmptyNS)
	}
	r.add("protocol/hello", err)
}

// protocol are the checks of the protocol itself, on a case that the engine passes.
func (r *runner) protocol(ctx context.Context, c *Case) {
	for _, check := range []struct {
		id string
		do func(context.Context, *Case) error
	}{
		{"protocol/walk-twice", r.based(r.walkTwice)},
		{"protocol/step-by-step", r.based(r.stepByStep)},
		{"protocol/some-positions", r.based(r.somePositions)},
		{"protocol/refused-in-walk", r.based(r.refusedInWalk)},
		{"protocol/refused-commit", r.based(r.refusedCommit)},
		{"protocol/never-legal", r.based(r.neverLegal)},
		{"protocol/times", r.based(r.times)},
		{"protocol/capabilities", r.based(r.capabilities)},
		{"protocol/batch", r.based(r.batch)},
		{"protocol/many-documents", r.manyDocuments},
		{"protocol/other-vocabulary", r.otherVocabulary},
		{"protocol/unknown-kind", r.unknownKind},
		{"protocol/no-grammar", r.noGrammar},
		{"protocol/unknown-request", r.based(r.unknownRequest)},
	} {
		if ctx.Err() != nil {
			return
		}
		inner, cancel := context.WithTimeout(ctx, r.opt.Timeout)
		r.add(check.id, check.do(inner, c))
		cancel()
	}
}

// base compiles a case and walks one of its valid documents.
func (r *runner) base(ctx context.Context, c *Case) (*engines.Engine, *walked, error) {
	e, err := r.compile(ctx, c, r.v)
	if err != nil {
		return nil, nil, err
	}
	w, err := walk(ctx, e, encode(r.v, c.Valid[len(c.Valid)-1]))
	if err == nil && w.proof.Refused {
		err = fmt.Errorf("it refuses a document that it took before: %s", w.where(r.v))
	}
	return e, w, err
}

// based is a check that begins with a walk of a document that the engine takes.
func (r *runner) based(check func(context.Context, *Case, *engines.Engine, *walked) error) func(context.Context, *Case) error {
	return func(ctx context.Context, c *Case) (err error) {
		defer algorithms.CatchProcess(&err)
		e, w, err := r.base(ctx, c)
		if err != nil {
			return err
		}
		return check(ctx, c, e, w)
	}
}

// again walks the document again, and compares the masks.
func (w *walked) again(ctx context.Context, e *engines.Engine, what string) error {
	again, err := walk(ctx, e, w.tokens)
	if err != nil {
		return err
	}
	return w.equal(again, what)
}

// walkTwice: a document walked again, with another one in between, has the same masks.
func (r *runner) walkTwice(ctx context.Context, c *Case, e *engines.Engine, first *walked) error {
	if _, err := walk(ctx, e, encode(r.v, c.Valid[0])); err != nil {
		return err
	}
	return first.again(ctx, e, "the second walk")
}

// stepByStep: next alone and begin alone give the masks of the walk, from each position on.
func (r *runner) stepByStep(_ context.Context, _ *Case, e *engines.Engine, w *walked) error {
	same := func(what string, s algorithms.State, i int) error {
		if !slices.Equal(s.Mask().IDs(nil), algorithms.MaskOf(w.rows[i], size).IDs(nil)) {
			return fmt.Errorf("%s has another mask at position %d than walk", what, i)
		}
		return nil
	}
	s := e.Start()
	for i, token := range w.tokens { // the process has this generation from the first mask on
		if err := same("next", s, i); err != nil {
			return err
		}
		if err := s.Commit(int(token)); err != nil {
			return fmt.Errorf("next refuses token %d at position %d, which the mask of walk allows: %w", token, i, err)
		}
	}
	for i := range w.tokens { // a generation that took tokens back is begun anew
		back := s.Clone().(algorithms.Rewinder)
		if err := back.Rollback(len(w.tokens) - i); err != nil {
			return err
		}
		if err := same("begin", back, i); err != nil {
			return err
		}
	}
	return nil
}

// somePositions: where masks are asked for at some positions only, they are those of the walk.
func (r *runner) somePositions(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	last := uint32(len(w.tokens) - 1)
	some, err := walk(ctx, e, w.tokens, 0, last)
	if err != nil {
		return err
	}
	if some.proof.Refused {
		return fmt.Errorf("a document that it takes is refused where masks are asked for at positions 0 and %d", last)
	}
	return (&walked{rows: [][]uint64{w.rows[0], w.rows[last]}}).equal(some, "the walk of positions 0 and the last")
}

// illegal is the first ordinary token that the mask leaves out.
func illegal(v *tokenizers.Vocabulary, row []uint64) int32 {
	m := algorithms.MaskOf(row, size)
	for id := range v.Len() {
		if v.Legal(id) && !m.Has(id) {
			return int32(id)
		}
	}
	return specialID
}

// refusedInWalk: a walk ends at a token that the mask leaves out, commit refuses it as well, and
// the next walk is well.
func (r *runner) refusedInWalk(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	at := len(w.tokens) / 2
	tokens := slices.Clone(w.tokens)
	tokens[at] = illegal(r.v, w.rows[at])
	bad, err := walk(ctx, e, tokens)
	if err != nil {
		return err
	}
	if !bad.proof.Refused || bad.proof.RefusedAt != at {
		return fmt.Errorf("token %d at position %d, which the mask leaves out, is not refused there", tokens[at], at)
	}
	var refused *measure.RefusedError
	var t measure.Times
	if err := e.WalkTimed(ctx, &measure.Document{Tokens: tokens}, false, &t); !errors.As(err, &refused) || refused.Position != at {
		return fmt.Errorf("in a timed walk: %v, and not a refusal at position %d", err, at)
	}
	return w.again(ctx, e, "the walk after that")
}

// refusedCommit: next and begin refuse what the mask leaves out, and go on afterwards.
func (r *runner) refusedCommit(_ context.Context, _ *Case, e *engines.Engine, w *walked) error {
	refuses := func(what string, s algorithms.State, i int) error {
		bad := int(illegal(r.v, w.rows[i]))
		var refused *algorithms.RefusedError
		if err := s.Commit(bad); !errors.As(err, &refused) {
			return fmt.Errorf("%s takes token %d at position %d, which the mask leaves out: %v", what, bad, i, err)
		}
		return nil
	}
	s := e.Start()
	s.Mask()
	for i, token := range w.tokens {
		if err := refuses("next", s, i); err != nil { // the process has this generation
			return err
		}
		if err := s.Commit(int(token)); err != nil { // and now it has it again
			return fmt.Errorf("after a refusal: %w", err)
		}
	}
	for i := range w.tokens {
		back := s.Clone().(algorithms.Rewinder)
		if err := errors.Join(back.Rollback(len(w.tokens)-i), refuses("begin", back, i)); err != nil {
			return err
		}
	}
	return nil
}

// neverLegal: no mask has special tokens or ids without bytes, and both tokens that end a text go
// together.
func (r *runner) neverLegal(_ context.Context, _ *Case, _ *engines.Engine, w *walked) error {
	return w.never(r.v)
}

// never looks for tokens that no mask may have.
func (w *walked) never(v *tokenizers.Vocabulary) error {
	for i, row := range w.rows {
		if err := never(algorithms.MaskOf(row, size), v); err != nil {
			return fmt.Errorf("at position %d %w", i, err)
		}
	}
	return nil
}

// times: a timed walk has three times for each position, leaves copies of its masks, and blocks
// have one time for each.
func (r *runner) times(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	d := &measure.Document{Tokens: w.tokens, Proved: w.proof.Hashes, Whole: true}
	var t measure.Times
	for _, logits := range []bool{false, true} {
		if err := e.WalkTimed(ctx, d, logits, &t); err != nil {
			return err
		}
	}
	if err := e.WalkTimed(ctx, &measure.Document{Tokens: w.tokens, Positions: []uint32{1}}, false, new(measure.Times)); err != nil {
		return err
	}
	_, err := e.WalkBlocks(ctx, d, 3)
	if err == nil {
		_, err = e.WalkAudit(ctx, d)
	}
	return err
}

// capabilities: what it says it can be measured.
func (r *runner) capabilities(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	const k = 2
	for _, what := range []string{wire.CanClone, wire.CanRollback, wire.CanDraft, wire.CanBatch} {
		if !e.Can(what) {
			continue
		}
		times, accepted, err := e.Measure(ctx, what, w.tokens, k)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		least := map[string]int{wire.CanClone: len(w.tokens), wire.CanRollback: len(w.tokens) - k, wire.CanDraft: len(w.tokens) - k, wire.CanBatch: 1}[what]
		if len(times) < least {
			return fmt.Errorf("%s has %d times on a document of %d tokens, where at least %d belong", what, len(times), len(w.tokens), least)
		}
		if what == wire.CanDraft && accepted < int64(least) {
			return fmt.Errorf("of the drafts along a valid document it takes %d tokens only", accepted)
		}
	}
	return w.again(ctx, e, "the walk after that")
}

// batch: generations that advance together, one of which begins later, have the masks of the walk.
// An engine without the request is not measured in batches.
func (r *runner) batch(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	n := len(w.tokens)
	requests := &measure.Requests{
		Tokens: [][]int32{w.tokens, w.tokens[:(n+1)/2], w.tokens}, Width: 2, Threads: 1, Size: size,
		Engine: func(context.Context, int) (algorithms.Engine, error) { return e, nil },
		Check: func(request, position int, mask algorithms.Mask) error {
			if alone := algorithms.MaskOf(w.rows[position], size); mask.Hash() != alone.Hash() {
				return fmt.Errorf("in a batch request %d has another mask at position %d, from token %d on", request, position, alone.FirstDifference(mask))
			}
			return nil
		}}
	var unsupported *algorithms.UnsupportedError
	if _, err := requests.Time(ctx); err != nil && !errors.As(err, &unsupported) {
		return err
	}
	return w.again(ctx, e, "the walk after that")
}

// manyDocuments: an engine goes through many generations, and its process through many grammars.
func (r *runner) manyDocuments(ctx context.Context, c *Case) error {
	var before *walked
	for range 5 {
		e, w, err := r.base(ctx, c)
		if err != nil {
			return err
		}
		if before != nil {
			if err := before.equal(w, "the same grammar, compiled again,"); err != nil {
				return err
			}
		}
		before = w
		for range 20 {
			if _, err := walk(ctx, e, encode(r.v, c.Valid[0])); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherVocabulary: a process can be given another vocabulary.
func (r *runner) otherVocabulary(ctx context.Context, c *Case) error {
	v, err := vocabulary(nil)
	if err != nil {
		return err
	}
	e, err := engines.CompileText(ctx, nil, r.command, r.v, c.Kind, c.Text, r.opt.Engine)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Reload(ctx, v); err != nil {
		return err
	}
	w, err := walk(ctx, e, encode(v, c.Valid[len(c.Valid)-1]))
	if err != nil {
		return err
	}
	if w.proof.Refused {
		return fmt.Errorf("with bytes as its only tokens it refuses %s", w.where(v))
	}
	return w.never(v)
}

// unknownKind: a kind that it does not take is unsupported, and it goes on.
func (r *runner) unknownKind(ctx context.Context, c *Case) error {
	_, err := engines.CompileText(ctx, r.kept, r.command, r.v, "no-such-kind", "", r.opt.Engine)
	var unsupported *algorithms.UnsupportedError
	if !errors.As(err, &unsupported) {
		return fmt.Errorf("a kind of grammar that there is not: %v, and not unsupported", err)
	}
	_, _, err = r.base(ctx, c)
	return err
}

// noGrammar: a text that is no grammar is an error, and it goes on.
func (r *runner) noGrammar(ctx context.Context, c *Case) error {
	_, err := engines.CompileText(ctx, r.kept, r.command, r.v, c.Kind, string(bytes.Repeat([]byte("]["), 50))+"\x01(", r.opt.Engine)
	var unsupported *algorithms.UnsupportedError
	var failed *algorithms.ProcessError
	switch {
	case err == nil:
		return errors.New("it compiles a text that is no grammar")
	case errors.As(err, &failed) && failed.Outcome != wire.CompileError:
		return fmt.Errorf("a text that is no grammar is %s: %w", failed.Outcome, err)
	case !errors.As(err, &failed) && !errors.As(err, &unsupported):
		return err
	}
	_, _, err = r.base(ctx, c)
	return err
}

// unknownRequest: a request that there is not is unsupported, and it goes on.
func (r *runner) unknownRequest(ctx context.Context, _ *Case, e *engines.Engine, w *walked) error {
	var answer struct{ wire.Answer }
	var unsupported *algorithms.UnsupportedError
	if err := e.Ask(ctx, map[string]any{"do": "no-such-request", "more": 1}, &answer); !errors.As(err, &unsupported) {
		return fmt.Errorf("a request that there is not: %v, and not unsupported", err)
	}
	return w.again(ctx, e, "the walk after that")
}
