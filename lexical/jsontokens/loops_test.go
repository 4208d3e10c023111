package jsontokens

import (
	"slices"
	"testing"
	"unicode/utf8"

	"gcdbench/automata"
)

// TestLoops compares the characters that lead back to a state with where each character leads. Of a
// kind that is in the alphabet all do, and a letter or a sign that does is in the alphabet.
func TestLoops(t *testing.T) {
	l := &Lexicon{}
	loops := 0
	for _, pattern := range slices.Concat(depthPatterns, shapePatterns) {
		p := l.Profile(automata.MustCompile(pattern, 0))
		for s := range int32(p.d.NumStates()) {
			if !p.between(s) {
				continue
			}
			found := p.findLoops(s)
			for _, r := range characters {
				var one alphabet
				one.add(r)
				stays := Live{p, s}.after([]byte(string(r))) == s
				if got := one.within(found); got && !stays || stays && !got && r < utf8.RuneSelf {
					t.Fatalf("%s, state %d: %q leads back: %v, in the alphabet: %v", pattern, s, r, stays, got)
				}
				if stays {
					loops++
				}
			}
		}
	}
	if loops == 0 {
		t.Error("no state loops")
	}
}

// TestLoopsWithoutAWord is the alphabet of a state that nothing but the first letter of a word
// leaves.
func TestLoopsWithoutAWord(t *testing.T) {
	p := (&Lexicon{}).Profile(automata.MustCompile(`"(?:[^"\\\x00-\x1fB]|B[^"\\\x00-\x1fBa])*"`, 0))
	start := p.d.Next(p.d.Start(), '"')
	for text, want := range map[string]bool{"cat é.": true, "abc": true, "A-Z": true, "B": false, "cabB": false} {
		var below alphabet
		for _, r := range text {
			below.add(r)
		}
		if got := below.within(p.findLoops(start)); got != want {
			t.Errorf("%q leads back: %v, want %v", text, got, want)
		}
	}
}
