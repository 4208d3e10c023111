package greatgramma

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// stringGrammar has strings of which each place takes some. After x, which of them depends on what
// is below.
const stringGrammar = `
%lexer all
start: "[" item ("," item)* "]" | "{" KEY ":" SHORT "}" | "<" mark SHORT | "(" mark FREE
item: FREE | SHORT
mark: "x"
KEY: /"[a-z]{1,3}"/
FREE: /"([^"\\\x00-\x1f]|\\["\\n])*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
`

// stringPieces are what tokens are made of at random.
var stringPieces = []string{"a", "b", "ab", "é", "\xc3", "\xa9", `"`, `"`, `"`, `\`, `\n`, "[", "]", "{", "}", "(", ")", "<", ",", ":", "x"}

func stringTokens(rng *rand.Rand, n int) []string {
	list := []string{`a",`, `ab"]`, `abé"]`}
	for _, b := range []byte("ab\xc3\xa9\"\\n[]{}(<,:x1") {
		list = append(list, string([]byte{b}))
	}
	return append(list, realtext.Pieced(rng, stringPieces, n)...)
}

// stringEngine is a lazy engine of stringGrammar.
func stringEngine(t *testing.T, tokens []string) *engine {
	t.Helper()
	set := settings{lazy: true, memo: true, slices: true, prune: true, always: true, share: true, lines: true, minMask: minMask, maxBytes: MaxBytes, maxHeld: MaxHeld}
	return newEngine(problemOf(t, stringGrammar, true, tokens...), set)
}

// pairAt is the lexer state and the class of the LR state on top after a text.
func pairAt(t *testing.T, e *engine, text string) (lexer.State, int32) {
	t.Helper()
	s, ok := e.problem.Read(e.problem.Start(), []byte(text))
	if !ok {
		t.Fatalf("%q is refused", text)
	}
	return s.Lexer, e.top(s.Stacks.TopNode(0).State)
}

