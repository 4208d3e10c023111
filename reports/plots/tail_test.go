package plots

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// TestSurvival checks each corner against the definition: the share of values that are at least as
// long.
func TestSurvival(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 5))
	for _, n := range []int{1, 2, 7, 100, 5000} {
		for _, round := range []float64{1, 300} { // with and without many equal values
			values := lognormal(rng, n, 1000, 1)
			for i := range values {
				values[i] = max(math.Round(values[i]/round)*round, Least)
			}
			sorted := slices.Sorted(slices.Values(values))
			s := survival(sorted)
			if s.Y[0] != 1 || s.X[0] != max(sorted[0], Least) || s.X[len(s.X)-1] != max(sorted[n-1], Least) || !slices.IsSorted(s.X) {
				t.Errorf("%d values: from %v to %v", n, s.X[0], s.X[len(s.X)-1])
			}
			for i := 1; i < len(s.X); i += 2 { // each step goes down, or along, at one time
				longer := 0
				for _, v := range values {
					if max(v, Least) >= s.X[i] {
						longer++
					}
				}
				if want := float64(longer) / float64(n); s.X[i] != s.X[i-1] || s.Y[i] != want || s.Y[i] > s.Y[i-1] {
					t.Errorf("%d values: at %v the share is %v, want %v", n, s.X[i], s.Y[i], want)
				}
			}
			if equal := n - slices.Index(sorted, sorted[n-1]); s.Y[len(s.Y)-1] != float64(equal)/float64(n) {
				t.Errorf("%d values: the last share is %v, of %d that are the longest", n, s.Y[len(s.Y)-1], equal)
			}
		}
	}
}

// TestTailRanks: every rank near the end, few elsewhere, from the first to the last.
func TestTailRanks(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 1_000_000} {
		ranks := tailRanks(n)
		if ranks[0] != 0 || ranks[len(ranks)-1] != n-1 || !slices.IsSorted(ranks) || len(slices.Compact(slices.Clone(ranks))) != len(ranks) {
			t.Fatalf("%d values: %v", n, ranks)
		}
		if limit := 40 + int(tailSteps*math.Log10(float64(n))); len(ranks) > limit {
			t.Errorf("%d values: %d ranks, more than %d", n, len(ranks), limit)
		}
		for back := range min(10, n) { // the ten slowest all show
			if !slices.Contains(ranks, n-1-back) {
				t.Errorf("%d values: rank %d is left out", n, n-1-back)
			}
		}
	}
	if len(tailRanks(0)) != 0 {
		t.Error("ranks of nothing")
	}
}

// TestTailData: a line goes from the left edge at 100% down to the bottom at the longest value, and
// the axes hold all.
func TestTailData(t *testing.T) {
	f := Tail("t", []Sample{{"a", line("x"), []float64{20, 10, 400}}, {"c", line("z"), nil}, {"a", line("y"), []float64{5}}, {"b", line("x"), make([]float64, 1001)}})
	if f.X.Min != 0.1 || math.Abs(f.X.Max/1000-1) > 1e-9 || math.Abs(f.Y.Min/1e-4-1) > 1e-9 || f.Y.Max != 1 || !f.X.Log || !f.Y.Log {
		t.Fatalf("x from %v to %v, y from %v to %v", f.X.Min, f.X.Max, f.Y.Min, f.Y.Max)
	}
	if len(f.Panels) != 2 || len(f.Legend) != 2 || len(f.Panels[0].Series) != 2 {
		t.Fatalf("%d panels, legend %v", len(f.Panels), f.Legend)
	}
	s := f.Panels[0].Series[0]
	wantX := []float64{f.X.Min, 10, 10, 20, 20, 400, 400, 400}
	wantY := []float64{1, 1, 1, 1, 2. / 3, 2. / 3, 1. / 3, f.Y.Min}
	if !slices.Equal(s.X, wantX) || !slices.Equal(s.Y, wantY) {
		t.Errorf("the line goes %v over %v", s.Y, s.X)
	}
	if one := Tail("t", []Sample{{"a", line("x"), []float64{5}}}); math.Abs(one.Y.Min-0.1) > 1e-12 {
		t.Errorf("of one value y begins at %v", one.Y.Min)
	}
}

// TestStaircaseTail: between the last steps of a thinned distribution and its longest value there
// are steps for the slowest.
func TestStaircaseTail(t *testing.T) {
	sorted := make([]float64, 100_000)
	for i := range sorted {
		sorted[i] = 100
	}
	for i := range 10 { // 0.01% take from 1 µs to 10 s
		sorted[len(sorted)-10+i] = math.Pow(10, float64(3+i*7/9))
	}
	s := staircase(sorted)
	for i, x := range sorted[len(sorted)-10:] {
		at := slices.Index(s.X, x)
		if at < 0 || s.Y[at+1] < 1-1e-4 {
			t.Errorf("slow value %d, %v, is no step", i, x)
		}
	}
	if n := len(s.X); n > 2*(maxSteps+3*tailSteps+20) {
		t.Errorf("%d corners", n)
	}
}

func TestShareLabels(t *testing.T) {
	var got []string
	for _, v := range []float64{1, 0.1, 0.01, 0.001, 1e-6, 0.25} {
		got = append(got, Share(v))
	}
	if want := "100% 10% 1% 0.1% 0.0001% 25%"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
