package legality_test

import (
	"errors"
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	_ "gcdbench/algorithms/legality"
	_ "gcdbench/algorithms/naive"
	"gcdbench/internal/seed"
)

func lookup(t testing.TB, name string) algorithms.Algorithm {
	t.Helper()
	alg, err := algorithms.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return alg
}

// variants are option values that each take another way through the code.
var variants = []algorithms.Options{
	nil,
	{"rows": "eager"},
	{"basis": "terminal"},
	{"basis": "state", "rows": "eager"},
	{"always": "off"},
	{"never": "off"},
	{"joint": "off"},
	{"always": "off", "never": "off", "joint": "off"},
	{"always": "off", "never": "off"},
	{"always": "off", "joint": "off", "basis": "terminal"},
	{"never": "off", "joint": "off", "basis": "terminal"},
	{"stack": "2"},
	{"slices": "off"},
	{"slices": "off", "basis": "terminal"},
	{"stack": "3", "basis": "state", "rows": "eager"},
}

func TestSuite(t *testing.T) {
	for _, o := range variants {
		r := conformance.Run(t.Context(), lookup(t, "legality"), o)
		for _, f := range r.Failures {
			t.Errorf("%v: %v", o, f)
		}
		if len(r.Unsupported) > 0 {
			t.Errorf("%v: legality applies to everything, but declined %q", o, r.Unsupported)
		}
	}
}

func TestRandomWalks(t *testing.T) {
	seeds := seed.Rounds(60, 100, 5000)
	positions := 0
	for seed := range seed.Each(t, seeds) {
		var all []conformance.Entry
		for i, o := range variants {
			if i == 0 || seed%uint64(len(variants)) == uint64(i) {
				all = append(all, conformance.Entry{Algorithm: lookup(t, "legality"), Options: o})
			}
		}
		n, err := conformance.Walk(t.Context(), conformance.Random(seed), all...)
		if err != nil && !errors.Is(err, conformance.ErrUnusable) {
			t.Fatalf("seed %d, options %v: %v", seed, fmt.Sprint(variants[seed%uint64(len(variants))]), err)
		}
		positions += n
	}
	t.Logf("%d seeds, %d positions", seeds, positions)
}
