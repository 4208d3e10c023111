package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/pretrained"
)

// Tokenizers that are not BPE as bpe.go has it (WordPiece, WordLevel, Unigram, and BPE with
// parts that are unknown here) are encoded by github.com/sugarme/tokenizer, which reads the
// same tokenizer.json. Ids, bytes, kinds and EOS of the vocabulary are still read by this
// package.
//
// That module panics at what it does not implement, among it look-ahead in split patterns;
// panics become errors. It has no byte fallback and gives id 0 instead, so a model with byte
// fallback is refused. Its speed is some 10 KB/s.

// foreignModel encodes text with an implementation that is not this package's own.
type foreignModel interface {
	encode(text []byte) ([]int32, error)
}

// sugarme is the adapter of that module.
type sugarme struct {
	name string
	tok  *tokenizer.Tokenizer
}

// foreignTokenizer loads a file that this package's own encoder does not support, for the given
// reason.
func foreignTokenizer(f *tokenizerFile, data []byte, eos []string, reason *UnsupportedError) (*Tokenizer, error) {
	refuse := func(err error) (*Tokenizer, error) {
		return nil, fmt.Errorf("%s: %w; github.com/sugarme/tokenizer, which is used then, cannot load it either: %w", f.file, reason, err)
	}
	if f.byteFallback {
		return refuse(fmt.Errorf("it has no byte fallback"))
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
	return &Tokenizer{vocabulary: v, foreign: sugarme{f.file, tok}}, nil
}

// loadSugarme hands the file over without its control tokens, as these are not looked for in
// text, and without the post-processor, as no BOS or EOS is added.
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
	delete(file, "post_processor")
	delete(file, "truncation")
	delete(file, "padding")
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

// encode gives the ids of text. What panics is an error, and what it says names the module.
func (s sugarme) encode(text []byte) (ids []int32, err error) {
	defer func() {
		if err != nil {
			ids, err = nil, fmt.Errorf("tokenizer %s: github.com/sugarme/tokenizer: %w", s.name, err)
		}
	}()
	defer recovered(&err)
	if len(text) == 0 {
		return nil, nil
	}
	encoding, err := s.tok.EncodeSingle(string(text), false)
	if err != nil {
		return nil, err
	}
	for _, id := range encoding.Ids {
		ids = append(ids, int32(id))
	}
	return ids, nil
}
