package tokenizers

import (
	"encoding/json"
	"fmt"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The encodings of OpenAI's tiktoken come with the Go module github.com/tiktoken-go/tokenizer,
// whose codec package has their ranks as Go maps. It does not export them, but decoding one id
// gives one token's bytes, so decoding all ids gives the vocabulary: 0.1 s for o200k_base, with
// nothing read from disk.

// embedded describes one such encoding.
type embedded struct {
	codec   func() *codec.Codec
	ranks   int // ids below are text
	size    int // the largest id + 1, as tiktoken's n_vocab
	special map[int]string
	pattern string
	eos     int
}

const endOfText = "<|endoftext|>"

var embeddedEncodings = map[string]embedded{
	"o200k_base": {
		codec: codec.NewO200kBase, ranks: 199998, size: 200019, eos: 199999, pattern: patternO200K,
		special: map[int]string{199999: endOfText, 200018: "<|endofprompt|>"},
	},
	"cl100k_base": {
		codec: codec.NewCl100kBase, ranks: 100256, size: 100277, eos: 100257, pattern: patternCL100K,
		special: map[int]string{
			100257: endOfText, 100258: "<|fim_prefix|>", 100259: "<|fim_middle|>", 100260: "<|fim_suffix|>", 100276: "<|endofprompt|>",
		},
	},
	"r50k_base": {
		codec: codec.NewR50kBase, ranks: 50256, size: 50257, eos: 50256, pattern: patternGPT2,
		special: map[int]string{50256: endOfText},
	},
}

// definition reads the encoding out of its codec. Ids between the ranks and size that are not
// special are unused.
func (e embedded) definition(name string) (*definition, error) {
	c := e.codec()
	kinds := make([]Kind, e.size)
	offsets := make([]uint32, e.size+1)
	slab := make([]byte, 0, 8*e.size)
	spec := pipelineSpec{PreTokenizer: splitSpec(e.pattern)}
	for id := range e.size {
		if text, ok := e.special[id]; ok {
			kinds[id] = SpecialToken
			slab = append(slab, text...)
			spec.Added = append(spec.Added, addedToken{ID: id, Content: text, Special: true})
		} else if id < e.ranks {
			token, err := c.Decode([]uint{uint(id)})
			if err != nil {
				return nil, fmt.Errorf("tokenizer %s: token %d: %w", name, id, err)
			}
			slab = append(slab, token...)
		}
		offsets[id+1] = uint32(len(slab))
	}
	v, err := packedVocabulary(name, slab, offsets, kinds, []int{e.eos})
	if err != nil {
		return nil, err
	}
	m := &model{slab: slab[:offsets[e.ranks]], offsets: offsets[:e.ranks+1], byRank: true, byteLevel: true, whole: true, unknown: -1}
	return &definition{vocabulary: v, model: m, Pipeline: spec}, nil
}

// splitSpec writes a pattern as the pre-tokenizer that tokenizer.json has for it.
func splitSpec(pattern string) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"type": "Sequence", "pretokenizers": []any{
		map[string]any{"type": "Split", "pattern": map[string]string{"Regex": pattern}, "behavior": "Isolated"},
		map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
	}})
	if err != nil {
		panic(err) // a map of strings always marshals
	}
	return raw
}