// TestNarrow is a table of texts, the strings pending after them, and those that the LR state
// takes.
func TestNarrow(t *testing.T) {
	e := stringEngine(t, stringTokens(rand.New(rand.NewPCG(1, 1)), 10))
	for _, c := range []struct{ text, pending, taken string }{
		{`[`, "", ""},
		{`["`, "KEY FREE SHORT", "FREE SHORT"},
		{`["ab"`, "KEY FREE SHORT", "FREE SHORT"},
		{`["abc`, "KEY FREE SHORT", "FREE SHORT"},
		{`["abcd`, "FREE", "FREE"},
		{`["a\`, "FREE", "FREE"},
		{`{"a`, "KEY FREE SHORT", "KEY"},
		{`{"a":"b`, "KEY FREE SHORT", "SHORT"},
		{`{"a":"é`, "FREE SHORT", "SHORT"},
		{`<x"a`, "KEY FREE SHORT", "depends"},
		{`(x"a`, "KEY FREE SHORT", "depends"},
	} {
		q, top := pairAt(t, e, c.text)
		s := e.stringAt(q)
		if got := partNames(e, s.parts); got != c.pending || (s == noString) != (c.pending == "") {
			t.Errorf("%q: %s are pending, want %s", c.text, got, c.pending)
			continue
		}
		taken := "depends"
		if sure, ok := e.narrow(s.parts, top); ok {
			taken = partNames(e, sure)
		}
		if taken != c.taken {
			t.Errorf("%q: %s are taken, want %s", c.text, taken, c.taken)
		}
		r := e.provide(q, top)
		if r == nil || r.lexerState != (c.taken == "depends" || c.pending == "") {
			t.Errorf("%q: the root is %+v", c.text, r)
		}
		if e.rootOf(q, top) != r {
			t.Errorf("%q: another root at the second look", c.text)
		}
	}
}

func partNames(e *engine, parts []lexer.Part) string {
	var names []string
	for _, p := range parts {
		names = append(names, e.problem.Grammar.Terminals[p.Terminal].Name)
	}
	return strings.Join(names, " ")
}

// TestStringRoots says which pairs share a root.
func TestStringRoots(t *testing.T) {
	e := stringEngine(t, stringTokens(rand.New(rand.NewPCG(1, 1)), 100))
	root := func(text string) *root {
		q, top := pairAt(t, e, text)
		return e.provide(q, top)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`["abcd`, `["abcdé`, true},     // only FREE is left
		{`["ab`, `["abc`, false},        // SHORT counts
		{`["ab`, `{"a":"ab`, false},     // FREE is taken, too
		{`{"a":"ab`, `{"ab":"éa`, true}, // KEY or not, it is not taken
		{`["a`, `["a","a`, true},        // other states that take the same
		{`{"a`, `{"b`, true},            // all letters are alike to KEY
		{`{"ab`, `{"a`, false},          // which counts them
		{`(x"ab`, `<x"ab`, true},        // the lexer state's
		{`(x"ab`, `["ab`, false},        //
		{`["\n`, `["abcdefg`, true},     // after an escape and without
		{`["`, `[`, false},
	} {
		if same := root(c.a) == root(c.b); same != c.same {
			t.Errorf("%q and %q share a root: %v", c.a, c.b, same)
		}
	}
}

// TestSlicesOnWalks takes random legal tokens of stringGrammar and compares the masks with and
// without slices, for all other options.
func TestSlicesOnWalks(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	positions := 0
	for name, o := range optionSets() {
		for range 5 {
			p := problemOf(t, stringGrammar, true, stringTokens(rng, 150)...)
			a := realtext.MustCompile(t, "greatgramma", p, o).Start()
			b := realtext.MustCompile(t, "naive", p, nil).Start()
			positions += realtext.Stroll(t, rng, p, a, b, 12, seed, name)
		}
	}
	t.Logf("%d positions", positions)
}

// TestStringStats says that strings are counted apart, and are none without slices.
func TestStringStats(t *testing.T) {
	tokens := stringTokens(rand.New(rand.NewPCG(2, 1)), 100)
	p := problemOf(t, stringGrammar, true, tokens...)
	for slicing, want := range map[string]float64{"on": 2, "off": 0} {
		e := realtext.MustCompile(t, "greatgramma", p, algorithms.Options{"slices": slicing})
		s := e.Start()
		for _, token := range []string{`[`, `"`, `a`} {
			s.Mask()
			must.OK(t, s.Commit(slices.Index(tokens, token)))
		}
		s.Mask()
		if n := realtext.Counter(e, "strings taken in lexer states"); n != want {
			t.Errorf("slices %s: %v strings", slicing, n)
		}
		if n, all := realtext.Counter(e, "lexer states"), 4.0; n != all-want {
			t.Errorf("slices %s: %v lexer states", slicing, n)
		}
	}
}

// TestStartOverForgetsStrings says what goes when all is forgotten: what is numbered by the old
// spanner and the old stack-free automaton. The classes of LR states stay.
func TestStartOverForgetsStrings(t *testing.T) {
	e := stringEngine(t, stringTokens(rand.New(rand.NewPCG(2, 1)), 100))
	for _, text := range []string{`["ab`, `{"a":"b`, `<x"a`} {
		q, top := pairAt(t, e, text)
		e.provide(q, top)
	}
	classes := slices.Clone(e.topOf)
	if len(e.quoted) == 0 || len(e.leafGroup) == 0 || len(e.topClass) == 0 || len(e.strings) == 0 {
		t.Fatalf("%d strings, %d groups, %d classes: nothing to forget", len(e.quoted), len(e.leafGroup), len(e.topClass))
	}
	e.startOver()
	if n := len(e.quoted) + len(e.leafGroup) + len(e.topClass) + len(e.strings); n > 0 || e.held() != 0 {
		t.Errorf("%d things and %d bytes are left", n, e.held())
	}
	if !slices.Equal(e.topOf, classes) {
		t.Error("LR states have other classes")
	}
}
