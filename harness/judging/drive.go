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
	"gcdbench/recognizer"
	"gcdbench/recognizer/completion"
)

// What an engine allows and the reference does not is settled by what the engine makes of it: it is
// driven, by its own masks alone, until it allows EOS. Which tokens are chosen on the way does not
// matter for what the text proves, only for whether an end is found:
//
//   - what is left of the document, and what closes it at its end;
//   - the shortest completion by a grammar of ours, in tokens, and from where the engine refuses it,
//     a token at a time;
//   - a token at a time, chosen to close what is open: brackets, quotes, statements; keys are those
//     that the schema declares and the object has not got (jsonopen.go);
//   - the same with a second item that is a copy of the first;
//   - a token at a time with choices at random, some times over.
//
// A text that is invalid may be so for what came later, so several ends are looked for, and a valid
// one counts more. The reference is driven in the same ways behind what only it allows.

const (
	// driveSteps bounds a drive: real ends are within some 30 tokens, or where a string has a least
	// length some hundred.
	driveSteps = 250
	// drives is how often it is tried token by token.
	drives = 6
	// again is the number of the drive that writes an item twice.
	again = 1
	// enoughEnds is how many ends are looked for.
	enoughEnds = 3
)

// drive is one way of an engine from a token on.
type drive struct {
	ids []int32 // without EOS
	// ended is whether EOS was allowed at the end; if not, stuck says that no token was.
	ended, stuck bool
	// contradicts is set if the engine then refused a token that its mask allowed.
	contradicts bool
}

// ends drives a side from the token on and calls visit with each way that ended, or was stuck, until
// visit returns false. from is the side behind the token, which is not changed.
func (q *question) ends(ctx context.Context, who *contestant, from algorithms.State, visit func(drive) bool) error {
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
		d, _, err := q.goOn(ctx, who, begun, rest)
		if err != nil || enough(d) {
			return err
		}
		if d.ended {
			break // others are much like it
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

// goOn has a side read the rest of a text behind some tokens. read is how many tokens it takes.
func (q *question) goOn(ctx context.Context, who *contestant, begun []int32, rest []byte) (d drive, read int, err error) {
	tokens, err := q.tokenizer.EncodeContinuation(rest)
	if err != nil {
		return d, len(begun), nil // this vocabulary cannot write it
	}
	d.ids = append(begun[:len(begun):len(begun)], tokens...)
	read, err = who.reads(ctx, d.ids, len(begun))
	d.ended = read > len(d.ids)
	return d, read, err
}

// guided has a side read the shortest completion of a text. Where it refuses that, it goes on by
// itself for some tokens, and is given the completion of what it has come to.
func (q *question) guided(ctx context.Context, who *contestant, begun []int32, text []byte) (d drive, err error) {
	const rounds, between = 5, 12
	var state algorithms.State
	for round := range rounds {
		rest, ok := q.completion(ctx, text)
		if !ok {
			return drive{}, ctx.Err()
		}
		next, read, err := q.goOn(ctx, who, begun, rest)
		if err != nil || next.ended {
			return next, err
		}
		if state, err = who.at(next.ids[:min(read, len(next.ids))]); err != nil {
			return drive{}, nil // what it takes step by step it does not take at once
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

// completion is the shortest end of a text in the reference's grammar, or else in one with any white
// space, or also with any order of keys.
func (h *hearing) completion(ctx context.Context, text []byte) (rest []byte, ok bool) {
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

// guide is a grammar that tells how a text may end.
type guide struct {
	grammar   *recognizer.Recognizer
	completer *completion.Completer
}

// loose are the schema's grammars with any white space, and with any order of keys as well, as far as
// they are not too large.
func (h *hearing) loose(ctx context.Context) []guide {
	if h.schema == nil || h.guidesMade {
		return h.guides
	}
	var list []guide
	for _, anyOrder := range []bool{false, true} {
		o := h.options()
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
func (h *hearing) textOf(ids []int32) (text []byte) {
	for _, id := range ids {
		text = append(text, h.vocabulary.Token(int(id))...)
	}
	return text
}

// rests are parts of the document that could stand behind a text: all that follows the position,
// without or with what stood in the token's place, and the longest and shortest ones that close what
// is open.
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

// longestSearch is how many bytes of the document are looked at for an end, from either side: each
// that fits is a text to be parsed.
const longestSearch = 2000

// steer goes on token by token. The first drive does what is most likely to end, later ones leave
// more to chance.
func (h *hearing) steer(ctx context.Context, state algorithms.State, ids []int32, text []byte, rng *rand.Rand, n, steps int) (d drive, err error) {
	defer algorithms.CatchProcess(&err)
	ids, text = slices.Clone(ids), slices.Clone(text)
	var copied []byte // what of a copied item is still to be written
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
		if step%16 == 15 && open != nil && !open.quoted && repeats(ids) {
			break
		}
	}
	return drive{ids: ids}, nil
}

// repeats reports whether tokens end in something that is there over and over: nothing ends by more
// of it, as counts are mostly small.
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

// choose picks a token of a mask, -1 if it has none that is text. A token that makes an object have a
// key twice, or an empty one, is taken only if there are few others.
func (h *hearing) choose(mask algorithms.Mask, text []byte, open *jsonOpen, rng *rand.Rand, n int) int32 {
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

// pick is one of some tokens. At first it is the longest of few, which are a forced text, or the
// shortest of many, and then any.
func (h *hearing) pick(ids []int, rng *rand.Rand, n int) int {
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
