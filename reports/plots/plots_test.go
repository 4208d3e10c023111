package plots

import (
	"bytes"
	"flag"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden figures")

// lognormal makes times around a median, rounded to whole nanoseconds so that
// the last bits of math.Exp do not matter.
func lognormal(rng *rand.Rand, n int, median, spread float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Round(median * math.Exp(spread*rng.NormFloat64()))
	}
	return values
}

func exampleECDF() *Figure {
	rng := rand.New(rand.NewPCG(1, 1))
	var samples []Sample
	for i, panel := range []string{"json", "java", "go", "python", "sql"} {
		scale := 1 + float64(i)/2
		samples = append(samples,
			Sample{panel, line("naive"), lognormal(rng, 300, 4e7*scale, 0.2)},
			Sample{panel, line("trie"), lognormal(rng, 300, 9e4*scale, 0.9)},
			Sample{panel, line("trie #2"), lognormal(rng, 300, 9.2e4*scale, 0.9)},
			Sample{panel, line("psc (compile=lazy)"), lognormal(rng, 3000, 180*scale, 0.5)})
	}
	return ECDF("ecdf", samples)
}

func exampleTail() *Figure {
	rng := rand.New(rand.NewPCG(3, 3))
	var samples []Sample
	for i, panel := range []string{"cold", "warm"} {
		for j, algorithm := range []string{"trie", "greatgramma", "psc"} {
			values := lognormal(rng, 4000, 9e4/math.Pow(40, float64(i+j)), 0.8)
			for k := range 1 + i*j*10 { // a few that are far slower
				values[k] = 2e5 * float64(1+k)
			}
			samples = append(samples, Sample{panel, line(algorithm), values})
		}
	}
	f := Tail("tail", samples)
	f.XLabel, f.YLabel = "time of one step (mask and commit)", "steps at least as slow"
	return f
}

func exampleThroughput() *Figure {
	var rates []Rate
	for _, panel := range []string{"json", "java"} {
		for _, size := range []int{2000, 20000, 200019} {
			v := float64(size)
			rates = append(rates,
				Rate{panel, line("naive"), size, 200 * v, stats.Interval{Low: 150 * v, High: 260 * v}},
				Rate{panel, line("trie"), size, 5000 + v/2, stats.Interval{Low: 4000 + v/3, High: 6000 + v}},
				Rate{panel, line("psc (compile=lazy)"), size, 200, stats.Interval{Low: 190, High: 210}})
		}
	}
	return Throughput("throughput", rates)
}

func exampleTradeOff() *Figure {
	var costs []Cost
	cost := func(panel, label string, offline, online, spread float64) {
		around := func(v float64) stats.Interval { return stats.Interval{Low: v / spread, High: v * spread} }
		costs = append(costs, Cost{panel, line(label), offline, around(offline), online, around(online)})
	}
	for i, panel := range []string{"json", "java"} {
		scale := math.Pow(20, float64(i))
		cost(panel, "naive", 1e3, 4e7, 1.5)
		cost(panel, "trie", 1e6, 2e5*scale, 1.2)
		cost(panel, "greatgramma", 4e7*scale, 1e3*scale, 1.8)
		cost(panel, "psc (compile=lazy)", 3e6, 40*scale, 1.1)
		cost(panel, "psc (compile=eager)", 4e8*scale, 35*scale, 1.3)
	}
	return TradeOff("tradeoff", costs)
}

// bill is a curve: what is spent before the first token, then a time for each, a tenth of them
// being slower in the beginning.
func bill(panel, label string, offline, early, later float64, tokens int) Curve {
	c := Curve{Panel: panel, Line: line(label), Tokens: []float64{0}, NS: []float64{offline}}
	ns := offline
	for i := 1; i <= tokens; i++ {
		ns += later
		if i < tokens/10 {
			ns += early
		}
		c.Tokens, c.NS = append(c.Tokens, float64(i)), append(c.NS, ns)
	}
	return c
}

func exampleCumulative() *Figure {
	return Cumulative("cumulative", []Curve{
		bill("java", "naive", 2e4, 0, 4e7, 10_000), bill("java", "trie", 2e6, 0, 2e5, 10_000),
		bill("java", "psc", 3e6, 2e5, 800, 10_000), bill("java", "psc (compile=eager)", 4e8, 0, 700, 10_000),
		bill("go", "naive", 1e4, 0, 2e7, 5000), bill("go", "trie", 2e6, 0, 1e5, 5000),
		bill("go", "psc", 2e6, 9e4, 500, 5000), bill("go", "psc (compile=eager)", 1e8, 0, 400, 5000),
	})
}

func exampleStates() *Figure {
	rng := rand.New(rand.NewPCG(4, 4))
	var samples []Sample
	for i, state := range []string{"fresh", "new", "again"} {
		for j, label := range []string{"greatgramma", "psc"} {
			l := line(label)
			l.State = state
			samples = append(samples, Sample{"java", l, lognormal(rng, 1000, 4e4/math.Pow(10, float64(j))/math.Pow(4, float64(i)), 0.9)})
		}
	}
	f := Tail("states", samples)
	f.XLabel, f.YLabel = "time of one step", "steps at least as slow"
	return f
}

