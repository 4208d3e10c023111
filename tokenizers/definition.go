package tokenizers

import (
	"encoding/json"
	"fmt"
	"slices"
)

// From a parsed file to a definition: which bytes an id has, what kind it is of, which ids end
// a text, and the model that encodes.

// string returns the string of id as the file has it, nil for a hole or out of range.
func (f *tokenizerFile) string(id int) []byte {
	if id < 0 || id+1 >= len(f.offsets) {
		return nil
	}
	return f.slab[f.offsets[id]:f.offsets[id+1]]
}

// size is the number of ids, those of added tokens included.
func (f *tokenizerFile) size() int {
	n := len(f.offsets) - 1
	for _, a := range f.added {
		n = max(n, a.ID+1)
	}
	return n
}

// checkAdded refuses added tokens that contradict the vocabulary.
func (f *tokenizerFile) checkAdded() error {
	for _, a := range f.added {
		if a.ID < 0 || a.ID >= MaxVocabulary || a.ID > 2*len(f.offsets)+256 {
			return &FormatError{File: f.file, Message: fmt.Sprintf("added token %q has id %d, far from the vocabulary's %d ids", a.Content, a.ID, len(f.offsets)-1)}
		}
		if s := f.string(a.ID); len(s) > 0 && string(s) != a.Content {
			return &FormatError{File: f.file, Message: fmt.Sprintf("id %d is %q in added_tokens and %q in model.vocab", a.ID, a.Content, s)}
		}
	}
	return nil
}

// kinds decides what each id stands for.
//
// Added tokens flagged special are control tokens. The others are text. Gemma lists every token
// that its SentencePiece model had as a "user defined symbol" ("\n\n", "\t", "<table>"): they are
// ids of the model, and Ordinary, with the bytes that the decoder gives. Qwen lists tokens after
// the model's ids ("<tool_call>"): they are AddedToken, and their bytes are their content. So what
// decides is whether the model's own vocabulary has the token.
func (f *tokenizerFile) kinds() []Kind {
	kinds := make([]Kind, f.size())
	base := len(f.offsets) - 1
	for _, a := range f.added {
		switch {
		case a.Special:
			kinds[a.ID] = SpecialToken
		case a.ID >= base || len(f.string(a.ID)) == 0:
			kinds[a.ID] = AddedToken
		}
	}
	if f.unknown != "" {
		if id := f.find(f.unknown); id >= 0 {
			kinds[id] = SpecialToken
		}
	}
	if f.unknownID != nil && *f.unknownID >= 0 && *f.unknownID < len(kinds) {
		kinds[*f.unknownID] = SpecialToken
	}
	return kinds
}

// find returns the id of an added token or vocabulary string, -1 if there is none. It is a
// scan, for the few names a configuration has.
func (f *tokenizerFile) find(token string) int {
	for _, a := range f.added {
		if a.Content == token {
			return a.ID
		}
	}
	for id := range len(f.offsets) - 1 {
		if string(f.string(id)) == token {
			return id
		}
	}
	return -1
}

// eosNames are the end-of-text tokens looked for, in this order, if no configuration names one.
var eosNames = []string{"<|end_of_text|>", "<|endoftext|>", "</s>", "<eos>", "<|im_end|>", "<|eot_id|>", "[SEP]"}

// eos resolves the names of EOS tokens to ids; without names it looks for the usual ones. There may
// be none: only masks need one.
func (f *tokenizerFile) eos(names []string) ([]int, error) {
	var ids []int
	for _, name := range names {
		id := f.find(name)
		if id < 0 {
			return nil, &FormatError{File: f.file, Message: fmt.Sprintf("the EOS token %q is not in the vocabulary", name), Hint: "name another one"}
		}
		ids = append(ids, id)
	}
	if len(names) > 0 {
		return ids, nil
	}
	for _, name := range eosNames {
		if i := slices.IndexFunc(f.added, func(a addedToken) bool { return a.Content == name }); i >= 0 {
			return []int{f.added[i].ID}, nil
		}
	}
	return nil, nil
}

// eosOfConfig returns the EOS token that a tokenizer_config.json names, none if it names none.
func eosOfConfig(file string, data []byte) ([]string, error) {
	var config struct {
		EOS json.RawMessage `json:"eos_token"`
	}
	s := &jsonScanner{file: file, data: data}
	s.section(&config, "tokenizer configuration")
	if s.err != nil {
		return nil, s.err
	}
	if isNull(config.EOS) {
		return nil, nil
	}
	var name string
	if json.Unmarshal(config.EOS, &name) == nil {
		return []string{name}, nil
	}
	var object struct{ Content string }
	if json.Unmarshal(config.EOS, &object) == nil && object.Content != "" {
		return []string{object.Content}, nil
	}
	return nil, &FormatError{File: file, Message: fmt.Sprintf("eos_token is neither a string nor an added token: %s", config.EOS)}
}

