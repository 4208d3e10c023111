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

// What an engine allows and the reference does not is settled by what the engine makes of it: it is
// driven, by its own masks alone, until it allows EOS. Which tokens are chosen on the way does not
// matter for what the text proves, only for whether an end is found:
//
//   - what closes the document at its end, behind the token;
//   - a token at a time, chosen to close what is open: brackets, quotes, statements;
//   - the rest of the document;
//   - a token at a time with choices at random, some times over.
//
// A text that is invalid may be so for what came later, so several ends are looked for, and a valid
// one counts more.

const (
	// driveSteps bounds a drive: real ends are within some 30 tokens, or where a string has a least
	// length some hundred.
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

// ends drives the engine from the token on and calls visit with each way that ended, or was stuck,
// until visit returns false. from is the engine behind the token, which is not changed.
func (q *question) ends(ctx context.Context, from algorithms.State, visit func(drive) bool) error {
	begun := append(q.prefix[:len(q.prefix):len(q.prefix)], q.token)
	text := append(q.text[:len(q.text):len(q.text)], q.vocabulary.Token(int(q.token))...)
	seen := 0
	enough := func(d drive) bool {
		if d.ended {
			seen++
		}
		return (d.ended || d.stuck) && !visit(d) || seen == enoughEnds
	}
	whole, closing := q.rests(text)
	for _, rest := range closing {
		if d, err := q.goOn(ctx, begun, rest); err != nil || enough(d) {
			return err
		}
	}
	for n := range drives {
		d, err := q.steer(ctx, from.Clone(), begun, text, rand.New(rand.NewPCG(q.seed, uint64(n))), n)
		if err != nil || enough(d) {
			return err
		}
		for _, rest := range whole { // after the first drive, which is shorter
			if d, err := q.goOn(ctx, begun, rest); err != nil || enough(d) {
				return err
			}
		}
		whole = nil
	}
	return nil
}

// goOn has the engine read the rest of a text behind some tokens.
func (q *question) goOn(ctx context.Context, begun []int32, rest []byte) (d drive, err error) {
	tokens, err := q.tokenizer.EncodeContinuation(rest)
	if err != nil {
		return d, nil // this vocabulary cannot write it
	}
	d.ids = append(begun[:len(begun):len(begun)], tokens...)
	d.ended, err = q.engineTakes(ctx, d.ids)
	return d, err
}

// rests are parts of the document that could stand behind a text: all that follows the position,
// without or with what stood in the token's place, and the shortest ones that close what is open.
func (q *question) rests(text []byte) (whole, closing [][]byte) {
	const most = 4 // closing ones
	after := q.content[len(q.position.text):]
	fits := func(rest []byte) bool {
		same := func(o []byte) bool { return bytes.Equal(o, rest) }
		return !slices.ContainsFunc(whole, same) && (q.order == nil || json.Valid(slices.Concat(text, rest)))
	}
	skip := len(q.vocabulary.Token(int(q.oracle)))
	for _, n := range []int{len(text) - len(q.position.text), skip, 0} {
		if rest := after[min(n, len(after)):]; fits(rest) {
			whole = append(whole, rest)
		}
	}
	for i := len(after) - 1; i >= 0 && len(closing) < most; i-- {
		if bytes.IndexByte([]byte("\"}]);"), after[i]) >= 0 && fits(after[i:]) {
			closing = append(closing, after[i:])
		}
	}
	return whole, closing
}

// steer goes on token by token. The first drive does what is most likely to end, later ones leave
// more to chance.
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
	if forth := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return isSpace(h.vocabulary.Token(id)) }); len(forth) > 0 {
		ids = forth // white space leads nowhere
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

// Bytes that are tried after those that close something: in a string, and where a value, a name or
// a literal goes on.
const (
	inString = `"0a1-A:.T@/Z +_`
	anywhere = `":}],0t1-ruelsnfa23456789bcdghijkmopqvwxyz.[{ ` + "\n"
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
	return withoutRuns(text, append(wishes, anywhere...))
}

// withoutRuns leaves white space out of wishes behind white space: more of it leads nowhere.
func withoutRuns(text, wishes []byte) []byte {
	if len(text) == 0 || !isSpace(text[len(text)-1:]) {
		return wishes
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(wishes, []byte("\n"), nil), []byte(" "), nil)
}

// What is tried in a program: operands where one may be missing, punctuation behind one, or else
// the other of them.
const (
	operands    = `a0"'({[`
	punctuation = ")]};:=,(.{[<>+-*/&|!"
	inWords     = "ruelsntifbcdghjkmopqvwxyz123456789_"
)

// programWishes closes the innermost bracket, or a string, whatever language it is, and ends
// statements.
func programWishes(text []byte) []byte {
	var open []byte
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && (c == quote || c == '\n' && quote != '`'):
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(':
			open = append(open, ')')
		case c == '[' || c == '{':
			open = append(open, c+2)
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if quote != 0 {
		return []byte{quote, 'a', '0'}
	}
	var wishes []byte
	if len(open) > 0 {
		wishes = append(wishes, open[len(open)-1])
	}
	wishes = append(wishes, ";\n"...)
	last := byte(' ')
	if len(text) > 0 {
		last = text[len(text)-1]
	}
	if bytes.IndexByte([]byte(")]}\"'`_"), last) >= 0 || classOf(last) == classLetter || classOf(last) == classDigit || last == '0' {
		wishes = append(append(append(wishes, punctuation...), ' '), operands...)
	} else {
		wishes = append(append(wishes, operands...), punctuation...)
	}
	return withoutRuns(text, append(wishes, inWords...))
}
