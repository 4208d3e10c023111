package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMeanInterval: against intervals computed elsewhere, and none of fewer than three values.
func TestMeanInterval(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{nil, 0, 0},
		{[]float64{1}, 0, 0},
		{[]float64{1, 2}, 0, 0},
		{[]float64{1, 2, 3}, 0, 2 + 2.4841}, // 4.303 / sqrt(3), and no part is below 0
		{[]float64{11, 12, 13}, 12 - 2.4841, 12 + 2.4841},
		{[]float64{1, 2, 3, 4, 5}, 3 - 1.9629, 3 + 1.9629},     // 2.776 * 1.5811 / sqrt(5)
		{[]float64{5, 4, 7, 5, 6}, 5.4 - 1.4155, 5.4 + 1.4155}, // 2.776 * 1.1402 / sqrt(5)
		{[]float64{7, 7, 7}, 7, 7},
	} {
		got := MeanInterval(c.values)
		if math.Abs(got.Low-c.low) > 1e-3 || math.Abs(got.High-c.high) > 1e-3 {
			t.Errorf("%v: %v, want %v to %v", c.values, got, c.low, c.high)
		}
	}
}

// TestStudentPoints: between the numbers of the table the interval is the wider of the two, and the
// points fall.
func TestStudentPoints(t *testing.T) {
	for freedom, want := range map[int]float64{2: 4.303, 4: 2.776, 10: 2.228, 12: 2.228, 14: 2.228, 15: 2.131, 29: 2.086, 30: 2.042, 1000: 2.042} {
		if got := tPoint(freedom); got != want {
			t.Errorf("%d degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
	for f := 3; f < 40; f++ {
		if tPoint(f) > tPoint(f-1) {
			t.Errorf("%d degrees of freedom: %v, more than with fewer", f, tPoint(f))
		}
	}
}

// TestMeanIntervalCovers: of many sets of five draws, 95 in a hundred intervals hold the true mean.
func TestMeanIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const sets = 4000
	held := 0
	for range sets {
		var values []float64
		for range 5 {
			values = append(values, 100+10*rng.NormFloat64())
		}
		if MeanInterval(values).Holds(100) {
			held++
		}
	}
	if share := float64(held) / sets; share < 0.94 || share > 0.96 {
		t.Errorf("%.3f of the intervals hold the mean", share)
	}
}

// TestBootstrapMean: it is the interval that Bootstrap gives of the mean where both draw as often,
// and none of two clusters.
func TestBootstrapMean(t *testing.T) {
	var d Data
	rng := rand.New(rand.NewPCG(3, 4))
	for cluster := range 7 {
		for range 10 {
			d.Add(cluster, 100*float64(cluster+1)+rng.Float64())
		}
	}
	if a, b := BootstrapMean(d, 5), Bootstrap(d, 5).Mean; a != b || !a.Holds(400) || a.Low >= a.High {
		t.Errorf("%v, by Bootstrap %v", a, b)
	}
	var two Data
	two.Add(0, 1, 2)
	two.Add(1, 3)
	if i := BootstrapMean(two, 5); i.Valid() {
		t.Errorf("of two clusters: %v", i)
	}
}
