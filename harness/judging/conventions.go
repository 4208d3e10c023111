package judging

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
	"strings"
)

// A convention is a way to write a value that an engine insists on. Whether a text is refused for a
// convention or for its value is found out by writing the value in other ways: if one of them is
// taken, it is what was changed.

// A dimension is something that can be spelled in several ways.
type dimension struct {
	name string
	ways []func([]byte) []byte // each keeps what the text means
}

// Names of conventions that are no dimension.
const (
	conventionTokens    = "tokenisation"
	conventionCharacter = "tokens inside a character"
	conventionEnd       = "which token ends a text"
	conventionControl   = "control tokens as text"
	conventionTwice     = "a key twice"
)

// dimensions are those of the unit's texts.
func (h *hearing) dimensions() []dimension {
	if h.order == nil {
		r := h.recognizer
		return []dimension{
			{"white space", []func([]byte) []byte{withoutEnds(r), withSpaces(r), withLeastSpaces(r)}},
			{"comments", []func([]byte) []byte{withoutComments(r)}},
		}
	}
	return []dimension{
		{"white space", spaces},
		{"spelling of strings", []func([]byte) []byte{plainStrings, asciiStrings}},
		{"spelling of numbers", []func([]byte) []byte{plainNumbers}},
		{"order of keys", []func([]byte) []byte{h.order.Sorted}},
	}
}

// convention looks for another spelling of a text that is taken, changing as little as possible.
// cause names what was changed, "" if nothing is taken.
func convention(ctx context.Context, list []dimension, text []byte, takes func([]byte) (bool, error)) (cause string, spelled []byte, err error) {
	tried := [][]byte{text}
	for _, set := range bySize(len(list)) {
		var names []string
		texts := [][]byte{text}
		for i, d := range list {
			if set>>i&1 != 0 {
				names = append(names, d.name)
				texts = inWays(texts, d.ways)
			}
		}
		for _, t := range texts {
			if slices.ContainsFunc(tried, func(o []byte) bool { return bytes.Equal(o, t) }) {
				continue
			}
			tried = append(tried, t)
			if err := ctx.Err(); err != nil {
				return "", nil, err
			}
			if ok, err := takes(t); ok || err != nil {
				slices.Sort(names)
				return strings.Join(names, " and "), t, err
			}
		}
	}
	return "", nil, nil
}

// likelyFirst puts the dimension in front that explained the text before: most of a document's
// differences have one cause.
func (h *hearing) likelyFirst(list []dimension) []dimension {
	slices.SortStableFunc(list, func(a, b dimension) int {
		switch h.usual {
		case a.name:
			return -1
		case b.name:
			return 1
		}
		return 0
	})
	return list
}

// inWays writes each text in each way.
func inWays(texts [][]byte, ways []func([]byte) []byte) (out [][]byte) {
	for _, t := range texts {
		for _, way := range ways {
			out = append(out, way(t))
		}
	}
	return out
}

// bySize are the non-empty subsets of n things as bit sets, the smaller ones first.
func bySize(n int) []uint {
	var sets []uint
	for set := uint(1); set < 1<<n; set++ {
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	return sets
}

// engineConvention is the convention for which the engine refuses a valid text, if it is one: the
// same text in other tokens (the tokenizer's own, or single bytes from the position on), or the
// same value in another spelling.
func (q *question) engineConvention(ctx context.Context, text []byte) (cause string, err error) {
	takes := func(t []byte, cut func([]byte) []int32) (bool, error) {
		tokens := cut(t)
		if tokens == nil {
			return false, nil // this vocabulary cannot write it
		}
		ok, err := q.engineTakes(ctx, tokens)
		if ok {
			q.found.RespelledIDs = ints(tokens)
		}
		return ok, err
	}
	spelled := text
	ok, err := takes(text, q.inTokens)
	if err == nil && !ok {
		ok, err = takes(text, q.inBytes)
	}
	if ok {
		cause = conventionTokens
	}
	if err == nil && !ok {
		cause, spelled, err = convention(ctx, q.likelyFirst(q.dimensions()), text, func(t []byte) (bool, error) { return takes(t, q.inTokens) })
	}
	if err != nil || cause == "" {
		return "", err
	}
	q.usual = cause
	q.found.Respelled, q.found.RespelledBytes = string(spelled), spelled
	if q.insideCharacter() {
		cause = conventionCharacter // which is how the text came to be spelled so
	}
	return cause, nil
}

// inTokens are the tokenizer's own tokens of a text.
func (h *hearing) inTokens(text []byte) []int32 {
	tokens, err := h.tokenizer.EncodeContinuation(text)
	if err != nil {
		return nil
	}
	return append([]int32{}, tokens...) // not nil for the empty text
}

// inBytes is a text in single bytes from the position on; nil if the vocabulary has not got one.
func (q *question) inBytes(text []byte) []int32 {
	tokens := append([]int32{}, q.prefix...)
	for _, b := range text[len(q.position.text):] {
		if q.single[b] < 0 {
			return nil
		}
		tokens = append(tokens, q.single[b])
	}
	return tokens
}

// engineTakes reports whether the engine takes a text to its end. What its masks say on the way to
// the position is known.
func (q *question) engineTakes(ctx context.Context, tokens []int32) (bool, error) {
	known := 0
	for known < min(len(tokens), len(q.prefix)) && tokens[known] == q.prefix[known] {
		known++
	}
	if known == len(q.prefix) && known < len(tokens) && !q.engineMask.Has(int(tokens[known])) {
		return false, nil // which is the difference at issue, or one like it
	}
	return q.engine.takes(ctx, tokens, known)
}

// referenceConvention is the same for the reference, which reads bytes: how they are cut into
// tokens is nothing to it.
func (h *hearing) referenceConvention(ctx context.Context, text []byte) (cause string, spelled []byte, err error) {
	return convention(ctx, h.dimensions(), text, func(t []byte) (bool, error) { return h.recognizer.Check(t) == nil, nil })
}
