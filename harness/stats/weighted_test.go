package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSummarizeWeighted: as Summarize of the values written out.
func TestSummarizeWeighted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	same := func(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
	for range 300 {
		var list []Weighted
		var values []float64
		for range 1 + rng.IntN(400) {
			w := Weighted{float64(rng.IntN(50)), 1 + rng.IntN(6)}
			list = append(list, w)
			for range w.N {
				values = append(values, w.Value)
			}
		}
		got, want := SummarizeWeighted(list), Summarize(values)
		if math.Abs(got.Mean-want.Mean) > 1e-9 || got.N != want.N || got.P50 != want.P50 || got.P90 != want.P90 || got.Max != want.Max || !same(got.P99, want.P99) || !same(got.P999, want.P999) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	if got := SummarizeWeighted(nil); got != (Summary{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
