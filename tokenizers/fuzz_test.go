package tokenizers

import (
	"bytes"
	"slices"
	"testing"

	"gcdbench/internal/must"
)

// Whatever bytes a tokenizer.json has, loading it ends in a tokenizer or an error; and if it is
// a tokenizer, it encodes, decodes, and survives its parsed form.
func FuzzTokenizerJSON(f *testing.F) {
	f.Add(marshal(f, byteLevelFile("h e")), []byte("hehe"))
	f.Add(marshal(f, spmFile()), []byte("ab  é\n\n"))
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"added_tokens":[{"id":1,"content":"</s>"}]}`), []byte("a"))
	f.Add([]byte(`{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"a*"},"behavior":"MergedWithNext"},"model":{"merges":[],"vocab":{"</s>":0}}}`), []byte("aab"))
	f.Fuzz(func(t *testing.T, file, text []byte) {
		parsed, err := parseTokenizerJSON("fuzz", file)
		if err != nil {
			return
		}
		d, err := parsed.definition("fuzz", nil)
		if err != nil {
			return
		}
		tok, err := newTokenizer(d)
		if err != nil {
			return
		}
		ids, err := tok.Encode(text)
		if err != nil {
			return
		}
		if _, err := tok.Vocabulary().Decode(ids); err != nil {
			t.Errorf("an id that is none: %v", err)
		}
		tok.Vocabulary().Trie()
		stored := must.Get(encodeParsed(d, "key"))(t)
		again := must.Get(decodeParsed("fuzz", stored, "key"))(t)
		if again.vocabulary.SHA256() != d.vocabulary.SHA256() {
			t.Error("the parsed form changes the vocabulary")
		}
	})
}

// For vocabularies with all bytes, EncodeContinuation and Decode are inverse on any bytes, and
// ids are legal, whole and cut.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range []string{"", "hello  world", "ab▁ab", "\xff\xfe\xe2\x96", "\r\n\n\t", "<s></s><|end|>", "é\u0301", "a\n\n\n"} {
		f.Add([]byte(text))
	}
	spm := build(f, spmFile(), "</s>")
	bytesLevel := build(f, byteLevelFile("h e", "l l", "he ll", "Ġ Ġ"), "<|end|>")
	r50k := must.Get(Load(f.Context(), "r50k_base", Options{}))(f)
	cut := must.Get(r50k.Cut(5000))(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, tok := range []*Tokenizer{spm, bytesLevel, r50k, cut} {
			ids := must.Get(tok.EncodeContinuation(text))(t)
			if slices.ContainsFunc(ids, func(id int32) bool { return !tok.Vocabulary().Legal(int(id)) }) {
				t.Errorf("%s: %q encodes to ids that are not legal: %v", tok.Vocabulary().Name(), text, ids)
			}
			if back, err := tok.Vocabulary().Decode(ids); err != nil || !bytes.Equal(back, text) {
				t.Errorf("%s: %q comes back as %q, %v", tok.Vocabulary().Name(), text, back, err)
			}
		}
	})
}
