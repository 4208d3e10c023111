package parserdwa_test

import (
	"context"
	"errors"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	_ "gcdbench/algorithms/naive"
	_ "gcdbench/algorithms/parserdwa"
	"gcdbench/internal/seed"
)

// variants are the options that every test of masks runs with.
var variants = map[string]algorithms.Options{
	"lazy":  nil,
	"eager": {"determinize": "eager"},
	"none":  {"determinize": "none"},
	"whole": {"slices": "off"},
}

func entries(t testing.TB) []conformance.Entry {
	t.Helper()
	alg, err := algorithms.Lookup("parserdwa")
	if err != nil {
		t.Fatal(err)
	}
	var list []conformance.Entry
	for _, o := range variants {
		list = append(list, conformance.Entry{Algorithm: alg, Options: o})
	}
	return list
}

func TestSuite(t *testing.T) {
	alg, err := algorithms.Lookup("parserdwa")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			r := conformance.Run(t.Context(), alg, o)
			for _, f := range r.Failures {
				t.Error(f)
			}
			if len(r.Unsupported) > 0 || r.Cases == 0 {
				t.Errorf("%d cases run; unsupported: %q", r.Cases, r.Unsupported)
			}
		})
	}
}

func TestRandomGrammars(t *testing.T) {
	seeds := seed.Rounds(80, 120, 2000)
	list := entries(t)
	positions, usable := 0, 0
	for seed := range seed.Each(t, seeds) {
		n, err := conformance.Walk(t.Context(), conformance.Random(seed), list...)
		var d *conformance.Difference
		switch {
		case errors.As(err, &d):
			t.Fatalf("seed %d, shrunk:\n%v", seed, conformance.Shrink(context.Background(), d, list...))
		case errors.Is(err, conformance.ErrUnusable):
			continue
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		}
		positions, usable = positions+n, usable+1
	}
	t.Logf("%d seeds: %d usable grammars, %d positions", seeds, usable, positions)
}
