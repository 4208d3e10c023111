package judging

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/grammar/jsonschema"
	"gcdbench/judges"
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
	conventionTwice     = judges.RepeatedKey
	conventionSurrogate = judges.LoneSurrogate
)

// Names of dimensions.
const (
	conventionSpace   = "white space"
	conventionStrings = "spelling of strings"
	conventionNumbers = "spelling of numbers"
	conventionOrder   = "order of keys"
)

// dimensions are those of the unit's texts. What stands before a position both sides have read, so
// the ways keep the first n bytes; only a lexeme that they end inside may change as a whole, and keys
// may change places.
func (h *hearing) dimensions(n int) []dimension {
	if h.order == nil {
		r := h.recognizer
		return []dimension{
			{conventionSpace, []func([]byte) []byte{withoutEnds(r, n), withSpaces(r, n), withLeastSpaces(r, n)}},
			{"comments", []func([]byte) []byte{withoutComments(r, n)}},
		}
	}
	var space []func([]byte) []byte
	for _, way := range spaces {
		space = append(space, behind(n, way))
	}
	return []dimension{
		{conventionSpace, space},
		{conventionStrings, []func([]byte) []byte{behind(n, plainStrings), behind(n, asciiStrings)}},
		{conventionNumbers, []func([]byte) []byte{behind(n, plainNumbers)}},
		{conventionOrder, []func([]byte) []byte{h.order.Sorted}},
	}
}

// declared are names of dimensions.
type declared map[string]bool

// all reports whether all dimensions of a convention are among them.
func (d declared) all(cause string) bool {
	return !slices.ContainsFunc(strings.Split(cause, andAlso), func(name string) bool { return !d[name] })
}

// andAlso joins the names of dimensions.
const andAlso = " and "

// declared are the conventions that the reference's grammar declares. The others excuse nothing:
// whatever it refuses for them it excludes.
func (h *hearing) declared() declared {
	if h.conventions != nil {
		return h.conventions
	}
	list := declared{}
	h.conventions = list
	if h.schema == nil {
		return list
	}
	list[conventionSpace] = h.schemaOptions == nil || h.schemaOptions.WhiteSpace != "any"
	list[conventionOrder] = true // any order has limits, too
	for _, c := range h.coverage() {
		if c.Status == jsonschema.Narrower {
			list[conventionStrings] = list[conventionStrings] || strings.Contains(c.Reason, "escapes")
			list[conventionNumbers] = list[conventionNumbers] || strings.Contains(c.Reason, "exponent")
		}
	}
	return list
}

// coverage is what the compile of the schema says of its keywords.
func (h *hearing) coverage() []jsonschema.Coverage {
	made, err := jsonschema.Compile(context.Background(), h.schema, h.options())
	if err != nil {
		return nil // it did compile: then nothing is known of it
	}
	return made.Coverage
}

// options are those that the schema was compiled with.
func (h *hearing) options() (o jsonschema.Options) {
	if s := h.schemaOptions; s != nil {
		o.AnyOrder, o.Lenient = s.Order == "any", s.Lenient
		if s.WhiteSpace == "any" {
			o.WhiteSpace = jsonschema.AnySpace
		}
	}
	return o
}

// same is a text as all its spellings have it.
func (h *hearing) same(text []byte) string {
	if h.order == nil {
		r := h.recognizer
		return string(withLeastSpaces(r, 0)(withSpaces(r, 0)(withoutComments(r, 0)(text))))
	}
	return string(spaces[0](plainNumbers(plainStrings(h.order.Sorted(text)))))
}

