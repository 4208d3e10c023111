package parserdwa

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	_ "gcdbench/algorithms/trie"
	"gcdbench/grammar"
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

// TestTakes compares what a state takes with real stacks that it is on top of, in tables with and
// without conflicts.
func TestTakes(t *testing.T) {
	seen := map[spanner.Takes]int{}
	for seed := range seed.Each(t, 250) {
		r := realtext.Recognizer(t, conformance.Random(seed).Grammar, false)
		if r == nil {
			continue
		}
		v := realtext.Vocabulary(t)
		c := newAutomaton(&algorithms.Problem{Recognizer: r, Vocabulary: v}, 1<<40, true).composer
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 40 {
			stacks := parsed(rng, r.Tables, 1+rng.IntN(8))
			if stacks.NumTops() != 1 {
				continue
			}
			top := stacks.TopNode(0).State
			for x := range r.Tables.NumTerminals() {
				accepted := r.Tables.Accepts(stacks, grammar.Terminal(x))
				is := c.takes(int32(x), top)
				if is != c.takes(int32(x), top) {
					t.Fatalf("seed %d: state %d on terminal %d: another answer", seed, top, x)
				}
				if is == spanner.Yes && !accepted || is == spanner.No && accepted {
					t.Fatalf("seed %d: state %d on terminal %d: %d, but a stack takes it: %v", seed, top, x, is, accepted)
				}
				seen[is]++
			}
		}
	}
	for _, is := range []spanner.Takes{spanner.No, spanner.Yes, spanner.Depends} {
		if seen[is] < 100 {
			t.Errorf("%d was said %d times", is, seen[is])
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

// TestSharedNodes compares the nodes that stand for the shared graph with it.
func TestSharedNodes(t *testing.T) {
	p := stringProblem(t, stringGrammar, rand.New(rand.NewPCG(2, 1)), 400)
	terminals := newAutomaton(p, 1<<40, true).composer.terminals
	checked := 0
	var check func(id spanner.NodeID)
	check = func(id spanner.NodeID) {
		s, n := terminals.spanner, terminals.expand(terminals.sharedNode(id))
		from := s.Node(id)
		if len(n.finals) != len(from.Leaves) || len(n.edges) != len(from.Kids) {
			t.Fatalf("%d finals and %d edges for %d leaves and %d children", len(n.finals), len(n.edges), len(from.Leaves), len(from.Kids))
		}
		for i, leaf := range from.Leaves {
			f := terminals.finals[n.finals[i]]
			got := make([]uint64, terminals.weights.size)
			f.weight.orInto(got)
			want := make([]uint64, terminals.weights.size)
			s.SetLeaf(want, leaf.ID)
			if f.reach != leaf.Reach || !slices.Equal(got, want) {
				t.Fatalf("a leaf differs: reach %d, want %d", f.reach, leaf.Reach)
			}
			checked++
		}
		for i, k := range from.Kids {
			l := terminals.labels.list[n.edges[i].label]
			var terms []int32
			for _, x := range s.Members(k.Symbol) {
				terms = append(terms, int32(x))
			}
			if !slices.Equal(l.terms, terms) || l.line != noLine || l.ignored || n.edges[i].to != terminals.sharedNode(k.Node) {
				t.Fatalf("an edge has %v, want %v", l, terms)
			}
			check(k.Node)
		}
	}
	for _, text := range []string{`["`, `["ab`, `{"ab"`, `{"a":"abc`} {
		parts := terminals.spanner.Pending(nil, behind(t, p, text).Lexer)
		check(terminals.spanner.Root(parts))
	}
	if checked < 20 {
		t.Errorf("%d leaves", checked)
	}
	// All tokens below a node are what its finals say, each once.
	id := terminals.sharedNode(terminals.spanner.Root(terminals.spanner.Pending(nil, behind(t, p, `["`).Lexer)))
	if w := terminals.tokens(id); tokensOf(w) == 0 {
		t.Error("there are no tokens below")
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
