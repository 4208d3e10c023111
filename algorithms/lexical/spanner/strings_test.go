package spanner_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/kept"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// stringGrammar has strings that overlap: free, counted, of a pattern, fixed ones.
const stringGrammar = `
%lexer all
start: value
value: STRING | SHORT | LOWER | KEY | OTHER | LATE | GAP | NUMBER | "[" value ("," value)* "]" | "{" KEY ":" value "}"
STRING: /"([^"\\\x00-\x1f]|\\["\\n]|\\u[0-9a-f]{4})*"/
SHORT: /"[^"\\\x00-\x1f]{0,3}"/
LOWER: /"[a-c]{2,6}"/
KEY: "\"ab\""
OTHER: "\"abcé\""
LATE: /"([^"\\\x00-\x1f]{2})*"/
GAP: /"[^"\\\x00-\x1f]{0,2}[a-c]?"/
NUMBER: /[0-9]+(\.[0-9]+)?/
`

// after lists states of the lexer inside and at the end of strings.
func after(lex lexer.Automaton) []lexer.State {
	var list []lexer.State
	for _, text := range []string{`"`, `"a`, `"ab`, `"abc`, `"b`, `"z`, `"zz`, `"zzzz`, `"\`, `"\u00`, "\"\xc3", "\"abc\xc3", `"ab"`, `""`, `"\""`} {
		q := lex.Start()
		for _, b := range []byte(text) {
			q = lex.Next(q, b)
		}
		list = append(list, q)
	}
	return list
}