// line is that of an entry of a configuration: the algorithm's name, and what may follow it.
func line(label string) Line {
	algorithm, rest, _ := strings.Cut(label, " ")
	l := Line{Label: label, Algorithm: algorithm}
	if strings.HasPrefix(rest, "#") || strings.Contains(rest, "eager") {
		l.Variant = 1
	}
	return l
}

// TestTradeOffData says what makes a figure, and that every point is inside its frame.
func TestTradeOffData(t *testing.T) {
	if TradeOff("x", nil) != nil || TradeOff("x", []Cost{{Panel: "a", OfflineNS: 1, OnlineNS: 1}, {Panel: "b", OfflineNS: 1, OnlineNS: 1}}) != nil {
		t.Error("there is a figure where nothing is compared")
	}
	f := TradeOff("x", []Cost{
		{"a", line("naive"), 0, stats.Interval{}, 5e7, stats.Interval{Low: 1e7, High: 9e8}},
		{"a", line("psc"), 7e9, stats.Interval{Low: 1e9, High: 8e10}, 0, stats.Interval{Low: 0, High: 3}},
		{"a", line("trie"), math.NaN(), stats.Interval{}, math.Inf(1), stats.Interval{}}})
	if f == nil || len(f.Panels) != 1 || len(f.Panels[0].Series) != 2 || f.Lifted != 2 {
		t.Fatalf("got %+v", f)
	}
	for _, s := range f.Panels[0].Series {
		if s.XLow[0] <= f.X.Min || s.XHigh[0] >= f.X.Max || s.Low[0] <= f.Y.Min || s.High[0] >= f.Y.Max || f.X.Min <= 0 || f.Y.Min <= 0 {
			t.Errorf("the point %v, %v is not inside %v, %v", s.X, s.Y, f.X, f.Y)
		}
	}
	naive, psc := f.Panels[0].Series[0], f.Panels[0].Series[1]
	if naive.XLow[0] != Least || naive.XHigh[0] != Least || naive.Low[0] != 1e7 || naive.High[0] != 9e8 {
		t.Errorf("bars of naive: %v to %v, %v to %v", naive.XLow, naive.XHigh, naive.Low, naive.High)
	}
	if psc.XLow[0] != 1e9 || psc.XHigh[0] != 8e10 || psc.Low[0] != Least || psc.High[0] != 3 {
		t.Errorf("bars of psc: %v to %v, %v to %v", psc.XLow, psc.XHigh, psc.Low, psc.High)
	}
}

func examples() []*Figure {
	return []*Figure{exampleECDF(), exampleTail(), exampleThroughput(), exampleTradeOff(), exampleCumulative(), exampleStates(), exampleServing()}
}

// TestGolden compares the SVG byte for byte. Look at the PNG and the PDF that -update
// leaves in the folder for temporary files before you commit a change.
func TestGolden(t *testing.T) {
	for _, f := range examples() {
		svg := must.Get(f.SVG())(t)
		image := must.Get(f.PNG())(t)
		pdf := must.Get(f.PDF())(t)
		path := filepath.Join("testdata", f.Name+".svg")
		if *update {
			write(t, path, svg)
			write(t, filepath.Join(os.TempDir(), "gcdbench-"+f.Name+".png"), image)
			write(t, filepath.Join(os.TempDir(), "gcdbench-"+f.Name+".pdf"), pdf)
		}
		want := must.Get(os.ReadFile(path))(t)
		if !bytes.Equal(svg, want) {
			t.Errorf("%s is not the golden one; run: go test ./reports/plots -update", f.Name)
		}
		if again, _ := f.PNG(); !bytes.Equal(image, again) {
			t.Errorf("%s: two PNGs of one figure differ", f.Name)
		}
		if again, _ := f.PDF(); !bytes.Equal(pdf, again) {
			t.Errorf("%s: two PDFs of one figure differ", f.Name)
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, data, 0o644))
}

