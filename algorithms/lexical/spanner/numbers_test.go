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

// numberGrammar has numbers that overlap.
const numberGrammar = `
%lexer all
start: value
value: FREE | INTEGER | BYTE | EVEN | FEW | "null" | "true" | STRING | "[" value (comma value)* "]"
comma: "," | WS ","
FREE: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
INTEGER: /-?(0|[1-9][0-9]*)/
BYTE: /[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]/
EVEN: /[0-9]*[02468]/
FEW: /1\.50*|12|1e3|-/
STRING: /"[^"]*"/
WS: /[ \n]+/
`

// numberPieces are what tokens are made of.
var numberPieces = []string{"0", "1", "2", "5", "12", "25", "-", "+", ".", "e", "E", ",", ",", "]", "}", "[", "null", "true", "n", `"`, " ", "\n", "x"}

// TestNumberRoots compares the tokens of every group of a root of numbers, for random choices of
// the parts of a state, with what reading them byte by byte gives.
func TestNumberRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 6))
	v := realtext.Vocabulary(t, realtext.Pieced(rng, numberPieces, 1500)...)
	checked, kept := 0, kept.New()
	for range 2 { // the second time with what the first has left for the vocabulary
		r := compile(t, numberGrammar, true)
		lex := r.Lexer.(*lexer.OnDemand)
		for _, prune := range []bool{false, true} {
			s := spanner.New(r, v, spanner.Options{Prune: prune, Kept: kept})
			if s.Numbers() == nil {
				t.Fatal("no numbers")
			}
			for _, text := range []string{"0", "1", "-", "-0", "12", "25", "255", "25500", "1.", "1.5", "1e", "1e3", "1e+", "1.50E-"} {
				q := lex.Start()
				for _, b := range []byte(text) {
					q = lex.Next(q, b)
				}
				all := lex.Parts(nil, q)
				for i := range 12 {
					parts := slices.DeleteFunc(slices.Clone(all), func(lexer.Part) bool { return rng.IntN(3) == 0 })
					if i < len(all) {
						parts = all[i : i+1]
					}
					checkNumeric(t, s, r, v, text, q, parts, prune)
					checked++
				}
			}
		}
	}
	t.Logf("%d roots", checked)
}

// checkNumeric checks the root of some parts of q.
func checkNumeric(t *testing.T, s *spanner.Spanner, r *recognizer.Recognizer, v *tokenizers.Vocabulary, text string, q lexer.State, parts []lexer.Part, prune bool) {
	t.Helper()
	root := s.Root(parts)
	if root != s.Root(slices.Clone(parts)) {
		t.Error("two roots")
	}
	got := map[int32]quotedReading{}
	listQuoted(t, s, root, nil, got)
	for id := range v.Len() - 1 { // the last is EOS
		want, ok := readNumeric(r, q, parts, v.Token(id))
		x, found := got[int32(id)]
		switch {
		case found && (!ok || x.reach != want.reach || !slices.EqualFunc(x.emitted, want.emitted, slices.Equal[[]grammar.Terminal])):
			t.Fatalf("after %q, parts %v, token %q: the tree says %v, reading it says %v, %v", text, parts, v.Token(id), x, want, ok)
		case !found && ok && (!prune || len(want.emitted) == 0):
			t.Fatalf("after %q, parts %v: token %q is missing: %v", text, parts, v.Token(id), want)
		}
	}
	// Whoever asks about the end of the text finds the parts that accept at the root.
	var accepting, kids []grammar.Terminal
	for _, p := range parts {
		if r.Lexer.(*lexer.OnDemand).Terminal(p.Terminal).Accepting(p.State) {
			accepting = append(accepting, p.Terminal)
		}
	}
	if n := s.Node(root); len(n.Kids) > 0 {
		kids = s.Members(n.Kids[0].Symbol)
	}
	if accepting != nil && !slices.Equal(kids, accepting) {
		t.Errorf("after %q, parts %v: the first child is %v", text, parts, kids)
	}
}

// readNumeric reads a token by the definition, like readQuoted, but for a second number right
// behind the first: that is nothing that a parser takes.
func readNumeric(r *recognizer.Recognizer, q lexer.State, parts []lexer.Part, token []byte) (quotedReading, bool) {
	end := strings.IndexFunc(string(token), func(c rune) bool { return !strings.ContainsRune("0123456789+-.eE", c) })
	if end < 0 {
		end = len(token)
	}
	for _, b := range token[:end] {
		if q = r.Lexer.Next(q, b); q == lexer.None {
			return quotedReading{}, false
		}
		if parts = advance(r.Lexer.(*lexer.OnDemand), parts, b); len(parts) == 0 {
			return quotedReading{}, false
		}
	}
	return readQuoted(r, q, parts, token[end:])
}

// TestNumbersRefused: numbers are not followed apart where that would not be right, or is not
// wanted.
func TestNumbersRefused(t *testing.T) {
	v := realtext.Vocabulary(t, "a", "1")
	cases := []struct {
		what, grammar string
		onDemand      bool
		options       spanner.Options
		want          bool
	}{
		{"as it should be", numberGrammar, true, spanner.Options{}, true},
		{"pruned", numberGrammar, true, spanner.Options{Prune: true}, true},
		{"no strings", "%lexer all\nstart: N (\",\" N)*\nN: /[0-9]+/", true, spanner.Options{}, true},
		{"white space is ignored", "%lexer all\nstart: N+\nN: /[0-9]+/\n%ignore \" \"", true, spanner.Options{}, false},
		{"switched off", numberGrammar, true, spanner.Options{NoSlices: true}, false},
		{"built ahead", numberGrammar, false, spanner.Options{}, false},
		{"first of all matches", strings.Replace(numberGrammar, "%lexer all", "", 1), true, spanner.Options{}, false},
		{"no numbers", "%lexer all\nstart: A\nA: /a+/", true, spanner.Options{}, false},
		{"two side by side", "%lexer all\nstart: A B\nA: /[0-9]/\nB: /[0-9]+/", true, spanner.Options{}, false},
		{"a name behind one", "%lexer all\nstart: A B\nA: /[0-9]+/\nB: /[a-z]+/", true, spanner.Options{}, false},
		{"a name before one", "%lexer all\nstart: B A\nA: /[0-9]+/\nB: /[a-z]+/", true, spanner.Options{}, true},
		{"one is ignored", "%lexer all\nstart: A (\",\" A)*\nA: /[0-9]+/\n%ignore /-+/", true, spanner.Options{}, false},
	}
	for _, c := range cases {
		if got := followedApart(compile(t, c.grammar, c.onDemand), v, c.options, '1'); got != c.want {
			t.Errorf("%s: numbers followed apart: %v", c.what, got)
		}
	}
}
