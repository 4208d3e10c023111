package legality

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
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

// TestStringRows looks at what a row of a string has ready, asks and counts.
func TestStringRows(t *testing.T) {
	p := stringProblem(t, rand.New(rand.NewPCG(1, 1)), 200)
	s := stringStore(p, false, proofs{true, true, true})
	for _, c := range []struct {
		text               string
		ready              bool
		asked              string
		always, never, ask int
	}{
		{`["a`, true, "", 1, 1, 0},
		{`{"a`, true, "", 1, 1, 0},
		{`{"a":"b`, false, "FREE SHORT", 0, 1, 2},
		{`!"a":"bcde`, false, "FREE", 0, 0, 1},
	} {
		r := s.row(keyAt(t, s, c.text))
		top := &r.nodes[0]
		var asked []string
		for _, k := range top.checks {
			for i, w := range k.terms {
				for ; w != 0; w &= w - 1 {
					asked = append(asked, p.Grammar.Terminals[i<<6+bits.TrailingZeros64(w)].Name)
				}
			}
		}
		if top.tokens.empty() == c.ready || strings.Join(asked, " ") != c.asked {
			t.Errorf("%q: ready %v, asks %q; want %v, %q", c.text, !top.tokens.empty(), asked, c.ready, c.asked)
		}
		if r.tally.Always < c.always || r.tally.Never < c.never || r.tally.Asked < c.ask {
			t.Errorf("%q: %+v", c.text, r.tally)
		}
		if r.groups != r.tally.Groups() || r.bytes == 0 {
			t.Errorf("%q: %d groups, %d bytes; %+v", c.text, r.groups, r.bytes, r.tally)
		}
		for _, n := range r.nodes[1:] {
			if n.depth == 1 && (n.set != lexer.NoSet || len(n.terms) == 0) {
				t.Errorf("%q: a string ends as %v, set %d", c.text, n.terms, n.set)
			}
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

// TestTokens unites groups of all kinds.
func TestTokens(t *testing.T) {
	p := stringProblem(t, rand.New(rand.NewPCG(3, 1)), 2000)
	s := stringStore(p, false, proofs{true, true, true})
	b := &s.builder
	b.row = &row{}
	for _, text := range []string{`["`, `["a`, `["abc`, `{"`, `{"a`} {
		key := keyAt(t, s, text)
		b.spanner.Root(b.spanner.Pending(nil, key.q))
		b.spanner.Shared(key.q)
	}
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	large := 0
	for range 300 {
		leaves := make([]spanner.LeafID, rng.IntN(4))
		for i := range leaves {
			leaves[i] = spanner.LeafID(rng.IntN(b.spanner.NumLeaves()))
		}
		want, got := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len())), make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
		for _, leaf := range leaves {
			for _, id := range b.spanner.AppendLeaf(nil, leaf) {
				bitset.Add(want, id)
			}
		}
		held := b.row.bytes
		isNew := len(leaves) > 0 && b.known.lists.Find(leaves) < 0
		set := b.tokens(leaves)
		if set.addTo(got); !slices.Equal(got, want) {
			t.Fatalf("leaves %v have other tokens", leaves)
		}
		if set.empty() != (len(leaves) == 0) {
			t.Fatalf("leaves %v are empty: %v", leaves, set.empty())
		}
		if set.words == nil {
			took := 0
			if isNew {
				took = 4*len(set.ids) + listBytes(leaves)
			}
			if b.row.bytes != held+took || len(set.ids) > len(want) {
				t.Fatalf("%d ids take %d bytes", len(set.ids), b.row.bytes-held)
			}
			if again := b.tokens(leaves); b.row.bytes != held+took || len(set.ids) > 0 && &again.ids[0] != &set.ids[0] {
				t.Fatalf("leaves %v are held twice", leaves)
			}
			continue
		}
		large++
		held = b.row.bytes
		if again := b.tokens(leaves); &again.words[0] != &set.words[0] || b.row.bytes != held {
			t.Fatalf("leaves %v are held twice", leaves)
		}
	}
	if large < 20 {
		t.Errorf("only %d were bit sets", large)
	}
}

// TestEntries compares what states do with the tables, symbol by symbol.
func TestEntries(t *testing.T) {
	compared := 0
	for seed := range seed.Each(t, 200) {
		g, err := lark.Parse([]byte(conformance.Random(seed).Grammar), lark.Options{})
		if err != nil {
			continue
		}
		tables, err := lr.Build(t.Context(), g, lr.Options{})
		if err != nil {
			continue
		}
		for s, row := range entriesOf(tables) {
			var want []entry
			for x := range int32(tables.NumTerminals() + 1) {
				for _, a := range tables.Actions(int32(s), grammar.Terminal(x)) {
					switch a.Kind() {
					case lr.KindShift:
						want = append(want, entry{x, entryShift, a.Target(), 0})
					case lr.KindReduce:
						lhs, length := tables.Rule(a.Target())
						want = append(want, entry{x, entryReduce, int32(lhs), int32(length)})
					case lr.KindAccept:
						want = append(want, entry{x, entryAccept, 0, 0})
					}
				}
			}
			for n := range g.Nonterminals {
				if to := tables.Goto(int32(s), grammar.Nonterminal(n)); to >= 0 {
					want = append(want, entry{int32(n), entryGoto, to, 0})
				}
			}
			if fmt.Sprint(row) != fmt.Sprint(want) {
				t.Fatalf("seed %d, state %d: %v, want %v", seed, s, row, want)
			}
			compared += len(row)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d entries were compared", compared)
	}
}