// definition compiles the file. eos names the EOS tokens. What this package cannot do is an
// *UnsupportedError.
func (f *tokenizerFile) definition(name string, eos []string) (*definition, error) {
	if f.modelType == "BPE" && f.prefix != "" {
		return nil, &UnsupportedError{Feature: "continuing_subword_prefix", Value: f.prefix}
	}
	if f.suffix != "" {
		return nil, &UnsupportedError{Feature: "end_of_word_suffix", Value: f.suffix}
	}
	if f.dropout != 0 { // the ids of a text are drawn by chance
		return nil, &UnsupportedError{Feature: "dropout", Value: fmt.Sprint(f.dropout)}
	}
	if err := f.checkAdded(); err != nil {
		return nil, err
	}
	d := &definition{Pipeline: pipelineSpec{Normalizer: f.normalizer, PreTokenizer: f.preTokenizer, Added: f.added}}
	var pre preTokens
	if err := parsePreTokenizer(f.preTokenizer, &pre); err != nil {
		return nil, err
	}
	var dec decoder
	if err := parseDecoder(f.decoder, &dec); err != nil {
		return nil, err
	}
	if pre.byteLevel {
		dec.byteLevel = true
	}
	if dec.prefix == "" && f.modelType == "WordPiece" {
		dec.prefix = f.prefix
	}
	ids, err := f.eos(eos)
	if err != nil {
		return nil, err
	}
	if d.vocabulary, err = f.vocabulary(name, &dec, ids); err != nil {
		return nil, err
	}
	if f.modelType != "BPE" {
		d.words = f.wordModel(d.vocabulary)
		return d, nil
	}
	d.model = f.model(d.vocabulary, pre.byteLevel)
	return d, nil
}

// vocabulary gives each id its bytes. Control and added tokens stand for their content; Gemma's
// runs of "▁", which are among its added tokens, are ordinary ones and go through the decoder
// like all others.
func (f *tokenizerFile) vocabulary(name string, dec *decoder, eos []int) (*Vocabulary, error) {
	n := f.size()
	content := make(map[int]string, len(f.added))
	for _, a := range f.added {
		content[a.ID] = a.Content
	}
	kinds := f.kinds()
	slab := make([]byte, 0, len(f.slab))
	offsets := make([]uint32, n+1)
	for id := range n {
		if text, ok := content[id]; ok && kinds[id] != Ordinary {
			slab = append(slab, text...)
		} else if s := f.string(id); len(s) > 0 {
			slab = dec.appendBytes(slab, s)
		}
		offsets[id+1] = uint32(len(slab))
	}
	return packedVocabulary(name, slab, offsets, kinds, eos)
}

// model takes over the strings and the merges, without those that make a control token out of
// text: "<eos>" in a document is text.
func (f *tokenizerFile) model(v *Vocabulary, byteLevel bool) *model {
	m := &model{byteLevel: byteLevel, whole: f.whole, byteFallback: f.byteFallback, fuseUnknown: f.fuseUnknown, unknown: -1}
	if f.unknown != "" {
		m.unknown = int32(f.find(f.unknown))
	}
	for b := range m.fallback {
		m.fallback[b] = -1
	}
	m.offsets = make([]uint32, v.Len()+1)
	for id := range v.Len() {
		s := f.string(id)
		if v.Legal(id) && len(s) > 0 {
			if b, ok := byteToken(s); ok && f.byteFallback {
				m.fallback[b] = int32(id)
			}
			m.slab = appendSymbol(m.slab, s, byteLevel)
		}
		m.offsets[id+1] = uint32(len(m.slab))
	}
	m.rules = f.merges
	if slices.ContainsFunc(m.rules, func(r merge) bool { return !v.Legal(int(r.result)) }) {
		m.rules = nil
		for _, r := range f.merges {
			if v.Legal(int(r.result)) {
				m.rules = append(m.rules, r)
			}
		}
	}
	return m
}

// appendSymbol appends the string of a token as the model sees it. A token of a byte-level
// vocabulary that is not made of byte characters cannot come out of text, and gets the empty
// string.
func appendSymbol(dst, s []byte, byteLevel bool) []byte {
	if !byteLevel {
		return append(dst, s...)
	}
	for _, r := range string(s) {
		if int(r) >= len(byteOf) || byteOf[r] < 0 {
			return dst
		}
	}
	return appendByteLevel(dst, s)
}
