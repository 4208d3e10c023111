package jsontokens

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// mergedKeys are keys that are prefixes of each other, empty, or have characters that are escaped
// or above ASCII.
var mergedKeys = []string{"", "a", "ab", "abc", "abcabc", "b", "bca", "cab", "z", "zz", "é", "éa", "a€", "a b", "-", "12", "0", ":", ",", "a\"b", "\"", "\\", "a\\", "\n", "b\nc", "abcabcabcabcabcabcabcabcabcabcabc"}

// mergedPieces are what the tokens are made of: some go on behind a quote with a colon and the next
// value.
var mergedPieces = append(slices.Clone(effectPieces), `"`, `":`, `": "`, `":"`, `","`, `"}`, `\"`, `\\`, `\n`, `\u00`, "61", "2", "6", "€")

// spelled is a pattern for the JSON texts of a key, without the quotes: as itself where that is
// allowed, by a short escape, or by its number.
func spelled(key string) string {
	var p strings.Builder
	for _, r := range key {
		ways := []string{fmt.Sprintf(`\\u%04x`, r)}
		switch {
		case r == '"' || r == '\\':
			ways = append(ways, `\\\`+string(r))
		case r == '\n':
			ways = append(ways, `\\n`)
		case r > 0x7f || strings.ContainsRune("abcz0123456789", r):
			ways = append(ways, string(r))
		default:
			ways = append(ways, fmt.Sprintf(`\x%02x`, r))
		}
		p.WriteString("(?:" + strings.Join(ways, "|") + ")")
	}
	return p.String()
}

// keyLives are the live states of some keys, and of all strings but some, before their quotes.
func keyLives(t *testing.T, l *Lexicon, keys []string, but []string) (list []Live) {
	t.Helper()
	add := func(d *automata.DFA) {
		p := l.Profile(d)
		if p == nil {
			t.Fatal("a key that is no string")
		}
		list = append(list, Live{p, d.Start()})
	}
	for _, k := range keys {
		add(automata.MustCompile(`"`+spelled(k)+`"`, 0))
	}
	if but != nil {
		var all []string
		for _, k := range but {
			all = append(all, spelled(k))
		}
		d, err := automata.MustCompile(`"`+freeText+`*"`, 0).Difference(automata.MustCompile(`"(?:`+strings.Join(all, "|")+`)"`, 0), automata.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		add(d)
	}
	return list
}

// TestMerge compares what is put together from literals with reading all tokens, and so with the
// walk of all live states: sets of keys, of keys and the strings that are none of them, or none of
// them and some others, and of keys and a pattern.
func TestMerge(t *testing.T) {
	seed := seed.New(t)
	merged, others, refused := 0, 0, 0
	for round := range 12 {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		l, v := mergeVocabulary(t, rng)
		for range 12 {
			keys := someOf(rng, mergedKeys)
			but, extra := []string(nil), ""
			switch rng.IntN(4) {
			case 0, 1:
				but = append(someOf(rng, mergedKeys), keys...)
			case 2:
				extra = []string{`"a.*"`, `"[a-c]*"`, `"(?:ab)*z"`, `"x` + freeText + `*"`}[rng.IntN(4)]
			}
			list := keyLives(t, l, keys, but)
			if extra != "" {
				if d := automata.MustCompile(extra, 0); l.Profile(d) != nil {
					list = append(list, Live{l.Profile(d), d.Start()})
				}
			}
			text := spelledSome(rng, keys)
			lives, got := mergeAt(l, list, text)
			switch {
			case got != nil:
				checkEffect(t, v, lives, got, "merge", text, seed)
				checkEffect(t, v, lives, l.crawl(lives), "crawl", text, seed)
				merged++
				if but != nil {
					others++
				}
			case len(lives) > 0 && extra == "":
				t.Errorf("seed %d: keys %q, others %q after %q: not put together", seed, keys, but, text)
			default:
				refused++
			}
		}
	}
	if t.Logf("%d sets, %d with others, %d not put together", merged, others, refused); merged < 50 || others < 20 {
		t.Error("hardly any set was looked at")
	}
}

func mergeVocabulary(t *testing.T, rng *rand.Rand) (*Lexicon, *tokenizers.Vocabulary) {
	t.Helper()
	old := effectPieces
	effectPieces = mergedPieces
	defer func() { effectPieces = old }()
	v := effectVocabulary(t, rng, 1200)
	l := newLexicon(v)
	l.Cut()
	return l, v
}

// someOf is some of a list, in its order, at least one.
func someOf(rng *rand.Rand, list []string) []string {
	one, rare := rng.IntN(len(list)), 1+rng.IntN(6)
	var some []string
	for i, x := range list {
		if i == one || rng.IntN(rare+1) == 0 {
			some = append(some, x)
		}
	}
	return some
}

// spelledSome is the beginning of a profile of a key, with the quote before it.
func spelledSome(rng *rand.Rand, keys []string) string {
	key := []rune(keys[rng.IntN(len(keys))])
	text := `"`
	for _, r := range key[:rng.IntN(len(key)+1)*rng.IntN(2)] {
		switch {
		case r == '"' || r == '\\' || r == '\n' || rng.IntN(4) == 0:
			text += fmt.Sprintf(`\u%04x`, r)
		default:
			text += string(r)
		}
	}
	return text
}

// mergeAt is the effect on those live states that are alive after a text, put together, and the
// live states in its order.
func mergeAt(l *Lexicon, list []Live, text string) ([]Live, *Effect) {
	m := merger{l: l}
	var wide, narrow []Live
	for _, x := range list {
		if x.state = runs(x.p.d, x.state, []byte(text)); x.state == automata.Dead || x.p.phase(x.state) != inside {
			continue
		}
		if s := l.literalWalk(&literalWalker{}, x); s != noLiteral {
			m.literals, narrow = append(m.literals, s), append(narrow, x)
		} else {
			wide = append(wide, x)
		}
	}
	if len(wide)+len(narrow) == 0 {
		return nil, nil
	}
	v := &Effect{}
	if len(wide) > 0 {
		v = l.effect(wide)
	}
	got := m.merge(v, wide)
	if slices.ContainsFunc(m.seen, func(w uint64) bool { return w != 0 }) {
		got = nil
	}
	return append(wide, narrow...), got
}

// TestLiterals says which live states are literals, and that one is found once for a vocabulary.
func TestLiterals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	l, _ := mergeVocabulary(t, rng)
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`"abc"`, `"`, true},
		{`"abc"`, `"abc`, true},
		{`"(?:a|\\u0061)bc"`, `"\u00`, true},
		{`"(?:abc|abd|zzz)"`, `"`, true},
		{`"` + freeText + `*"`, `"`, false},
		{`"[0-9a-z]{8}"`, `"`, false},
		{`"ab[0-9a-z]{8}"`, `"`, false}, // it goes on with more than a few bytes soon
	} {
		d := automata.MustCompile(c.pattern, 0)
		x := Live{l.Profile(d), runs(d, d.Start(), []byte(c.text))}
		s := l.literalWalk(&literalWalker{}, x)
		if (s != noLiteral) != c.want {
			t.Errorf("%s after %s: a literal walk: %v", c.pattern, c.text, !c.want)
		}
		if l.literalWalk(&literalWalker{}, x) != s {
			t.Errorf("%s after %s: a second literal walk", c.pattern, c.text)
		}
	}
}

