package psc

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	_ "gcdbench/algorithms/naive"
	"gcdbench/internal/seed"
)

// variants are the combinations of options worth a run each.
var variants = []algorithms.Options{
	{},
	{"compile": "eager"},
	{"cache": "off"},
	{"compile": "eager", "cache": "off", "prune": "off"},
	{"memo": "off", "prune": "off"},
	{"ahead": "off"},
}

func TestConformance(t *testing.T) {
	for _, o := range variants {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			r := conformance.Run(t.Context(), algorithm{}, o)
			for _, f := range r.Failures {
				t.Error(f)
			}
			if len(r.Unsupported) > 0 || r.Cases == 0 {
				t.Errorf("%d cases; unsupported: %q", r.Cases, r.Unsupported)
			}
			t.Logf("%d suites, %d cases", r.Suites, r.Cases)
		})
	}
}

// TestRandomGrammars walks random grammars with all options.
func TestRandomGrammars(t *testing.T) {
	var list []conformance.Entry
	for _, o := range variants {
		list = append(list, conformance.Entry{Algorithm: algorithm{}, Options: o})
	}
	positions, used := 0, 0
	for seed := range seed.Each(t, 400) {
		spec := conformance.Random(seed)
		n, err := conformance.Walk(t.Context(), spec, list...)
		var d *conformance.Difference
		switch {
		case errors.As(err, &d):
			t.Fatalf("seed %d, shrunk:\n%v", seed, conformance.Shrink(context.Background(), d, list...))
		case errors.Is(err, conformance.ErrUnusable):
			continue
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		}
		positions += n
		used++
	}
	t.Logf("%d grammars, %d positions", used, positions)
}
