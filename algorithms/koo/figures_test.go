package koo_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/koo"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lark"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// describe writes the edges of a transducer as in the paper's figures, "e" being no input.
func describe(f *koo.FST, v *tokenizers.Vocabulary) string {
	var b strings.Builder
	for s, edges := range f.Edges {
		for _, e := range edges {
			in := "e"
			if e.Token >= 0 {
				in = string(v.Token(int(e.Token)))
			}
			fmt.Fprintf(&b, "%d %s:%c %d\n", s, in, e.Byte, e.To)
		}
	}
	return b.String()
}

// TestFigure4 is the detokenizing transducer of the vocabulary f, oo, foo, for, food. The states
// are the figure's, numbered in another order: figure 2, 3, 4, 1 are 1, 2, 3, 4 here.
func TestFigure4(t *testing.T) {
	v := realtext.Vocabulary(t, "f", "oo", "foo", "for", "food")
	want := `0 e:f 1
0 f:f 0
0 e:o 4
1 e:o 2
2 e:o 3
2 foo:o 0
2 for:r 0
3 food:d 0
4 oo:o 0
`
	if got := describe(koo.Detokenizer(v), v); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFigure5 is the composition of that transducer with /(foo)+d/, with the figure's three states.
func TestFigure5(t *testing.T) {
	v := realtext.Vocabulary(t, "f", "oo", "foo", "for", "food")
	a := koo.Compose(koo.Detokenizer(v), automata.MustCompile("(foo)+d", 0))
	if n := len(a.Accepting); n != 4 {
		t.Errorf("%d states before minimization: the start, behind f, behind foo, behind food", n)
	}
	a = a.Minimize()
	var b strings.Builder
	for s, edges := range a.Edges {
		for _, e := range edges {
			fmt.Fprintf(&b, "%d %s %d\n", s, v.Token(int(e.Token)), e.To)
		}
	}
	want := `0 f 1
0 foo 0
0 food 2
1 oo 0
`
	if b.String() != want || !slices.Equal(a.Accepting, []bool{false, false, true}) {
		t.Errorf("got\n%s%v\nwant\n%s", b.String(), a.Accepting, want)
	}
	for _, c := range []struct {
		tokens []int32
		want   bool
	}{
		{[]int32{4}, true},           // food
		{[]int32{2, 4}, true},        // foo food
		{[]int32{0, 1, 4}, true},     // f oo food
		{[]int32{0, 1, 2, 4}, true},  // f oo foo food
		{[]int32{2}, false},          // foo
		{[]int32{0, 1, 0, 1}, false}, // f oo f oo
		{[]int32{3}, false},          // for
		{[]int32{4, 4}, false},       // food food
		{nil, false},
	} {
		if got := a.Accepts(c.tokens); got != c.want {
			t.Errorf("%v: %v", c.tokens, got)
		}
	}
}

// TestTransducer says that the transducer is detokenization, for random vocabularies and sequences.
func TestTransducer(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 50 {
		v := realtext.Vocabulary(t, conformance.RandomVocabulary(rng, "ab", 5, 12)...)
		f := koo.Detokenizer(v)
		for range 20 {
			var tokens []int32
			ok := true
			for range rng.IntN(6) {
				id := rng.IntN(v.Len())
				tokens = append(tokens, int32(id))
				// An id without bytes, EOS, and the second of two equal tokens are not in the transducer.
				ok = ok && v.Legal(id) && tokenOf(t, v, string(v.Token(id))) == id
			}
			want, err := v.Decode(tokens)
			if err != nil {
				t.Fatal(err)
			}
			got, found := f.Transduce(tokens)
			if found != ok || ok && !bytes.Equal(got, want) {
				t.Fatalf("tokens %v: got %q, %v, want %q, %v", tokens, got, found, want, ok)
			}
		}
	}
}

// TestCompose compares the composition with its definition: a token sequence is accepted exactly if
// its bytes match.
func TestCompose(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, pattern := range []string{"a*", "(ab)+", "(a|bc){1,3}", "[ab]*c", "a[^a]*a", "", "abcabc"} {
		d := automata.MustCompile(pattern, 0)
		for range 20 {
			tokens := conformance.RandomVocabulary(rng, "abc", 4, 8)
			v := realtext.Vocabulary(t, slices.DeleteFunc(tokens, func(s string) bool { return s == "" })...)
			a := koo.Compose(koo.Detokenizer(v), d)
			small := a.Minimize()
			for range 40 {
				var ids []int32
				for range rng.IntN(5) {
					id := tokenOf(t, v, string(v.Token(rng.IntN(v.Len()-1))))
					ids = append(ids, int32(id))
				}
				text, err := v.Decode(ids)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := a.Accepts(ids), d.Match(text); got != want || small.Accepts(ids) != want {
					t.Fatalf("/%s/, %q: got %v, want %v", pattern, text, got, want)
				}
			}
		}
	}
	if a := koo.Compose(koo.Detokenizer(realtext.Vocabulary(t, "a")), automata.MustCompile("b", 0)); len(a.Edges) != 0 || a.Accepts(nil) {
		t.Error("no token spells b, so the composition should be empty")
	}
}

// figure6 is the paper's automaton for a^n b^n: stack symbol 0 is the bottom "[", 1 the return
// address "(" after the inner S.
func figure6() *koo.PDA {
	read := func(b byte, pop, push []int32, to int32) koo.PDAEdge {
		return koo.PDAEdge{Reads: true, Byte: b, Pop: pop, Push: push, To: to}
	}
	return &koo.PDA{
		Edges: [][]koo.PDAEdge{
			{read('a', nil, []int32{0}, 1)},
			{read('a', nil, []int32{1}, 1), read('b', nil, nil, 2)},
			{read('b', []int32{1}, nil, 2), {Pop: []int32{0}, To: 3}},
			{},
		},
		Final: []bool{false, false, false, true},
	}
}

// TestFigure7 is its composition with the vocabulary a, b, bb, aaab. The figure interleaves pushes
// and pops with the bytes; an edge here has what is left of them.
func TestFigure7(t *testing.T) {
	v := realtext.Vocabulary(t, "a", "b", "bb", "aaab")
	pda, err := koo.ComposePDA(koo.Detokenizer(v), figure6())
	if err != nil {
		t.Fatal(err)
	}
	brackets := func(symbols []int32, names string) string {
		var b strings.Builder
		for _, s := range symbols {
			b.WriteByte(names[s])
		}
		return b.String()
	}
	var b strings.Builder
	for s, edges := range pda.Edges {
		for _, e := range edges {
			fmt.Fprintf(&b, "%d %s pop %q push %q %d\n", s, v.Token(int(e.Token)), brackets(e.Pop, "])"), brackets(e.Push, "[("), e.To)
		}
	}
	want := `0 a pop "" push "[" 1
0 aaab pop "" push "[((" 2
1 a pop "" push "(" 1
1 b pop "" push "" 2
1 bb pop ")" push "" 2
1 aaab pop "" push "(((" 2
2 b pop ")" push "" 2
2 bb pop "))" push "" 2
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestPushdownAgrees runs the figure's automaton, the one that replacement builds for the grammar,
// and the engine side by side, over all token sequences up to a length.
func TestPushdownAgrees(t *testing.T) {
	const text = "start: \"ab\" | \"a\" start \"b\"\n"
	tokens := []string{"a", "b", "bb", "aaab"}
	drawn, err := koo.ComposePDA(koo.Detokenizer(realtext.Vocabulary(t, tokens...)), figure6())
	if err != nil {
		t.Fatal(err)
	}
	agree(t, text, tokens, 6, func(ids []int32, mask func(int) bool) {
		at := []koo.PDAPosition{{}}
		for _, id := range ids {
			at = drawn.Step(at, id)
		}
		for id := range tokens {
			if got := len(drawn.Step(at, int32(id))) > 0; got != mask(id) {
				t.Errorf("%v then %q: the figure says %v", ids, tokens[id], got)
			}
		}
		if drawn.Accepts(at) != mask(len(tokens)) {
			t.Errorf("%v: the figure says that the end is %v", ids, drawn.Accepts(at))
		}
	})
}

// agree compares the engine's masks with those of the paper's construction over all token sequences
// up to a length: two ways to the same language that share the terminals' automata only.
func agree(t *testing.T, text string, tokens []string, longest int, also func(ids []int32, mask func(int) bool)) {
	t.Helper()
	p, err := compile(t, text, tokens)
	if err != nil {
		t.Fatal(err)
	}
	pda, err := koo.GrammarPDA(p.Grammar)
	if err != nil {
		t.Fatal(err)
	}
	composed, err := koo.ComposePDA(koo.Detokenizer(p.Vocabulary), pda)
	if err != nil {
		t.Fatal(err)
	}
	positions := 0
	var visit func(ids []int32, at []koo.PDAPosition)
	visit = func(ids []int32, at []koo.PDAPosition) {
		s := start(t, "automata", p, nil)
		for _, id := range ids {
			if err := s.Commit(int(id)); err != nil {
				t.Fatal(err)
			}
		}
		positions++
		mask := s.Mask().Clone()
		if got := composed.Accepts(at); got != mask.Has(len(tokens)) {
			t.Fatalf("%v: the pushdown automaton says that the end is %v", ids, got)
		}
		if also != nil {
			also(ids, mask.Has)
		}
		for id := range tokens {
			next := composed.Step(at, int32(id))
			if got := len(next) > 0; got != mask.Has(id) {
				t.Fatalf("%v then %q: the pushdown automaton says %v", ids, tokens[id], got)
			}
			if len(next) > 0 && len(ids) < longest {
				visit(append(ids[:len(ids):len(ids)], int32(id)), next)
			}
		}
	}
	visit(nil, []koo.PDAPosition{{}})
	t.Logf("%d positions", positions)
}

func TestPushdownGrammars(t *testing.T) {
	for _, c := range []struct {
		name, grammar string
		tokens        []string
	}{
		{"right recursion", "start: \"a\" start | \"b\"\n", []string{"a", "b", "ab", "aaa"}},
		{"brackets", "start: | \"(\" start \")\" start\n", []string{"(", ")", "()", "))", ")(", "(("}},
		{"ignored", "%ignore \" \"\nstart: \"a\" start? \"b\"\n", []string{"a", "b", " ", "a ", " b", "a b"}},
		{"terminals overlap", "A: /a+/\nB: /[ab]+/\nstart: A B | \"c\" start \"c\"\n", []string{"a", "b", "c", "ca", "ab", "bc"}},
		{"ambiguous", "%conflicts keep\nstart: \"a\" start \"a\" | \"a\" | \"a\" start\n", []string{"a", "aa", "aaa"}},
		{"ignored begins like a terminal", "%conflicts keep\nA: /ab?/\nI: /b+/\n%ignore I\nstart: A start A | \"c\"\n", []string{"a", "b", "c", "ab", "bc", "cb"}},
	} {
		t.Run(c.name, func(t *testing.T) { agree(t, c.grammar, c.tokens, 4, nil) })
	}
}

func TestPushdownRefusals(t *testing.T) {
	for _, c := range []struct{ grammar, want string }{
		{"start: start \"a\" | \"a\"\n", "left-recursive"},
		{"start: x \"a\"\nx: | start \"b\"\n", "left-recursive"},
		{"start: y start \"a\" | \"b\"\ny: | \"c\"\n", "left-recursive"},
	} {
		p, err := lark.Parse([]byte(c.grammar), lark.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := koo.GrammarPDA(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.grammar, err)
		}
	}
	// A rule whose last symbols may be empty pops without reading, as often as the stack allows: no
	// finite composition has an edge for each number of pops.
	g, err := lark.Parse([]byte("start: \"a\" start x | \"b\"\nx: | \"c\"\n"), lark.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pda, err := koo.GrammarPDA(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := koo.ComposePDA(koo.Detokenizer(realtext.Vocabulary(t, "a", "b", "c")), pda); err == nil {
		t.Error("an endless composition came to an end")
	}
}
