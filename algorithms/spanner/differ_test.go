package spanner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/automata"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// freeText is any character of a JSON string, spelled in any way.
const freeText = `(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})`

// verdictPatterns are strings that are free, free but for some, free for a while, or not at all.
var verdictPatterns = []string{
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

// verdictPieces are what the tokens of the tests are made of.
var verdictPieces = []string{"a", "b", "c", "z", "ab", "é", "€", "\xc3", "\xa9", `"`, `"`, `\`, `\n`, `\u0`, "0", "12", ",", ":", " ", "-", "\t", "abcabcabcabcabc", "zzzzzzzzzzzzzzz"}

func verdictVocabulary(t *testing.T, rng *rand.Rand, size int) *tokenizers.Vocabulary {
	t.Helper()
	var tokens [][]byte
	for range size {
		var token strings.Builder
		for range 1 + rng.IntN(5) {
			token.WriteString(verdictPieces[rng.IntN(len(verdictPieces))])
		}
		tokens = append(tokens, []byte(token.String()))
	}
	v, err := tokenizers.NewVocabulary("verdicts", tokens, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerdicts compares what differ and crawl say about every token with reading it, for random endings. Each
// vocabulary has its verdicts on free strings from the first endings on.
func TestVerdicts(t *testing.T) {
	differences := 0
	seed := seed.New(t)
	for round, size := range []int{3, 300, 1500, 1500} {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		v := verdictVocabulary(t, rng, size)
		l := newLexicon(v)
		l.cut()
		var list []ending
		for _, pattern := range verdictPatterns {
			d := automata.MustCompile(pattern, 0)
			p := l.spelling(d)
			if p == nil {
				t.Fatalf("%s is no string", pattern)
			}
			list = append(list, ending{d: d, p: p})
		}
		for range 250 {
			var endings []ending
			text := strings.Repeat(verdictPieces[rng.IntN(9)], rng.IntN(4)) + strings.Repeat("b", rng.IntN(3))
			for _, x := range list {
				x.state = runs(x.d, x.d.Start(), []byte(`"`+text))
				if x.state != automata.Dead && x.p.steps[x.state] != 0 && l.unfinishedLength == 0 {
					continue // no token of this vocabulary ends inside a character
				}
				if x.state != automata.Dead && rng.IntN(2+len(endings)) == 0 {
					endings = append(endings, x)
				}
			}
			if len(endings) == 0 {
				continue
			}
			checkVerdict(t, v, endings, l.crawl(endings), "crawl", text, seed)
			if d := l.differ(endings); d != nil {
				differences++
				checkVerdict(t, v, endings, d, "differ", text, seed)
			}
		}
	}
	if t.Logf("%d differences", differences); differences < 10 {
		t.Error("hardly any difference was looked at")
	}
}

// checkVerdict checks a verdict on some endings by reading all tokens.
func checkVerdict(t *testing.T, v *tokenizers.Vocabulary, endings []ending, got *verdict, by, text string, seed uint64) {
	t.Helper()
	said := map[int32]string{}
	note := func(id int32, what string) {
		if old, twice := said[id]; twice {
			t.Errorf("seed %d, %s after %q: token %q is %s and %s", seed, by, text, v.Token(int(id)), old, what)
		}
		said[id] = what
	}
	var h shared
	h.byBits, h.byLeaf = map[*uint64]LeafID{}, map[string]LeafID{}
	s := &Spanner{}
	if got.alive != nil {
		h.bitLeaf(got.alive, got.minus, got.plus)
		s.shared = h
		ids := s.AppendLeaf(nil, LeafID(len(h.leaves)-1))
		if len(ids) == 0 {
			t.Errorf("seed %d, %s after %q: bits of nothing", seed, by, text)
		}
		for _, id := range ids {
			note(id, "alive")
		}
	}
	for _, id := range got.few {
		note(id, "alive")
	}
	for _, c := range got.closers {
		if !slices.IsSorted(c.list.ranks) {
			t.Errorf("seed %d, %s after %q: a list is not by rank", seed, by, text)
		}
		for _, id := range c.list.tokens {
			note(id, fmt.Sprint("closed by ", slices.Sorted(slices.Values(c.members))))
		}
	}
	for id := range v.Len() {
		if want := readEndings(endings, v.Token(id)); said[int32(id)] != want {
			t.Fatalf("seed %d, %s after %q, %d endings: token %q is %q, want %q", seed, by, text, len(endings), v.Token(id), said[int32(id)], want)
		}
	}
}

