package judging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/harness/prepare"
)

// A token that only the engine allows is settled by a text of the engine: its own masks drive it
// until it allows EOS. Any choice of tokens on the way proves the same; the choice only matters for
// finding an end:
//
//   - the rest of the document, or a part of it that closes what is open;
//   - the shortest completion by a grammar of ours, and where the engine refuses that, one token at
//     a time;
//   - one token at a time that closes what is open: brackets, quotes, statements. Keys are those
//     that the schema declares and the object does not have yet (jsonopen.go);
//   - the same with a second item that is a copy of the first;
//   - one token at a time with random choices, several times.
//
// An invalid text may be invalid because of a later token. So several ends are tried, and a valid
// text counts more. After a token that only the reference allows, the reference is driven in the
// same ways.

const (
	// driveSteps bounds a drive, in tokens: ends are some 30 tokens away, or some hundred where a
	// string has a minimum length.
	driveSteps = 250
	// drives is how many drives go token by token.
	drives = 6
	// again is the number of the drive that writes an item twice.
	again = 1
	// enoughEnds is how many different ends are enough.
	enoughEnds = 3
)

// drive is a text of an engine from a token on.
type drive struct {
	ids []int32 // without EOS
	// ended is whether EOS is allowed at its end, stuck whether no token is.
	ended, stuck bool
	// contradicts is set if the engine refused a token that its mask allows.
	contradicts bool
}

// ends drives a side from the token on and calls visit with each drive that ended or is stuck,
// until visit returns false. from is the side after the token; it is not changed.
func (q *question) ends(ctx context.Context, who *engine, from algorithms.State, visit func(drive) bool) error {
	begun := append(q.prefix[:len(q.prefix):len(q.prefix)], q.token)
	text := append(q.text[:len(q.text):len(q.text)], q.vocabulary.Token(int(q.token))...)
	seen := map[string]bool{}
	enough := func(d drive) bool {
		if key := fmt.Sprint(d.ids); d.ended && seen[key] {
			return false // an end that was visited
		} else if d.ended {
			seen[key] = true
		}
		return (d.ended || d.stuck) && !visit(d) || len(seen) == enoughEnds
	}
	rests := q.rests(text)
	for _, rest := range rests {
		d, _, err := q.readRest(ctx, who, begun, rest)
		if err != nil || enough(d) {
			return err
		}
		if d.ended {
			break // others are similar
		}
	}
	if q.late() {
		return nil
	}
	if d, err := q.guided(ctx, who, begun, text); err != nil || enough(d) {
		return err
	}
	for n := range drives {
		if q.late() {
			return nil
		}
		d, err := q.steer(ctx, from.Clone(), begun, text, rand.New(rand.NewPCG(q.seed, uint64(n))), n, driveSteps)
		if err != nil || enough(d) {
			return err
		}
	}
	return nil
}

// readRest has a side read the rest of a text after some tokens. read counts the tokens that it
// takes.
func (q *question) readRest(ctx context.Context, who *engine, begun []int32, rest []byte) (d drive, read int, err error) {
	tokens, err := q.tokenizer.EncodeContinuation(rest)
	if err != nil {
		return d, len(begun), nil // this vocabulary cannot write it
	}
	d.ids = append(begun[:len(begun):len(begun)], tokens...)
	read, err = who.reads(ctx, d.ids, len(begun))
	d.ended = read > len(d.ids)
	return d, read, err
}

