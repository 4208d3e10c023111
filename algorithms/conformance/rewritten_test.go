package conformance_test

import (
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/rewrite"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestRewrittenAtRandom has all algorithms compile random grammars that are written in another way,
// and compares them with naive on the grammars as they are.
func TestRewrittenAtRandom(t *testing.T) {
	seeds := seed.Rounds(20, 80, 1000)
	list := byTurns(t)
	done := map[rewrite.Kind]int{}
	positions, usable, refused := 0, 0, 0
	for seed := range seed.Each(t, seeds) {
		spec := conformance.Random(seed)
		spec.NoOracle, spec.Rewritten = true, seed|1
		r := realtext.Recognizer(t, spec.Grammar, spec.OnDemand)
		if r == nil {
			continue
		}
		usable++
		result := must.Get(rewrite.Grammar(t.Context(), r.Grammar, r.Tables, spec.Rewritten))(t)
		for kind, n := range result.Done {
			done[kind] += n
		}
		if n := realtext.Walk(t, spec, list(seed)...); n >= 0 {
			positions += n
		} else {
			refused++
		}
	}
	t.Logf("%d grammars, %d refused when rewritten, %d positions, rewritings %v", usable, refused, positions, done)
	for _, kind := range rewrite.Kinds {
		if done[kind] < usable/20 {
			t.Errorf("%d grammars had %d rewritings of the kind %q: the generator is no good", usable, done[kind], kind)
		}
	}
	if refused > usable/20 {
		t.Errorf("%d of %d grammars cannot be used once they are rewritten", refused, usable)
	}
}

// TestRewrittenSuites is the same for the grammars of the suite, which are the traps of the
// contract.
func TestRewrittenSuites(t *testing.T) {
	realtext.WalkSuites(t, seed.Rounds(1, 1, 8), conformance.Spec{Steps: seed.Rounds(4, 5, 10), Walks: 1, NoOracle: true, Rewritten: 1}, byTurns(t))
}

// TestRewrittenReal is the same for real grammars, with their conflicts kept, a real vocabulary and
// a text of the language. The reference is an engine on the grammar as it is: naive has no time for
// a vocabulary of this size.
func TestRewrittenReal(t *testing.T) {
	languages := []string{"json", "go", "python", "java", "sql"}
	languages = languages[:seed.Rounds(1, 3, 5)] // Java's and SQL's conflicts, kept, take half a minute
	keep := grammar.KeepConflicts
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			c := realtext.NeedWith(t, language, "r50k_base", 1, recognizer.Options{Conflicts: &keep})
			c.Texts[0] = c.Texts[0][:min(seed.Rounds(60, 60, 2000), len(c.Texts[0]))]
			for seed := range seed.Each(t, 1) {
				p, err := conformance.Rewritten(t.Context(), c.Problem, seed, false)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				engines := map[string]algorithms.Engine{}
				for _, name := range []string{"psc", "greatgramma", "parserdwa", "legality"} {
					engines[name] = realtext.MustCompile(t, name, p, nil)
				}
				n, err := c.Compare(realtext.MustCompile(t, "trie", c.Problem, nil), engines)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				t.Logf("seed %d: %d positions, %d rules and %d LR states rewritten to %d and %d", seed, n,
					len(c.Problem.Grammar.Rules), c.Problem.Tables.NumStates(), len(p.Grammar.Rules), p.Tables.NumStates())
			}
		})
	}
}
