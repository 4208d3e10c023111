package harness

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/ask"
	"gcdbench/harness/prepare"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// prepareWorld loads the only group of a configuration of the test world.
func prepareWorld(t *testing.T, w *world) *prepare.Prepared {
	t.Helper()
	opt := w.options()
	cfg := w.config(t, "naive", "")
	g := must.Get(prepare.NewLoader(cfg, &opt).Prepare(t.Context(), cfg.Workloads[0], cfg.Tokenizers[0]))(t)
	return g
}

func compileZoo(t *testing.T, g *prepare.Prepared, alg algorithms.Algorithm) algorithms.Engine {
	t.Helper()
	e := must.Get(alg.Compile(t.Context(), g.Units[0].SharedProblem, nil))(t)
	return e
}

// TestContractWitness: the recognizer's masks are naive's, at every position of
// every document.
func TestContractWitness(t *testing.T) {
	g := prepareWorld(t, newWorld(t))
	naive := must.Get(algorithms.Lookup("naive"))(t)
	contract, engine := ask.ContractWitness{Problem: g.Units[0].SharedProblem}, ask.EngineWitness{Engine: compileZoo(t, g, naive)}
	checked := 0
	for _, s := range g.Documents {
		for pos := range s.Tokens {
			prefix := ask.Prefix(s, pos)
			a, okA := contract.Mask(prefix)
			b, okB := engine.Mask(prefix)
			if okA != okB {
				t.Fatalf("%s at %d: the contract takes the prefix: %v, naive: %v", s.ID, pos, okA, okB)
			}
			if !okA {
				break
			}
			if !a.Equal(b) {
				t.Fatalf("%s at %d: they differ at token %d", s.ID, pos, a.FirstDifference(b))
			}
			for _, token := range []int{int(s.Tokens[pos]), idOf('7'), idOf(']'), g.Units[0].SharedProblem.Vocabulary.EOS()[0], 0} {
				if allowed, ok := contract.Allows(prefix, token); !ok || allowed != a.Has(token) {
					t.Fatalf("%s at %d: token %d: %v, mask %v", s.ID, pos, token, allowed, a.Has(token))
				}
			}
			checked++
		}
	}
	if checked < 80 {
		t.Errorf("only %d positions", checked)
	}
}

// TestShrinkIsMinimal gives an engine a random defect (it goes wrong when the text
// holds some letters in order), lets the shrinker find it at the end of a long
// text, and wants a case that still shows it and from which no byte can go.
func TestShrinkIsMinimal(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	g := prepareWorld(t, newWorld(t))
	for round := range 25 {
		text := randomList(rng, 3)
		trigger := randomSubsequence(rng, text)
		defect := &wrong{name: "random", change: func(s *wrongState, m algorithms.Mask) algorithms.Mask {
			if subsequence(trigger, s.text) {
				return flip(m, idOf(' '))
			}
			return m
		}}
		ids := must.Get(g.LoadedTokenizer.EncodeContinuation([]byte(text)))(t)
		var prefix []int
		for _, id := range ids {
			prefix = append(prefix, int(id))
		}
		sh := &ask.Shrinker{Problem: g.Units[0].SharedProblem, Wrong: ask.EngineWitness{Engine: compileZoo(t, g, defect)}, Right: ask.ContractWitness{Problem: g.Units[0].SharedProblem}, Until: time.Now().Add(time.Minute)}
		token, found := sh.Find(prefix)
		if !found || token != idOf(' ') {
			t.Fatalf("seed %d round %d: %q after %q was not found: token %d, %v", seed, round, trigger, text, token, found)
		}
		small, token := sh.Shrink(prefix, token)
		if !sh.WrongOn(small, token) {
			t.Fatalf("seed %d round %d: the small case %v shows nothing", seed, round, small)
		}
		for i := range small {
			if less := slices.Delete(slices.Clone(small), i, i+1); sh.WrongOn(less, token) {
				t.Errorf("seed %d round %d: token %d of %v can go", seed, round, i, small)
			}
		}
		if len(small) > len(prefix) && len(small) > len(text) {
			t.Errorf("seed %d round %d: it grew from %d to %d tokens", seed, round, len(prefix), len(small))
		}
	}
}

// randomList is a text of the test grammar.
func randomList(rng *rand.Rand, depth int) string {
	var items []string
	for range 1 + rng.IntN(4) {
		switch kind := rng.IntN(3); {
		case kind == 0:
			items = append(items, strings.Repeat(string('0'+rune(rng.IntN(10))), 1+rng.IntN(3)))
		case kind == 1 || depth == 0:
			items = append(items, `"`+strings.Repeat(string('a'+rune(rng.IntN(26))), rng.IntN(4))+`"`)
		default:
			items = append(items, randomList(rng, depth-1))
		}
	}
	return "[" + strings.Join(items, []string{",", ", "}[rng.IntN(2)]) + "]"
}

func randomSubsequence(rng *rand.Rand, s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if rng.IntN(len(s)) < 3 {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func subsequence(part, s string) bool {
	for i := 0; i < len(s) && part != ""; i++ {
		if s[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}

// TestExplainDifference covers what is said where there is little to say.
func TestExplainDifference(t *testing.T) {
	g := prepareWorld(t, newWorld(t))
	s := g.Documents[0]
	right := zoo[slices.IndexFunc(zoo, func(w *wrong) bool { return w.name == "right" })]
	strict := zoo[slices.IndexFunc(zoo, func(w *wrong) bool { return w.name == "too-strict-2" })]
	cases := []struct {
		what      string
		alg       *wrong
		reference algorithms.Engine
		reason    string
		token     int
	}{
		{"no longer wrong", right, nil, "asked again, the two agree", -1},
		{"another semantics without an engine to ask", strict, nil, "", -1},
		{"another semantics with one", strict, compileZoo(t, g, right), "the pending lexeme", idOf(',')},
	}
	for _, c := range cases {
		e := &prepare.Entry{Maker: c.alg}
		e.Name, e.Label = c.alg.name, c.alg.name
		r := &ask.Round{Unit: g.Units[0], Document: s}
		d := ask.ExplainDifference(g, context.Background(), r, &ask.Trial{Engine: &ask.Engine{Entry: e, Prover: ask.Compiled{Engine: compileZoo(t, g, c.alg)}}}, c.reference, "right", &ask.Differing{Position: 2, What: "x"})
		if !strings.Contains(d.Reason, c.reason) || d.Token != c.token || d.Sample != s.ID || d.Position != 2 {
			t.Errorf("%s: %+v", c.what, d)
		}
	}
}

// TestDifferenceText: EOS has a name and not a number.
func TestDifferenceText(t *testing.T) {
	d := &ask.Difference{Workload: "w", Tokenizer: "t", Algorithm: "a", Reference: "naive", Sample: "s", What: "what", Prefix: "[\x00", PrefixIDs: []int{91, 0}, Token: 264, EOS: true, Says: true, Reason: "because"}
	want := "wrong mask: a on w with t\n  found in s: what\n  after    \"[\\x00\" (2 tokens [91 0])\n  a allows EOS\n  naive refuses it: because\n"
	if got := d.Text(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	d.Prefix, d.PrefixIDs = "[", []int{91}
	if got := d.Text(); !strings.Contains(got, "(1 token [91])") {
		t.Errorf("got\n%s", got)
	}
}
