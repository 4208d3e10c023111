package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// tokenizerFile is what a tokenizer.json says, with its strings by id and its merges resolved.
type tokenizerFile struct {
	file      string
	modelType string
	slab      []byte // token strings as the file has them, by id
	offsets   []uint32
	merges    []merge
	added     []addedToken

	unknown      string
	byteFallback bool
	fuseUnknown  bool
	whole        bool
	prefix       string // continuing_subword_prefix
	suffix       string // end_of_word_suffix

	normalizer, preTokenizer, decoder json.RawMessage
}

// vocabEntry is one member of model.vocab: a string in a slab in file order, and its id.
type vocabEntry struct {
	start, end uint32
	id         int32
}

// parseTokenizerJSON reads a tokenizer.json. For models other than BPE it stops at the type and
// leaves the rest to whoever implements them. Errors are *FormatError.
func parseTokenizerJSON(file string, data []byte) (*tokenizerFile, error) {
	f := &tokenizerFile{file: file}
	s := &jsonScanner{file: file, data: data}
	model := -1
	s.object(func(key []byte) {
		switch string(key) {
		case "model":
			s.space()
			model = s.pos
			s.skip(0)
		case "added_tokens":
			s.section(&f.added, "added_tokens")
		case "normalizer":
			f.normalizer = s.raw()
		case "pre_tokenizer":
			f.preTokenizer = s.raw()
		case "decoder":
			f.decoder = s.raw()
		default:
			s.skip(0)
		}
	})
	if s.err == nil && s.peek() != 0 {
		s.fail(s.pos, "", "more text behind the end of the JSON object")
	}
	if s.err == nil && model < 0 {
		s.fail(0, "is this a tokenizer.json of Hugging Face's tokenizers?", `the object has no member "model"`)
	}
	if s.err != nil {
		return nil, s.err
	}
	s.pos = model
	f.parseModel(s)
	if s.err != nil {
		return nil, s.err
	}
	return f, nil
}

// section unmarshals one of the small parts.
func (s *jsonScanner) section(into any, name string) {
	s.space()
	at := s.pos
	raw := s.raw()
	if s.err != nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		if t, ok := err.(*json.UnmarshalTypeError); ok {
			s.fail(at+int(t.Offset), "", "%s: %s where %s should be", name, t.Value, t.Type)
		} else {
			s.fail(at, "", "%s: %v", name, err)
		}
	}
}

// parseModel reads the member "model". Merges are read last, as they name symbols of the vocabulary.
func (f *tokenizerFile) parseModel(s *jsonScanner) {
	vocab, merges := -1, -1
	at := s.pos
	s.object(func(key []byte) {
		switch string(key) {
		case "type":
			s.section(&f.modelType, "model.type")
		case "vocab":
			s.space()
			vocab = s.pos
			s.skip(0)
		case "merges":
			s.space()
			merges = s.pos
			s.skip(0)
		case "unk_token":
			s.section(&f.unknown, "model.unk_token")
		case "byte_fallback":
			s.section(&f.byteFallback, "model.byte_fallback")
		case "fuse_unk":
			s.section(&f.fuseUnknown, "model.fuse_unk")
		case "ignore_merges":
			s.section(&f.whole, "model.ignore_merges")
		case "continuing_subword_prefix":
			s.section(&f.prefix, "model.continuing_subword_prefix")
		case "end_of_word_suffix":
			s.section(&f.suffix, "model.end_of_word_suffix")
		default:
			s.skip(0)
		}
	})
	if f.modelType == "" && merges >= 0 {
		f.modelType = "BPE" // files of before 2020 do not say
	}
	if s.err != nil || f.modelType != "BPE" {
		return
	}
	if vocab < 0 || merges < 0 {
		s.fail(at, "", `the BPE model has no "vocab" or no "merges"`)
		return
	}
	s.pos = vocab
	f.parseVocab(s)
	if s.err == nil {
		s.pos = merges
		f.parseMerges(s)
	}
}

