package jsontokens

import (
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

// shapePatterns are strings in which characters of a kind lead to one state or several, words are
// counted, looked for and left out, and spaces and line separators matter.
var shapePatterns = []string{
	`"[a-z0-9]{1,3}(?:-[a-z0-9]{1,3})*"`,
	`"(?:[^"\\\x00-\x20]+ ){0,2}[^"\\\x00-\x20]+"`,
	`"[^"\\\x00-\x1f\u2028\u2029]*"`,
	`"(?:[^"\\\x00-\x1fa]|a[^"\\\x00-\x1fb])*"`,
	`"[a-fé]*[\u0080-\u07ff]{0,2}"`,
	`"(?:%[0-9a-f]{2}|[a-z.])*"`,
	`"[^"\\\x00-\x1f]{0,5}"`,
}

// TestShapeEffects compares effects with those that are found without shapes and depths, on random
// tokens.
func TestShapeEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	texts := []string{`"`, `a"`}
	for range 3000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			some := characters
			if rng.IntN(2) == 0 {
				some = []rune("abcfz01A -.%")
			}
			b.WriteRune(some[rng.IntN(len(some))])
		}
		texts = append(texts, b.String())
	}
	slices.Sort(texts)
	v := must.Get(tokenizers.NewVocabulary("shapes", bytesOfTexts(slices.Compact(texts)), nil, nil))(t)
	with, without := Of(nil, v, 0), Of(nil, v, Shapes|Depths)
	with.Cut()
	without.Cut()
	checked := 0
	for _, pattern := range shapePatterns {
		d := automata.MustCompile(pattern, 0)
		p, q := with.Profile(d), without.Profile(d)
		for s := range int32(d.NumStates()) {
			if p.phase(s) != inside {
				continue
			}
			checked++
			got, want := alive(with.crawl([]Live{p.At(s)}), v.Len()), alive(without.crawl([]Live{q.At(s)}), v.Len())
			if !slices.Equal(got, want) {
				t.Fatalf("%s, state %d: %d tokens, want %d", pattern, s, bitset.Count(got), bitset.Count(want))
			}
		}
	}
	t.Logf("%d states, %d texts", checked, len(texts))
}

// alive are the tokens that an effect leaves a live state alive after.
func alive(v *Effect, n int) []uint64 {
	words := bitset.New(n)
	copy(words, v.Alive)
	bitset.RemoveAll(words, v.Minus)
	bitset.AddAll(words, v.Plus)
	bitset.AddAll(words, v.Few)
	return words
}

func bytesOfTexts(texts []string) (list [][]byte) {
	for _, x := range texts {
		list = append(list, []byte(x))
	}
	return list
}
