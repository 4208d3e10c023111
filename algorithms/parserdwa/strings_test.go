package parserdwa

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/seed"
)

// stringGrammar has strings of which each place takes some. After x, which of them depends on what
// is below.
const stringGrammar = `
%lexer all
start: "[" item ("," item)* "]" | "{" KEY ":" SHORT "}" | "<" mark SHORT | "(" mark FREE
item: FREE | SHORT
mark: "x" | "y" mark
KEY: /"[a-z]{1,3}"/
FREE: /"([^"\\\x00-\x1f]|\\["\\n])*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
`

// forkedGrammar is one with conflicts that are kept: an item may be two things.
const forkedGrammar = `
%conflicts keep
%lexer all
start: "[" a+ "]" | "[" b+ "]" | "{" KEY ":" SHORT "}" | "<" mark SHORT | "(" mark FREE
a: FREE | SHORT
b: FREE | KEY
mark: "x" | "y" mark
KEY: /"[a-z]{1,3}"/
FREE: /"([^"\\\x00-\x1f]|\\["\\n])*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
`

var stringPieces = []string{"a", "b", "ab", "é", "\xc3", "\xa9", `"`, `"`, `"`, `\`, `\n`, "[", "]", "{", "}", "(", "<", ",", ":", "x"}

// stringProblem is a problem with tokens of one byte, some that end strings, and n random ones.
func stringProblem(t testing.TB, text string, rng *rand.Rand, n int) *algorithms.Problem {
	t.Helper()
	tokens := append(realtext.Bytes(128), `a",`, `ab"]`, `abé"]`)
	return realtext.Small(t, text, true, append(tokens, realtext.Pieced(rng, stringPieces, n)...))
}

// after is where a text leads.
func behind(t testing.TB, p *algorithms.Problem, text string) recognizer.State {
	t.Helper()
	s, ok := p.Read(p.Start(), []byte(text))
	if !ok {
		t.Fatalf("%q is refused", text)
	}
	return s
}

// TestNarrow is a table of texts, and the strings pending after them that the top of the stack
// takes.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ grammar, text, want string }{
		{stringGrammar, `[`, "none pending"},
		{stringGrammar, `["`, "FREE SHORT"},
		{stringGrammar, `["abcd`, "FREE"},
		{stringGrammar, `{"a`, "KEY"},
		{stringGrammar, `{"a":"b`, "SHORT"},
		{stringGrammar, `<x"a`, "depends"},
		{stringGrammar, `(x"a`, "depends"},
		{forkedGrammar, `["`, "KEY FREE SHORT"},
		{forkedGrammar, `{"a`, "KEY"},
		{forkedGrammar, `{"a":"é`, "SHORT"},
		{forkedGrammar, `<x"a`, "depends"},
	} {
		p := stringProblem(t, c.grammar, rand.New(rand.NewPCG(1, 1)), 5)
		if p.Tables.Deterministic() != (c.grammar == stringGrammar) {
			t.Fatal("the grammar is not what it is for")
		}
		a := newAutomaton(p, 1<<40, true)
		s := behind(t, p, c.text)
		got := "none pending"
		if pending := a.composer.terminals.pending(s.Lexer); pending != nil {
			got = "depends"
			if sure, ok := a.composer.narrow(pending.parts, s.Stacks.TopNode(0).State); ok {
				var names []string
				for _, x := range sure {
					names = append(names, p.Grammar.Terminals[x.Terminal].Name)
				}
				got = strings.Join(names, " ")
			}
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
		if newAutomaton(p, 1<<40, false).composer.terminals.pending(s.Lexer) != nil {
			t.Errorf("%q: strings are followed where slices are off", c.text)
		}
	}
}

// TestStringsAreShared says which pairs of a lexer state and a top come to the same node, and that
// its outcome is made once.
func TestStringsAreShared(t *testing.T) {
	p := stringProblem(t, stringGrammar, rand.New(rand.NewPCG(1, 1)), 100)
	a := newAutomaton(p, 1<<40, true)
	enter := func(text string) (node int32, o outcome) {
		s := behind(t, p, text)
		top := s.Stacks.TopNode(0).State
		pending := a.composer.terminals.pending(s.Lexer)
		o = a.composer.enterString(pending, top)
		if pending.whole != noRoot {
			return pending.whole, o
		}
		sure, _ := a.composer.narrow(pending.parts, top)
		return a.composer.terminals.sharedNode(a.composer.terminals.spanner.Root(sure)), o
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`["abcd`, `["abcdé`, true},
		{`["ab`, `["abc`, false},
		{`["ab`, `{"a":"ab`, false},
		{`["é`, `["a`, true},
		{`{"a`, `{"b`, true},
	} {
		first, _ := enter(c.a)
		nodes := len(a.composer.terminals.nodes)
		second, _ := enter(c.b)
		if same := first == second; same != c.same {
			t.Errorf("%q and %q have one node: %v", c.a, c.b, same)
		}
		if c.same && len(a.composer.terminals.nodes) != nodes {
			t.Errorf("%q makes %d nodes", c.b, len(a.composer.terminals.nodes)-nodes)
		}
	}
	// Where it depends on the stack the node is that of the lexer state.
	outcomes := len(a.composer.strings)
	if node, _ := enter(`<x"a`); a.composer.terminals.nodes[node].isShared || len(a.composer.strings) != outcomes {
		t.Error("the node is one of the shared graph")
	}
}

// TestStringsOnWalks takes random legal tokens and compares the masks with trie's, for all
// variants.
func TestStringsOnWalks(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	positions := 0
	for _, o := range []algorithms.Options{nil, {"determinize": "none"}, {"determinize": "eager"}, {"limit": "1"}, {"slices": "off"}} {
		for n := range 16 {
			p := stringProblem(t, []string{stringGrammar, forkedGrammar}[n%2], rng, 120)
			a, b := realtext.MustCompile(t, "parserdwa", p, o).Start(), realtext.MustCompile(t, "trie", p, algorithms.Options{"slices": "off"}).Start()
			positions += realtext.Stroll(t, rng, p, a, b, 14, seed, o)
		}
	}
	t.Logf("%d positions", positions)
}

// TestStringNeedsLexer says when there are no strings to follow.
func TestStringNeedsLexer(t *testing.T) {
	p := stringProblem(t, strings.Replace(stringGrammar, "%lexer all", "", 1), rand.New(rand.NewPCG(1, 1)), 5)
	a := newAutomaton(p, 1<<40, true)
	if s := a.composer.terminals.pending(p.Lexer.Next(lexer.State(0), '"')); s != nil {
		t.Error("lexemes are emitted as the first of what they match")
	}
}
