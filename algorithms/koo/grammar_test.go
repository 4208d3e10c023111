package koo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/oracle"
	"gcdbench/algorithms/conformance/realtext"
	_ "gcdbench/algorithms/koo"
	_ "gcdbench/algorithms/naive"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
	"gcdbench/tokenizers"
)

// variants are the options that must make no difference. Memory is in MiB; one is enough to forget
// often only for large vocabularies.
var variants = []algorithms.Options{
	nil,
	{"compile": "eager"},
	{"shared-masks": "off"},
	{"stack-masks": "off"},
}

// compile makes a problem of a grammar and tokens; EOS is the id after them.
func compile(t testing.TB, text string, tokens []string) (*algorithms.Problem, error) {
	t.Helper()
	g, err := lark.Parse([]byte(text), lark.Options{File: "test.lark"})
	if err != nil {
		return nil, err
	}
	rec, err := recognizer.New(t.Context(), g, recognizer.Options{})
	if err != nil {
		return nil, err
	}
	return &algorithms.Problem{Recognizer: rec, Vocabulary: realtext.Vocabulary(t, tokens...)}, nil
}

func start(t testing.TB, name string, p *algorithms.Problem, o algorithms.Options) algorithms.State {
	t.Helper()
	e := must.Get(realtext.Lookup(t, name).Compile(t.Context(), p, o))(t)
	return e.Start()
}

// exact tells whether the tables accept the language of the grammar's rules, cut into matches of
// terminals in any way: no action was dropped, and no terminal ends a lexeme early.
func exact(p *algorithms.Problem) bool {
	if slices.ContainsFunc(p.Grammar.Terminals, func(def grammar.TerminalDef) bool { return def.Lazy }) {
		return false
	}
	for _, c := range p.Tables.Conflicts() {
		if c.Outcome != lr.Kept {
			return false
		}
	}
	_, err := oracle.New(p.Grammar) // fails if a nonterminal derives nothing
	return err == nil
}

// TestRandomGrammars compares masks with the brute-force oracle, token by token, and with naive,
// whose masks they must hold.
func TestRandomGrammars(t *testing.T) {
	seeds := seed.Rounds(20, 30, 1000)
	positions, judged, more, usable := 0, 0, 0, 0
	for seed := range seed.Each(t, seeds) {
		spec := conformance.Random(seed)
		p, err := compile(t, spec.Grammar, spec.Vocabulary)
		if err != nil || !p.Lexer.Uniform() { // the suite has these
			continue
		}
		usable++
		var truth *characters
		if exact(p) {
			truth, _ = newCharacters(p.Grammar, "abc ") // fails for patterns with & or ~, which Go's regexp has not
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n, j, m := walkRandom(t, spec, p, truth)
			positions, judged, more = positions+n, judged+j, more+m
		})
	}
	t.Logf("%d usable grammars, %d positions, %d tokens judged by the oracle, %d beyond the contract", usable, positions, judged, more)
	if usable < seeds/5 || judged == 0 || more == 0 {
		t.Error("the random grammars say too little")
	}
}

