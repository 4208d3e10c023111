package jsontokens

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// freeText is any character of a JSON string, spelled in any way.
const freeText = `(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})`

// effectPatterns are strings that are free, free but for some, free for a while, or not at all.
var effectPatterns = []string{
	`"` + freeText + `*"`,
	`"(?:ab|abc|b\\n)"`,
	`"` + freeText + `{0,40}"`,
	`"` + freeText + `{1,33}"`,
	`"` + freeText + `{5,28}"`,
	`"[^"\\\x00-\x1f]{0,25}"`,
	`"(?:a` + freeText + `*|b[a-c]{2,}|zz)"`,
	`"(?:[^"\\\x00-\x1fab]` + freeText + `*)?"`,
	`"[a-c]+(?:-[a-cz]*)*"`,
	`"(?:[0-9a-z ]*é)?"`,
	`"[a-z]{3,}(?:\\\\)?"`,
	`"(?:[a-c\u0080-\U0010ffff]|ab)*"`,
	`"[^\x00-\x1f"\\z]*z?"`,
}

// effectPieces are what the tokens of the tests are made of.
var effectPieces = []string{"a", "b", "c", "z", "ab", "é", "€", "\xc3", "\xa9", `"`, `"`, `\`, `\n`, `\u0`, "0", "12", ",", ":", " ", "-", "\t", "abcabcabcabcabc", "zzzzzzzzzzzzzzz"}

func effectVocabulary(t *testing.T, rng *rand.Rand, size int) *tokenizers.Vocabulary {
	t.Helper()
	var tokens [][]byte
	for range size {
		var token strings.Builder
		for range 1 + rng.IntN(5) {
			token.WriteString(effectPieces[rng.IntN(len(effectPieces))])
		}
		tokens = append(tokens, []byte(token.String()))
	}
	v := must.Get(tokenizers.NewVocabulary("effects", tokens, nil, nil))(t)
	return v
}

// TestEffects compares what delta and crawl say about every token with reading it, for random live
// states. Each vocabulary has its effects on free strings from the first live states on.
func TestEffects(t *testing.T) {
	differences := 0
	seed := seed.New(t)
	for round, size := range []int{3, 300, 1500, 1500} {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		v := effectVocabulary(t, rng, size)
		l := newLexicon(v)
		l.Cut()
		var list []Live
		for _, pattern := range effectPatterns {
			d := automata.MustCompile(pattern, 0)
			p := l.Profile(d)
			if p == nil {
				t.Fatalf("%s is no string", pattern)
			}
			list = append(list, Live{p: p})
		}
		for range 250 {
			var lives []Live
			text := strings.Repeat(effectPieces[rng.IntN(9)], rng.IntN(4)) + strings.Repeat("b", rng.IntN(3))
			for _, x := range list {
				x.state = runs(x.p.d, x.p.d.Start(), []byte(`"`+text))
				if x.state != automata.Dead && !x.p.between(x.state) && l.unfinishedLength == 0 {
					continue // no token of this vocabulary ends inside a character
				}
				if x.state != automata.Dead && rng.IntN(2+len(lives)) == 0 {
					lives = append(lives, x)
				}
			}
			if len(lives) == 0 {
				continue
			}
			checkEffect(t, v, lives, l.crawl(lives), "crawl", text, seed)
			if d := l.delta(lives[0]); d != nil && lives[0].p.phase(lives[0].state) == inside {
				differences++
				checkEffect(t, v, lives[:1], d, "delta", text, seed)
			}
		}
	}
	if t.Logf("%d differences", differences); differences < 10 {
		t.Error("hardly any difference was looked at")
	}
}

