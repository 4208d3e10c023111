package jsontokens_test

import (
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// compile makes a recognizer of a grammar's text.
func compile(t testing.TB, text string) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return r
}
