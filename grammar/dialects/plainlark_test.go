package dialects

import (
	"path/filepath"
	"testing"

	"gcdbench/datasets"
	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// A grammar that is written for Lark and read again is the same: equally many lexer states, LR
// states and conflicts, and the same verdict on documents.
func TestLarkReadsBack(t *testing.T) {
	for _, name := range languages.Names() {
		g := must.Get(languages.Load(t.Context(), name))(t)
		if g.Layout != nil {
			continue // which Lark's language does not have
		}
		t.Run(name, func(t *testing.T) {
			before, after := readBack(t, g)
			checkSamples(t, name, before, after)
		})
	}
	small := must.Get(lark.Load(filepath.Join("testdata", "small.lark"), lark.Options{}))(t)
	readBack(t, small)
}

// readBack compiles a grammar, and what is read from its translation.
func readBack(t *testing.T, g *grammar.Grammar) (before, after *recognizer.Recognizer) {
	t.Helper()
	again := must.Get(lark.Parse([]byte(translate(t, g, "lark").Text), lark.Options{Name: g.Name}))(t)
	before, after = compile(t, g), compile(t, again)
	if a, b := before.Lexer.NumStates(), after.Lexer.NumStates(); a != b {
		t.Errorf("%s: %d lexer states became %d", g.Name, a, b)
	}
	if a, b := before.Tables.NumStates(), after.Tables.NumStates(); a != b {
		t.Errorf("%s: %d LR states became %d", g.Name, a, b)
	}
	shift, reduce := before.Tables.CountConflicts()
	if s, r := after.Tables.CountConflicts(); s != shift || r != reduce {
		t.Errorf("%s: %d and %d conflicts became %d and %d", g.Name, shift, reduce, s, r)
	}
	return before, after
}

func compile(t *testing.T, g *grammar.Grammar) *recognizer.Recognizer {
	t.Helper()
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	return r
}

// samples are the embedded documents of a language, valid and not.
func samples(t *testing.T, language string) []datasets.Document {
	t.Helper()
	src := must.Get(datasets.Lookup(language + "-samples"))(t)
	docs := must.Get(src.Documents(t.Context()))(t)
	return docs
}

func checkSamples(t *testing.T, language string, before, after *recognizer.Recognizer) {
	t.Helper()
	for _, d := range samples(t, language) {
		text := must.Get(d.Read())(t)
		a, b := before.Check(text) == nil, after.Check(text) == nil
		if a != b {
			t.Errorf("%s: accepted %v before, %v after", d.ID, a, b)
		}
	}
}

// Where a terminal cannot be written as it was, all get priorities, so that their order stays.
func TestLarkPriorities(t *testing.T) {
	g := parse(t, "start: (A | B | \"aa\" | C)*\nA.3: /aa?/\nB: /a+/\nC: \"\\\\\" /n/")
	before, after := readBack(t, g)
	for _, text := range []string{"a", "aa", "aaa", `\n`, "aaa\\n"} {
		if (before.Check([]byte(text)) == nil) != (after.Check([]byte(text)) == nil) {
			t.Errorf("%q is judged in another way", text)
		}
	}
}
