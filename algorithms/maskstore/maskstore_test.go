package maskstore

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/naive"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// A definition is dmatch word for word, with ignored terminals between those of a sequence.
type definition struct {
	dfas    []*automata.DFA
	ignored []bool
}

// m0 is dmatch with no more terminals.
func (d *definition) m0(x grammar.Terminal, state int32, text string) bool {
	for i := 0; state != automata.Dead; i++ {
		if i == len(text) || d.dfas[x].Accepting(state) {
			return true // alive, since every state of a DFA leads to acceptance; or accepted
		}
		state = d.dfas[x].Next(state, text[i])
	}
	return false
}

// inside tells whether terminal x consumes a text.
func (d *definition) inside(x grammar.Terminal, state int32, text string) bool {
	for i := 0; i < len(text) && state != automata.Dead; i++ {
		state = d.dfas[x].Next(state, text[i])
	}
	return state != automata.Dead
}

// m1 is dmatch with one more terminal.
func (d *definition) m1(x grammar.Terminal, state int32, text string, y grammar.Terminal) bool {
	if d.inside(x, state, text) {
		return true
	}
	for i := 0; i < len(text) && state != automata.Dead; i++ {
		if d.dfas[x].Accepting(state) && d.rest(text[i:], y) {
			return true
		}
		state = d.dfas[x].Next(state, text[i])
	}
	return false
}

// rest tells whether a text begins with y, after ignored terminals.
func (d *definition) rest(text string, y grammar.Terminal) bool {
	if start := d.dfas[y].Start(); d.ignored[y] && d.inside(y, start, text) || !d.ignored[y] && d.m0(y, start, text) {
		return true
	}
	for z, dfa := range d.dfas {
		for i := 1; d.ignored[z] && i < len(text); i++ {
			if dfa.MatchString(text[:i]) && d.rest(text[i:], y) {
				return true
			}
		}
	}
	return false
}

// words are all texts of some letters up to a length.
func words(letters string, longest int) []string {
	list, from := []string{""}, 0
	for range longest {
		end := len(list)
		for _, w := range list[from:end] {
			for _, c := range letters {
				list = append(list, w+string(c))
			}
		}
		from = end
	}
	return list[1:]
}

// TestDmatch: every mask of every state and sequence is dmatch of every token.
func TestDmatch(t *testing.T) {
	const text = "start: (A | B | C | D)*\nA: /a+b?/\nB: \"b\"\nC: /(a|bc)+/\nD: \"abc\"\n%ignore /c+/\n"
	tokens := words("abc", 4)
	p := realtext.Small(t, text, false, append(tokens, "ab", "c"))
	terminals := must.Get(lexer.NewOnDemand(t.Context(), p.Grammar, lexer.DefaultLimits))(t)
	var d definition
	for x, def := range p.Grammar.Terminals {
		d.dfas, d.ignored = append(d.dfas, terminals.Terminal(grammar.Terminal(x))), append(d.ignored, def.Ignored)
	}
	m := newMatcher(p, terminals)
	compared := 0
	for x, dfa := range d.dfas {
		for state := range int32(dfa.NumStates()) {
			got := m.match(dfa, state)
			for id := range p.Vocabulary.Len() - 1 {
				token := string(p.Vocabulary.Token(id))
				has := bitset.Has(got.inside, id) || bitset.Has(got.reached, id)
				if want := d.m0(grammar.Terminal(x), state, token); has != want {
					t.Fatalf("M0: terminal %d, state %d, token %q: %v, want %v", x, state, token, has, want)
				}
				for y := range d.dfas {
					compared++
					has := bitset.Has(got.inside, id) || got.beyond[y] != nil && bitset.Has(got.beyond[y], id)
					if want := d.m1(grammar.Terminal(x), state, token, grammar.Terminal(y)); has != want {
						t.Fatalf("M1: terminal %d, state %d, then %d, token %q: %v, want %v", x, state, y, token, has, want)
					}
				}
			}
		}
	}
	t.Logf("%d comparisons", compared)
}

// forms are all combinations of lookahead and store.
var forms = []algorithms.Options{
	{"lookahead": "0", "store": "plain"}, {"lookahead": "0", "store": "streamlined"},
	{"lookahead": "1", "store": "plain"}, {"lookahead": "1", "store": "streamlined"},
}

// exactly is options with exact masks.
func exactly(o algorithms.Options) algorithms.Options {
	return algorithms.Options{"lookahead": o["lookahead"], "store": o["store"], "masks": "exact"}
}