// stringPieces are what the tokens of TestStringRoots are made of.
var stringPieces = []string{"a", "b", "c", "z", "aa", "bz", "é", "é", "\xc3", "\xa9", `"`, `"`, `"`, `\`, `\n`, `\u`, "0", "12", ",", ":", "[", "]", "}", ".", " ", "\n"}

// TestStringRoots compares the tokens of every group of a root of strings, for random choices of
// the parts of a state, with what reading them byte by byte gives.
func TestStringRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 6))
	tokens := realtext.Pieced(rng, stringPieces, 1500)
	v := realtext.Vocabulary(t, tokens...)
	checked, kept := 0, kept.New()
	for range 2 { // the second time with what the first has left for the vocabulary
		r := compile(t, stringGrammar, true)
		for _, prune := range []bool{false, true} {
			s := spanner.New(r, v, spanner.Options{Prune: prune, Kept: kept})
			if s.Strings() == nil {
				t.Fatal("no strings")
			}
			for _, q := range after(r.Lexer) {
				all := r.Lexer.(*lexer.OnDemand).Parts(nil, q)
				for i := range 12 {
					parts := slices.DeleteFunc(slices.Clone(all), func(lexer.Part) bool { return rng.IntN(3) == 0 })
					if i < len(all) {
						parts = all[i : i+1]
					}
					checkQuoted(t, s, r, v, q, parts, prune)
					checked++
				}
			}
		}
	}
	t.Logf("%d roots", checked)
}

// checkQuoted checks the root of some parts of q.
func checkQuoted(t *testing.T, s *spanner.Spanner, r *recognizer.Recognizer, v *tokenizers.Vocabulary, q lexer.State, parts []lexer.Part, prune bool) {
	t.Helper()
	got := map[int32]quotedReading{}
	listQuoted(t, s, s.Root(parts), nil, got)
	if s.Root(parts) != s.Root(slices.Clone(parts)) {
		t.Error("two roots")
	}
	for id := range v.Len() - 1 { // the last is EOS
		want, ok := readQuoted(r, q, parts, v.Token(id))
		x, found := got[int32(id)]
		switch {
		case found && (!ok || x.reach != want.reach || !slices.EqualFunc(x.emitted, want.emitted, slices.Equal[[]grammar.Terminal])):
			t.Fatalf("state %d, parts %v, token %q: the tree says %v, reading it says %v, %v", q, parts, v.Token(id), x, want, ok)
		case !found && ok && (!prune || len(want.emitted) == 0):
			t.Fatalf("state %d, parts %v: token %q is missing: %v", q, parts, v.Token(id), want)
		}
	}
}

// A quotedReading is what a token emits, and what it leaves pending.
type quotedReading struct {
	emitted [][]grammar.Terminal
	reach   lexer.ReachID
}

// listQuoted lists what the graph says below a node, by token.
func listQuoted(t *testing.T, s *spanner.Spanner, node spanner.NodeID, emitted [][]grammar.Terminal, all map[int32]quotedReading) {
	t.Helper()
	n := s.Node(node)
	for _, l := range n.Leaves {
		ids := s.AppendLeaf(nil, l.ID)
		words := make([]uint64, 100)
		s.SetLeaf(words, l.ID)
		for _, id := range ids {
			if _, twice := all[id]; twice || words[id>>6]&(1<<(id&63)) == 0 {
				t.Errorf("token %d: twice %v", id, twice)
			}
			all[id] = quotedReading{slices.Clone(emitted), l.Reach}
		}
		if bits := s.LeafBits(l.ID); bits != nil && !slices.Equal(bits, words[:len(bits)]) {
			t.Errorf("group %d: the bits differ", l.ID)
		}
	}
	for _, k := range n.Kids {
		listQuoted(t, s, k.Node, append(emitted, slices.Sorted(slices.Values(s.Members(k.Symbol)))), all)
	}
}

// readQuoted reads a token from q by the definition, following the parts only until their lexeme
// ends.
func readQuoted(r *recognizer.Recognizer, q lexer.State, parts []lexer.Part, token []byte) (quotedReading, bool) {
	lex := r.Lexer.(*lexer.OnDemand)
	out := quotedReading{reach: spanner.Sure}
	first := true
	for _, b := range token {
		next := lex.Next(q, b)
		if next == lexer.None {
			ends := lex.Ends(q)
			next = lex.Next(lex.Start(), b)
			if len(ends) == 0 || next == lexer.None {
				return out, false
			}
			var list []grammar.Terminal
			for _, m := range lex.Members(ends[0].Set) {
				if !first || slices.ContainsFunc(parts, func(p lexer.Part) bool { return p.Terminal == m }) {
					list = append(list, m)
				}
			}
			if len(list) == 0 {
				return out, false
			}
			slices.Sort(list)
			out.emitted, first = append(out.emitted, list), false
		} else if first {
			parts = advance(lex, parts, b)
			if len(parts) == 0 {
				return out, false
			}
		}
		q = next
	}
	if !first {
		out.reach = lex.Reach(q)
	}
	return out, true
}

// advance reads a byte in each part.
func advance(lex *lexer.OnDemand, parts []lexer.Part, b byte) []lexer.Part {
	var out []lexer.Part
	for _, p := range parts {
		if s := lex.Terminal(p.Terminal).Next(p.State, b); s >= 0 {
			out = append(out, lexer.Part{Terminal: p.Terminal, State: s})
		}
	}
	return out
}

// followedApart tells whether the parts after a byte may be followed without others.
func followedApart(r *recognizer.Recognizer, v *tokenizers.Vocabulary, o spanner.Options, b byte) bool {
	s := spanner.New(r, v, o)
	q := r.Lexer.Next(r.Lexer.Start(), b)
	if q == lexer.None {
		return false
	}
	parts := s.Pending(nil, q)
	_, ok := s.Narrow(nil, parts, func(grammar.Terminal) spanner.Takes { return spanner.Yes })
	return len(parts) > 0 && ok
}

// TestStringsRefused: strings are not followed apart where that would not be right, or is not
// wanted.
func TestStringsRefused(t *testing.T) {
	v := realtext.Vocabulary(t, "a", `"`)
	cases := []struct {
		what, grammar string
		onDemand      bool
		options       spanner.Options
		want          bool
	}{
		{"as it should be", stringGrammar, true, spanner.Options{}, true},
		{"switched off", stringGrammar, true, spanner.Options{NoSlices: true}, false},
		{"built ahead", stringGrammar, false, spanner.Options{}, false},
		{"first of all matches", strings.Replace(stringGrammar, "%lexer all", "", 1), true, spanner.Options{}, false},
		{"no strings", "%lexer all\nstart: A\nA: /a+/", true, spanner.Options{}, false},
		{"one goes on behind the quote", strings.Replace(stringGrammar, `KEY: "`, `KEY: "\"x\"y" | "`, 1), true, spanner.Options{}, false},
		{"one is ignored", stringGrammar + "%ignore /\"#[a-z]*\"/\n", true, spanner.Options{}, false},
	}
	for _, c := range cases {
		if got := followedApart(compile(t, c.grammar, c.onDemand), v, c.options, '"'); got != c.want {
			t.Errorf("%s: strings followed apart: %v", c.what, got)
		}
	}
}
