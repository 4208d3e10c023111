package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/internal/seed"
)

// randomData makes clustered times: clusters of different level and size.
func randomData(rng *rand.Rand) Data {
	var d Data
	for c := range MinClusters + rng.IntN(12) {
		level := math.Exp(5 + 2*rng.NormFloat64())
		for range 1 + rng.IntN(40) {
			d.Add(c, math.Round(level*math.Exp(rng.NormFloat64())))
		}
	}
	return d
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

// same reports whether a percentile is so many times another, or both are missing.
func same(a, b *float64, times float64) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == times**b)
}

func nearInterval(a, b Interval) bool { return near(a.Low, b.Low) && near(a.High, b.High) }

// each applies f to the figures of a set of intervals.
func (iv Intervals) each(f func(Interval) Interval) Intervals {
	return Intervals{f(iv.Mean), f(iv.P50), f(iv.P90), f(iv.P99), f(iv.P999)}
}

func (iv Intervals) list() []Interval {
	return []Interval{iv.Mean, iv.P50, iv.P90, iv.P99, iv.P999}
}

// TestMetamorphic changes data in ways whose effect on every figure is known.
func TestMetamorphic(t *testing.T) {
	seed := seed.New(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 30 {
		d := randomData(rng)
		s, iv := Summarize(d.Values), Bootstrap(d, 5)

		scaled := Data{Cluster: d.Cluster}
		for _, v := range d.Values {
			scaled.Values = append(scaled.Values, 1000*v)
		}
		if got := Summarize(scaled.Values); !near(got.Mean, 1000*s.Mean) || got.P50 != 1000*s.P50 || !same(got.P999, s.P999, 1000) || got.Max != 1000*s.Max {
			t.Fatalf("seed %d round %d: in other units %+v, before %+v", seed, round, got, s)
		}
		want := iv.each(func(i Interval) Interval { return Interval{1000 * i.Low, 1000 * i.High} }).list()
		for k, i := range Bootstrap(scaled, 5).list() {
			if !nearInterval(i, want[k]) {
				t.Fatalf("seed %d round %d: interval %d in other units is %v, want %v", seed, round, k, i, want[k])
			}
		}

		shuffled := Data{Values: slices.Clone(d.Values), Cluster: slices.Clone(d.Cluster)}
		rng.Shuffle(len(shuffled.Values), func(i, j int) {
			shuffled.Values[i], shuffled.Values[j] = shuffled.Values[j], shuffled.Values[i]
			shuffled.Cluster[i], shuffled.Cluster[j] = shuffled.Cluster[j], shuffled.Cluster[i]
		})
		if got := Summarize(shuffled.Values); !near(got.Mean, s.Mean) || got.P50 != s.P50 || !same(got.P99, s.P99, 1) {
			t.Fatalf("seed %d round %d: in another order %+v, before %+v", seed, round, got, s)
		}
		for k, i := range Bootstrap(shuffled, 5).list() {
			if !nearInterval(i, iv.list()[k]) {
				t.Fatalf("seed %d round %d: interval %d in another order is %v, before %v", seed, round, k, i, iv.list()[k])
			}
		}

		renumbered := Data{Values: d.Values}
		for _, c := range d.Cluster {
			renumbered.Cluster = append(renumbered.Cluster, 7*c+100)
		}
		if got := Bootstrap(renumbered, 5); got != iv {
			t.Fatalf("seed %d round %d: with other numbers of clusters %+v, before %+v", seed, round, got, iv)
		}

		for k, i := range iv.list() {
			least := []int{1, 1, 1, minP99, minP999}[k]
			if i.Valid() != (len(d.Values) >= least) || i.Low > i.High {
				t.Fatalf("seed %d round %d: interval %d is %v", seed, round, k, i)
			}
		}
	}
}

// TestEqualClusters: if every document is like every other, there is nothing to
// be uncertain about.
func TestEqualClusters(t *testing.T) {
	var d Data
	for c := range 8 {
		d.Add(c, 1, 2, 3, 4, 100)
	}
	for k, i := range Bootstrap(d, 1).list() {
		if i.Low != i.High {
			t.Errorf("interval %d of equal documents is %v", k, i)
		}
	}
}

// TestCoverage draws many small corpora of a known distribution. A 95% interval
// of the mean has to hold the true one about that often; with a dozen clusters
// the percentile bootstrap is known to be somewhat too narrow.
func TestCoverage(t *testing.T) {
	const corpora, documents = 200, 12
	rng := rand.New(rand.NewPCG(41, 0))
	held := 0
	for range corpora {
		var d Data
		for c := range documents {
			level := 100 + 10*rng.NormFloat64()
			for range 20 {
				d.Add(c, level+5*rng.NormFloat64())
			}
		}
		if Bootstrap(d, rng.Uint64()).Mean.Holds(100) {
			held++
		}
	}
	if share := float64(held) / corpora; share < 0.85 || share > 0.99 {
		t.Errorf("the true mean is in %.0f%% of the intervals", 100*share)
	}
}

// TestRatioIsOfPairs: the ratio looks at pairs only, so a document that is slow
// for both algorithms changes nothing.
func TestRatioIsOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 0))
	var p, slow Pairs
	for c := range 10 {
		factor := math.Exp(3 * rng.NormFloat64())
		for range 10 {
			a := 100 * math.Exp(rng.NormFloat64()/4)
			p.Add(c, a, 50)
			slow.Add(c, a*factor, 50*factor)
		}
	}
	a, b := p.Ratio(1), slow.Ratio(1)
	if !near(a.Value, b.Value) || !nearInterval(a.Interval, b.Interval) {
		t.Errorf("%+v, and with slow documents %+v", a, b)
	}
}

