package parserdwa

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// engineOf compiles a problem with options.
func engineOf(t testing.TB, p *algorithms.Problem, given algorithms.Options) *engine {
	t.Helper()
	o := must.Get(algorithms.Resolve(algorithm{}, given))(t)
	e := must.Get((algorithm{}).Compile(t.Context(), p, o))(t)
	return e.(*engine)
}

// commit takes a state through tokens, given by their bytes.
func commit(t testing.TB, s algorithms.State, v *tokenizers.Vocabulary, tokens ...string) {
	t.Helper()
next:
	for _, text := range tokens {
		for id := range v.Len() {
			if v.Legal(id) && string(v.Token(id)) == text {
				must.OK(t, s.Commit(id))
				continue next
			}
		}
		t.Fatalf("no token %q", text)
	}
}

// legal lists the tokens of a mask by their bytes.
func legal(v *tokenizers.Vocabulary, m algorithms.Mask) string {
	var list []string
	for _, id := range m.IDs(nil) {
		list = append(list, string(v.Token(id)))
	}
	return strings.Join(list, " ")
}

const brackets = "start: \"(\" start \")\" | \"x\"\n"

// TestDepth shows how far a stack is read: as far as the tokens of the vocabulary can pop, and no
// further than everything is decided.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		vocabulary, after []string
		legal             string
		read              float64
	}{
		// From the top, "(" and "x" are legal or not.
		{[]string{"(", "x", ")"}, []string{"(", "("}, "( x", 1},
		// The lexeme "x" is pending, and not on the stack, which is the "(" and the start: whatever
		// ends it needs no more than the top, as "(" "x" is followed by ")" only.
		{[]string{"(", "x", ")"}, []string{"(", "x"}, ")", 1},
		// With "))", two symbols more: the pending ")", then "start" and "(" of the inner pair,
		// then the outer.
		{[]string{"(", "x", ")", "))"}, []string{"(", "(", "x", ")"}, ")", 4},
		// Two symbols for each pair that a token can close, until the bottom.
		{[]string{"(", "x", ")", "))", "))))"}, []string{"(", "(", "(", "(", "(", "x", ")"}, ") )) ))))", 6},
		{[]string{"(", "x", ")", "))", "))))"}, []string{"(", "(", "(", "x", ")"}, ") ))", 5},
	} {
		p := problem(t, brackets, c.vocabulary...)
		e := engineOf(t, p, nil)
		s := e.Start()
		commit(t, s, p.Vocabulary, c.after...)
		if got := legal(p.Vocabulary, s.Mask()); got != c.legal {
			t.Errorf("after %q: %q, want %q", c.after, got, c.legal)
		}
		if got := realtext.Counter(e, "depth read"); got != c.read {
			t.Errorf("after %q: %v symbols read, want %v", c.after, got, c.read)
		}
	}
}

// TestCyclicStacks reads graphs of stacks with cycles, and templates whose pushes are infinitely
// many.
func TestCyclicStacks(t *testing.T) {
	for _, c := range []struct{ about, grammar, alphabet string }{
		{"hidden left recursion", "%conflicts keep\nstart: a\na: b a \"x\" | \"y\"\nb: | \"z\"\n", "xyz"},
		{"a nonterminal that derives itself", "%conflicts keep\nstart: a\na: a | \"x\" a | \"y\"\n", "xy"},
		{"hidden on both sides", "%conflicts keep\nstart: a\na: b a b | \"x\"\nb: | \"y\"\n", "xy"},
		{"every split of a list", "%conflicts keep\nstart: a\na: a a | \"x\" |\n", "x"},
		{"two terminals at once", "%lexer all\n%conflicts keep\nstart: a\na: a a | X | Y \"z\" |\nX: /[xy]/\nY: /[yz]y*/\n", "xyz"},
		{"resolved into an endless reduction", "start: d \"z\" | c \"x\"\nd: b\nb.2: b | c\nc: \"x\" c | \"y\"\n", "xyz"},
	} {
		t.Run(c.about, func(t *testing.T) {
			positions := 0
			for seed := range seed.Each(t, 5) {
				tokens := conformance.RandomVocabulary(rand.New(rand.NewPCG(seed, 3)), c.alphabet, 4, 8)
				spec := conformance.Spec{Grammar: c.grammar, Vocabulary: tokens, Steps: 6, Walks: 2, Seed: seed, NoOracle: true}
				n := realtext.Walk(t, spec, determinized...)
				if n < 0 {
					t.Skip("the grammar cannot be used")
				}
				positions += n
			}
			t.Logf("5 seeds, %d positions", positions)
		})
	}
}

// determinized are the three ways to determinize.
var determinized = []conformance.Entry{
	{Algorithm: algorithm{}, Options: algorithms.Options{"determinize": "lazy"}},
	{Algorithm: algorithm{}, Options: algorithms.Options{"determinize": "eager"}},
	{Algorithm: algorithm{}, Options: algorithms.Options{"determinize": "none"}},
}

// TestLimit checks that an eager compile stops at the limit, and that a lazy engine goes on beyond
// it, with an automaton built anew and the same masks.
func TestLimit(t *testing.T) {
	tok, err := tokenizers.Load(t.Context(), "o200k_base[:8000]", tokenizers.Options{})
	must.OK(t, err)
	p := problem(t, "go")
	p.Vocabulary = tok.Vocabulary()
	o := must.Get(algorithms.Resolve(algorithm{}, algorithms.Options{"determinize": "eager", "limit": "8"}))(t)
	_, err = (algorithm{}).Compile(t.Context(), p, o)
	var limit *LimitError
	if !errors.As(err, &limit) || limit.MiB != 8 || !strings.Contains(err.Error(), "limit") {
		t.Errorf("eager: %v", err)
	}

	small, large := engineOf(t, p, nil), engineOf(t, p, nil)
	small.limit = 190 << 10 // less than the option allows
	small.current.Store(newAutomaton(p, small.limit, true))
	a, b := small.Start(), large.Start()
	rng := rand.New(rand.NewPCG(2, 2))
	for step := range 60 {
		x, y := a.Mask(), b.Mask()
		if id := x.FirstDifference(y); id >= 0 {
			t.Fatalf("step %d: token %d %q", step, id, p.Vocabulary.Token(id))
		}
		ids := y.IDs(nil)
		id := ids[rng.IntN(len(ids))]
		if p.Vocabulary.IsEOS(id) {
			break
		}
		if a.Commit(id) != nil || b.Commit(id) != nil {
			t.Fatal("a legal token was refused")
		}
	}
	if realtext.Counter(small, "started anew") == 0 || realtext.Counter(large, "started anew") != 0 {
		t.Errorf("started anew %v and %v times", realtext.Counter(small, "started anew"), realtext.Counter(large, "started anew"))
	}
}

// TestEagerIsComplete checks that masks of an eagerly compiled engine build nothing more.
func TestEagerIsComplete(t *testing.T) {
	p := problem(t, calculator, "1", "23", "+", "*", "(", ")", " ", "f", ",", "f(", "1+", ")) ", "1+2*3", "(((")
	e := engineOf(t, p, algorithms.Options{"determinize": "eager"})
	before := realtext.Counter(e, "transitions")
	for seed := range seed.Each(t, 40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := e.Start()
		for range 20 {
			ids := s.Mask().IDs(nil)
			if len(ids) == 0 {
				break
			}
			must.OK(t, s.Commit(ids[rng.IntN(len(ids))]))
		}
	}
	if after := realtext.Counter(e, "transitions"); after != before || before == 0 {
		t.Errorf("%v transitions became %v", before, after)
	}
}
