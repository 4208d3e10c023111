package jsontokens

import (
	"testing"

	"gcdbench/grammar/automata"
)

// TestWord is the words that are written for patterns, and where they are cut.
func TestWord(t *testing.T) {
	for _, c := range []struct {
		pattern, word string
		places        []string // the texts before the places
	}{
		{`"[a-z]*"`, `"eeee"`, []string{`"`}}, // a loop is one place
		{`"(red|green|blue)"`, `"red"`, []string{`"`, `"red`}},
		{`"[0-9]{4}-[0-9]{2}"`, `"0000-00"`, []string{`"`, `"0000`, `"0000-`, `"0000-00`}},
		{`"[a-z]+@[a-z]+\.[a-z]{2}"`, `"eeee@e.ee"`, []string{`"`, `"eeee`, `"eeee@`, `"eeee@e`, `"eeee@e.`, `"eeee@e.ee`}},
		{`"(a1){9}"`, `"a1a1a1a1a1a1a1a1a1"`, []string{`"`, `"a`, `"a1`, `"a1a`, `"a1a1`, `"a1a1a`}},
		{`"x{1000}"`, "", []string{`"`}}, // its end is not near
	} {
		d := automata.MustCompile(c.pattern, 0)
		text := word(d)
		if c.word != "" && string(text) != c.word {
			t.Errorf("%s: word %s, want %s", c.pattern, text, c.word)
		}
		if c.word != "" && !d.Match(text) {
			t.Errorf("%s: its word %s is none", c.pattern, text)
		}
		p := (&Lexicon{}).Profile(d)
		if p == nil {
			t.Fatalf("%s is not a string", c.pattern)
		}
		var want []int32
		for _, before := range c.places {
			want = append(want, runs(d, d.Start(), []byte(before)))
		}
		got := p.Places()
		if len(got) != len(want) {
			t.Errorf("%s: %d places, want %d: %q", c.pattern, len(got), len(want), c.places)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: place %d is state %d, want %d, behind %s", c.pattern, i, got[i], want[i], c.places[i])
			}
		}
	}
}
