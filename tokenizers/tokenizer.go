package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Tokenizer turns text into ids of its vocabulary. It is immutable and safe for concurrent use.
//
// The way of a text through it, as Hugging Face's tokenizers have it: added tokens are found in
// the text and cut it into sections; each section is normalized (Unicode form, "▁" for spaces),
// split into pieces by the pre-tokenizer, and each piece is encoded by the model. No BOS or EOS
// is added.
type Tokenizer struct {
	vocabulary *Vocabulary
	pipeline   pipelineSpec
	source     Provenance
	file       string // File

	encoder
	foreign *foreign // set instead of encoder.model for a model that is not ours
}

// encoder is the compiled pipeline.
type encoder struct {
	model        *model
	usual        steps
	continuation steps         // without what is done to the beginning of a text
	ordinary     *addedMatcher // added tokens that are Ordinary
	all          *addedMatcher // all added tokens that are found before normalization
	late         *addedMatcher // ordinary ones that are found after it
	// continued is what a continuation finds before the model: ordinary; or all tokens by their
	// bytes, of a model whose tokens do not have the bytes of the text.
	continued *addedMatcher
}

// steps are what happens to a section of text before the model.
type steps struct {
	normalizer normalizer // nil for none
	splits     []preTokenizer
}

// pipelineSpec is the part of a tokenizer that is configuration: the sections of tokenizer.json
// around the model.
type pipelineSpec struct {
	Normalizer   json.RawMessage `json:"normalizer,omitempty"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer,omitempty"`
	Added        []addedToken    `json:"added,omitempty"`
}

// definition is everything a tokenizer is made of, and what the cache keeps.
type definition struct {
	vocabulary *Vocabulary
	model      *model
	Pipeline   pipelineSpec
}

// newTokenizer compiles the pipeline of a definition.
func newTokenizer(d *definition) (*Tokenizer, error) {
	t := &Tokenizer{vocabulary: d.vocabulary, pipeline: d.Pipeline, encoder: encoder{model: d.model}}
	var err error
	if t.usual.normalizer, err = parseNormalizer(d.Pipeline.Normalizer); err != nil {
		return nil, err
	}
	var pre preTokens
	if err = parsePreTokenizer(d.Pipeline.PreTokenizer, &pre); err != nil {
		return nil, err
	}
	t.usual.splits = pre.steps
	t.continuation = steps{continuing(t.usual.normalizer), continuingSplits(pre.steps)}
	return t, t.matchers(d.Pipeline.Added)
}

// matchers sorts the added tokens by when they are found and whether they are text.
func (t *Tokenizer) matchers(added []addedToken) error {
	var ordinary, all, late []addedToken
	for _, a := range added {
		legal := t.vocabulary.Legal(a.ID)
		if a.Normalized && t.usual.normalizer != nil {
			if legal {
				a.Content = string(t.usual.normalizer.normalize([]byte(a.Content)))
				late = append(late, a)
			}
			continue
		}
		all = append(all, a)
		if legal {
			ordinary = append(ordinary, a)
		}
	}
	var err error
	for _, m := range []struct {
		to   **addedMatcher
		from []addedToken
	}{{&t.ordinary, ordinary}, {&t.all, all}, {&t.late, late}} {
		if *m.to, err = newAddedMatcher(m.from); err != nil {
			return err
		}
	}
	t.continued = t.ordinary
	return nil
}

// Vocabulary is the ids and their bytes.
func (t *Tokenizer) Vocabulary() *Vocabulary { return t.vocabulary }

// File is the path of the tokenizer.json that the tokenizer was read from, for programs that want
// to read it themselves; "" if there is none: it is embedded, or was cut.
func (t *Tokenizer) File() string { return t.file }

// Provenance says where the tokenizer comes from.
func (t *Tokenizer) Provenance() Provenance { return t.source }

// Encode returns the ids of text, those that the tokenizer's own implementation gives with no
// BOS or EOS added. Text that reads like a control token ("<s>", "<|endoftext|>") is encoded as
// the text it is, so all ids are Legal.
//
// The bytes of the ids are not always those of the text: Llama 2 and Mistral put a space in
// front, Qwen composes characters (NFC). See EncodeContinuation. Bytes that are not UTF-8 are
// kept as they are by vocabularies that have all single bytes, as all named ones do.
func (t *Tokenizer) Encode(text []byte) ([]int32, error) {
	if t.foreign != nil && t.foreign.whole {
		ids, err := t.foreign.encode(text)
		return ids, t.named(err)
	}
	return t.encode(text, t.usual, t.ordinary)
}

// EncodeSpecial is Encode with control tokens in the text read as such, as Hugging Face's
// tokenizers do by default. The ids may include ones that are not Legal.
func (t *Tokenizer) EncodeSpecial(text []byte) ([]int32, error) {
	if t.foreign != nil {
		return nil, fmt.Errorf("tokenizer %s: control tokens in text are not supported by its model", t.vocabulary.Name())
	}
	return t.encode(text, t.usual, t.all)
}

