package trie

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// stringGrammar has strings of several lengths, of which each place takes some.
const stringGrammar = `
%lexer all
start: "[" item ("," item)* "]" | "{" KEY ":" SHORT "}" | "(" PAIR ")" | "<" LOWER ">" | NOTE
item: FREE | SHORT
KEY: /"[a-z]{1,9}"/
FREE: /"([^"\\\x00-\x1f]|\\["\\n])*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
PAIR: /"[^"\\\x00-\x1f]{2}"|"\\n"/
LOWER: /"[a-z]*"/
NOTE: /#[^"\n]*/
`

// pieces are what tokens are made of at random.
var pieces = []string{"a", "b", "ab", "z", " ", "é", "\xc3", "\xa9", "漢", `"`, `"`, `\`, `\n`, `\"`, "\n", "#", "[", "]", "{", "}", "(", ")", "<", ">", ",", ":", "1"}

// randomTokens are all single bytes, and more of up to four pieces, some twice.
func randomTokens(rng *rand.Rand, n int) []string {
	return append(realtext.Bytes(256), realtext.Pieced(rng, pieces, n)...)
}

func engineOf(t testing.TB, p *algorithms.Problem, sliced string) *engine {
	t.Helper()
	return realtext.MustCompile(t, "trie", p, algorithms.Options{"slices": sliced}).(*engine)
}

// at is a generation behind a text, read byte by byte.
func at(t testing.TB, e *engine, text string) *algorithms.Filling {
	t.Helper()
	s := e.Start().(*algorithms.Filling)
	for _, b := range []byte(text) {
		if err := s.Commit(int(b)); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return s
}

// TestTake is a table of texts and the length of plain text that is taken whole behind them: what
// the lexer allows and the parser takes.
func TestTake(t *testing.T) {
	tokens := randomTokens(rand.New(rand.NewPCG(1, 1)), 200)
	const all = jsontokens.NotPlain - 1
	for _, c := range []struct {
		text   string
		demand uint8 // with the lexer built on demand
		ahead  uint8 // built ahead, where strings are not counted
	}{
		{``, 0, 0},
		{`[`, 0, 0},
		{`["`, all, all},
		{`["ab`, all, all},
		{`["abcdef`, all, all},
		{`["a\`, 0, 0},
		{"[\"\xc3", 0, 0},
		{`["a"`, 0, 0},
		{`["a","`, all, all},
		{`{"`, 0, 0},        // of the strings that may go on with anything none is a key
		{`{"a":"`, 3, 0},    // FREE is alive, and is not taken
		{`{"a":"xy`, 1, 0},  //
		{`{"a":"xyz`, 0, 0}, //
		{`("`, 2, 0},        // all of two characters
		{`("é`, 1, 0},
		{`("\`, 0, 0},
		{`<"a`, 0, 0},
		{`#`, 0, 0}, // a quote ends it, but plain text does not
		{`# no`, 0, 0},
	} {
		want := map[bool]uint8{true: c.demand, false: c.ahead}
		if strings.HasPrefix(c.text, "#") {
			want[false] = all
		}
		for onDemand, n := range want {
			p := realtext.Small(t, stringGrammar, onDemand, tokens)
			e := engineOf(t, p, "on")
			s := at(t, e, c.text)
			words := algorithms.NewBuffer(p.Vocabulary.Len()).Words()
			if got := e.take(e.problem, words, s.State); got != n {
				t.Errorf("%q, on demand %v: %d, want %d", c.text, onDemand, got, n)
			}
			taken := false
			for i, w := range words {
				taken = taken || w != 0
				if n > 0 && w != jsontokens.PlainOf(nil, p.Vocabulary).UpTo(int(n))[i] {
					t.Errorf("%q, on demand %v: not the tokens of up to %d characters", c.text, onDemand, n)
					break
				}
			}
			if taken != (n > 0) {
				t.Errorf("%q: tokens taken: %v", c.text, taken)
			}
			off := at(t, engineOf(t, p, "off"), c.text)
			if id := s.Mask().FirstDifference(off.Mask()); id >= 0 {
				t.Errorf("%q, on demand %v: token %q differs from the mask without slices", c.text, onDemand, p.Vocabulary.Token(id))
			}
		}
	}
}

// TestLongestFirst says that strings which allow more are asked about first, and those that allow
// the same together.
func TestLongestFirst(t *testing.T) {
	p := realtext.Small(t, stringGrammar, true, randomTokens(rand.New(rand.NewPCG(1, 1)), 1))
	e := engineOf(t, p, "on")
	for _, c := range []struct{ text, want string }{
		{``, ""},
		{`["`, "254:FREE 3:SHORT 2:PAIR"},
		{`["a`, "254:FREE 2:SHORT 1:PAIR"},
		{`["a1`, "254:FREE 1:SHORT"},
		{`["é1b`, "254:FREE"},
	} {
		got := ""
		for _, d := range e.endurances(e.problem, at(t, e, c.text).State.Lexer) {
			got += fmt.Sprintf(" %d:", d.length)
			for x, def := range p.Grammar.Terminals {
				if bitset.Has(d.terms, x) {
					got += def.Name
				}
			}
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestFirstMatchIsWalked says that on-demand lexers that emit the first of what a lexeme matches
// are left alone: a terminal that is alive there may never be in reach.
func TestFirstMatchIsWalked(t *testing.T) {
	p := realtext.Small(t, strings.Replace(stringGrammar, "%lexer all", "", 1), true, randomTokens(rand.New(rand.NewPCG(1, 1)), 1))
	e := engineOf(t, p, "on")
	if list := e.endurances(e.problem, at(t, e, `["`).State.Lexer); len(list) > 0 {
		t.Errorf("%v", list)
	}
}

// TestSlicesOnWalks takes random legal tokens and compares the masks with and without slices.
func TestSlicesOnWalks(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	positions := 0
	for _, onDemand := range []bool{false, true} {
		for range 40 {
			p := realtext.Small(t, stringGrammar, onDemand, randomTokens(rng, 150))
			on, off := engineOf(t, p, "on"), engineOf(t, p, "off")
			a, b := on.Start(), off.Start()
			positions += realtext.Stroll(t, rng, p, a, b, 12, seed, onDemand)
			if off.taken.Load() > 0 || off.text.Load() != nil {
				t.Fatal("slices were used where they are off")
			}
			if n := on.visited.Load(); n > off.visited.Load() {
				t.Errorf("%d nodes visited, without slices %d", n, off.visited.Load())
			}
		}
	}
	t.Logf("%d positions", positions)
}

// TestEndurancesAreBounded fills what is remembered.
func TestEndurancesAreBounded(t *testing.T) {
	e := engineOf(t, realtext.Small(t, stringGrammar, true, randomTokens(rand.New(rand.NewPCG(1, 1)), 1)), "on")
	e.known = map[lexer.State][]endurance{}
	for q := range lexer.State(maxEndurances) {
		e.known[1<<20+q] = nil
	}
	q := at(t, e, `["`).State.Lexer
	if len(e.endurances(e.problem, q)) != 3 || len(e.known) != 1 {
		t.Errorf("%d states are remembered", len(e.known))
	}
	e.known[q] = nil
	if len(e.endurances(e.problem, q)) != 0 {
		t.Error("what is remembered is found out again")
	}
}

// TestStats says what the counters count.
func TestStats(t *testing.T) {
	p := realtext.Small(t, stringGrammar, false, randomTokens(rand.New(rand.NewPCG(1, 1)), 50))
	e := engineOf(t, p, "on")
	before := e.Stats().Bytes
	at(t, e, `[`).Mask()
	at(t, e, `["a`).Mask()
	at(t, e, `["a`).Mask()
	count := map[string]float64{}
	for _, c := range e.Stats().Counters {
		count[c.Name] = c.Value
	}
	if count["masks"] != 3 || count["masks with plain text taken whole"] != 2 || count["trie nodes"] != float64(len(e.all.nodes)) {
		t.Errorf("%v", count)
	}
	if count["nodes visited"] <= 0 || count["parser verdicts"] <= 0 || count["parser contexts"] < 3 {
		t.Errorf("%v", count)
	}
	if e.Stats().Bytes <= before {
		t.Error("the tree without plain text is not counted")
	}
}
