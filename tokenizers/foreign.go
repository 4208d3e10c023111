package tokenizers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/pretrained"
)

// Tokenizers that are not BPE as bpe.go has it (WordPiece, WordLevel, Unigram, and BPE with parts
// that are unknown here) are encoded by github.com/sugarme/tokenizer, which reads the same
// tokenizer.json. This package still reads the ids, bytes, kinds and EOS of the vocabulary. Where
// it knows the normalizer and the pre-tokenizer, it cuts the text as well, and the module encodes
// the pieces: the Metaspace of the module takes a line break for a space.
//
// The module panics at what it does not implement, such as look-ahead in split patterns; a panic
// becomes an error. It has no byte fallback and gives id 0 instead, so a model with byte fallback
// is refused. Its speed is some 10 KB/s, and it finds no Unigram token of more than 20 bytes.
//
// A continuation has the bytes of its text, which these models are not made for:
//
//   - A Unigram model encodes each word with the space in front of it. The normalizer is left
//     out, since it changes bytes.
//   - The tokens of the other models have a space in front of them or after them by the decoder.
//     The rule of WordPiece, the longest token first, is applied to those bytes: "a, b" is "##a",
//     "##,", "b".
//
// A text that has a byte which no token can write (a line break, in T5) is refused by
// EncodeContinuation, and a run with such a document before it measures anything.

// foreign encodes with the module.
type foreign struct {
	tok *tokenizer.Tokenizer
	// whole: this package does not know the pipeline, and the module runs all of it.
	whole bool
}

// foreignTokenizer loads a file that this package does not support by itself, for the given
// reason.
func foreignTokenizer(f *tokenizerFile, data []byte, eos []string, reason *UnsupportedError) (*Tokenizer, error) {
	refuse := func(err error) (*Tokenizer, error) {
		return nil, fmt.Errorf("%s: %w; github.com/sugarme/tokenizer, which is used then, cannot load it either: %w", f.file, reason, err)
	}
	if f.byteFallback {
		return refuse(errors.New("it has no byte fallback"))
	}
	if len(f.offsets) == 0 {
		return refuse(fmt.Errorf("it does not know the model type %q", f.modelType))
	}
	if err := f.checkAdded(); err != nil {
		return nil, err
	}
	tok, err := loadSugarme(data)
	if err != nil {
		return refuse(err)
	}
	var dec decoder
	if err := parseDecoder(f.decoder, &dec); err != nil {
		return refuse(err)
	}
	if dec.prefix == "" && f.modelType == "WordPiece" {
		dec.prefix = f.prefix
	}
	ids, err := f.eos(eos)
	if err != nil {
		return nil, err
	}
	v, err := f.vocabulary(f.file, &dec, ids)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{vocabulary: v, foreign: &foreign{tok: tok}}
	return t, t.foreignPipeline(f)
}

// foreignPipeline compiles what this package knows of the steps before the model, and what a
// continuation takes in their place.
func (t *Tokenizer) foreignPipeline(f *tokenizerFile) error {
	var pre preTokens
	known := parsePreTokenizer(f.preTokenizer, &pre)
	n, err := parseNormalizer(f.normalizer)
	t.foreign.whole = known != nil || err != nil
	t.usual = steps{n, pre.steps}
	t.continuation = steps{continuing(n), continuingSplits(pre.steps)}
	if err := t.matchers(f.added); err != nil || f.modelType == "Unigram" {
		return err
	}
	var tokens []addedToken
	for id := range t.vocabulary.Len() {
		if t.vocabulary.Legal(id) {
			tokens = append(tokens, addedToken{ID: id, Content: string(t.vocabulary.Token(id))})
		}
	}
	t.continued, err = newAddedMatcher(tokens)
	return err
}

// loadSugarme hands the file over without its control tokens, as these are not looked for in text,
// and without the sections that only matter to other uses of a tokenizer.
func loadSugarme(data []byte) (tok *tokenizer.Tokenizer, err error) {
	defer recovered(&err)
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	var added, kept []map[string]any
	if raw := file["added_tokens"]; !isNull(raw) {
		if err := json.Unmarshal(raw, &added); err != nil {
			return nil, err
		}
	}
	for _, a := range added {
		if special, _ := a["special"].(bool); !special {
			kept = append(kept, a)
		}
	}
	if file["added_tokens"], err = json.Marshal(kept); err != nil {
		return nil, err
	}
	for _, section := range []string{"post_processor", "truncation", "padding", "decoder"} {
		delete(file, section)
	}
	var bert map[string]any
	if json.Unmarshal(file["normalizer"], &bert) == nil && bert["type"] == "BertNormalizer" && bert["strip_accents"] == nil {
		bert["strip_accents"] = bert["lowercase"] // as null means; the module panics at it
		if file["normalizer"], err = json.Marshal(bert); err != nil {
			return nil, err
		}
	}
	stripped, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return pretrained.FromReader(bytes.NewReader(stripped))
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("panic: %v", e)
	}
}

// encode runs the whole pipeline of the module on text.
func (f *foreign) encode(text []byte) (ids []int32, err error) {
	if len(text) == 0 {
		return nil, nil
	}
	defer f.named(&err)
	defer recovered(&err)
	encoding, err := f.tok.EncodeSingle(string(text), false)
	if err != nil {
		return nil, err
	}
	for _, id := range encoding.Ids {
		ids = append(ids, int32(id))
	}
	return ids, nil
}

// append encodes pieces with the model of the module. It panics with an encodeError.
func (f *foreign) append(ids []int32, pieces [][]byte) []int32 {
	for _, p := range pieces {
		tokens, err := f.tokenize(string(p))
		if err != nil {
			panic(encodeError{err})
		}
		for _, token := range tokens {
			ids = append(ids, int32(token.Id))
		}
	}
	return ids
}

// tokenize is a call of the model.
func (f *foreign) tokenize(piece string) (tokens []tokenizer.Token, err error) {
	defer f.named(&err)
	defer recovered(&err)
	return f.tok.GetModel().Tokenize(piece)
}

// named says in an error whose it is.
func (*foreign) named(err *error) {
	if *err != nil {
		*err = fmt.Errorf("github.com/sugarme/tokenizer: %w", *err)
	}
}
