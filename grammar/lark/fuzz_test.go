package lark

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// FuzzParse feeds texts to the front end: it must not panic or run long, its errors must have a
// place in the text, and a grammar that it takes must be sound, be described, and be taken again
// alike.
func FuzzParse(f *testing.F) {
	for _, file := range caseFiles(f) {
		for _, c := range readCases(f, file) {
			f.Add(c.Grammar, c.Files["a.lark"])
		}
	}
	for seed := range uint64(20) {
		f.Add(generate(seed), "")
	}
	f.Fuzz(func(t *testing.T, text, imported string) {
		files := fstest.MapFS{"a.lark": &fstest.MapFile{Data: []byte(imported)}}
		g, err := Parse([]byte(text), Options{File: "main.lark", FS: files})
		if err != nil {
			checkError(t, err, map[string]string{"main.lark": text, "a.lark": imported})
			return
		}
		must.OK(t, g.Validate())
		var first, second strings.Builder
		must.OK(t, Describe(&first, g))
		again := must.Get(Parse([]byte(text), Options{File: "main.lark", FS: files}))(t)
		must.OK(t, Describe(&second, again))
		if first.String() != second.String() || g.SHA256 != again.SHA256 {
			t.Fatalf("two results:\n%s\n%s", first.String(), second.String())
		}
	})
}

// checkError checks that an error is about a place in one of the texts.
func checkError(t *testing.T, err error, texts map[string]string) {
	t.Helper()
	var e *grammar.Error
	if !errors.As(err, &e) {
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			return
		}
		t.Fatalf("error without a place: %v", err)
	}
	text, ok := texts[e.Pos.File]
	if !ok || !e.Pos.IsValid() {
		if strings.HasPrefix(e.Pos.File, "lark:") {
			return
		}
		t.Fatalf("error at a place that is not in the text: %v", err)
	}
	text = strings.TrimPrefix(text, string(byteOrderMark))
	lines := strings.Split(text, "\n")
	if e.Pos.Line > len(lines)+1 {
		t.Fatalf("error in line %d of %d: %v", e.Pos.Line, len(lines), err)
	}
	if e.Pos.Line <= len(lines) && e.Pos.Column > len(lines[e.Pos.Line-1])+1 {
		t.Fatalf("error in column %d of line %q: %v", e.Pos.Column, lines[e.Pos.Line-1], err)
	}
}
