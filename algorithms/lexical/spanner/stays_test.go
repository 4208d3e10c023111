package spanner_test

import (
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
)

// beyond are tokens beyond ASCII, well-formed, ending inside of a character, beginning there, and
// such as no text has.
func beyond() (tokens []string) {
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}), string([]byte{'"', 'a', byte(b)}))
	}
	for _, text := range []string{"é", "è", "éé", "日本", "日本語", "語\"", "ab日", "a😀b", "😀😀", "\u2028", "\ufeffx", "\xed\xa0\x80", "\xc0\x80", "\xf5\x80", "é\xe9", "日\xe6\x97"} {
		for end := 1; end <= len(text); end++ {
			tokens = append(tokens, text[:end], "\""+text[:end], text[len(text)-end:])
		}
	}
	return tokens
}

// TestStays compares trees with reading each token, where all characters beyond ASCII lead a lexeme
// back to where it is, most do, or none; and counts that far fewer nodes are walked where all do.
func TestStays(t *testing.T) {
	v := realtext.Vocabulary(t, beyond()...)
	for _, x := range []struct {
		name, grammar string
		fewer         bool
	}{
		{"all", `start: (STRING | NAME | COMMENT)*` + "\n" + `STRING: /"[^"\n]*"/` + "\n" + `NAME: /[a-z]+/` + "\n" + `COMMENT: /#[^\n]*/` + "\n", true},
		{"all but some", `start: (STRING | NAME)*` + "\n" + `STRING: /"[^"é\n]*"/` + "\n" + `NAME: /[a-z]+/` + "\n", false},
		{"only some", `start: (STRING | NAME)*` + "\n" + `STRING: /"[日本語ab]*"/` + "\n" + `NAME: /[a-zé]+/` + "\n", false},
		{"pairs", `start: STRING*` + "\n" + `STRING: /"(..)*"/` + "\n", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := compile(t, x.grammar, false)
			var steps []int64
			for _, without := range []jsontokens.Mechanisms{0, jsontokens.Digits} {
				s := spanner.New(r, v, spanner.Options{Without: without})
				for q := range r.Lexer.NumStates() {
					check(t, s, r, v, lexer.State(q), layout.Registers{})
				}
				steps = append(steps, s.Stats().Steps)
			}
			if (steps[1]-steps[0] > 400) != x.fewer {
				t.Errorf("%d steps, %d without", steps[0], steps[1])
			}
			t.Log(steps)
		})
	}
}
