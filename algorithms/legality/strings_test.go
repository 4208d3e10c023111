package legality

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/seed"
)

// stringGrammar has strings of which each place takes some: the states after a colon differ in
// which, and after x it depends on what is below.
const stringGrammar = `
%lexer all
start: "[" item ("," item)* "]" | "{" KEY ":" (SHORT | TWO) "}" | "!" KEY ":" FREE | "<" mark SHORT | "(" mark FREE
item: FREE | SHORT
mark: "x"
KEY: /"[a-z]{1,3}"/
FREE: /"([^"\\\x00-\x1f]|\\["\\n])*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
TWO: /"[a-z]{2}"/
`

var stringPieces = []string{"a", "b", "ab", "é", "\xc3", "\xa9", `"`, `"`, `"`, `\`, `\n`, "[", "]", "{", "}", "(", "!", "<", ",", ":", "x"}

// stringProblem is a problem with tokens of one byte, some that end strings, and n random ones.
func stringProblem(t testing.TB, rng *rand.Rand, n int) *algorithms.Problem {
	t.Helper()
	tokens := append(realtext.Bytes(128), `a",`, `ab"]`, `abé"]`)
	return realtext.Small(t, stringGrammar, true, append(tokens, realtext.Pieced(rng, stringPieces, n)...))
}

func stringStore(p *algorithms.Problem, exact bool, use proofs) *store {
	return newStore(p, config{exact: exact, slices: true, proofs: use, memory: DefaultMemory, height: DefaultStack})
}

// keyAt is the row that a mask after a text uses.
func keyAt(t *testing.T, s *store, text string) rowKey {
	t.Helper()
	at, ok := s.builder.problem.Read(s.builder.problem.Start(), []byte(text))
	if !ok {
		t.Fatalf("%q is refused", text)
	}
	return rowKey{at.Lexer, whole, s.know(at.Stacks)}
}

// TestQuestions is a table of texts, and what is asked about the terminals of the string pending
// after them, by the basis and the proofs.
func TestQuestions(t *testing.T) {
	p := stringProblem(t, rand.New(rand.NewPCG(1, 1)), 20)
	all := proofs{true, true, true}
	for _, c := range []struct {
		text  string
		exact bool
		use   proofs
		want  string
	}{
		{`["a`, false, all, "never:KEY,TWO always:FREE,SHORT"},
		{`["abcd`, false, all, "always:FREE"},
		{`{"a`, false, all, "always:KEY never:FREE,SHORT,TWO"},
		{`{"a":"b`, false, all, "never:KEY asked:FREE asked:SHORT,TWO"}, // some state after a colon takes each
		{`{"a":"b`, true, all, "never:KEY,FREE always:SHORT,TWO"},
		{`!"a":"b`, true, all, "never:KEY,SHORT,TWO always:FREE"},
		{`!"a":"bcde`, false, all, "asked:FREE"},
		{`<x"a`, false, all, "never:KEY,TWO asked:FREE asked:SHORT"}, // it depends on what is below
		{`<x"a`, true, all, "never:KEY,TWO asked:FREE asked:SHORT"},
		{`{"a":"b`, false, proofs{never: true, always: true}, "never:KEY asked:FREE asked:SHORT asked:TWO"},
		{`{"a":"b`, false, proofs{always: true, joint: true}, "asked:KEY asked:FREE asked:SHORT,TWO"},
		{`["a`, false, proofs{never: true, joint: true}, "never:KEY,TWO asked:FREE,SHORT"},
		{`["a`, false, proofs{never: true}, "never:KEY,TWO asked:FREE asked:SHORT"},
		{`["a`, false, proofs{}, "asked:KEY asked:FREE asked:SHORT asked:TWO"},
	} {
		s := stringStore(p, c.exact, c.use)
		b := &s.builder
		key := keyAt(t, s, c.text)
		b.parts = b.spanner.Pending(nil, key.q)
		var list []string
		for _, q := range b.questions(b.machine.start(s.basesOf(key.known))) {
			is := "asked"
			switch {
			case q.is == mayAccept && c.use.always:
				is = "always"
			case q.is == mayRefuse && c.use.never:
				is = "never"
			}
			var names []string
			for _, x := range q.parts {
				names = append(names, p.Grammar.Terminals[x.Terminal].Name)
			}
			list = append(list, is+":"+strings.Join(names, ","))
		}
		if got := strings.Join(list, " "); got != c.want {
			t.Errorf("%q, by state %v, %v: %s, want %s", c.text, c.exact, c.use, got, c.want)
		}
	}
}

// TestStringRowsAreShared says which pairs of a lexer state and a basis have one row, which is
// counted once.
func TestStringRowsAreShared(t *testing.T) {
	p := stringProblem(t, rand.New(rand.NewPCG(1, 1)), 200)
	s := stringStore(p, true, proofs{true, true, true})
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`["abcd`, `["abcdé`, true},    // only FREE is left
		{`["ab`, `["abc`, false},       // SHORT counts
		{`["é`, `["a`, true},           // KEY and TWO are not taken
		{`["a`, `["a","a`, false},      // after other states
		{`["ab`, `{"a":"ab`, false},    //
		{`!"a":"\n`, `!"ab":"é`, true}, //
		{`["a`, `["`, false},
	} {
		a, built, bytes := s.row(keyAt(t, s, c.a)), s.built, s.bytes
		b := s.row(keyAt(t, s, c.b))
		if same := a == b; same != c.same {
			t.Errorf("%q and %q share a row: %v", c.a, c.b, same)
		}
		if c.same && (s.built != built || s.bytes > bytes+knownBytes) {
			t.Errorf("%q is built again: %d rows instead of %d", c.b, s.built, built)
		}
	}
	// What is remembered goes with the rows, and with the graph that its nodes are of.
	if len(s.builder.strings) == 0 {
		t.Fatal("nothing is remembered")
	}
	s.limit = 1
	s.row(keyAt(t, s, `{"abc`))
	if s.dropped != 1 || len(s.rows) != 1 || len(s.builder.strings) > 0 {
		t.Errorf("dropped %d times, %d rows and %d strings are left", s.dropped, len(s.rows), len(s.builder.strings))
	}
	s.builder.startSpanner()
	if s.builder.strings != nil || s.builder.counts != nil {
		t.Error("nodes of the old graph are remembered")
	}
}

// TestStringsOnWalks takes random legal tokens of stringGrammar and compares the masks with
// naive's, for all combinations of proofs.
func TestStringsOnWalks(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	onOff := []string{"on", "off"}
	positions := 0
	for n := range 16 {
		o := algorithms.Options{"always": onOff[n&1], "never": onOff[n>>1&1], "joint": onOff[n>>2&1], "basis": []string{"terminal", "state"}[n>>3]}
		for range 6 {
			p := stringProblem(t, rng, 120)
			a, b := realtext.MustCompile(t, "legality", p, o).Start(), realtext.MustCompile(t, "trie", p, algorithms.Options{"slices": "off"}).Start()
			positions += realtext.Stroll(t, rng, p, a, b, 14, seed, o)
		}
	}
	t.Logf("%d positions", positions)
}