// guided has a side read the shortest completion of a text. Where the side refuses it, the side's
// own masks drive it for some tokens, and it gets the completion of that text.
func (q *question) guided(ctx context.Context, who *engine, begun []int32, text []byte) (d drive, err error) {
	const rounds, between = 5, 12
	var state algorithms.State
	for round := range rounds {
		rest, ok := q.completion(ctx, text)
		if !ok {
			return drive{}, ctx.Err()
		}
		next, read, err := q.readRest(ctx, who, begun, rest)
		if err != nil || next.ended {
			return next, err
		}
		if state, err = who.at(next.ids[:min(read, len(next.ids))]); err != nil {
			return drive{}, nil // it contradicts its earlier answers
		}
		text = append(text[:len(text):len(text)], q.textOf(next.ids[len(begun):min(read, len(next.ids))])...)
		steps := between
		if round == rounds-1 {
			steps = driveSteps
		}
		d, err = q.steer(ctx, state, next.ids[:min(read, len(next.ids))], text, rand.New(rand.NewPCG(q.seed, 0)), 0, steps)
		if err != nil || d.ended || d.stuck {
			return d, err
		}
		begun, text = d.ids, append(text[:len(text):len(text)], q.textOf(d.ids[min(read, len(next.ids)):])...)
	}
	return d, nil
}

// completion is the shortest end of a text in the reference's grammar, or else in the grammar with
// any white space, or with any white space and order of keys.
func (h *comparison) completion(ctx context.Context, text []byte) (rest []byte, ok bool) {
	shortest := func(g guide) bool {
		s, reads := g.grammar.Read(g.grammar.Start(), text)
		if !reads {
			return false
		}
		end, err := g.completer.Shortest(ctx, s)
		rest = end.Text
		return err == nil
	}
	ok = shortest(guide{h.recognizer, h.completer}) || slices.ContainsFunc(h.loose(ctx), shortest)
	return rest, ok
}

// guide is a grammar that completes texts.
type guide struct {
	grammar   *recognizer.Recognizer
	completer *completion.Completer
}

// loose are the schema's grammars with any white space, and with any order of keys as well, unless
// they are too large.
func (h *comparison) loose(ctx context.Context) []guide {
	if h.schema == nil || h.guidesMade {
		return h.guides
	}
	var list []guide
	for _, anyOrder := range []bool{false, true} {
		o := prepare.CompilerOptions(h.schemaOptions)
		o.WhiteSpace, o.AnyOrder = jsonschema.AnySpace, o.AnyOrder || anyOrder
		made, err := jsonschema.Compile(ctx, h.schema, o)
		var r *recognizer.Recognizer
		if err == nil {
			r, err = recognizer.New(ctx, made.Grammar, recognizer.Options{OnDemand: true})
		}
		switch {
		case ctx.Err() != nil:
			return nil // another question may have more time
		case err == nil:
			list = append(list, guide{r, completion.New(r, completion.Options{})})
		}
	}
	h.guides, h.guidesMade = list, true
	return list
}

// textOf are the bytes of tokens.
func (h *comparison) textOf(ids []int32) (text []byte) {
	for _, id := range ids {
		text = append(text, h.vocabulary.Token(int(id))...)
	}
	return text
}

// rests are the parts of the document that may follow a text: the document after the position, with
// and without the token that stood there, and its longest and shortest tails that close what is
// open.
func (q *question) rests(text []byte) (list [][]byte) {
	const most, longest = 6, 4 // of them all
	after := q.content[len(q.position.text):]
	add := func(rest []byte) {
		same := func(o []byte) bool { return bytes.Equal(o, rest) }
		if !slices.ContainsFunc(list, same) && (q.order == nil || json.Valid(slices.Concat(text, rest))) {
			list = append(list, rest)
		}
	}
	skip := len(q.vocabulary.Token(int(q.oracle)))
	for _, n := range []int{len(text) - len(q.position.text), skip, 0} {
		add(after[min(n, len(after)):])
	}
	closes := func(i int) bool { return bytes.IndexByte([]byte("\"}]);,"), after[i]) >= 0 }
	for i := 0; i < len(after) && i < longestSearch && len(list) < longest; i++ {
		if closes(i) {
			add(after[i:])
		}
	}
	for i := len(after) - 1; i >= max(0, len(after)-longestSearch) && len(list) < most; i-- {
		if closes(i) {
			add(after[i:])
		}
	}
	return list
}

// longestSearch is how many bytes of the document are searched for tails, from either side: each of
// them is a text to parse.
const longestSearch = 2000

