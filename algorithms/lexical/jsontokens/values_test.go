package jsontokens

import (
	"testing"

	"gcdbench/grammar/automata"
)

// TestWord is what strings go on with: all of a text, and where many bytes may be next one that
// leads to where the string then stays.
func TestWord(t *testing.T) {
	for _, c := range []struct{ pattern, text, word string }{
		{`"name"`, `"`, "name"},
		{`"name"`, `"na`, "me"},
		{`"name"`, `"name`, ""},
		{`"name"`, `"name"`, ""},
		{`"(red|green|blue)"`, `"`, "red"},
		{`"(red|green|blue)"`, `"g`, "reen"},
		{`"[0-9]{4}-x"`, `"1234`, "-x"},
		{`"[0-9]{4}-x"`, `"`, ""}, // it does not stay anywhere
		{`"[a-z]+@x"`, `"`, "e"},
		{`"[a-z]+@x"`, `"a`, ""}, // it stays
		{`"[^"\\\x00-\x1f]*"`, `"`, ""},
	} {
		p := (&Lexicon{}).Profile(automata.MustCompile(c.pattern, 0))
		if got := string(p.Word(runs(p.d, p.d.Start(), []byte(c.text)))); got != c.word {
			t.Errorf("%s goes on with %q after %q, want %q", c.pattern, got, c.text, c.word)
		}
	}
}
