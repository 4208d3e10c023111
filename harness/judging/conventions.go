package judging

import (
	"bytes"
	"context"
	"math/bits"
	"slices"
	"strings"

	"gcdbench/algorithms"
	"gcdbench/datasets/toolcalls"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/tools"
	"gcdbench/harness/judges"
	"gcdbench/harness/prepare"
	"gcdbench/internal/jsontext"
)

// A convention is a way to write a value on which an engine insists. To find out whether a text is
// refused for a convention or for its value, the value is written in other ways. If the engine
// takes one of them, the change names the convention.

// A dimension is a property of a text, such as white space, that can be written in several ways.
type dimension struct {
	name string
	ways []func([]byte) []byte // each keeps the value of the text
}

// Names of conventions that are not dimensions.
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

// dimensions are those of the unit's texts. Both sides have read the text before the position, so
// the ways keep the first n bytes. Two things may change there: a lexeme that the n bytes end
// inside, as a whole, and the order of keys.
func (h *comparison) dimensions(n int) []dimension {
	if h.request != nil {
		return h.inCalls(n)
	}
	if h.order == nil {
		r := h.recognizer
		return []dimension{
			{conventionSpace, []func([]byte) []byte{rewriteIgnored(r, n, withoutEnds), rewriteIgnored(r, n, withSpaces), rewriteIgnored(r, n, withLeastSpaces)}},
			{"comments", []func([]byte) []byte{rewriteIgnored(r, n, withoutComments)}},
		}
	}
	return spellings(n, h.order)
}

// spellings are the dimensions of JSON whose keys have an order.
func spellings(n int, order jsontext.Order) []dimension {
	var space []func([]byte) []byte
	for _, way := range spaces {
		space = append(space, behind(n, way))
	}
	return []dimension{
		{conventionSpace, space},
		{conventionStrings, []func([]byte) []byte{behind(n, plainStrings), behind(n, asciiStrings)}},
		{conventionNumbers, []func([]byte) []byte{behind(n, plainNumbers)}},
		{conventionOrder, []func([]byte) []byte{order.Sorted}},
	}
}

// inCalls are the dimensions of a response with calls: those of the arguments, which have the order
// of the tool that is called. All else is written in one way.
func (h *comparison) inCalls(n int) []dimension {
	list := spellings(0, nil)
	for i := range list {
		for k := range list[i].ways {
			list[i].ways[k] = func(text []byte) []byte {
				return h.eachCall(text, func(from int, order jsontext.Order, arguments []byte) []byte {
					return spellings(max(0, n-from), order)[i].ways[k](arguments)
				})
			}
		}
	}
	return list
}

// eachCall writes the arguments of the calls of known tools in a response anew: what stands from an
// offset on.
func (h *comparison) eachCall(text []byte, write func(from int, order jsontext.Order, arguments []byte) []byte) (out []byte) {
	var called *tools.Tool
	from := 0
	for _, s := range toolcalls.Classify(h.request, text) {
		part := text[from:s.End]
		switch {
		case s.Class == toolcalls.Name:
			called = h.request.Tool(string(part))
		case s.Class == toolcalls.Arguments && called != nil && len(part) > 0 && part[0] == '{':
			part = write(from, jsontext.DeclaredOrder(called.Parameters), part)
		}
		out, from = append(out, part...), s.End
	}
	return out
}

// declared are names of dimensions.
type declared map[string]bool

// all reports whether the reference declares all dimensions of a convention.
func (d declared) all(cause string) bool {
	return !slices.ContainsFunc(strings.Split(cause, andAlso), func(name string) bool { return !d[name] })
}

// andAlso joins the names of dimensions.
const andAlso = " and "

// declared are the conventions that the reference's grammar declares. A valid text that it refuses
// for any other convention is excluded.
func (h *comparison) declared() declared {
	if h.conventions != nil {
		return h.conventions
	}
	list := declared{}
	h.conventions = list
	if h.request != nil {
		list[conventionSpace], list[conventionOrder] = true, true
	}
	if h.schema == nil {
		return list
	}
	list[conventionSpace] = h.schemaOptions == nil || h.schemaOptions.WhiteSpace != "any"
	list[conventionOrder] = true // even "any order" has limits
	for _, c := range h.coverage() {
		if c.Status == jsonschema.Narrower {
			list[conventionStrings] = list[conventionStrings] || strings.Contains(c.Reason, "escapes")
			list[conventionNumbers] = list[conventionNumbers] || strings.Contains(c.Reason, "exponent")
		}
	}
	return list
}

