package jsontokens_test

import (
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// vocabulary is a vocabulary of some tokens.
func vocabulary(t testing.TB, tokens ...string) *tokenizers.Vocabulary {
	t.Helper()
	list := [][]byte{}
	for _, s := range tokens {
		list = append(list, []byte(s))
	}
	v, err := tokenizers.NewVocabulary("test", list, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

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
