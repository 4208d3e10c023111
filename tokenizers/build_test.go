package tokenizers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"gcdbench/internal/must"
)

// object is JSON under construction.
type object = map[string]any

// byteLevelFile is a small byte-level tokenizer.json: 256 single bytes, then the given merges
// ("left right" in byte characters), then a control token and an added one after the model's
// ids.
func byteLevelFile(merges ...string) object {
	vocab := object{}
	for b, r := range byteChars {
		vocab[string(r)] = b
	}
	for _, m := range merges {
		vocab[join(m)] = len(vocab)
	}
	n := len(vocab)
	merges = append([]string{}, merges...) // not null
	return object{
		"version": "1.0",
		"added_tokens": []any{
			object{"id": n, "content": "<|end|>", "special": true},
			object{"id": n + 1, "content": "<tool>", "special": false},
		},
		"normalizer": nil,
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []any{
			object{"type": "Split", "pattern": object{"Regex": patternCL100K}, "behavior": "Isolated", "invert": false},
			object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
		}},
		"decoder": object{"type": "ByteLevel"},
		"model":   object{"type": "BPE", "vocab": vocab, "merges": merges},
	}
}

// join removes the space of a merge.
func join(m string) string {
	for i := range m {
		if m[i] == ' ' {
			return m[:i] + m[i+1:]
		}
	}
	return m
}

// spmFile is a small tokenizer.json as SentencePiece's are converted: bytes, characters, merges
// as pairs.
func spmFile() object {
	vocab := object{"<unk>": 0, "<s>": 1, "</s>": 2}
	for b := range 256 {
		vocab["<0x"+string("0123456789ABCDEF"[b/16])+string("0123456789ABCDEF"[b%16])+">"] = len(vocab)
	}
	for _, t := range []string{"▁", "a", "b", "c", "\n", "▁▁", "ab", "▁a", "▁ab", "\n\n", "é"} {
		vocab[t] = len(vocab)
	}
	return object{
		"added_tokens": []any{
			object{"id": 0, "content": "<unk>", "special": true},
			object{"id": 1, "content": "<s>", "special": true},
			object{"id": 2, "content": "</s>", "special": true},
			object{"id": vocab["\n\n"], "content": "\n\n", "special": false},
			object{"id": vocab["▁▁"], "content": "▁▁", "special": false},
		},
		"normalizer": object{"type": "Sequence", "normalizers": []any{
			object{"type": "Prepend", "prepend": "▁"},
			object{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"},
		}},
		"decoder": object{"type": "Sequence", "decoders": []any{
			object{"type": "Replace", "pattern": object{"String": "▁"}, "content": " "},
			object{"type": "ByteFallback"}, object{"type": "Fuse"}, object{"type": "Strip", "content": " ", "start": 1},
		}},
		"model": object{
			"type": "BPE", "unk_token": "<unk>", "byte_fallback": true, "fuse_unk": true, "vocab": vocab,
			"merges": []any{[]any{"▁", "▁"}, []any{"a", "b"}, []any{"▁", "a"}, []any{"▁", "ab"}},
		},
	}
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	data := must.Get(json.Marshal(v))(t)
	return data
}

// writeTokenizer writes a tokenizer.json, and a configuration naming its EOS token unless that
// is empty, and returns the path.
func writeTokenizer(t testing.TB, file any, eos string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tokenizer.json")
	data, ok := file.([]byte)
	if !ok {
		data = marshal(t, file)
	}
	must.OK(t, os.WriteFile(path, data, 0o644))
	if eos != "" {
		must.OK(t, os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), marshal(t, object{"eos_token": eos}), 0o644))
	}
	return path
}

// build compiles a tokenizer.json without touching the cache.
func build(t testing.TB, file any, eos ...string) *Tokenizer {
	t.Helper()
	data, ok := file.([]byte)
	if !ok {
		data = marshal(t, file)
	}
	f := must.Get(parseTokenizerJSON("test.json", data))(t)
	d := must.Get(f.definition("test", eos))(t)
	tok := must.Get(newTokenizer(d))(t)
	return tok
}

// tokens encodes text and shows the ids as their bytes, joined by bars; control and added
// tokens in brackets.
func tokens(t testing.TB, tok *Tokenizer, ids []int32) string {
	t.Helper()
	out := ""
	for i, id := range ids {
		if i > 0 {
			out += "|"
		}
		if b := string(tok.Vocabulary().Token(int(id))); tok.Vocabulary().Legal(int(id)) {
			out += b
		} else {
			out += "[" + b + "]"
		}
	}
	return out
}
