package languages_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// compiled keeps the recognizers of the embedded grammars, each built when a test first asks for
// it.
var compiled sync.Map

// embedded is the recognizer of an embedded grammar.
func embedded(t *testing.T, name string) *recognizer.Recognizer {
	t.Helper()
	build, _ := compiled.LoadOrStore(name, sync.OnceValues(func() (*recognizer.Recognizer, error) {
		g, err := languages.Load(t.Context(), name)
		if err != nil {
			return nil, err
		}
		return recognizer.New(context.Background(), g, recognizer.Options{})
	}))
	r := must.Get(build.(func() (*recognizer.Recognizer, error))())(t)
	return r
}

// checkCorpus checks that a grammar takes every document of a JSON Lines file of real ones, which
// is skipped if it is not here.
func checkCorpus(t *testing.T, r *recognizer.Recognizer, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip("the corpus is not on this machine: ", err)
	}
	src := must.Get(datasets.Open("jsonl", path, ""))(t)
	docs := must.Get(src.Documents(t.Context()))(t)
	accepted := 0
	for _, d := range docs {
		text := must.Get(d.Read())(t)
		if err := r.Check(text); err != nil {
			t.Errorf("%s:%v", d.ID, err)
			continue
		}
		accepted++
	}
	t.Logf("%d of %d documents accepted", accepted, len(docs))
}

// checkSamples checks that a grammar takes the valid samples in a folder, and that there are enough
// of them.
func checkSamples(t *testing.T, r *recognizer.Recognizer, folder, pattern string, atLeast int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "valid", pattern))
	if err != nil || len(files) < atLeast {
		t.Fatalf("%d samples (%v), want at least %d", len(files), err, atLeast)
	}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		if err := r.Check(text); err != nil {
			t.Errorf("%s:%v", filepath.Base(file), err)
		}
	}
}

// checkMistakes checks that a grammar refuses each faulty sample where mistakes.json says, and that
// the list is complete.
func checkMistakes(t *testing.T, r *recognizer.Recognizer, folder, pattern string, atLeast int) {
	t.Helper()
	folder = filepath.Join(folder, "invalid")
	text := must.Get(os.ReadFile(filepath.Join(folder, "mistakes.json")))(t)
	var mistakes []struct {
		File, Mistake string
		Line, Column  int
	}
	must.OK(t, json.Unmarshal(text, &mistakes))
	files := must.Get(filepath.Glob(filepath.Join(folder, pattern)))(t)
	faulty := 0
	for _, file := range files {
		if filepath.Base(file) != "mistakes.json" {
			faulty++
		}
	}
	if faulty != len(mistakes) || faulty < atLeast {
		t.Fatalf("%d files, %d mistakes, want equally many and at least %d", faulty, len(mistakes), atLeast)
	}
	for _, m := range mistakes {
		text := must.Get(os.ReadFile(filepath.Join(folder, m.File)))(t)
		var refusal *recognizer.Refusal
		if err := r.Check(text); !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want a refusal at %d:%d: %s", m.File, err, m.Line, m.Column, m.Mistake)
		} else if refusal.Line != m.Line || refusal.Column != m.Column {
			t.Errorf("%s:%v, want it at %d:%d: %s", m.File, refusal, m.Line, m.Column, m.Mistake)
		}
	}
}
