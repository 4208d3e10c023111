package realtext

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance"
	"gcdbench/internal/seed"
)

// CheckPublished checks that an algorithm in the form of its paper gives the contract's masks: in
// every suite of conformance that the paper could have, and beside the engineered form and naive on
// random grammars.
func CheckPublished(t *testing.T, a algorithms.Algorithm, published algorithms.Options) {
	t.Helper()
	t.Run("suite", func(t *testing.T) {
		r := conformance.Run(t.Context(), a, published)
		for _, f := range r.Failures {
			t.Error(f)
		}
		if r.Cases < 20 {
			t.Errorf("only %d cases; unsupported: %v", r.Cases, r.Unsupported)
		}
		for _, why := range r.Unsupported {
			if !strings.Contains(why, "the paper has no ") {
				t.Error(why)
			}
		}
		t.Logf("%d cases, %d suites unsupported", r.Cases, len(r.Unsupported))
	})
	t.Run("random", func(t *testing.T) {
		list := []conformance.Entry{{Algorithm: a}, {Algorithm: a, Options: published}}
		positions, used, seeds := 0, 0, seed.Rounds(50, 160, 700)
		for at := range seed.Each(t, seeds) {
			spec := conformance.Random(at)
			spec.NoOracle = true
			n, err := conformance.Walk(t.Context(), spec, list...)
			var unsupported *algorithms.UnsupportedError
			if err != nil && !errors.As(err, &unsupported) && !errors.Is(err, conformance.ErrUnusable) {
				t.Fatalf("seed %d: %v", at, err)
			}
			if err == nil {
				used++
				positions += n
			}
		}
		if used < seeds/20 {
			t.Errorf("only %d of %d seeds were of use", used, seeds)
		}
		t.Logf("%d positions of %d grammars", positions, used)
	})
}