// checkEffect checks a effect on some live states by reading all tokens.
func checkEffect(t *testing.T, v *tokenizers.Vocabulary, lives []Live, got *Effect, by, text string, seed uint64) {
	t.Helper()
	said := map[int32]string{}
	note := func(id int32, what string) {
		if old, twice := said[id]; twice {
			t.Errorf("seed %d, %s after %q: token %q is %s and %s", seed, by, text, v.Token(int(id)), old, what)
		}
		said[id] = what
	}
	words := slices.Clone(got.Alive)
	bitset.RemoveAll(words, got.Minus)
	bitset.AddAll(words, got.Plus)
	count := 0
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			note(int32(i<<6+bits.TrailingZeros64(w)), "alive")
			count++
		}
	}
	if got.Alive != nil && count == 0 {
		t.Errorf("seed %d, %s after %q: bits of nothing", seed, by, text)
	}
	for _, id := range got.Few {
		note(id, "alive")
	}
	for _, c := range got.Closings {
		if !slices.IsSorted(c.List.Ranks) {
			t.Errorf("seed %d, %s after %q: a list is not by rank", seed, by, text)
		}
		for _, id := range c.List.Tokens {
			note(id, fmt.Sprint("closed by ", slices.Sorted(slices.Values(c.Members))))
		}
	}
	for id := range v.Len() {
		if want := readLives(lives, v.Token(id)); said[int32(id)] != want {
			t.Fatalf("seed %d, %s after %q, %d lives: token %q is %q, want %q", seed, by, text, len(lives), v.Token(id), said[int32(id)], want)
		}
	}
}

// readLives says what a token does after some live states.
func readLives(lives []Live, token []byte) string {
	states := make([]int32, len(lives))
	for i, x := range lives {
		states[i] = x.state
	}
	for n, b := range token {
		var members []int32
		alive := false
		for i, x := range lives {
			states[i] = x.p.d.Next(states[i], b)
			alive = alive || states[i] != automata.Dead
			if x.p.d.Accepting(states[i]) {
				members = append(members, int32(i))
			}
		}
		switch {
		case !alive:
			return ""
		case len(members) > 0 && n+1 < len(token):
			return fmt.Sprint("closed by ", members)
		}
	}
	return "alive"
}

// TestFreeForGood is a table of strings and the text that leads to their free state.
func TestFreeForGood(t *testing.T) {
	l := &Lexicon{}
	languages := map[string]uint32{}
	for _, c := range []struct {
		pattern, text string
		language      string // "": no free state
	}{
		{`"` + freeText + `*"`, ``, "all"},
		{`"` + freeText + `{2,}"`, `ab`, "all"},
		{`"(?:x` + freeText + `*)?"`, `x`, "all"},
		{`"[^"\\\x00-\x1f]*"`, ``, "plain"},
		{`"` + freeText + `{0,9}"`, ``, ""},
		{`"[a-z]*"`, ``, ""},
		{`"abc"`, ``, ""},
	} {
		p := l.Profile(automata.MustCompile(c.pattern, 0))
		to := p.freeForGood()
		want := automata.Dead
		if c.language != "" {
			want = p.At(p.d.Start()).after([]byte(`"` + c.text))
		}
		if to.state != want {
			t.Errorf("%s: the free state is %d, want %d", c.pattern, to.state, want)
		}
		if g, ok := languages[c.language]; ok && g != to.language {
			t.Errorf("%s: language %d, want %d", c.pattern, to.language, g)
		}
		languages[c.language] = to.language
	}
	if languages["all"] == languages["plain"] {
		t.Error("two languages are one")
	}
}

// runs is the state after a text.
func runs(d *automata.DFA, s int32, text []byte) int32 {
	return Live{&Profile{d: d}, s}.after(text)
}

// TestLists checks that lists of the same quotes are one, and what differences of lists have.
func TestLists(t *testing.T) {
	v := sliceVocabulary(t)
	l := newLexicon(v)
	l.Cut()
	var all []spot
	for _, at := range l.quoting {
		all = append(all, spot{quoteSlice, at})
	}
	if l.list(listing{with: all}) != l.all || l.list(listing{base: l.all}) != l.all {
		t.Error("a second list of all quotes")
	}
	for i := range all {
		rest := l.list(listing{base: l.all, without: all[i : i+1]})
		one := l.list(listing{with: all[i : i+1]})
		back := l.list(listing{base: rest, with: all[i : i+1]})
		if len(rest.Tokens)+len(one.Tokens) != len(l.all.Tokens) {
			t.Errorf("quote %d: %d and %d tokens of %d", i, len(rest.Tokens), len(one.Tokens), len(l.all.Tokens))
		}
		if !slices.Equal(back.Ranks, l.all.Ranks) || !slices.Equal(slices.Sorted(slices.Values(back.Tokens)), slices.Sorted(slices.Values(l.all.Tokens))) {
			t.Errorf("quote %d: taken away and added again, the list is another", i)
		}
		for _, r := range []*List{rest, one, back} {
			if !slices.IsSorted(r.Ranks) {
				t.Errorf("quote %d: a list is not by rank: %v", i, r.Ranks)
			}
		}
	}
}