// EncodeContinuation returns ids whose bytes, one after the other, are exactly text: what a
// model emits that goes on with text after a prompt. It leaves out the space that Llama 2 and
// Mistral put in front of a text, and NFC. It fails if the bytes do not come out right, with
// the place of the first difference and what stands there.
func (t *Tokenizer) EncodeContinuation(text []byte) ([]int32, error) {
	ids, err := t.encodeExact(text)
	if err != nil {
		return nil, err
	}
	decoded, err := t.vocabulary.Decode(ids)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(decoded, text) {
		at := commonPrefix(decoded, text)
		line := 1 + bytes.Count(text[:at], []byte{'\n'})
		return nil, t.named(fmt.Errorf("text cannot be written with its tokens: they differ from byte %d (line %d) on, where the text has %q and they have %q",
			at, line, excerpt(text[at:]), excerpt(decoded[at:])))
	}
	return ids, nil
}

// excerpt is the beginning of a text, for a message.
func excerpt(text []byte) []byte { return text[:min(len(text), 12)] }

// named says in an error which tokenizer it is about; nil stays nil.
func (t *Tokenizer) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("tokenizer %s: %w", t.vocabulary.Name(), err)
}

// spaceMark is SentencePiece's mark for a space.
const spaceMark = "▁"

// encodeExact encodes text that may have spaceMark in it as a character: decoding would make
// spaces of it, so these three bytes are written as bytes.
func (t *Tokenizer) encodeExact(text []byte) ([]int32, error) {
	if t.foreign != nil || !t.model.byteFallback || !bytes.Contains(text, []byte(spaceMark)) {
		return t.encode(text, t.continuation, t.continued)
	}
	var ids []int32
	for i, part := range bytes.Split(text, []byte(spaceMark)) {
		if i > 0 {
			for _, b := range []byte(spaceMark) {
				if id := t.model.fallback[b]; id >= 0 {
					ids = append(ids, id)
				}
			}
		}
		more, err := t.encode(part, t.continuation, t.continued)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return ids, nil
}

// encode runs the pipeline.
func (t *Tokenizer) encode(text []byte, do steps, added *addedMatcher) (ids []int32, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case encodeError:
			ids, err = nil, t.named(e.error)
		default:
			panic(e)
		}
	}()
	if t.foreign == nil {
		t.model.prepare()
	}
	ids = make([]int32, 0, len(text)/3+1)
	for i, s := range sections(added, text) {
		if s.id >= 0 {
			ids = append(ids, s.id)
			continue
		}
		if do.normalizer != nil {
			s.text = do.normalizer.normalize(s.text)
		}
		for j, late := range sections(t.late, s.text) {
			if late.id >= 0 {
				ids = append(ids, late.id)
			} else {
				ids = t.encodeSection(ids, late.text, do.splits, i == 0 && j == 0)
			}
		}
	}
	return ids, nil
}

// sections splits text at the added tokens of m, if any.
func sections(m *addedMatcher, text []byte) []section {
	if len(text) == 0 {
		return nil
	}
	if m == nil {
		return []section{{text, -1}}
	}
	return m.split(nil, text)
}

// encodeSection splits text and encodes the pieces.
func (t *Tokenizer) encodeSection(ids []int32, text []byte, splits []preTokenizer, first bool) []int32 {
	if t.foreign != nil {
		return t.foreign.append(ids, cut(text, splits, first))
	}
	w := t.model.pool.Get().(*merger)
	defer t.model.pool.Put(w)
	if w.cache == nil && len(text) >= pieceCacheFrom {
		w.cache = newPieceCache()
	}
	if last := len(splits) - 1; last >= 0 {
		if hand, ok := splits[last].(handSplit); ok {
			return t.encodeSplit(ids, cut(text, splits[:last], first), hand, w)
		}
	}
	for _, p := range cut(text, splits, first) {
		ids = t.model.encode(ids, p, w)
	}
	return ids
}

// cut splits text by all steps, each of which splits the pieces of the one before.
func cut(text []byte, splits []preTokenizer, first bool) [][]byte {
	list, next := [][]byte{text}, [][]byte(nil)
	for _, step := range splits {
		next = next[:0]
		for j, p := range list {
			next = step.split(next, p, first && j == 0)
		}
		first = first && len(next) > 0 && step.keepsStart(list[0], next[0])
		list, next = next, list
	}
	return list
}

// encodeSplit is the last step of encodeSection for the patterns in use, piece by piece without
// a list of them.
func (t *Tokenizer) encodeSplit(ids []int32, pieces [][]byte, hand handSplit, w *merger) []int32 {
	for _, p := range pieces {
		s := scanner{p, classTable()}
		for i := 0; i < len(p); {
			end := hand.next(&s, i)
			ids = t.model.encode(ids, p[i:end], w)
			i = end
		}
	}
	return ids
}