// TestOddData: zeros, single values, one panel, many algorithms: none may panic.
func TestOddData(t *testing.T) {
	many := []Sample{}
	for i := range 20 {
		many = append(many, Sample{"json", line(strings.Repeat("long name ", 1+i%4) + string(rune('a'+i))), []float64{float64(i + 1)}})
	}
	figures := map[string]*Figure{
		"zeros":        ECDF("e", []Sample{{"json", line("a"), []float64{0, 0, 0}}}),
		"one value":    ECDF("e", []Sample{{"json", line("a"), []float64{1000}}}),
		"four panels":  ECDF("e", []Sample{{"a", line("x"), []float64{1}}, {"b", line("x"), []float64{2}}, {"c", line("x"), []float64{3}}, {"d", line("x"), []float64{4}}}),
		"eight panels": ECDF("e", slices.Repeat([]Sample{{"a", line("x"), []float64{1}}, {"b", line("x"), nil}, {"c", line("x"), []float64{3, 1e10}}}, 3)),
		"many names":   ECDF("e", many),
		"zero rates":   Throughput("t", []Rate{{"a", line("x"), 300, 0, stats.Interval{}}, {"a", line("x"), 400, 0, stats.Interval{}}}),
		"zero tail":    Tail("t", []Sample{{"json", line("a"), []float64{0, 0, 0}}}),
		"tail of one":  Tail("t", []Sample{{"json", line("a"), []float64{7}}, {"json", line("b"), nil}}),
		"long tail":    Tail("t", []Sample{{"a", line("x"), slices.Repeat([]float64{1, 2, 1e10}, 50_000)}}),
		"no numbers":   ECDF("e", []Sample{{"json", line("a"), []float64{math.NaN(), math.Inf(1), -5, 3}}}),
		"no ids":       Throughput("t", []Rate{{"a", line("x"), 0, 5, stats.Interval{Low: -1, High: math.Inf(1)}}, {"a", line("x"), 9, math.NaN(), stats.Interval{}}, {"a", line("x"), 31, 5, stats.Interval{}}}),
		"equal costs":  TradeOff("t", []Cost{{Panel: "a", Line: line("x")}, {Panel: "a", Line: line("y")}}),
		"free tokens":  Cumulative("c", []Curve{{Panel: "a", Line: line("x"), Tokens: []float64{0, 0, 1}, NS: []float64{0, 0, 0}}}),
		"no time":      Cumulative("c", []Curve{{Panel: "a", Line: line("x"), Tokens: []float64{7, 7}, NS: []float64{5, 5}}}),
		"narrow":       Throughput("t", []Rate{{"a", line("x"), 30000, 5, stats.Interval{}}, {"a", line("x"), 31000, 5, stats.Interval{}}}),
	}
	for name, f := range figures {
		if f == nil {
			t.Errorf("%s: no figure", name)
			continue
		}
		if _, err := f.SVG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		image, err := f.PNG()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := png.Decode(bytes.NewReader(image)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ECDF("e", []Sample{{"json", line("a"), nil}}) != nil || Tail("t", []Sample{{"json", line("a"), nil}}) != nil || Tail("t", nil) != nil {
		t.Error("a figure of nothing")
	}
	if f := Throughput("t", []Rate{{"a", line("x"), 300, 1, stats.Interval{}}, {"b", line("x"), 300, 1, stats.Interval{}}}); f != nil {
		t.Error("a throughput figure of a single size")
	}
}

// TestStaircase: every corner of the thinned line lies on the distribution.
func TestStaircase(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 3, 199, 200, 201, 5000} {
		sorted := slices.Sorted(slices.Values(lognormal(rng, n, 1000, 1)))
		s := staircase(sorted)
		if len(s.X) != len(s.Y) || len(s.X) > 2*(2*maxSteps+2) {
			t.Fatalf("n=%d: %d and %d coordinates", n, len(s.X), len(s.Y))
		}
		if s.X[0] != sorted[0] || s.X[len(s.X)-1] != sorted[n-1] || s.Y[0] != 0 || s.Y[len(s.Y)-1] != 1 {
			t.Errorf("n=%d: from (%v, %v) to (%v, %v)", n, s.X[0], s.Y[0], s.X[len(s.X)-1], s.Y[len(s.Y)-1])
		}
		if !slices.IsSorted(s.X) || !slices.IsSorted(s.Y) {
			t.Errorf("n=%d: the line goes back", n)
		}
	}
}

func TestLabels(t *testing.T) {
	for ns, want := range map[float64]string{0.5: "0.5 ns", 1: "1 ns", 100: "100 ns", 1000: "1 µs", 1e4: "10 µs", 1e6: "1 ms", 1e9: "1 s", 1e10: "10 s", 999.9999999999: "1 µs"} {
		if got := Duration(ns); got != want {
			t.Errorf("Duration(%v) = %q, want %q", ns, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.2: "0.2", 1: "1", 1000: "1k", 2e5: "200k", 1e6: "1M", 1e7: "10M"} {
		if got := Quantity(v); got != want {
			t.Errorf("Quantity(%v) = %q, want %q", v, got, want)
		}
	}
	for _, c := range []struct{ low, high, wantLow, wantHigh float64 }{{1, 1, 1, 10}, {1, 10, 1, 10}, {2, 99, 1, 100}, {100, 101, 100, 1000}} {
		if lo, hi := decades(c.low, c.high); math.Abs(lo/c.wantLow-1) > 1e-12 || math.Abs(hi/c.wantHigh-1) > 1e-12 {
			t.Errorf("decades(%v, %v) = %v, %v", c.low, c.high, lo, hi)
		}
	}
}
