package judging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"

	"gcdbench/algorithms"
)

// What an engine allows and the reference does not is settled by what the engine makes of it: it is driven, by its own masks
// alone, until it allows EOS. Which tokens are chosen on the way does not matter for what the text proves, only for
// whether an end is found:
//
//   - the rest of the document, or a later part of it, behind the token;
//   - a token at a time, chosen to close what is open: brackets, quotes, statements;
//   - the same with choices at random, some times over.
//
// A text that is invalid may be so for what came later, so several ends are looked for, and a valid one counts more.

const (
	// driveSteps bounds a drive: real ends are within some 30 tokens, or where a string has a least length some hundred.
	driveSteps = 250
	// drives is how often it is tried token by token.
	drives = 5
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

// ends drives the engine from the token on and calls visit with each way that ended, or was stuck, until visit
// returns false. from is the engine behind the token, which is not changed.
func (q *question) ends(ctx context.Context, from algorithms.State, visit func(drive) bool) error {
	begun := append(q.prefix[:len(q.prefix):len(q.prefix)], q.token)
	text := append(q.text[:len(q.text):len(q.text)], q.vocabulary.Token(int(q.token))...)
	seen := 0
	for _, rest := range q.rests(q.position, text) {
		tokens, err := q.tokenizer.EncodeContinuation(rest)
		if err != nil {
			continue
		}
		whole := append(begun[:len(begun):len(begun)], tokens...)
		ok, err := q.engineTakes(ctx, whole)
		if err != nil {
			return err
		}
		if ok {
			if seen++; !visit(drive{ids: whole, ended: true}) || seen == enoughEnds {
				return nil
			}
		}
	}
	for n := range drives {
		d, err := q.steer(ctx, from.Clone(), begun, text, rand.New(rand.NewPCG(q.seed, uint64(n))), n)
		if err != nil {
			return err
		}
		if d.ended {
			seen++
		}
		if (d.ended || d.stuck) && !visit(d) || seen == enoughEnds {
			return nil
		}
	}
	return nil
}

// rests are parts of the document that could stand behind a text: what follows the position, the oracle token left out or not, and
// from each of the next places on where something is closed.
func (h *hearing) rests(p *position, text []byte) (list [][]byte) {
	const most = 8
	after := p.content[len(p.text):]
	add := func(rest []byte) {
		if len(list) == most || slices.ContainsFunc(list, func(o []byte) bool { return bytes.Equal(o, rest) }) {
			return
		}
		if h.order == nil || json.Valid(slices.Concat(text, rest)) {
			list = append(list, rest)
		}
	}
	add(after)
	if oracle := h.vocabulary.Token(int(p.oracle)); !h.vocabulary.IsEOS(int(p.oracle)) {
		add(after[min(len(oracle), len(after)):])
	}
	add(after[min(len(text)-len(p.text), len(after)):])
	for i, b := range after {
		if bytes.IndexByte([]byte("\"}],;)\n"), b) >= 0 {
			add(after[i:])
			add(after[i+1:])
		}
	}
	return list
}

// steer goes on token by token. The first drive does what is most likely to end, later ones leave more to chance.
func (h *hearing) steer(ctx context.Context, state algorithms.State, ids []int32, text []byte, rng *rand.Rand, n int) (d drive, err error) {
	defer algorithms.CatchProcess(&err)
	ids, text = slices.Clone(ids), slices.Clone(text)
	for range driveSteps {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		mask := state.Mask()
		if slices.ContainsFunc(h.vocabulary.EOS(), mask.Has) {
			return drive{ids: ids, ended: true}, nil
		}
		token := h.choose(mask, text, rng, n)
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
	}
	return drive{ids: ids}, nil
}

// choose picks a token of a mask, -1 if it has none that is text.
func (h *hearing) choose(mask algorithms.Mask, text []byte, rng *rand.Rand, n int) int32 {
	if chance := float64(n) * 0.15; rng.Float64() >= chance {
		for _, b := range h.wishes(text) {
			if token := h.single[b]; token >= 0 && mask.Has(int(token)) {
				return token
			}
		}
	}
	ids := slices.DeleteFunc(mask.IDs(nil), func(id int) bool { return !h.vocabulary.Legal(id) })
	if len(ids) == 0 {
		return -1
	}
	if n == 0 { // the longest of few, which are a forced text; the shortest of many
		const few = 64
		longer := func(a, b int) int { return len(h.vocabulary.Token(a)) - len(h.vocabulary.Token(b)) }
		if len(ids) <= few {
			return int32(slices.MaxFunc(ids, longer))
		}
		return int32(slices.MinFunc(ids, longer))
	}
	return int32(ids[rng.IntN(len(ids))])
}

// Bytes that are tried after those that close something: in a string, and where a value, a name or a literal goes on.
const (
	inString   = `"0a1-A:.T@/Z +_`
	anywhere   = `":}],;)0t1a-=( ` + "\n" + `'ruelsnf23456789bcdghijkmopqvwxyz.[{`
	closeAfter = ")]};\n"
)

// wishes are bytes in the order in which they are likely to end a text.
func (h *hearing) wishes(text []byte) []byte {
	if h.order == nil {
		return programWishes(text)
	}
	return jsonWishes(text)
}

// jsonWishes reads a JSON text that is not complete.
func jsonWishes(text []byte) []byte {
	var open []byte // closing brackets
	last, quoted := byte(0), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			if i++; i >= len(text) {
				return []byte(`n"\/0`)
			}
		case c == '"':
			quoted, last = !quoted, c
		case quoted, c == ' ', c == '\n', c == '\t', c == '\r':
		case c == '{' || c == '[':
			open, last = append(open, c+2), c // in ASCII a bracket is closed two further on
		case (c == '}' || c == ']') && len(open) > 0:
			open, last = open[:len(open)-1], c
		default:
			last = c
		}
	}
	if quoted {
		return []byte(inString)
	}
	var wishes []byte
	switch last {
	case ',', ':', '[', 0:
		if last == '[' {
			wishes = append(wishes, ']')
		}
		wishes = append(wishes, "0\"{[tfn1-"...)
	default:
		if len(open) > 0 {
			wishes = append(wishes, open[len(open)-1])
		}
	}
	return append(wishes, anywhere...)
}

// programWishes closes the innermost bracket, whatever language it is, and ends statements.
func programWishes(text []byte) []byte {
	var open []byte
	for _, c := range text {
		switch c {
		case '(':
			open = append(open, ')')
		case '[', '{':
			open = append(open, c+2)
		case ')', ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	var wishes []byte
	if len(open) > 0 {
		wishes = append(wishes, open[len(open)-1])
	}
	return append(append(wishes, closeAfter...), anywhere...)
}