func TestInterval(t *testing.T) {
	i := Interval{1, 2}
	for v, want := range map[float64]bool{0.9: false, 1: true, 1.5: true, 2: true, 2.1: false} {
		if i.Holds(v) != want {
			t.Errorf("%v holds %v: %v", i, v, !want)
		}
	}
	if (Interval{}).Valid() || (Interval{}).Holds(0) {
		t.Error("the zero interval holds something")
	}
}

// TestLargeData: the number of resamples falls with the size of the data, and
// never below the minimum.
func TestLargeData(t *testing.T) {
	for n, want := range map[int]int{10: maxResamples, resampleBudget / maxResamples: maxResamples,
		resampleBudget / 500: 500, resampleBudget: minResamples} {
		r := &resampler{values: make([]float64, n)}
		if got := r.resamples(); got != want {
			t.Errorf("%d values are resampled %d times, want %d", n, got, want)
		}
	}
}

// The interval of a quotient of two data that are slow on the same documents is that of the factor
// between them, however the documents differ; of different documents there is none.
func TestQuotientIntervals(t *testing.T) {
	var a, b, other Data
	for i := range 2000 {
		v := float64(100 + 37*(i%10)*(i%10) + i%7)
		a.Add(i%10, v)
		b.Add(i%10, 3*v)
		other.Add(1+i%10, v)
	}
	got := QuotientIntervals(b, a, 1)
	for name, i := range map[string]Interval{"mean": got.Mean, "p50": got.P50, "p99": got.P99, "p99.9": got.P999} {
		if math.Abs(i.Low-3) > 1e-9 || math.Abs(i.High-3) > 1e-9 {
			t.Errorf("%s: %v; want [3, 3]", name, i)
		}
	}
	if got := QuotientIntervals(a, other, 1); got.Mean.Valid() {
		t.Errorf("of different documents: %v", got)
	}
	if q := Quotient(1, 0); q != 2 {
		t.Errorf("1 ns over 0 is %v; want 2, as 0 counts as half a nanosecond", q)
	}
}
