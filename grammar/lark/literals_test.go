package lark

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// TestRandomLiterals compares literals of random characters, most of them escapes and quotes, with
// what Lark makes of them: whether it takes them, and their value.
func TestRandomLiterals(t *testing.T) {
	o := newOracle(t)
	const n = 1000
	taken := 0
	for seed := range seed.Each(t, n) {
		r := rand.New(rand.NewPCG(seed, 2))
		text := randomLiteral(r)
		q := question{Grammar: "start: A\nA: " + text + "\n"}
		g, err := q.parse()
		a := o.ask(t, q)
		diff := compare(g, err, a)
		if err != nil && a.Error == "" && beyondLark(err) || err == nil && strings.Contains(a.Error, "global flags") {
			diff = ""
		}
		if diff != "" {
			t.Errorf("seed %d\n%s\n%s", seed, q.Grammar, diff)
		}
		if err == nil {
			taken++
		}
	}
	t.Logf("%d literals, of which %d were taken", n, taken)
}

// beyondLark tells whether an error is about a regexp that Python can match and an automaton
// cannot.
func beyondLark(err error) bool {
	for _, text := range []string{"asks what", "possessive", "is not regular", "looks in front", "looks without bound"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// randomLiteral is a string, a regexp or a range.
func randomLiteral(r *rand.Rand) string {
	inside := func(n int, pieces ...string) string {
		var b strings.Builder
		for range r.IntN(n) + 1 {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	common := []string{"a", "é", "\\", "\\\\", "\"", "\\\"", "'", "/", "\\/", "n", "\\n", "\\x4", "1", "\\u0041", "\\d", "x", "\\t", "\\U0001f600", "\\x", "\r", " ", "#"}
	switch r.IntN(4) {
	case 0:
		return `"` + inside(6, common...) + `"` + []string{"", "i", "x"}[r.IntN(3)]
	case 1:
		return `"` + inside(2, common...) + `".."` + inside(2, common...) + `"`
	default:
		pieces := append(common, "[", "]", "[^", "-", "z", ".", "{2}", "|", "(?:", ")")
		return "/" + inside(8, pieces...) + "/" + []string{"", "", "i", "x", "s", "imsx"}[r.IntN(6)]
	}
}