// TestExact holds exact masks to the contract, in every suite that the paper could have.
func TestExact(t *testing.T) {
	seed.Usual(t)
	for _, o := range seed.Some(t, forms, 3, 1, 1) {
		r := conformance.Run(t.Context(), algorithm{}, exactly(o))
		for _, f := range r.Failures {
			t.Errorf("%v: %s", o, f)
		}
		for _, why := range r.Unsupported {
			if !strings.Contains(why, "the paper has no ") {
				t.Error(why)
			}
		}
		if r.Cases < 20 {
			t.Errorf("%v: only %d cases", o, r.Cases)
		}
	}
}

// A trial has the engines of a problem side by side.
type trial struct {
	naive   algorithms.State
	forms   []algorithms.State // of forms
	exact   []algorithms.State
	wider   [2]int // positions at which the masks of a lookahead are wider than the contract's
	reached int
}

// newTrial compiles; the error is that of a problem which the paper does not have.
func newTrial(t *testing.T, p *algorithms.Problem) (*trial, error) {
	t.Helper()
	n := &trial{naive: realtext.MustCompile(t, "naive", p, nil).Start()}
	for _, o := range forms {
		e, err := realtext.Compile(t.Context(), "maskstore", p, o)
		if err != nil {
			return nil, err
		}
		n.forms = append(n.forms, e.Start())
		n.exact = append(n.exact, realtext.MustCompile(t, "maskstore", p, exactly(o)).Start())
	}
	return n, nil
}

// compare compares the masks at the position: naive's are within those with one terminal of
// lookahead, and these within those with none; plain and streamlined are equal; exact ones are
// naive's.
func (n *trial) compare(t *testing.T, about any) {
	t.Helper()
	n.reached++
	right := n.naive.Mask().Clone()
	var masks []algorithms.Mask
	for i, s := range n.forms {
		masks = append(masks, s.Mask().Clone())
		if got := n.exact[i].Mask(); !got.Equal(right) {
			t.Fatalf("%v: %v: token %d", about, exactly(forms[i]), got.FirstDifference(right))
		}
	}
	for i := range 2 {
		if !masks[2*i].Equal(masks[2*i+1]) {
			t.Fatalf("%v: lookahead %d: plain and streamlined differ in token %d", about, i, masks[2*i].FirstDifference(masks[2*i+1]))
		}
		n.wider[i] += boolToInt(!masks[2*i].Equal(right))
	}
	for id := range right.Len() {
		if right.Has(id) && !masks[2].Has(id) || masks[2].Has(id) && !masks[0].Has(id) {
			t.Fatalf("%v: token %d: legal %v, with one terminal of lookahead %v, with none %v", about, id, right.Has(id), masks[2].Has(id), masks[0].Has(id))
		}
	}
}

// walk commits a random legal token a number of times.
func (n *trial) walk(t *testing.T, rng *rand.Rand, steps int, about any) {
	t.Helper()
	for range steps {
		n.compare(t, about)
		ids := n.naive.Mask().IDs(nil)
		if len(ids) == 0 {
			return
		}
		n.commit(t, ids[rng.IntN(len(ids))])
	}
	n.compare(t, about)
}

// commit commits a legal token everywhere.
func (n *trial) commit(t *testing.T, id int) {
	t.Helper()
	for _, s := range append(append([]algorithms.State{n.naive}, n.forms...), n.exact...) {
		must.OK(t, s.Commit(id))
	}
}

// TestRandom compares on random grammars.
func TestRandom(t *testing.T) {
	used, positions := 0, 0
	var wider [2]int
	rounds := seed.Rounds(150, 600, 600)
	for at := range seed.Each(t, rounds) {
		spec := conformance.Random(at)
		rec := realtext.Recognizer(t, spec.Grammar, false)
		if rec == nil {
			continue
		}
		p := &algorithms.Problem{Recognizer: rec, Vocabulary: realtext.Vocabulary(t, slices.DeleteFunc(spec.Vocabulary, func(s string) bool { return s == "" })...)}
		rng := rand.New(rand.NewPCG(at, 7))
		for range 3 {
			n, err := newTrial(t, p)
			var unsupported *algorithms.UnsupportedError
			if errors.As(err, &unsupported) {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v", at, err)
			}
			n.walk(t, rng, 6, at)
			used++
			positions += n.reached
			wider[0], wider[1] = wider[0]+n.wider[0], wider[1]+n.wider[1]
		}
	}
	if used < rounds/10 || wider[0] == 0 || wider[1] == 0 || wider[0] < wider[1] {
		t.Errorf("%d walks; masks are wider at %v positions", used, wider)
	}
	t.Logf("%d walks, %d positions, wider at %v", used, positions, wider)
}