func walkRandom(t *testing.T, spec conformance.Spec, p *algorithms.Problem, truth *characters) (positions, judged, more int) {
	rng := rand.New(rand.NewPCG(spec.Seed, 9))
	v := p.Vocabulary
	var engines []algorithms.Engine // of all walks, so that what one remembers serves the next
	for _, o := range variants {
		e := must.Get(realtext.Lookup(t, "automata").Compile(t.Context(), p, o))(t)
		engines = append(engines, e)
	}
	for range 3 {
		naive := start(t, "naive", p, nil)
		within := true // the contract has allowed every token so far
		var states []algorithms.State
		for _, e := range engines {
			states = append(states, e.Start())
		}
		text := ""
		for range 7 {
			mask := states[0].Mask().Clone()
			for i, s := range states {
				if id := s.Mask().FirstDifference(mask); id >= 0 {
					t.Fatalf("after %q, token %d %q: options %v differ\n%s", text, id, v.Token(id), variants[i], spec.Grammar)
				}
				if i != positions%len(states) {
					continue // commits are dear where the grammar is very ambiguous, so they are checked in turn
				}
				if message := conformance.CheckCommits(s, v.Len()); message != "" {
					t.Fatalf("after %q, options %v: %s\n%s", text, variants[i], message, spec.Grammar)
				}
			}
			if truth != nil {
				judged += compareTruth(t, p, truth, mask, text, spec.Grammar)
			}
			if within {
				more += compareNaive(t, p, mask, naive.Mask(), text, spec.Grammar)
			}
			positions++
			var ids []int
			for _, id := range mask.IDs(nil) {
				if v.Legal(id) {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				break
			}
			id := ids[rng.IntN(len(ids))]
			within = within && naive.Commit(id) == nil
			for _, s := range states {
				must.OK(t, s.Commit(id))
			}
			text += string(v.Token(id))
		}
	}
	return positions, judged, more
}

// compareTruth compares a mask with the oracle; it returns the number of tokens judged.
func compareTruth(t *testing.T, p *algorithms.Problem, truth *characters, mask algorithms.Mask, text, grammar string) int {
	t.Helper()
	v := p.Vocabulary
	for id := range v.Len() {
		want := v.Legal(id) && truth.legal(text+string(v.Token(id)))
		if v.IsEOS(id) {
			want = truth.end(text)
		}
		if mask.Has(id) != want {
			t.Fatalf("after %q, token %d %q: the mask says %v, the oracle %v\n%s", text, id, v.Token(id), mask.Has(id), want, grammar)
		}
	}
	return v.Len()
}

// compareNaive fails if naive allows a token that the mask leaves out; it returns how many the mask
// has beyond naive's.
func compareNaive(t *testing.T, p *algorithms.Problem, mask, naive algorithms.Mask, text, grammar string) int {
	t.Helper()
	for _, id := range naive.IDs(nil) {
		if !mask.Has(id) {
			t.Fatalf("after %q, token %d %q: legal by the contract and not by characters\n%s", text, id, p.Vocabulary.Token(id), grammar)
		}
	}
	return mask.Count() - naive.Count()
}

// TestSuite holds the masks against those of the conformance suite: they have all that the contract
// allows, and by the oracle exactly what the characters' semantics allows.
func TestSuite(t *testing.T) {
	suites := must.Get(conformance.Suites())(t)
	cases, equal := 0, 0
	for i := range suites {
		s := &suites[i]
		g, v, err := s.Build()
		must.OK(t, err)
		rec := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
		p := &algorithms.Problem{Recognizer: rec, Vocabulary: v}
		if word := "layout"; g.Layout != nil || !rec.Lexer.Uniform() || rec.Compares() {
			switch {
			case rec.Compares():
				word = "items of arrays"
			case g.Layout == nil:
				word = "ask what follows them, or modes"
			}
			if _, err := realtext.Lookup(t, "automata").Compile(t.Context(), p, nil); err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q", s.Name, err, word)
			}
			continue
		}
		for _, c := range s.Cases {
			state := start(t, "automata", p, nil)
			naive := start(t, "naive", p, nil)
			for _, token := range c.After {
				id := tokenOf(t, v, token)
				must.OK(t, state.Commit(id))
				must.OK(t, naive.Commit(id))
			}
			mask := state.Mask().Clone()
			if compareNaive(t, p, mask, naive.Mask(), strings.Join(c.After, ""), s.Grammar) == 0 {
				equal++
			}
			if message := conformance.CheckCommits(state, v.Len()); message != "" {
				t.Errorf("%s after %q: %s", s.Name, c.After, message)
			}
			cases++
		}
	}
	t.Logf("%d cases, in %d of them equal to the contract", cases, equal)
}

func tokenOf(t testing.TB, v *tokenizers.Vocabulary, text string) int {
	t.Helper()
	for id := range v.Len() {
		if v.Legal(id) && string(v.Token(id)) == text {
			return id
		}
	}
	t.Fatalf("no token is %q", text)
	return 0
}
