package realtext

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// Lookup is the registered algorithm of that name.
func Lookup(t testing.TB, name string) algorithms.Algorithm {
	t.Helper()
	return must.Get(algorithms.Lookup(name))(t)
}

// checkSuite holds an algorithm that applies to everything to each suite of conformance.
func checkSuite(t testing.TB, suites *conformance.Compiled, a algorithms.Algorithm, o algorithms.Options) {
	t.Helper()
	r := suites.Run(t.Context(), a, o)
	for _, f := range r.Failures {
		t.Errorf("%v: %v", o, f)
	}
	if r.Cases == 0 || len(r.Unsupported) > 0 {
		t.Errorf("%v: %d cases; unsupported: %q", o, r.Cases, r.Unsupported)
	}
	t.Logf("%v: %d suites, %d cases", o, r.Suites, r.Cases)
}

// Walk is conformance.Walk for a test: a difference fails it, shrunk, and so does any other error
// but a grammar that cannot be used, of which there are -1 positions.
func Walk(t testing.TB, spec conformance.Spec, list ...conformance.Entry) (positions int) {
	t.Helper()
	positions, err := conformance.Walk(t.Context(), spec, list...)
	var d *conformance.Difference
	switch {
	case errors.As(err, &d):
		t.Fatalf("seed %d, shrunk:\n%v", spec.Seed, conformance.Shrink(context.Background(), d, list...))
	case errors.Is(err, conformance.ErrUnusable):
		return -1
	case err != nil:
		t.Fatalf("seed %d: %v\n%s", spec.Seed, err, spec.Grammar)
	}
	return positions
}

// WalkRandom walks random grammars with the entries of each seed. That naive, which they are
// compared with, agrees with the oracle there, is for package conformance to say.
func WalkRandom(t testing.TB, seeds int, list func(seed uint64) []conformance.Entry) {
	t.Helper()
	positions, usable := 0, 0
	for seed := range seed.Each(t, seeds) {
		spec := conformance.Random(seed)
		spec.NoOracle = true
		if n := Walk(t, spec, list(seed)...); n >= 0 {
			positions, usable = positions+n, usable+1
		}
	}
	if t.Logf("%d seeds: %d usable grammars, %d positions", seeds, usable, positions); usable < seeds/5 {
		t.Error("too few of the random grammars can be used")
	}
}

// WalkSuites walks the grammars of conformance's suites with random vocabularies, so many seeds
// each: the traps, away from the cases somebody thought of. What is set in spec beside the problem
// and the seed holds for all, with a number of walks and steps.
func WalkSuites(t testing.TB, seeds int, spec conformance.Spec, list func(seed uint64) []conformance.Entry) {
	t.Helper()
	suites, err := conformance.Suites()
	if err != nil {
		t.Fatal(err)
	}
	positions, each := 0, seed.Each(t, seeds)
	suites = seed.Some(t, suites, 8, 1, 1)
	for i := range suites {
		s := &suites[i]
		for seed := range each {
			c, at := spec, seed+uint64(i)
			tokens := conformance.RandomVocabulary(rand.New(rand.NewPCG(seed, 2)), letters(s.Vocabulary), 5, 20)
			c.Grammar, c.Vocabulary, c.Special = s.Grammar, append(tokens, s.Vocabulary...), s.Special
			c.Steps, c.Seed, c.OnDemand, c.NoOracle = s.Steps(spec.Steps), seed, at%2 == 0, spec.NoOracle || s.NoOracle != ""
			if spec.Rewritten != 0 {
				c.Rewritten = seed | 1
			}
			n := Walk(t, c, list(at)...)
			if n < 0 {
				t.Fatalf("%s, seed %d: the grammar cannot be used", s.Name, seed)
			}
			positions += n
		}
	}
	t.Logf("%d suites, %d seeds each, %d positions", len(suites), seeds, positions)
}

// letters is the distinct bytes of some tokens, as they come.
func letters(tokens []string) (list string) {
	for _, b := range []byte(strings.Join(tokens, "")) {
		if strings.IndexByte(list, b) < 0 {
			list += string([]byte{b})
		}
	}
	return list
}

// Recognizer is a random grammar's, nil where the grammar cannot be used.
func Recognizer(t testing.TB, grammar string, onDemand bool) *recognizer.Recognizer {
	t.Helper()
	g, err := lark.Parse([]byte(grammar), lark.Options{File: "random.lark"})
	if err != nil {
		return nil
	}
	r, err := recognizer.New(t.Context(), g, recognizer.Options{OnDemand: onDemand})
	if err != nil {
		return nil
	}
	return r
}
