package characters_test

import (
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/characters"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// read reads a grammar without a lexer.
func read(t *testing.T, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(lark.Parse([]byte("%lexer dynamic\n"+text), lark.Options{File: "test.lark"}))(t)
	return g
}

// TestTexts checks texts of all that a terminal can be.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		about, grammar    string
		accepted, refused []string
	}{
		{"few strings and many", "start: \"if\" N | \"iffy\"\nN: /[a-z]+/", []string{"ifa", "iffy", "ififfy"}, []string{"if", "iff9"}},
		{"a loop through the start", "start: A \"ab\"\nA: /(ab)+/", []string{"abab", "ababab"}, []string{"ab", "aba"}},
		{"characters beyond ASCII", "start: /[α-ω]+/ \"ω\"", []string{"αω", "ωω"}, []string{"ω", "Αω"}},
		{"ignored text, used in a rule as well", "start: W \"x\" | \"y\"\nW: / +/\n%ignore W", []string{" x", "   x", "  y "}, []string{"x"}},
		{"only ignored text", "start:\n%ignore \" \"", []string{"", "  "}, []string{"x"}},
		{"a terminal that is declared only", "start: \"a\" | D\n%declare D", []string{"a"}, []string{"", "D"}},
		{"one character behind a match", "start: W+\nW: /[a-z]+(?![a-z])/ | /[0-9](?=[0-9])|[0-9]\\Z/\n%ignore \" \"", []string{"ab cd", "ab1", "12", "1"}, []string{"1 2", "1a"}},
		{"characters in front", "start: (W | N)+\nW: /\\b[a-zé]+/\nN: /[0-9]/\n%ignore \" \"", []string{"a1", "1 a", "é"}, []string{"1a", "1é"}},
		{"several characters in front", "start: (A | \"x\" | \"y\")+\nA: /(?<=xy)a|(?<!y)b/", []string{"xya", "b", "xb"}, []string{"a", "ya", "yb"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			r := must.Get(recognizer.New(t.Context(), read(t, c.grammar), recognizer.Options{}))(t)
			for _, text := range c.accepted {
				if err := r.Check([]byte(text)); err != nil {
					t.Errorf("%q: %v", text, err)
				}
			}
			for _, text := range c.refused {
				if r.Check([]byte(text)) == nil {
					t.Errorf("%q is accepted", text)
				}
			}
		})
	}
}

// TestErrors asks for what cannot be without lexemes.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"start: A\nA: /a(?!bc)/": "more than one character",
		"start: A\nA: /a/\nNL: /\\n/\n%layout newline=NL indent=I dedent=D\n%declare I D": "no %layout",
	} {
		if _, err := characters.Of(t.Context(), read(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