// coverage says how the compiled schema enforces its keywords.
func (h *comparison) coverage() []jsonschema.Coverage {
	made, err := jsonschema.Compile(context.Background(), h.schema, prepare.CompilerOptions(h.schemaOptions))
	if err != nil {
		return nil // cannot be: it compiled before
	}
	return made.Coverage
}

// same is a normal form that all spellings of a text have in common.
func (h *comparison) same(text []byte) string {
	normal := func(_ int, order jsontext.Order, text []byte) []byte {
		return spaces[0](plainNumbers(plainStrings(order.Sorted(text))))
	}
	if h.request != nil {
		return string(h.eachCall(text, normal))
	}
	if h.order == nil {
		for _, rule := range []ignoredRule{withoutComments, withSpaces, withLeastSpaces} {
			text = rewriteIgnored(h.recognizer, 0, rule)(text)
		}
		return string(text)
	}
	return string(normal(0, h.order, text))
}

// convention looks for a spelling of a text that is taken, with as few changes as possible. cause
// names the changes; "" if no spelling is taken.
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

// likelyFirst puts the dimension of the last convention first: most differences of a document have
// the same cause.
func (h *comparison) likelyFirst(list []dimension) []dimension {
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

// bySize are the non-empty subsets of n things as bit sets, small subsets first.
func bySize(n int) []uint {
	var sets []uint
	for set := uint(1); set < 1<<n; set++ {
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	return sets
}

// engineConvention is the convention for which the engine refuses a valid text; "" if there is
// none. It tries the same text in other tokens (the tokenizer's own, for the whole text or after
// the position, and single bytes) and, if spell is set, the same value in other spellings. list has
// the refused attempts.
func (q *question) engineConvention(ctx context.Context, text []byte, spell bool) (cause string, list []attempt, err error) {
	var failed [][]int32
	takes := func(cause string, t []byte, tokens []int32) (bool, error) {
		if tokens == nil {
			return false, nil // this vocabulary cannot write it
		}
		for _, f := range failed { // a text that begins like a refused one is refused there, too
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
		cause = conventionCharacter // the cause of the other tokens
	}
	return cause, list, nil
}

// inTokens are the tokenizer's own tokens of a text.
func (h *comparison) inTokens(text []byte) []int32 {
	tokens, err := h.tokenizer.EncodeContinuation(text)
	if err != nil {
		return nil
	}
	return append([]int32{}, tokens...) // not nil for the empty text
}

// inTokensBehind are the prefix and the tokenizer's own tokens of the text after the position.
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

// inBytes is a text in single bytes after the position; nil if the vocabulary lacks one of them.
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

// bytes is the length of some tokens in bytes.
func (h *comparison) bytes(tokens []int32) (n int) {
	for _, t := range tokens {
		n += len(h.vocabulary.Token(int(t)))
	}
	return n
}

// reads is engine.reads. The masks on the way to the position are known already.
func (q *question) reads(ctx context.Context, who *engine, mask algorithms.Mask, tokens []int32) (int, error) {
	known := 0
	for known < min(len(tokens), len(q.prefix)) && tokens[known] == q.prefix[known] {
		known++
	}
	if known == len(q.prefix) && known < len(tokens) && !mask.Has(int(tokens[known])) {
		return known, nil // the difference at issue, or a similar one
	}
	return who.reads(ctx, tokens, known)
}

// referenceConvention is the same for the reference, which reads bytes and no tokens. If its
// grammar takes a text, its masks have to take the text, too.
func (q *question) referenceConvention(ctx context.Context, text []byte) (cause string, spelled []byte, list []attempt, err error) {
	dimensions := q.dimensions(len(q.text))
	for i, d := range dimensions {
		if d.name == conventionOrder && q.request == nil { // the grammar tells similar lists of keys apart
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

// grammarReads counts the bytes at the beginning of a text that the reference's grammar reads; one
// more than the length of the text if it may end there.
func (h *comparison) grammarReads(text []byte) int {
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
