package spanner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/automata"
	"gcdbench/grammar/lark"
	"gcdbench/internal/seed"
	"gcdbench/recognizer"
	"gcdbench/tokenizers"
)

// wovenKeys are keys that are prefixes of each other, empty, or have characters that are escaped or above ASCII.
var wovenKeys = []string{"", "a", "ab", "abc", "abcabc", "b", "bca", "cab", "z", "zz", "é", "éa", "a€", "a b", "-", "12", "0", ":", ",", "a\"b", "\"", "\\", "a\\", "\n", "b\nc", "abcabcabcabcabcabcabcabcabcabcabc"}

// wovenPieces are what the tokens are made of: some go on behind a quote with a colon and the next value.
var wovenPieces = append(slices.Clone(verdictPieces), `"`, `":`, `": "`, `":"`, `","`, `"}`, `\"`, `\\`, `\n`, `\u00`, "61", "2", "6", "€")

// spelled is a pattern for the JSON texts of a key, without the quotes: as itself where that is allowed, by a short escape,
// or by its number.
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

// keyEndings are the endings of some keys, and of all strings but some, before their quotes.
func keyEndings(t *testing.T, l *lexicon, keys []string, but []string) (list []ending) {
	t.Helper()
	add := func(d *automata.DFA) {
		p := l.spelling(d)
		if p == nil {
			t.Fatal("a key that is no string")
		}
		list = append(list, ending{d, p, d.Start()})
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

// TestWeave compares what is put together from strands with reading all tokens, and so with the walk of all endings:
// sets of keys, of keys and the strings that are none of them, or none of them and some others, and of keys and a pattern.
func TestWeave(t *testing.T) {
	seed := seed.New(t)
	woven, others, refused := 0, 0, 0
	for round := range 12 {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		l, v := weaveVocabulary(t, rng)
		for range 12 {
			keys := someOf(rng, wovenKeys)
			but, extra := []string(nil), ""
			switch rng.IntN(4) {
			case 0, 1:
				but = append(someOf(rng, wovenKeys), keys...)
			case 2:
				extra = []string{`"a.*"`, `"[a-c]*"`, `"(?:ab)*z"`, `"x` + freeText + `*"`}[rng.IntN(4)]
			}
			list := keyEndings(t, l, keys, but)
			if extra != "" {
				if d := automata.MustCompile(extra, 0); l.spelling(d) != nil {
					list = append(list, ending{d, l.spelling(d), d.Start()})
				}
			}
			text := spelledSome(rng, keys)
			endings, got := weaveAt(l, list, text)
			switch {
			case got != nil:
				checkVerdict(t, v, endings, got, "weave", text, seed)
				checkVerdict(t, v, endings, l.crawl(endings), "crawl", text, seed)
				woven++
				if but != nil {
					others++
				}
			case len(endings) > 0 && extra == "":
				t.Errorf("seed %d: keys %q, others %q after %q: not put together", seed, keys, but, text)
			default:
				refused++
			}
		}
	}
	if t.Logf("%d sets, %d with others, %d not put together", woven, others, refused); woven < 50 || others < 20 {
		t.Error("hardly any set was looked at")
	}
}

func weaveVocabulary(t *testing.T, rng *rand.Rand) (*lexicon, *tokenizers.Vocabulary) {
	t.Helper()
	old := verdictPieces
	verdictPieces = wovenPieces
	defer func() { verdictPieces = old }()
	v := verdictVocabulary(t, rng, 1200)
	l := newLexicon(v)
	l.cut()
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

// spelledSome is the beginning of a spelling of a key, with the quote before it.
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

// weaveAt is the verdict on those endings that are alive after a text, put together, and the endings in its order.
func weaveAt(l *lexicon, list []ending, text string) ([]ending, *verdict) {
	m := loom{l: l}
	var wide, narrow []ending
	for _, x := range list {
		if x.state = runs(x.d, x.state, []byte(text)); x.state == automata.Dead || x.p.phases[x.state] != inside {
			continue
		}
		if s := l.strand(x); s != noStrand {
			m.strands, narrow = append(m.strands, s), append(narrow, x)
		} else {
			wide = append(wide, x)
		}
	}
	if len(wide)+len(narrow) == 0 {
		return nil, nil
	}
	v := &verdict{}
	if len(wide) > 0 {
		v = l.judge(wide)
	}
	got := m.weave(v, wide)
	if slices.ContainsFunc(m.seen, func(w uint64) bool { return w != 0 }) {
		got = nil
	}
	return append(wide, narrow...), got
}

// TestStrands says which endings are strands, and that one is found once for a vocabulary.
func TestStrands(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	l, _ := weaveVocabulary(t, rng)
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
		x := ending{d, l.spelling(d), runs(d, d.Start(), []byte(c.text))}
		s := l.strand(x)
		if (s != noStrand) != c.want {
			t.Errorf("%s after %s: a strand: %v", c.pattern, c.text, !c.want)
		}
		if l.strand(x) != s {
			t.Errorf("%s after %s: a second strand", c.pattern, c.text)
		}
	}
}

// TestWeaveApart: what ends where a strand ends is not put together.
func TestWeaveApart(t *testing.T) {
	l, _ := weaveVocabulary(t, rand.New(rand.NewPCG(8, 8)))
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
		list := keyEndings(t, l, c.keys, nil)
		if c.extra != "" {
			d := automata.MustCompile(c.extra, 0)
			list = append(list, ending{d, l.spelling(d), d.Start()})
		}
		if _, got := weaveAt(l, list, c.text); (got != nil) != c.want {
			t.Errorf("%q and %s after %s: put together: %v", c.keys, c.extra, c.text, !c.want)
		}
	}
}

// TestDetour compares the difference of the strings that are none of some keys with reading all tokens.
func TestDetour(t *testing.T) {
	seed := seed.New(t)
	for round := range 8 {
		rng := rand.New(rand.NewPCG(seed, 100+uint64(round)))
		l, v := weaveVocabulary(t, rng)
		for range 10 {
			keys := someOf(rng, wovenKeys)
			list := keyEndings(t, l, nil, keys)
			text := spelledSome(rng, keys)
			list[0].state = runs(list[0].d, list[0].state, []byte(text))
			if list[0].state == automata.Dead || list[0].p.phases[list[0].state] != inside {
				continue
			}
			got := l.detour(list[0], list[0].p.sinkOf(list[0].d))
			if got == nil {
				t.Fatalf("seed %d: no detour of %q after %q", seed, keys, text)
			}
			checkVerdict(t, v, list, got, "detour", text, seed)
		}
	}
}

// TestAheadOfKeys: ahead, each key's strand is found, and no other string has one.
func TestAheadOfKeys(t *testing.T) {
	g, err := lark.Parse([]byte("%lexer all\nstart: KEY | LONG | FREE | WORD | NUMBER\nKEY: \"\\\"a\\\"\"\nLONG: \"\\\"abc\\\"\"\nFREE: /\"[^\"\\\\\\x00-\\x1f]*\"/\nWORD: /\"[0-9a-z]+\"/\nNUMBER: /[0-9]+/\n"), lark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: true})
	if err != nil {
		t.Fatal(err)
	}
	_, v := weaveVocabulary(t, rand.New(rand.NewPCG(9, 9)))
	s := New(r, v, Options{})
	s.Strings() // they are ahead for those who have asked
	s.aheadOfKeys()
	strands := 0
	for key, x := range s.quoted.strands {
		if x == noStrand {
			continue
		}
		strands++
		if name := g.Terminals[key>>32].Name; name != "KEY" && name != "LONG" {
			t.Errorf("%s has a strand", name)
		}
	}
	if strands != 2 {
		t.Errorf("%d strands, want 2", strands)
	}
}
