package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

// bruteQuantile finds the nearest-rank quantile by its definition: the smallest
// value with at least q*n values not above it.
func bruteQuantile(values []float64, q float64) float64 {
	best := math.Inf(1)
	for _, v := range values {
		notAbove := 0
		for _, w := range values {
			if w <= v {
				notAbove++
			}
		}
		if float64(notAbove) >= q*float64(len(values))-1e-9 && v < best {
			best = v
		}
	}
	return best
}

func TestQuantileByDefinition(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		values := make([]float64, 1+rng.IntN(250))
		for i := range values {
			values[i] = float64(rng.IntN(40)) // many ties
		}
		s := Summarize(values)
		for _, c := range []struct{ q, got float64 }{{0.5, s.P50}, {0.9, s.P90}, {0.99, s.P99}, {0.999, s.P999}, {1, s.Max}} {
			if want := bruteQuantile(values, c.q); c.got != want {
				t.Fatalf("seed %d round %d: q=%v of %d values = %v, want %v", seed, round, c.q, len(values), c.got, want)
			}
		}
		if s.N != len(values) || s.P50 > s.P90 || s.P90 > s.P99 || s.P99 > s.P999 || s.P999 > s.Max {
			t.Fatalf("seed %d round %d: figures out of order: %+v", seed, round, s)
		}
	}
}

func TestSummarize(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	cases := []struct {
		what   string
		values []float64
		want   Summary
	}{
		{"nothing", nil, Summary{}},
		{"one", []float64{7}, Summary{1, 7, 7, 7, 7, 7, 7}},
		{"two", []float64{9, 1}, Summary{2, 5, 1, 9, 9, 9, 9}},
		{"1 to 100", hundred, Summary{100, 50.5, 50, 90, 99, 100, 100}},
	}
	for _, c := range cases {
		before := slices.Clone(c.values)
		if got := Summarize(c.values); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
		if !slices.Equal(before, c.values) {
			t.Errorf("%s: the values were changed", c.what)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("the quantile of nothing is a number")
	}
}

// TestResampledFigures checks the weighted walk against a resample written out.
func TestResampledFigures(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	var d Data
	for c := range 12 {
		for range 1 + rng.IntN(30) {
			d.Add(c*3, float64(rng.IntN(50)))
		}
	}
	clusters := d.clusters()
	r := newResampler(d, clusters, seed)
	for range 50 {
		weights := r.draw()
		var flat []float64
		drawn := 0
		for i, c := range clusters {
			drawn += weights[i]
			for range weights[i] {
				for j, v := range d.Values {
					if d.Cluster[j] == c {
						flat = append(flat, v)
					}
				}
			}
		}
		if drawn != len(clusters) {
			t.Fatalf("%d clusters drawn out of %d", drawn, len(clusters))
		}
		want := Summarize(flat)
		got := r.quantiles(weights)
		if got != [4]float64{want.P50, want.P90, want.P99, want.P999} {
			t.Fatalf("quantiles %v, want those of %+v", got, want)
		}
		if m := r.mean(weights); math.Abs(m-want.Mean) > 1e-9 {
			t.Fatalf("mean %v, want %v", m, want.Mean)
		}
	}
}

func TestBootstrapHoldsTheFigure(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var d Data
	for c := range 40 {
		level := 100 * math.Exp(rng.NormFloat64()/3)
		for range 50 {
			d.Add(c, level*math.Exp(rng.NormFloat64()/2))
		}
	}
	s, iv := Summarize(d.Values), Bootstrap(d, 1)
	for _, c := range []struct {
		what string
		at   float64
		iv   Interval
	}{{"mean", s.Mean, iv.Mean}, {"p50", s.P50, iv.P50}, {"p90", s.P90, iv.P90}, {"p99", s.P99, iv.P99}} {
		if !c.iv.Holds(c.at) {
			t.Errorf("%s: %v is outside its interval %v", c.what, c.at, c.iv)
		}
	}
	if again := Bootstrap(d, 1); again != iv {
		t.Errorf("two runs with one seed differ: %+v and %+v", iv, again)
	}
	if other := Bootstrap(d, 2); other == iv {
		t.Error("another seed gives the same intervals to the last bit")
	}
}

// TestClustersMatter: values that are equal inside a document carry the
// information of one value, and the interval has to be as wide as that.
func TestClustersMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var clustered, apart Data
	for c := range 20 {
		v := 100 + 10*rng.NormFloat64()
		for i := range 100 {
			clustered.Add(c, v)
			apart.Add(c*100+i, v)
		}
	}
	wide, narrow := Bootstrap(clustered, 1).Mean, Bootstrap(apart, 1).Mean
	if ratio := (wide.High - wide.Low) / (narrow.High - narrow.Low); ratio < 6 || ratio > 15 {
		t.Errorf("clustering widens the interval %.1f times, want about the square root of 100", ratio)
	}
}

