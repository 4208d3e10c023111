package tokenizers

import (
	"bytes"
	"encoding/json"
)

// tokenizerFile is what a tokenizer.json says, with its strings by id and its merges resolved.
type tokenizerFile struct {
	file      string
	modelType string
	slab      []byte // token strings as the file has them, by id
	offsets   []uint32
	table     *byteTable // of the strings
	merges    []merge
	added     []addedToken

	unknown      string
	unknownID    *int      // Unigram
	scores       []float64 // Unigram, by id
	longest      int       // WordPiece: characters of a word
	byteFallback bool
	fuseUnknown  bool
	whole        bool
	prefix       string // continuing_subword_prefix
	suffix       string // end_of_word_suffix
	dropout      float64

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
	f := &tokenizerFile{file: file, longest: 100}
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

// parseModel reads the member "model". Merges are read last, as they name symbols of the
// vocabulary.
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
		case "unk_id":
			s.section(&f.unknownID, "model.unk_id")
		case "unk_token":
			s.section(&f.unknown, "model.unk_token")
		case "byte_fallback":
			s.section(&f.byteFallback, "model.byte_fallback")
		case "fuse_unk":
			s.section(&f.fuseUnknown, "model.fuse_unk")
		case "ignore_merges":
			s.section(&f.whole, "model.ignore_merges")
		case "max_input_chars_per_word":
			s.section(&f.longest, "model.max_input_chars_per_word")
		case "continuing_subword_prefix":
			s.section(&f.prefix, "model.continuing_subword_prefix")
		case "end_of_word_suffix":
			s.section(&f.suffix, "model.end_of_word_suffix")
		case "dropout":
			s.section(&f.dropout, "model.dropout")
		default:
			s.skip(0)
		}
	})
	if f.modelType == "" && merges >= 0 {
		f.modelType = "BPE" // files of before 2020 do not say
	}
	if s.err != nil {
		return
	}
	needsMerges := false
	switch f.modelType {
	case "BPE":
		needsMerges = true
	case "WordPiece", "WordLevel", "Unigram":
	default:
		s.fail(at, "BPE, WordPiece, WordLevel and Unigram are known", "unknown model type %q", f.modelType)
		return
	}
	if vocab < 0 || needsMerges && merges < 0 {
		s.fail(at, "", `the %s model has no "vocab" or no "merges"`, f.modelType)
		return
	}
	s.pos = vocab
	f.parseVocab(s)
	if s.err == nil && needsMerges && f.prefix == "" && f.suffix == "" { // else definition refuses it
		s.pos = merges
		f.parseMerges(s)
	}
}

// parseVocab reads the token strings and lays them out by id. They are an object of strings and
// ids, or in Unigram models an array of [string, score], whose index is the id.
func (f *tokenizerFile) parseVocab(s *jsonScanner) {
	var entries []vocabEntry
	var slab []byte
	at := s.pos
	size := 0
	add := func(token []byte, id int) {
		start := uint32(len(slab))
		slab = append(slab, token...)
		entries = append(entries, vocabEntry{start, uint32(len(slab)), int32(id)})
		size = max(size, id+1)
	}
	if f.modelType == "Unigram" {
		s.array(func() {
			item := 0
			s.array(func() {
				if item++; item == 1 {
					add(s.str(), len(entries))
					f.scores = append(f.scores, 0)
				} else {
					s.section(&f.scores[len(f.scores)-1], "model.vocab")
				}
			})
		})
	} else {
		s.object(func(key []byte) {
			add(key, s.id())
		})
	}
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
	f.table = newByteTable(f.slab, f.offsets)
	if f.modelType != "Unigram" {
		f.checkTwice(s, at)
	}
}

// checkTwice refuses a vocabulary, at an offset, that gives a string two ids. Text would become the
// one that comes last in the file or the other, as a reader likes.
func (f *tokenizerFile) checkTwice(s *jsonScanner, at int) {
	for id := range len(f.offsets) - 1 {
		token := f.string(id)
		if first := f.table.find(token); len(token) > 0 && int(first) != id {
			s.fail(at, "", "model.vocab has %q twice, with the ids %d and %d", token, first, id)
			return
		}
	}
}

// parseMerges reads the array of merges, each "left right" or ["left", "right"].
func (f *tokenizerFile) parseMerges(s *jsonScanner) {
	table := f.table
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
