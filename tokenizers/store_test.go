package tokenizers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/internal/must"
)

// What is written is read back: same vocabulary, same ids, for both families.
func TestParsedRoundTrip(t *testing.T) {
	for name, tok := range map[string]*Tokenizer{
		"byte level": build(t, byteLevelFile("h e", "he l"), "<|end|>"),
		"characters": build(t, spmFile(), "</s>"),
	} {
		data, err := encodeParsed(&definition{vocabulary: tok.vocabulary, model: tok.model, Pipeline: tok.pipeline}, "key")
		must.OK(t, err)
		d, err := decodeParsed("again", data, "key")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again := must.Get(newTokenizer(d))(t)
		if again.Vocabulary().SHA256() != tok.Vocabulary().SHA256() || again.Vocabulary().Name() != "again" {
			t.Errorf("%s: the vocabulary changes", name)
		}
		for _, text := range []string{"", "hello\n\n  é日\xff", "ab ab <s> <tool>"} {
			a, _ := tok.Encode([]byte(text))
			b, _ := again.Encode([]byte(text))
			if !slices.Equal(a, b) {
				t.Errorf("%s: %q encodes to %v, then %v", name, text, a, b)
			}
		}
	}
}

// Any damage is noticed: a cut at any place, any byte changed, another key.
func TestParsedDamage(t *testing.T) {
	tok := build(t, spmFile(), "</s>")
	data := must.Get(encodeParsed(&definition{vocabulary: tok.vocabulary, model: tok.model, Pipeline: tok.pipeline}, "key"))(t)
	for n := range data {
		if _, err := decodeParsed("x", data[:n], "key"); !errors.Is(err, errParsed) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		damaged := bytes.Clone(data)
		damaged[n] ^= 0x40
		if _, err := decodeParsed("x", damaged, "key"); !errors.Is(err, errParsed) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
	if _, err := decodeParsed("x", data, "other"); !errors.Is(err, errParsed) {
		t.Errorf("another key: %v", err)
	}
}

// A damaged parsed form is made anew, a missing one too.
func TestParsedIsRebuilt(t *testing.T) {
	path, dir := writeTokenizer(t, spmFile(), "</s>"), t.TempDir()
	load := func() {
		t.Helper()
		tok, err := Load(t.Context(), path, Options{CacheDir: dir})
		if err != nil || tok.Vocabulary().Len() != 270 || tok.Vocabulary().Name() != path {
			t.Fatalf("%v, %v", tok, err)
		}
	}
	load()
	files, _ := filepath.Glob(filepath.Join(dir, "parsed", "*"))
	if len(files) != 1 {
		t.Fatalf("parsed forms: %v", files)
	}
	good := must.Get(os.ReadFile(files[0]))(t)
	must.OK(t, os.WriteFile(files[0], good[:len(good)-7], 0o644))
	load()
	if again, _ := os.ReadFile(files[0]); !bytes.Equal(again, good) {
		t.Error("the damaged parsed form stays")
	}
	load() // from the parsed form
}

func TestStoreBlobs(t *testing.T) {
	s := store{t.TempDir()}
	f := must.Get(s.putBlob([]byte("content")))(t)
	if data, err := s.blob(f); err != nil || string(data) != "content" {
		t.Errorf("%q, %v", data, err)
	}
	p := Provenance{Name: "x", Source: "npm", Files: []FileSum{f}}
	if _, ok := s.record("x"); ok {
		t.Error("a record before there is one")
	}
	must.OK(t, s.putRecord(p))
	if got, ok := s.record("x"); !ok || got.Files[0] != f {
		t.Errorf("record %v, %v", got, ok)
	}
	path := filepath.Join(s.dir, "blobs", f.SHA256)
	must.OK(t, os.WriteFile(path, []byte("Content"), 0o644))
	if _, err := s.blob(f); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("damaged blob: %v", err)
	}
	must.OK(t, os.Remove(path))
	if _, ok := s.record("x"); ok {
		t.Error("a record whose file is gone counts")
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*", ".new-*")); len(left) != 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

// A cache that cannot be written is named in the error, with the way out.
func TestStoreUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.OK(t, os.WriteFile(file, nil, 0o644))
	_, err := Fetch(t.Context(), "llama2", Options{CacheDir: filepath.Join(file, "cache")})
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), CacheDirEnv) {
		t.Errorf("error %v", err)
	}
}

func TestLock(t *testing.T) {
	s := store{t.TempDir()}
	unlock := must.Get(s.lock(t.Context(), "x"))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*100*time.Millisecond)
	defer cancel()
	if _, err := s.lock(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	other := must.Get(s.lock(t.Context(), "y"))(t)
	other()
	time.AfterFunc(2*100*time.Millisecond, unlock)
	unlock = must.Get(s.lock(t.Context(), "x"))(t)
	unlock()
}

func TestCacheDir(t *testing.T) {
	t.Setenv(CacheDirEnv, "/elsewhere")
	if dir, err := CacheDir(); dir != "/elsewhere" || err != nil {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv(CacheDirEnv, "")
	t.Setenv("XDG_CACHE_HOME", "/users")
	t.Setenv("HOME", "/home/user")
	if dir, err := CacheDir(); filepath.Base(dir) != "gcdbench" || err != nil {
		t.Errorf("%s, %v", dir, err)
	}
}
