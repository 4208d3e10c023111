package stats

import (
	"encoding/json"
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
		values := make([]float64, 1+rng.IntN(250)+round/290*1000)
		for i := range values {
			values[i] = float64(rng.IntN(40)) // many ties
		}
		s := Summarize(values)
		for _, c := range []struct {
			q, got float64
			least  int
		}{{0.5, s.P50, 1}, {0.9, s.P90, 1}, {0.99, Figure(s.P99), 100}, {0.999, Figure(s.P999), 1000}, {1, s.Max, 1}} {
			if len(values) < c.least {
				if !math.IsNaN(c.got) {
					t.Fatalf("seed %d round %d: q=%v of %d values = %v, want none", seed, round, c.q, len(values), c.got)
				}
			} else if want := bruteQuantile(values, c.q); c.got != want {
				t.Fatalf("seed %d round %d: q=%v of %d values = %v, want %v", seed, round, c.q, len(values), c.got, want)
			}
		}
		if s.N != len(values) || s.P50 > s.P90 || s.P90 > Figure(s.P99) || Figure(s.P99) > Figure(s.P999) || Figure(s.P999) > s.Max || s.P90 > s.Max {
			t.Fatalf("seed %d round %d: figures out of order: %+v", seed, round, s)
		}
	}
}

func TestSummarize(t *testing.T) {
	thousand := make([]float64, 1000)
	for i := range thousand {
		thousand[i] = float64(1000 - i)
	}
	hundred := thousand[900:]
	cases := []struct {
		what   string
		values []float64
		want   string
	}{
		{"nothing", nil, `{"n":0,"mean":0,"p50":0,"p90":0,"p99":null,"p999":null,"max":0}`},
		{"one", []float64{7}, `{"n":1,"mean":7,"p50":7,"p90":7,"p99":null,"p999":null,"max":7}`},
		{"two", []float64{9, 1}, `{"n":2,"mean":5,"p50":1,"p90":9,"p99":null,"p999":null,"max":9}`},
		{"2 to 100", hundred[:99], `{"n":99,"mean":51,"p50":51,"p90":91,"p99":null,"p999":null,"max":100}`},
		{"1 to 100", hundred, `{"n":100,"mean":50.5,"p50":50,"p90":90,"p99":99,"p999":null,"max":100}`},
		{"999 values", thousand[:999], `{"n":999,"mean":501,"p50":501,"p90":901,"p99":991,"p999":null,"max":1000}`},
		{"1 to 1000", thousand, `{"n":1000,"mean":500.5,"p50":500,"p90":900,"p99":990,"p999":999,"max":1000}`},
	}
	for _, c := range cases {
		before := slices.Clone(c.values)
		if got, err := json.Marshal(Summarize(c.values)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s (%v), want %s", c.what, got, err, c.want)
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
		slices.Sort(flat)
		for i, got := range r.quantiles(weights) {
			if want := Quantile(flat, quantiles[i]); got != want {
				t.Fatalf("quantile %v is %v, want %v", quantiles[i], got, want)
			}
		}
		if got, want := r.mean(weights), Summarize(flat).Mean; math.Abs(got-want) > 1e-9 {
			t.Fatalf("mean %v, want %v", got, want)
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
	}{{"mean", s.Mean, iv.Mean}, {"p50", s.P50, iv.P50}, {"p90", s.P90, iv.P90}, {"p99", Figure(s.P99), iv.P99}, {"p99.9", Figure(s.P999), iv.P999}} {
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

// TestIntervalsOfFewValues: a percentile that is not shown has no interval either, and JSON says
// null.
func TestIntervalsOfFewValues(t *testing.T) {
	for n, want := range map[int][2]bool{99: {false, false}, 100: {true, false}, 999: {true, false}, 1000: {true, true}} {
		var d Data
		for i := range n {
			d.Add(i%10, float64(i+1))
		}
		iv := Bootstrap(d, 1)
		if got := [2]bool{iv.P99.Valid(), iv.P999.Valid()}; got != want || !iv.P90.Valid() {
			t.Errorf("%d values: intervals of p99 and p99.9 %v, want %v", n, got, want)
		}
		var back map[string]*Interval
		text, err := json.Marshal(iv)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || (back["p99"] != nil) != want[0] || (back["p999"] != nil) != want[1] || *back["mean"] != iv.Mean {
			t.Errorf("%d values as JSON: %s (%v)", n, text, err)
		}
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