// TestMergeApart: what ends where a literal walk ends is not put together.
func TestMergeApart(t *testing.T) {
	l, _ := mergeVocabulary(t, rand.New(rand.NewPCG(8, 8)))
	for _, c := range []struct {
		keys  []string
		extra string
		text  string
		want  bool
	}{
		{[]string{"a", "b"}, "", `"`, true},
		{[]string{"a", "a"}, "", `"a`, false},
		{[]string{"a"}, `"a` + freeText + `*"`, `"a`, false},
		{[]string{"a"}, `"a` + freeText + `+"`, `"a`, true},
		{[]string{"a"}, `"b` + freeText + `*"`, `"`, true},
	} {
		list := keyLives(t, l, c.keys, nil)
		if c.extra != "" {
			d := automata.MustCompile(c.extra, 0)
			list = append(list, Live{l.Profile(d), d.Start()})
		}
		if _, got := mergeAt(l, list, c.text); (got != nil) != c.want {
			t.Errorf("%q and %s after %s: put together: %v", c.keys, c.extra, c.text, !c.want)
		}
	}
}

// TestDelta compares the difference of the strings that are none of some keys with reading
// all tokens.
func TestDelta(t *testing.T) {
	seed := seed.New(t)
	for round := range 8 {
		rng := rand.New(rand.NewPCG(seed, 100+uint64(round)))
		l, v := mergeVocabulary(t, rng)
		for range 10 {
			keys := someOf(rng, mergedKeys)
			list := keyLives(t, l, nil, keys)
			text := spelledSome(rng, keys)
			list[0].state = runs(list[0].p.d, list[0].state, []byte(text))
			if list[0].state == automata.Dead || list[0].p.phase(list[0].state) != inside {
				continue
			}
			got := l.delta(list[0])
			if got == nil {
				t.Fatalf("seed %d: no delta of %q after %q", seed, keys, text)
			}
			checkEffect(t, v, list, got, "delta", text, seed)
		}
	}
}