// convention looks for another spelling of a text that is taken, changing as little as possible.
// cause names what was changed, "" if nothing is taken.
func convention(ctx context.Context, list []dimension, text []byte, takes func(cause string, text []byte) (bool, error)) (cause string, spelled []byte, err error) {
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
		slices.Sort(names)
		cause := strings.Join(names, andAlso)
		for _, t := range texts {
			if slices.ContainsFunc(tried, func(o []byte) bool { return bytes.Equal(o, t) }) {
				continue
			}
			tried = append(tried, t)
			if err := ctx.Err(); err != nil {
				return "", nil, err
			}
			if ok, err := takes(cause, t); ok || err != nil {
				return cause, t, err
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
// same text in other tokens (the tokenizer's own, or single bytes behind the position or the token),
// or, if spell is set, the same value in another spelling. list is what was tried.
func (q *question) engineConvention(ctx context.Context, text []byte, spell bool) (cause string, list []attempt, err error) {
	var failed [][]int32
	takes := func(cause string, t []byte, tokens []int32) (bool, error) {
		if tokens == nil {
			return false, nil // this vocabulary cannot write it
		}
		for _, f := range failed { // what begins like a text that was refused is refused there, too
			if len(tokens) >= len(f) && slices.Equal(tokens[:len(f)], f) {
				read := tokens[:len(f)-1]
				list = append(list, attempt{cause, t, read[:len(read):len(read)], q.bytes(read)})
				return false, nil
			}
		}
		read, err := q.reads(ctx, q.engine, q.engineMask, tokens)
		if err == nil && read < len(tokens) {
			failed = append(failed, tokens[:read+1])
		}
		if read > len(tokens) {
			q.found.RespelledIDs = ints(tokens)
			return true, err
		}
		list = append(list, attempt{cause, t, tokens[:read:read], q.bytes(tokens[:read])})
		return false, err
	}
	spelled, ok := text, false
	for _, cut := range []func([]byte) []int32{q.inTokens, q.inTokensBehind, q.inBytes} {
		if ok, err = takes(conventionTokens, text, cut(text)); ok || err != nil {
			break
		}
	}
	switch {
	case ok:
		cause = conventionTokens
	case err == nil && spell:
		cause, spelled, err = convention(ctx, q.likelyFirst(q.dimensions(len(q.text))), text, func(cause string, t []byte) (bool, error) { return takes(cause, t, q.inTokens(t)) })
	}
	if err != nil || cause == "" {
		return "", list, err
	}
	q.usual = cause
	q.found.Respelled, q.found.RespelledBytes = string(spelled), spelled
	if q.insideCharacter() {
		cause = conventionCharacter // which is how the text came to be spelled so
	}
	return cause, list, nil
}

// inTokens are the tokenizer's own tokens of a text.
func (h *hearing) inTokens(text []byte) []int32 {
	tokens, err := h.tokenizer.EncodeContinuation(text)
	if err != nil {
		return nil
	}
	return append([]int32{}, tokens...) // not nil for the empty text
}

// inTokensBehind are the tokenizer's own tokens of what stands behind the position.
func (q *question) inTokensBehind(text []byte) []int32 {
	if len(text) < len(q.text) {
		return nil
	}
	tokens := q.inTokens(text[len(q.text):])
	if tokens == nil {
		return nil
	}
	return append(q.prefix[:len(q.prefix):len(q.prefix)], tokens...)
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

// bytes is how long some tokens are.
func (h *hearing) bytes(tokens []int32) (n int) {
	for _, t := range tokens {
		n += len(h.vocabulary.Token(int(t)))
	}
	return n
}

// reads is contestant.reads. What a side's masks say on the way to the position is known.
func (q *question) reads(ctx context.Context, who *contestant, mask algorithms.Mask, tokens []int32) (int, error) {
	known := 0
	for known < min(len(tokens), len(q.prefix)) && tokens[known] == q.prefix[known] {
		known++
	}
	if known == len(q.prefix) && known < len(tokens) && !mask.Has(int(tokens[known])) {
		return known, nil // which is the difference at issue, or one like it
	}
	return who.reads(ctx, tokens, known)
}

// referenceConvention is the same for the reference, which reads bytes: how they are cut into tokens
// is nothing to it. What its grammar takes its masks have to take, too.
func (q *question) referenceConvention(ctx context.Context, text []byte) (cause string, spelled []byte, list []attempt, err error) {
	dimensions := q.dimensions(len(q.text))
	for i, d := range dimensions {
		if d.name == conventionOrder { // lists of keys may be alike, and the grammar knows which is meant
			dimensions[i].ways = append(d.ways, func(t []byte) []byte { return q.order.SortedFor(t, q.grammarReads) })
		}
	}
	cause, spelled, err = convention(ctx, dimensions, text, func(cause string, t []byte) (bool, error) {
		if read := q.grammarReads(t); read <= len(t) {
			list = append(list, attempt{cause: cause, text: t, read: read})
			return false, nil
		}
		tokens := q.inTokens(t)
		if tokens == nil {
			return true, nil // no mask can say otherwise
		}
		return q.reference.takes(ctx, tokens, 0)
	})
	return cause, spelled, list, err
}

// grammarReads counts the bytes of a text that the reference's grammar reads, one more than there are
// if the text may end there.
func (h *hearing) grammarReads(text []byte) int {
	s, ok := h.recognizer.Start(), true
	for i, b := range text {
		if s, ok = h.recognizer.Step(s, b); !ok || !h.recognizer.Legal(s) {
			return i
		}
	}
	if h.recognizer.End(s) {
		return len(text) + 1
	}
	return len(text)
}
