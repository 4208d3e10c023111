package greatgramma

import (
	"context"
	"errors"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	_ "gcdbench/algorithms/naive"
)

// optionSets are all options, each away from its default alone and all together: all must give the same
// masks.
func optionSets() map[string]algorithms.Options {
	sets := map[string]algorithms.Options{"default": nil, "all off": {}}
	for _, o := range (algorithm{}).Options() {
		for _, v := range o.Values {
			if v != o.Default {
				sets[o.Name+" "+v] = algorithms.Options{o.Name: v}
				sets["all off"][o.Name] = v
			}
		}
	}
	return sets
}

func TestSuite(t *testing.T) {
	for name, o := range optionSets() {
		t.Run(name, func(t *testing.T) {
			r := conformance.Run(t.Context(), algorithm{}, o)
			for _, f := range r.Failures {
				t.Error(f)
			}
			if r.Cases == 0 || len(r.Unsupported) > 0 {
				t.Errorf("%d cases; unsupported: %v", r.Cases, r.Unsupported)
			}
		})
	}
}

// TestRandomGrammars compares every option with naive on random grammars.
func TestRandomGrammars(t *testing.T) {
	seeds := uint64(600)
	if testing.Short() {
		seeds = 100
	}
	var list []conformance.Contestant
	for _, o := range optionSets() {
		list = append(list, conformance.Contestant{Algorithm: algorithm{}, Options: o})
	}
	positions := 0
	for seed := uint64(10_000); seed < 10_000+seeds; seed++ {
		spec := conformance.Random(seed)
		spec.NoOracle = true
		n, err := conformance.Walk(t.Context(), spec, list...)
		var d *conformance.Difference
		switch {
		case errors.As(err, &d):
			t.Fatalf("seed %d, shrunk:\n%v", seed, conformance.Shrink(context.Background(), d, list...))
		case err != nil && !errors.Is(err, conformance.ErrUnusable):
			t.Fatalf("seed %d: %v", seed, err)
		}
		positions += n
	}
	t.Logf("%d positions", positions)
}
