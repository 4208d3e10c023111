package jsontokens

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/kept"
	"gcdbench/tokenizers"
)

// sliceTokens are tokens of all slices.
var sliceTokens = []string{
	"a", "ab", "abc", "abé", "é", "é€", "b", "a b", "a b c d", "-", "", "ab", // plain, one of them twice
	`"`, `a"`, `ab"`, `ab",`, `",`, `", "`, `":`, `"a"`, `é"}`, `"b\"`, // quotes
	`\`, `a\n`, `\"`, `\",`, `ab\""}`, // slashes
	"\xc3", "a\xc3", "ab\xe2\x82", "\xa9", "\xc3\"", "\xed\xa0", "é\xf0\x9f", // broken
	"\n", "a\t", "a\n\"", // none
}

func sliceVocabulary(t testing.TB) *tokenizers.Vocabulary {
	t.Helper()
	return realtext.Vocabulary(t, sliceTokens...)
}

// TestCut checks which tokens are in which slice, and what the nodes of their tries say.
func TestCut(t *testing.T) {
	v := sliceVocabulary(t)
	k := kept.New()
	l := Of(k, v, 0)
	if l != Of(k, v, 0) {
		t.Fatal("a second Lexicon")
	}
	//lint:ignore SA4000 without a Kept each call makes one
	if l == Of(kept.New(), v, 0) || Of(nil, v, 0) == Of(nil, v, 0) {
		t.Fatal("the Lexicon of somebody else")
	}
	l.Cut()
	want := [numSlices]int{plainSlice: 11, quoteSlice: 10, slashSlice: 5, brokenSlice: 7}
	for k := range l.slices {
		s := &l.slices[k]
		if len(s.order) != want[k] {
			t.Errorf("slice %d has %d tokens, want %d", k, len(s.order), want[k])
		}
		checkNode(t, l, s, 0, nil, v)
	}
	for k := range int32(9) {
		var got []string
		for id := range v.Len() {
			if m := l.upToLength(k); m[id>>6]&(1<<(id&63)) != 0 {
				got = append(got, string(v.Token(id)))
			}
		}
		for _, s := range got {
			if utf8.RuneCountInString(s) > int(k) || strings.ContainsAny(s, "\"\\\n\t") || !utf8.ValidString(s) {
				t.Errorf("%q is not a plain token of up to %d characters", s, k)
			}
		}
		if want := []int{0, 4, 7, 10, 10, 10, 10, 11, 11}[k]; len(got) != want {
			t.Errorf("%d tokens of up to %d characters, want %d: %q", len(got), k, want, got)
		}
	}
	var unfinished []string
	for id := range v.Len() {
		if l.unfinished[id>>6]&(1<<(id&63)) != 0 {
			unfinished = append(unfinished, string(v.Token(id)))
		}
	}
	if want := []string{"\xc3", "a\xc3", "ab\xe2\x82", "é\xf0\x9f"}; !slices.Equal(unfinished, want) || l.unfinishedLength != 3 {
		t.Errorf("unfinished are %q, of up to %d characters", unfinished, l.unfinishedLength)
	}
}

// checkNode checks a node with the given prefix, and those below it.
func checkNode(t *testing.T, l *Lexicon, s *Slice, i int32, prefix []byte, v *tokenizers.Vocabulary) {
	t.Helper()
	n := &s.nodes[i]
	height, kindsAfter := 0, kinds(0)
	for k := n.lo; k < n.hi; k++ {
		token := v.Token(int(s.order[k]))
		rest, ok := bytes.CutPrefix(token, prefix)
		if !ok || (len(rest) == 0) != (k < n.own) {
			t.Errorf("prefix %q: token %q, own %v", prefix, token, k < n.own)
		}
		height = max(height, utf8.RuneCount(rest))
		if utf8.Valid(prefix) {
			for _, r := range string(rest) {
				kindsAfter |= 1 << kindOfRune(r)
			}
		}
	}
	if s == &l.slices[plainSlice] && utf8.Valid(prefix) && (int(n.height) != height || n.below != kindsAfter) {
		t.Errorf("prefix %q: height %d, kinds %b, want %d, %b", prefix, n.height, n.below, height, kindsAfter)
	}
	if i > 0 && n.byte == '"' {
		for k, id := range s.order[n.own:n.hi] {
			got := restText(l, s.ranks[int(n.quote)+k])
			if want := string(v.Token(int(id))[len(prefix):]); got != want {
				t.Errorf("prefix %q: rest %q, want %q", prefix, got, want)
			}
		}
	}
	if s == &l.slices[quoteSlice] && n.quoted != bytes.Contains(prefix, []byte{'"'}) {
		t.Errorf("prefix %q: quoted is %v", prefix, n.quoted)
	}
	for _, kid := range s.kids[n.kidLo:n.kidHi] {
		b := s.nodes[kid].byte
		if s.child(i, b) != kid || kid >= n.end {
			t.Errorf("prefix %q: child %q is not found", prefix, b)
		}
		checkNode(t, l, s, kid, append(slices.Clip(prefix), b), v)
	}
}

// restText is the rest with a rank.
func restText(l *Lexicon, rank int32) string {
	text, i := "", int32(0)
	for l.rests.nodes[i].own <= rank {
		for _, kid := range l.rests.kids[l.rests.nodes[i].kidLo:l.rests.nodes[i].kidHi] {
			if n := &l.rests.nodes[kid]; n.lo <= rank && rank < n.hi {
				text, i = text+string([]byte{n.byte}), kid
				break
			}
		}
	}
	return text
}

// TestNoTokens: an empty vocabulary has empty slices.
func TestNoTokens(t *testing.T) {
	v, err := tokenizers.NewVocabulary("empty", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := newLexicon(v)
	l.Cut()
	if len(l.upToLength(0)) != 0 || len(l.quoting) != 0 {
		t.Error("tokens in an empty vocabulary")
	}
}