// steer drives an engine token by token. Drive 0 takes the tokens that are most likely to end the
// text; later drives take more tokens at random.
func (h *comparison) steer(ctx context.Context, state algorithms.State, ids []int32, text []byte, rng *rand.Rand, n, steps int) (d drive, err error) {
	defer algorithms.CatchProcess(&err)
	ids, text = slices.Clone(ids), slices.Clone(text)
	var copied []byte // the rest of a copied item
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		if h.late() {
			break
		}
		mask := state.Mask()
		open := h.open(text)
		if n == again && len(copied) == 0 {
			copied = open.copyItem()
		}
		if len(copied) == 0 && slices.ContainsFunc(h.vocabulary.EOS(), mask.Has) {
			return drive{ids: ids, ended: true}, nil
		}
		token := int32(-1)
		if len(copied) > 0 {
			if token = h.single[copied[0]]; token >= 0 && !mask.Has(int(token)) {
				token = -1
			}
			if copied = copied[1:]; token < 0 {
				copied = nil
			}
		}
		if token < 0 {
			token = h.choose(mask, text, open, rng, n)
		}
		if token < 0 {
			return drive{ids: ids, stuck: true}, nil
		}
		if err := state.Commit(int(token)); err != nil {
			var refused *algorithms.RefusedError
			if !errors.As(err, &refused) {
				return d, err
			}
			return drive{ids: append(ids, token), stuck: true, contradicts: true}, nil
		}
		ids, text = append(ids, token), append(text, h.vocabulary.Token(int(token))...)
		if step%16 == 15 && open != nil && !open.Quoted && repeats(ids) {
			break
		}
	}
	return drive{ids: ids}, nil
}

// repeats reports whether tokens end in a long repetition. More of the same will not end the text,
// as counts in grammars are mostly small.
func repeats(ids []int32) bool {
	const stretch, times, longest = 60, 3, 40
	for period := 1; period <= longest; period++ {
		n := max(stretch, times*period)
		if len(ids) < n+period {
			return false
		}
		tail := ids[len(ids)-n:]
		if slices.Equal(tail, ids[len(ids)-n-period:len(ids)-period]) {
			return true
		}
	}
	return false
}

// choose picks a token of a mask; -1 if the mask has no token with a text. A token that gives an
// object a key twice, or an empty key, is the last choice.
func (h *comparison) choose(mask algorithms.Mask, text []byte, open *jsonOpen, rng *rand.Rand, n int) int32 {
	bad := func(token int32) bool {
		return open != nil && open.spoils(h.vocabulary.Token(int(token)))
	}
	if chance := float64(n) * 0.15; rng.Float64() >= chance {
		for _, b := range h.wishes(text, open) {
			if token := h.single[b]; token >= 0 && mask.Has(int(token)) && !bad(token) {
				return token
			}
		}
	}
	ids := slices.DeleteFunc(mask.IDs(nil), func(id int) bool { return !h.vocabulary.Legal(id) })
	if len(ids) == 0 {
		return -1
	}
	if forth := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return isSpace(h.vocabulary.Token(id)) }); len(forth) > 0 {
		ids = forth // white space leads nowhere
	}
	token := int32(-1)
	const attempts = 16
	for range attempts {
		token = int32(h.pick(ids, rng, n))
		if !bad(token) || len(ids) == 1 {
			break
		}
		ids = slices.DeleteFunc(ids, func(id int) bool { return id == int(token) })
	}
	return token
}

// pick picks a token: in drive 0 the longest of few, which are a forced text, or the shortest of
// many; in later drives any.
func (h *comparison) pick(ids []int, rng *rand.Rand, n int) int {
	if n > 0 {
		return ids[rng.IntN(len(ids))]
	}
	const few = 64
	longer := func(a, b int) int { return len(h.vocabulary.Token(a)) - len(h.vocabulary.Token(b)) }
	if len(ids) <= few {
		return slices.MaxFunc(ids, longer)
	}
	return slices.MinFunc(ids, longer)
}
