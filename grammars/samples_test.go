package grammars_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gcdbench/recognizer"
)

// checkSamples checks that a grammar takes the valid samples in a folder, and that there are enough of them.
func checkSamples(t *testing.T, r *recognizer.Recognizer, folder, pattern string, atLeast int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "valid", pattern))
	if err != nil || len(files) < atLeast {
		t.Fatalf("%d samples (%v), want at least %d", len(files), err, atLeast)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(text); err != nil {
			t.Errorf("%s:%v", filepath.Base(file), err)
		}
	}
}

// checkMistakes checks that a grammar refuses each faulty sample where mistakes.json says, and that the list is complete.
func checkMistakes(t *testing.T, r *recognizer.Recognizer, folder, pattern string, atLeast int) {
	t.Helper()
	folder = filepath.Join(folder, "invalid")
	text, err := os.ReadFile(filepath.Join(folder, "mistakes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var mistakes []struct {
		File, Mistake string
		Line, Column  int
	}
	if err := json.Unmarshal(text, &mistakes); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
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
		text, err := os.ReadFile(filepath.Join(folder, m.File))
		if err != nil {
			t.Fatal(err)
		}
		var refusal *recognizer.Refusal
		if err := r.Check(text); !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want a refusal at %d:%d: %s", m.File, err, m.Line, m.Column, m.Mistake)
		} else if refusal.Line != m.Line || refusal.Column != m.Column {
			t.Errorf("%s:%v, want it at %d:%d: %s", m.File, refusal, m.Line, m.Column, m.Mistake)
		}
	}
}