// TestExactWhereItReaches: where no lexeme is the beginning of another, a store that looks as far
// as tokens go after the pending lexeme has the right masks; one that does not has wider ones.
func TestExactWhereItReaches(t *testing.T) {
	const text = "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n"
	for longest, exact := range map[int][2]bool{1: {false, true}, 2: {false, false}} {
		n := must.Get(newTrial(t, realtext.Small(t, text, false, words("()[]x", longest))))(t)
		n.walk(t, rand.New(rand.NewPCG(5, 5)), 20, longest)
		for lookahead, want := range exact {
			if got := n.wider[lookahead] == 0; got != want {
				t.Errorf("tokens of %d lexemes, lookahead %d: wider at %d of %d positions", longest, lookahead, n.wider[lookahead], n.reached)
			}
		}
	}
}

// TestCommitRefuses: a token that only the store allows is refused, and the mask stays.
func TestCommitRefuses(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"x\"\n", false, []string{"(", ")", "x", "x))"})
	s := realtext.MustCompile(t, "maskstore", p, nil).Start()
	must.OK(t, s.Commit(0))
	if !s.Mask().Has(3) {
		t.Fatal("one terminal of lookahead rules out a token of three")
	}
	before := s.Mask().Clone()
	var refused *algorithms.RefusedError
	if err := s.Commit(3); !errors.As(err, &refused) || !s.Mask().Equal(before) {
		t.Errorf("%v", err)
	}
}

// TestPairsByHand: after "(" a ")" is never legal and a "(" and an "x" always are; after ")" and
// "x" nothing is proved of ")", and the others are never legal. At the start ")" is never legal.
func TestPairsByHand(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"x\"\n", false, []string{"(", ")", "x"})
	e := realtext.MustCompile(t, "maskstore", p, nil)
	for name, want := range map[string]float64{
		"pairs of terminals": 12, "pairs of terminals never legal": 6, "pairs of terminals always legal": 4,
		"pairs of terminals jointly legal": 0, "pairs of terminals left for the parser": 2, "states of terminals": 6, "(state, sequence) pairs": 18,
	} {
		if got := realtext.Counter(e, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestReal compares along real texts, and what the proofs save.
func TestReal(t *testing.T) {
	seed.Usual(t)
	r := realtext.Need(t, "json", "r50k_base", 2)
	var bytes, asked []float64
	for _, o := range forms {
		e := realtext.MustCompile(t, "maskstore", r.Problem, o)
		s := e.Start()
		for _, id := range r.Texts[0] {
			s.Mask()
			must.OK(t, s.Commit(int(id)))
		}
		bytes, asked = append(bytes, float64(e.Stats().Bytes)), append(asked, realtext.Counter(e, "questions per mask"))
	}
	if asked[1] >= asked[0] || asked[3] >= asked[2] {
		t.Errorf("questions per mask: %v", asked)
	}
	n := must.Get(newTrial(t, r.Problem))(t)
	for _, id := range r.Texts[1][:min(60, len(r.Texts[1]))] {
		n.compare(t, "json")
		n.commit(t, int(id))
	}
	t.Logf("bytes %v, questions %v, wider at %v of %d positions", bytes, asked, n.wider, n.reached)
}

// TestLimit: a store beyond its limit is unsupported, and says how far it came.
func TestLimit(t *testing.T) {
	r := realtext.Need(t, "java", "r50k_base", 1)
	_, err := realtext.Compile(t.Context(), "maskstore", r.Problem, algorithms.Options{"memory": "1", "store": "plain"})
	var unsupported *algorithms.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(unsupported.Reason, "not finished: ") || !strings.Contains(unsupported.Reason, "the limit is 1 MiB (option memory)") {
		t.Errorf("%v", err)
	}
	if _, err := realtext.Compile(t.Context(), "maskstore", r.Problem, algorithms.Options{"memory": "0"}); err == nil {
		t.Error("no memory is enough")
	}
}

// TestSemantics: only exact masks are held to the contract.
func TestSemantics(t *testing.T) {
	for _, c := range []struct {
		options   algorithms.Options
		semantics string
		wide      bool
	}{
		{nil, algorithm{}.Semantics(), true},
		{algorithms.Options{"lookahead": "0"}, "dmatch, lookahead 0", true},
		{algorithms.Options{"masks": "exact"}, algorithms.SemanticsContract, false},
	} {
		full := must.Get(algorithms.Resolve(algorithm{}, c.options))(t)
		if got := algorithms.SemanticsOf(algorithm{}, full); got != c.semantics || algorithms.Overapproximates(algorithm{}, full) != c.wide {
			t.Errorf("%v: %s", c.options, got)
		}
	}
}
