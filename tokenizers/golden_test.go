package tokenizers

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// fetched loads a named tokenizer, and skips the test if it is neither cached nor to be had.
// Tests never fetch by themselves unless GCDBENCH_FULL is set.
func fetched(t testing.TB, spec string) *Tokenizer {
	t.Helper()
	tok, err := Load(context.Background(), spec, Options{Offline: !seed.Full()})
	if err != nil {
		t.Skipf("%s is not available: %v", spec, err)
	}
	return tok
}

// sharedData opens a file of ../shared/data, beside the module's root.
func sharedData(t testing.TB, name string, line func([]byte)) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", name))
	if err != nil {
		t.Skipf("no shared data: %v", err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		line(s.Bytes())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

// goldenTexts returns the documents by name, read once.
var goldenTexts = struct {
	sync.Once
	byDoc map[string]string
	all   []byte
}{}

func golden(t testing.TB) map[string]string {
	t.Helper()
	goldenTexts.Do(func() {
		goldenTexts.byDoc = map[string]string{}
		sharedData(t, "tokenizer-golden-dev-texts.jsonl.gz", func(line []byte) {
			var r struct{ Doc, Text string }
			must.OK(t, json.Unmarshal(line, &r))
			goldenTexts.byDoc[r.Doc] = r.Text
			goldenTexts.all = append(goldenTexts.all, r.Text...)
		})
	})
	if len(goldenTexts.byDoc) == 0 {
		t.Skip("no golden texts")
	}
	return goldenTexts.byDoc
}

// The golden ids are those of the tokenizers' own implementations.
func TestGoldenIDs(t *testing.T) {
	texts := golden(t)
	type record struct {
		Tokenizer, Doc string
		IDs            []int32
	}
	records := map[string][]record{}
	sharedData(t, "tokenizer-golden-dev.jsonl.gz", func(line []byte) {
		var r record
		must.OK(t, json.Unmarshal(line, &r))
		records[r.Tokenizer] = append(records[r.Tokenizer], r)
	})
	for name, list := range records {
		t.Run(name, func(t *testing.T) {
			tok := fetched(t, name)
			for _, r := range list {
				got := must.Get(tok.Encode([]byte(texts[r.Doc])))(t)
				if !slices.Equal(got, r.IDs) {
					i := 0
					for i < min(len(got), len(r.IDs)) && got[i] == r.IDs[i] {
						i++
					}
					t.Errorf("%s: ids differ from position %d on: %v, want %v", r.Doc, i, got[i:min(i+8, len(got))], r.IDs[i:min(i+8, len(r.IDs))])
				}
			}
			t.Logf("%d texts", len(list))
		})
	}
}

// A corpus text must be writable: the ids of EncodeContinuation are legal and their bytes are
// the text's.
func TestContinuationIsExactAndLegal(t *testing.T) {
	texts := golden(t)
	for _, info := range Names() {
		t.Run(info.Name, func(t *testing.T) {
			tok := fetched(t, info.Name)
			for doc, text := range texts {
				ids, err := tok.EncodeContinuation([]byte(text))
				if err != nil {
					t.Errorf("%s: %v", doc, err)
				}
				for _, id := range ids {
					if !tok.Vocabulary().Legal(int(id)) {
						t.Errorf("%s: id %d (%q) is not legal", doc, id, tok.Vocabulary().Token(int(id)))
					}
				}
			}
		})
	}
}

// The sizes and EOS tokens of the named vocabularies.
func TestNamedVocabularies(t *testing.T) {
	cases := []struct {
		name        string
		size, legal int
		eos         string
		trie, equal int // nodes; groups of equal tokens
	}{
		{"o200k_base", 200019, 199998, "<|endoftext|>", 421660, 0},
		{"cl100k_base", 100277, 100256, "<|endoftext|>", 0, 0},
		{"r50k_base", 50257, 50256, "<|endoftext|>", 0, 0},
		{"llama3", 128256, 128000, "<|end_of_text|>", 274520, 0},
		{"qwen2.5", 151665, 151651, "<|im_end|>", 333080, 0},
		{"gemma3", 262145, 262136, "<end_of_turn>", 600389, 110},
		{"mistral-v0.1", 32000, 31997, "</s>", 55880, 125},
		{"llama2", 32000, 31997, "</s>", 57506, 96},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := fetched(t, c.name).Vocabulary()
			legal := 0
			var single [256]bool
			for id := range v.Len() {
				if v.Legal(id) {
					legal++
					if b := v.Token(id); len(b) == 1 {
						single[b[0]] = true
					}
				}
			}
			if v.Len() != c.size || legal != c.legal {
				t.Errorf("%d ids, %d legal; want %d, %d", v.Len(), legal, c.size, c.legal)
			}
			if len(v.EOS()) != 1 || string(v.Token(v.EOS()[0])) != c.eos || v.Legal(v.EOS()[0]) {
				t.Errorf("EOS %v", v.EOS())
			}
			tr := v.Trie()
			if c.trie != 0 && len(tr.Nodes) != c.trie || len(tr.Equal()) != c.equal {
				t.Errorf("trie of %d nodes, %d groups of equal tokens; want %d, %d", len(tr.Nodes), len(tr.Equal()), c.trie, c.equal)
			}
			for b, ok := range single {
				if !ok {
					t.Errorf("no token for byte %#02x", b)
				}
			}
		})
	}
}