func TestTooFewClusters(t *testing.T) {
	var d Data
	d.Add(0, 1, 2, 3)
	d.Add(1, 4, 5, 6)
	if iv := Bootstrap(d, 1); iv != (Intervals{}) {
		t.Errorf("an interval of two documents: %+v", iv)
	}
	var p Pairs
	p.Add(0, 1, 2)
	p.Add(1, 1, 2)
	if r := p.Ratio(1); r.Interval.Valid() || r.Same() || math.Abs(r.Value-0.5) > 1e-12 || r.Clusters != 2 {
		t.Errorf("the ratio of two documents: %+v", r)
	}
}

func TestRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	build := func(factor float64) (Ratio, Ratio) {
		var p, q Pairs
		for c := range 30 {
			for range 40 {
				a := 50 * math.Exp(rng.NormFloat64())
				b := a * factor * math.Exp(rng.NormFloat64()/10)
				p.Add(c, b, a)
				q.Add(c, a, b)
			}
		}
		return p.Ratio(1), q.Ratio(1)
	}
	slow, inverse := build(3)
	if math.Abs(slow.Value-3) > 0.1 || !slow.Interval.Holds(slow.Value) || slow.Same() {
		t.Errorf("three times slower: %+v", slow)
	}
	if math.Abs(slow.Value*inverse.Value-1) > 1e-9 {
		t.Errorf("the two directions are %v and %v, not inverse", slow.Value, inverse.Value)
	}
	// A 95% interval misses one time in twenty.
	told := 0
	for range 40 {
		same, _ := build(1)
		if same.N != 1200 || same.Clusters != 30 {
			t.Fatalf("1200 positions in 30 documents: %+v", same)
		}
		if !same.Same() {
			told++
		}
	}
	if told > 8 {
		t.Errorf("two equal algorithms were told apart in %d of 40 runs", told)
	}
	var none Pairs
	if r := none.Ratio(1); r != (Ratio{}) {
		t.Errorf("the ratio of nothing: %+v", r)
	}
	var zero Pairs
	zero.Add(0, 0, 1)
	if r := zero.Ratio(1); r.Value != 0.5 {
		t.Errorf("a time of zero against 1 ns: %v, want 0.5", r.Value)
	}
}

func TestWilson(t *testing.T) {
	// The first two rows are the published example of Newcombe (1998), table I.
	cases := []struct {
		passed, n int
		want      Interval
	}{
		{81, 263, Interval{0.2553, 0.3662}},
		{15, 148, Interval{0.0624, 0.1605}},
		{0, 20, Interval{0, 0.1611}},
		{1, 29, Interval{0.0061, 0.1718}},
		{20, 20, Interval{0.8389, 1}},
	}
	for _, c := range cases {
		got := Wilson(c.passed, c.n)
		if math.Abs(got.Low-c.want.Low) > 1e-4 || math.Abs(got.High-c.want.High) > 1e-4 {
			t.Errorf("Wilson(%d, %d) = %v, want %v", c.passed, c.n, got, c.want)
		}
	}
	if Wilson(0, 0).Valid() {
		t.Error("an interval of no trials")
	}
	// By definition the ends solve |p - x| = z sqrt(x(1-x)/n).
	for n := 1; n < 60; n++ {
		for k := 0; k <= n; k++ {
			p, iv := float64(k)/float64(n), Wilson(k, n)
			for _, x := range []float64{iv.Low, iv.High} {
				if x == 0 || x == 1 {
					continue
				}
				if d := math.Abs(p-x) - 1.959963984540054*math.Sqrt(x*(1-x)/float64(n)); math.Abs(d) > 1e-9 {
					t.Fatalf("Wilson(%d, %d): end %v is off by %v", k, n, x, d)
				}
			}
		}
	}
}