// readEndings says what a token does after some endings.
func readEndings(endings []ending, token []byte) string {
	states := make([]int32, len(endings))
	for i, x := range endings {
		states[i] = x.state
	}
	for n, b := range token {
		var members []int32
		alive := false
		for i, x := range endings {
			states[i] = x.d.Next(states[i], b)
			alive = alive || states[i] != automata.Dead
			if x.d.Accepting(states[i]) {
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

// TestFree checks how long states are free against the counts that their patterns have.
func TestFree(t *testing.T) {
	cases := []struct {
		pattern, text string
		run           int32 // 0: not free
	}{
		{`"` + freeText + `*"`, ``, endless},
		{`"` + freeText + `{0,9}"`, ``, 9},
		{`"` + freeText + `{0,9}"`, `abcd`, 5},
		{`"` + freeText + `{0,9}"`, `abcdefghi`, 0},
		{`"` + freeText + `{2,9}"`, `a`, 0}, // no quote yet
		{`"` + freeText + `{2,9}"`, `ab`, 7},
		{`"` + freeText + `{2,}"`, `ab`, endless},
		{`"[^"\\\x00-\x1f]{0,9}"`, `a`, 8},
		{`"(?:x` + freeText + `*)?"`, ``, 0},
		{`"(?:x` + freeText + `*)?"`, `x`, endless},
		{`"[a-z]*"`, `x`, 0},
	}
	known, l := map[string]*language{}, &lexicon{}
	for _, c := range cases {
		d := automata.MustCompile(c.pattern, 0)
		p, s := l.spelling(d), runs(d, d.Start(), []byte(`"`+c.text))
		for _, wanted := range []int32{1, 3, 200, 2} {
			g, run := p.freeFor(d, s, wanted)
			if (g == nil) != (c.run == 0) || run > c.run || run < min(wanted, c.run) {
				t.Errorf("%s after %q: free for %d (%v) of %d, want %d", c.pattern, c.text, run, g, wanted, c.run)
			}
			if g != nil {
				spelled := c.pattern[:14]
				if other := known[spelled]; other != nil && other != g && !strings.HasPrefix(c.pattern, `"(?:x`) {
					t.Errorf("%s: a second language", c.pattern)
				}
				known[spelled] = g
				checkLanguage(t, g)
			}
		}
	}
}

// checkLanguage checks that the automaton of a language's own is free for good, in that language.
func checkLanguage(t *testing.T, g *language) {
	t.Helper()
	at := g.ending()
	if at.p == nil {
		t.Fatal("a language without an automaton")
	}
	if own, run := at.p.freeFor(at.d, at.state, 1000); own != g || run != endless {
		t.Errorf("the language's automaton is free for %d, of the language: %v", run, own == g)
	}
	if to := at.p.sinkOf(at.d); to.state != at.state || to.language != g {
		t.Errorf("its sink is %+v, want state %d", to, at.state)
	}
}

// TestLists checks that lists of the same quotes are one, and what differences of lists have.
func TestLists(t *testing.T) {
	v := sliceVocabulary(t)
	l := newLexicon(v)
	l.cut()
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
		if len(rest.tokens)+len(one.tokens) != len(l.all.tokens) {
			t.Errorf("quote %d: %d and %d tokens of %d", i, len(rest.tokens), len(one.tokens), len(l.all.tokens))
		}
		if !slices.Equal(back.ranks, l.all.ranks) || !slices.Equal(slices.Sorted(slices.Values(back.tokens)), slices.Sorted(slices.Values(l.all.tokens))) {
			t.Errorf("quote %d: taken away and added again, the list is another", i)
		}
		for _, r := range []*restList{rest, one, back} {
			if !slices.IsSorted(r.ranks) {
				t.Errorf("quote %d: a list is not by rank: %v", i, r.ranks)
			}
		}
	}
}
