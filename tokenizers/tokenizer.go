package tokenizers

import (
	"bytes"
	"encoding/json"
	"errors"
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
}

// encoder is the compiled pipeline.
type encoder struct {
	model        *model
	words        wordModel // instead of model, if it is not BPE
	usual        steps
	special      steps // with control tokens in the text read as such
	continuation steps // without what is done to the beginning of a text, or changes its bytes
}

// steps are what happens to a text before the model.
type steps struct {
	added      *addedMatcher // added tokens that are found before normalization; nil for none
	normalizer normalizer    // nil for none
	late       *addedMatcher // added tokens that are found after it
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
	words      wordModel // instead of model, if it is not BPE
	Pipeline   pipelineSpec
}

// newTokenizer compiles the pipeline of a definition.
func newTokenizer(d *definition) (*Tokenizer, error) {
	t := &Tokenizer{vocabulary: d.vocabulary, pipeline: d.Pipeline, encoder: encoder{model: d.model, words: d.words}}
	var err error
	if t.usual.normalizer, err = parseNormalizer(d.Pipeline.Normalizer); err != nil {
		return nil, err
	}
	var pre preTokens
	if err = parsePreTokenizer(d.Pipeline.PreTokenizer, &pre); err != nil {
		return nil, err
	}
	t.usual.splits = pre.steps
	return t, t.prepareSteps()
}

// prepareSteps makes the other steps of the usual ones, and finds the added tokens of all.
func (t *Tokenizer) prepareSteps() error {
	t.special = t.usual
	t.continuation = steps{normalizer: continuing(t.usual.normalizer), splits: continuingSplits(t.usual.splits)}
	var legal, exact []addedToken
	for _, a := range t.pipeline.Added {
		if t.vocabulary.Legal(a.ID) {
			legal = append(legal, a)
			a.LStrip, a.RStrip = false, false // the white space is not among the bytes of the token
			exact = append(exact, a)
		}
	}
	_, spaced := t.words.(*unigram)
	if t.model == nil && !spaced {
		exact = byBytes(t.vocabulary)
	}
	return errors.Join(t.usual.find(legal), t.special.find(t.pipeline.Added), t.continuation.find(exact))
}

// find sorts added tokens by when they are found.
func (s *steps) find(added []addedToken) error {
	var early, late []addedToken
	for _, a := range added {
		switch {
		case !a.Normalized:
			early = append(early, a)
		case s.normalizer != nil:
			a.Content = string(s.normalizer.normalize([]byte(a.Content)))
			fallthrough
		default:
			late = append(late, a)
		}
	}
	var errEarly, errLate error
	s.added, errEarly = newAddedMatcher(early)
	s.late, errLate = newAddedMatcher(late)
	return errors.Join(errEarly, errLate)
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
	return t.encode(text, &t.usual)
}

// EncodeSpecial is Encode with control tokens in the text read as such, as Hugging Face's
// tokenizers do by default. The ids may include ones that are not Legal.
func (t *Tokenizer) EncodeSpecial(text []byte) ([]int32, error) {
	return t.encode(text, &t.special)
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
	if t.model == nil || !t.model.byteFallback || !bytes.Contains(text, []byte(spaceMark)) {
		return t.encode(text, &t.continuation)
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
		more, err := t.encode(part, &t.continuation)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return ids, nil
}

// encode runs the pipeline.
func (t *Tokenizer) encode(text []byte, do *steps) (ids []int32, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case encodeError:
			ids, err = nil, t.named(e.error)
		default:
			panic(e)
		}
	}()
	if t.model != nil {
		t.model.prepare()
	}
	ids = make([]int32, 0, len(text)/3+1)
	for i, s := range sections(do.added, text) {
		if s.id >= 0 {
			ids = append(ids, s.id)
			continue
		}
		if do.normalizer != nil {
			s.text = do.normalizer.normalize(s.text)
		}
		for j, late := range sections(do.late, s.text) {
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
	if t.model == nil {
		for _, p := range cut(text, splits, first) {
			ids = t.words.encode(ids, p)
		}
		return ids
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
