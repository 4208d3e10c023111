package jsontokens_test

import (
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
)

// compile makes a recognizer of a grammar's text.
func compile(t testing.TB, text string) *recognizer.Recognizer {
	t.Helper()
	g, err := lark.Parse([]byte(text), lark.Options{File: "test.lark"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
