package tokenizers

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"gcdbench/internal/must"
)

// pipelineCase is one line of testdata/pipelines.jsonl: a small random tokenizer, and the ids
// that Hugging Face's tokenizers 0.23.3 gives for some texts. Its vocabulary is implied: single
// bytes, or the symbols of pipelineSymbols, then the results of the merges in order, then
// "<end>".
type pipelineCase struct {
	ByteLevel    bool               `json:"byte_level"`
	Merges       []string           `json:"merges"`
	Normalizer   json.RawMessage    `json:"normalizer"`
	PreTokenizer json.RawMessage    `json:"pre_tokenizer"`
	Added        []object           `json:"added"`
	Model        object             `json:"model"`
	Texts        map[string][]int32 `json:"texts"`
}

// pipelineSymbols are the symbols of cases that are not byte level, in order of ids.
func pipelineSymbols() []string {
	symbols := []string{"<unk>", "</s>"}
	for b := range 256 {
		symbols = append(symbols, "<0x"+string("0123456789ABCDEF"[b/16])+string("0123456789ABCDEF"[b%16])+">")
	}
	for _, r := range "▁abc1.,é_" {
		symbols = append(symbols, string(r))
	}
	return symbols
}

// file writes the case as a tokenizer.json.
func (c *pipelineCase) file() object {
	vocab := object{}
	if c.ByteLevel {
		for b, r := range byteChars {
			vocab[string(r)] = b
		}
	} else {
		for id, s := range pipelineSymbols() {
			vocab[s] = id
		}
	}
	for _, m := range c.Merges {
		if _, ok := vocab[join(m)]; !ok {
			vocab[join(m)] = len(vocab)
		}
	}
	added := []any{object{"id": len(vocab), "content": "<end>", "special": true}}
	for _, a := range c.Added {
		added = append(added, a)
	}
	model := object{"type": "BPE", "vocab": vocab, "merges": c.Merges}
	for k, v := range c.Model {
		model[k] = v
	}
	return object{"added_tokens": added, "normalizer": c.Normalizer, "pre_tokenizer": c.PreTokenizer, "model": model}
}

// Every normalizer, pre-tokenizer, flag and kind of added token, alone and combined, against
// recorded ids.
func TestPipelines(t *testing.T) {
	f := must.Get(os.Open("testdata/pipelines.jsonl"))(t)
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	cases := 0
	for s.Scan() {
		cases++
		var c pipelineCase
		must.OK(t, json.Unmarshal(s.Bytes(), &c))
		tok := build(t, c.file(), "<end>")
		for text, want := range c.Texts {
			got, err := tok.EncodeSpecial([]byte(text))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("line %d: %q encodes to %v, %v, want %v\nnormalizer %s\npre-tokenizer %s\nadded %v\nmodel %v",
					cases, text, got, err, want, c.Normalizer, c.PreTokenizer, c.Added, c.Model)
			}
		}
	}
	if s.Err() != nil || cases != 160 {
		t.Errorf("%d cases, %v", cases, s.Err())
	}
}