// parseVocab reads the object of token strings and ids, and lays the strings out by id.
func (f *tokenizerFile) parseVocab(s *jsonScanner) {
	var entries []vocabEntry
	var slab []byte
	at := s.pos
	size := 0
	s.object(func(key []byte) {
		start := uint32(len(slab))
		slab = append(slab, key...)
		id := s.id()
		entries = append(entries, vocabEntry{start, uint32(len(slab)), int32(id)})
		size = max(size, id+1)
	})
	if s.err != nil {
		return
	}
	if size > 2*len(entries)+256 {
		s.fail(at, "ids must be nearly without gaps: a mask has one bit for each", "model.vocab has %d entries but ids up to %d", len(entries), size-1)
		return
	}
	byID := make([]int32, size) // index of the entry + 1
	for i, e := range entries {
		if other := byID[e.id]; other != 0 {
			o := entries[other-1]
			s.fail(at, "", "model.vocab gives id %d to both %q and %q", e.id, slab[o.start:o.end], slab[e.start:e.end])
			return
		}
		byID[e.id] = int32(i) + 1
	}
	f.slab = make([]byte, 0, len(slab))
	f.offsets = make([]uint32, size+1)
	for id, i := range byID {
		if i > 0 {
			f.slab = append(f.slab, slab[entries[i-1].start:entries[i-1].end]...)
		}
		f.offsets[id+1] = uint32(len(f.slab))
	}
}

// parseMerges reads the array of merges, each "left right" or ["left", "right"].
func (f *tokenizerFile) parseMerges(s *jsonScanner) {
	table := newByteTable(f.slab, f.offsets)
	var joined []byte
	s.array(func() {
		s.space()
		at := s.pos
		joined = joined[:0]
		cut := 0
		if s.peek() == '[' {
			parts := 0
			s.array(func() {
				joined = append(joined, s.str()...)
				if parts++; parts == 1 {
					cut = len(joined)
				}
			})
			if parts != 2 {
				s.fail(at, "", "a merge has two parts, this one has %d", parts)
			}
		} else {
			left, right, ok := bytes.Cut(s.str(), []byte{' '})
			joined = append(append(joined, left...), right...)
			if cut = len(left); !ok || bytes.IndexByte(right, ' ') >= 0 {
				s.fail(at, "", "a merge has two parts with one space between")
			}
		}
		if s.err != nil {
			return
		}
		m := merge{table.find(joined[:cut]), table.find(joined[cut:]), table.find(joined)}
		if m.left < 0 || m.right < 0 || m.result < 0 {
			s.fail(at, "", "the merge of %q and %q names a symbol that is not in model.vocab", joined[:cut], joined[cut:])
			return
		}
		f.merges = append(f.merges, m)
	})
}

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
// Added tokens flagged special are control tokens. The others are of two sorts. Gemma lists every token that its
// SentencePiece model had as a "user defined symbol" ("\n\n", "\t", "<table>"): they are ids of the model, text
// encodes to them all the time, and they are Ordinary. Qwen lists tokens behind the model's ids ("<tool_call>"): they are
// AddedToken, never legal. So what decides is whether the model's own vocabulary has the token.
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
	return kinds
}

// find returns the id of an added token or vocabulary string, -1 if there is none. It is a scan, for the few names
// a configuration has.
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

// eos resolves the names of EOS tokens to ids; without names it looks for the usual ones.
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
	return nil, &FormatError{File: f.file, Message: "no EOS token is named", Hint: "put the tokenizer_config.json with its eos_token beside the file"}
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

// definition compiles the file. eos names the EOS tokens. What this package cannot do is an *UnsupportedError.
func (f *tokenizerFile) definition(name string, eos []string) (*definition, error) {
	if f.modelType != "BPE" {
		return nil, &UnsupportedError{Feature: "model", Value: f.modelType}
	}
	if f.prefix != "" {
		return nil, &UnsupportedError{Feature: "continuing_subword_prefix", Value: f.prefix}
	}
	if f.suffix != "" {
		return nil, &UnsupportedError{Feature: "end_of_word_suffix", Value: f.suffix}
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
	ids, err := f.eos(eos)
	if err != nil {
		return nil, err
	}
	if d.vocabulary, err = f.vocabulary(name, &dec, ids); err != nil {
		return nil, err
	}
	d.model = f.model(d.vocabulary, pre.byteLevel)
	return d, nil
}

// vocabulary gives each id its bytes. Control and added tokens stand for their content; Gemma's runs of "▁", which
// are among its added tokens, are ordinary ones and go through the decoder like all others.
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
	v, err := packedVocabulary(name, slab, offsets, kinds, eos)
	if err != nil {
		return nil, err
	}
	return v, checkTrieLimits(v)
}

// model takes over the strings and the merges, without those that make a control token out of text: "<eos>" in a document
// is text.
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

// appendSymbol appends the string of a token as the model sees it. A token of a byte-level vocabulary that is
// not made of byte characters cannot come out of text, and gets the empty string.
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
