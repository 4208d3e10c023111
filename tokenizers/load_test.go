package tokenizers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/must"
)

func TestParseSpec(t *testing.T) {
	cases := []struct {
		spec, name string
		n          int
		ok         bool
	}{
		{"llama3", "llama3", 0, true},
		{"llama3[:32000]", "llama3", 32000, true},
		{"dir/tokenizer.json[:5]", "dir/tokenizer.json", 5, true},
		{"llama3[:]", "", 0, false},
		{"llama3[:0]", "", 0, false},
		{"llama3[:-1]", "", 0, false},
		{"llama3[:10", "", 0, false},
		{"llama3[:10]x", "", 0, false},
	}
	for _, c := range cases {
		name, n, err := parseSpec(c.spec)
		if (err == nil) != c.ok || name != c.name || n != c.n {
			t.Errorf("%q: %q, %d, %v", c.spec, name, n, err)
		}
		if err != nil && !strings.Contains(err.Error(), "NAME[:N]") {
			t.Errorf("%q: %v does not say how to write it", c.spec, err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	whole := string(marshal(t, spmFile()))
	half := write("half.json", whole[:len(whole)/2])
	gone := filepath.Join(dir, "missing.json")
	cases := []struct{ spec, want string }{
		{"o200k_base:300", `no tokenizer is called "o200k_base:300"; a cut is written o200k_base[:300]; there are`},
		{"llama4", `no tokenizer is called "llama4"; there are o200k_base, cl100k_base, r50k_base, llama3,`},
		{gone, "^" + gone + ": no such file"},
		{dir, "^" + filepath.Join(dir, "tokenizer.json") + ": no such file"},
		{write("mark.json", "\ufeff"+whole), "mark.json:1:1: an object expected, found a byte order mark (byte 0); save the file as UTF-8 without one"},
		{half, half + ":1:"},
		{half, "the file is cut off"},
		{write("type.json", `{"model":{"type":"BPE","vocab":[],"merges":[]}}`), "type.json:1:32: an object expected, found an array"},
		{write("model.json", `{"model":{"type":"Magic","vocab":{}}}`), `unknown model type "Magic"`},
		{"o200k_base[:x]", "NAME[:N]"},
		{"o200k_base[:999999]", "it has 200019"},
	}
	for _, c := range cases {
		_, err := Load(t.Context(), c.spec, Options{CacheDir: filepath.Join(dir, "cache"), Offline: true})
		want, begins := strings.CutPrefix(c.want, "^") // or its beginning
		if err == nil || !strings.Contains(err.Error(), want) || begins && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", c.spec, err, c.want)
		}
	}
	if _, err := Fetch(t.Context(), "llama4", Options{CacheDir: dir}); err == nil || !strings.Contains(err.Error(), "there are") {
		t.Errorf("fetch of an unknown name: %v", err)
	}
	if p, err := Fetch(t.Context(), "r50k_base", Options{CacheDir: dir}); err != nil || p.Source != "embedded" {
		t.Errorf("fetch of an embedded one: %v, %v", p, err)
	}
}

func TestLoadFile(t *testing.T) {
	path := writeTokenizer(t, byteLevelFile("h e"), "<|end|>")
	opt := Options{CacheDir: t.TempDir()}
	for _, spec := range []string{path, filepath.Dir(path), path + "[:257]"} {
		tok, err := Load(t.Context(), spec, opt)
		must.OK(t, err)
		ids, err := tok.Encode([]byte("he"))
		if err != nil || !slices.Equal(ids, []int32{256}) {
			t.Errorf("%s: %v, %v", spec, ids, err)
		}
		if p := tok.Provenance(); p.Source != "file" || len(p.Files) != 2 || p.Files[0].SHA256 == "" {
			t.Errorf("%s: provenance %+v", spec, p)
		}
	}
	// EOS by option instead of the configuration; without either, by the usual names.
	tok, err := Load(t.Context(), path, Options{CacheDir: opt.CacheDir, EOS: []string{"<tool>"}})
	if err != nil || !slices.Equal(tok.Vocabulary().EOS(), []int{258}) {
		t.Errorf("EOS by option: %v, %v", tok, err)
	}
	path = writeTokenizer(t, byteLevelFile("h e"), "")
	if tok, err = Load(t.Context(), path, opt); err != nil || tok.Vocabulary().EOS() != nil {
		t.Fatalf("no EOS anywhere: %v", err)
	}
	if ids, err := tok.Encode([]byte("he")); err != nil || len(ids) != 1 {
		t.Errorf("encoding needs no EOS: %v, %v", ids, err)
	}
}

// A cache that cannot be written does not stop a local file from being used.
func TestLoadFileWithoutCache(t *testing.T) {
	path := writeTokenizer(t, spmFile(), "</s>")
	if _, err := Load(t.Context(), path, Options{CacheDir: path}); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	var names []string
	for _, info := range Names() {
		names = append(names, info.Name)
		if info.Size == 0 || info.Licence == "" || info.Source == "" || info.Embedded && !info.Cached {
			t.Errorf("%+v", info)
		}
	}
	if got := strings.Join(names, " "); got != "o200k_base cl100k_base r50k_base llama3 qwen2.5 gemma3 mistral-v0.1 llama2" {
		t.Errorf("names: %s", got)
	}
	for alias, name := range map[string]string{"qwen2_5": "qwen2.5", "llama3": "llama3"} {
		if o := originOf(alias); o == nil || o.name != name {
			t.Errorf("%s is %v", alias, o)
		}
	}
}

// The embedded encodings: known ids, control tokens, unused ids, and text that reads like a
// control token.
func TestEmbedded(t *testing.T) {
	cases := []struct {
		name, text string
		want       []int32
	}{
		{"o200k_base", "hello world", []int32{24912, 2375}},
		{"cl100k_base", "hello world", []int32{15339, 1917}},
		{"r50k_base", "hello world", []int32{31373, 995}},
		{"gpt4o-o200k", "", nil},
	}
	for _, c := range cases {
		tok, err := Load(t.Context(), c.name, Options{})
		must.OK(t, err)
		ids, err := tok.Encode([]byte(c.text))
		if err != nil || !slices.Equal(ids, c.want) {
			t.Errorf("%s: %q encodes to %v, %v, want %v", c.name, c.text, ids, err, c.want)
		}
		ids, err = tok.EncodeContinuation([]byte("a<|endoftext|>\xff\xfe"))
		if err != nil || slices.Contains(ids, int32(tok.Vocabulary().EOS()[0])) {
			t.Errorf("%s: control token text encodes to %v, %v", c.name, ids, err)
		}
		ids, err = tok.EncodeSpecial([]byte("<|endoftext|>"))
		if err != nil || !slices.Equal(ids, []int32{int32(tok.Vocabulary().EOS()[0])}) {
			t.Errorf("%s: EncodeSpecial gives %v, %v", c.name, ids, err)
		}
	}
	tok := must.Get(Load(t.Context(), "o200k_base", Options{}))(t)
	if v := tok.Vocabulary(); v.Kind(199998) != Unused || v.Kind(200018) != SpecialToken || v.Token(199998) != nil {
		t.Errorf("kinds %v, %v", v.Kind(199998), v.Kind(200018))
	}
}

// A tokenizer is used by many goroutines at once.
func TestConcurrentEncode(t *testing.T) {
	tok := build(t, spmFile(), "</s>")
	want := must.Get(tok.Encode([]byte("ab ab\n\nc")))(t)
	tok = build(t, spmFile(), "</s>") // not prepared yet
	done := make(chan []int32)
	for range 8 {
		go func() {
			var ids []int32
			for range 50 {
				ids, _ = tok.Encode([]byte("ab ab\n\nc"))
			}
			done <- ids
		}()
	}
	for range 8 {
		if ids := <-done; !slices.Equal(ids, want) {
			t.Errorf("%v, want %v", ids, want)
		}
	}
}
