package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestOtherTokenizers runs a benchmark with tokenizers that are not BPE: a Unigram one as T5 has,
// whose words begin with a space, and a WordPiece one as BERT has. A document that their tokens
// cannot write ends the run with the place, before anything is measured.
func TestOtherTokenizers(t *testing.T) {
	space := map[string]any{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
	unigram := []any{[]any{"<unk>", 0}, []any{"</s>", 0}, []any{"▁", -3}, []any{"▁true", -1}}
	wordPiece := map[string]int{"[UNK]": 0, "</s>": 1, "true": 2, "##true": 3}
	for c := byte(0x21); c < 0x7f; c++ {
		unigram = append(unigram, []any{string(c), -4})
		wordPiece[string(c)], wordPiece["##"+string(c)] = 2*int(c), 2*int(c)+1
	}
	special := []any{map[string]any{"id": 0, "content": unigram[0].([]any)[0], "special": true}, map[string]any{"id": 1, "content": "</s>", "special": true}}
	dir := t.TempDir()
	for name, file := range map[string]map[string]any{
		"t5": {
			"added_tokens": special, "decoder": space, "model": map[string]any{"type": "Unigram", "unk_id": 0, "vocab": unigram},
			"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{map[string]any{"type": "WhitespaceSplit"}, space}},
		},
		"bert": {
			"added_tokens": special[1:], "decoder": map[string]any{"type": "WordPiece", "prefix": "##"},
			"normalizer": map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": false, "strip_accents": nil}, "pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
			"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": wordPiece},
		},
		"right": {"id": "1", "content": `{"a": [true, 1.5], "b": "c d"}`},
		"wrong": {"id": "2", "content": "{\"a\":\n1}"},
	} {
		text := must.Get(json.Marshal(file))(t)
		must.OK(t, os.WriteFile(filepath.Join(dir, name+".json"), text, 0o644))
	}
	for _, tokenizer := range seed.Some(t, []string{"t5", "bert"}, 2, 1, 1) {
		for _, document := range []string{"right", "wrong"} {
			cfg := filepath.Join(dir, "c.yaml")
			text := "name: c\nalgorithms: [naive, psc]\ntokenizers: [{file: " + tokenizer + ".json}]\nworkloads: [{grammar: json, dataset: {format: jsonl, path: " + document + ".json}}]\nmeasure: {warmup: 0, repeat: 1, compiles: 1}\n"
			must.OK(t, os.WriteFile(cfg, []byte(text), 0o644))
			out := filepath.Join(t.TempDir(), "out")
			r := gcdbench(t, "", "run", cfg, "--out", out)
			if right := document == "right"; right && (r.status != exitOK || !strings.Contains(r.out, "All 2 cells are right")) {
				t.Errorf("%s: exit status %d: %s%s", tokenizer, r.status, r.out, r.err)
			} else if !right && (r.status != exitUsage || !strings.Contains(r.err, `document 2: tokenizer`) || !strings.Contains(r.err, `where the text has "\n1}"`)) {
				t.Errorf("%s: exit status %d: %s%s", tokenizer, r.status, r.out, r.err)
			}
		}
	}
}
