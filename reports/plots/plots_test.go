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

	"gcdbench/reports/stats"
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
			Sample{panel, "naive", lognormal(rng, 300, 4e7*scale, 0.2)},
			Sample{panel, "trie", lognormal(rng, 300, 9e4*scale, 0.9)},
			Sample{panel, "trie #2", lognormal(rng, 300, 9.2e4*scale, 0.9)},
			Sample{panel, "psc (compile=lazy)", lognormal(rng, 3000, 180*scale, 0.5)})
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
			samples = append(samples, Sample{panel, algorithm, values})
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
				Rate{panel, "naive", size, 200 * v, stats.Interval{Low: 150 * v, High: 260 * v}},
				Rate{panel, "trie", size, 5000 + v/2, stats.Interval{Low: 4000 + v/3, High: 6000 + v}},
				Rate{panel, "psc (compile=lazy)", size, 200, stats.Interval{Low: 190, High: 210}})
		}
	}
	return Throughput("throughput", rates)
}

func exampleTradeOff() *Figure {
	var costs []Cost
	for i, panel := range []string{"json", "java"} {
		scale := math.Pow(20, float64(i))
		costs = append(costs,
			Cost{panel, "naive", 1e3, 4e7}, Cost{panel, "trie", 1e6, 2e5 * scale}, Cost{panel, "greatgramma", 4e7 * scale, 1e3 * scale},
			Cost{panel, "psc (compile=lazy)", 3e6, 40 * scale}, Cost{panel, "psc (compile=eager)", 4e8 * scale, 35 * scale})
	}
	return TradeOff("tradeoff", costs)
}

// TestTradeOffData says what makes a figure, and that every point is inside its frame.
func TestTradeOffData(t *testing.T) {
	if TradeOff("x", nil) != nil || TradeOff("x", []Cost{{"a", "naive", 1, 1}, {"b", "naive", 1, 1}}) != nil {
		t.Error("there is a figure where nothing is compared")
	}
	f := TradeOff("x", []Cost{{"a", "naive", 0, 5e7}, {"a", "psc", 7e9, 0}})
	if f == nil || len(f.Panels) != 1 || len(f.Panels[0].Series) != 2 {
		t.Fatalf("got %+v", f)
	}
	for _, s := range f.Panels[0].Series {
		if s.X[0] <= f.X.Min || s.X[0] >= f.X.Max || s.Y[0] <= f.Y.Min || s.Y[0] >= f.Y.Max || f.X.Min <= 0 || f.Y.Min <= 0 {
			t.Errorf("the point %v, %v is not inside %v, %v", s.X, s.Y, f.X, f.Y)
		}
	}
}

// TestGolden compares the SVG byte for byte. Look at the PNG that -update leaves
// in testdata before you commit a change.
func TestGolden(t *testing.T) {
	for _, f := range []*Figure{exampleECDF(), exampleTail(), exampleThroughput(), exampleTradeOff()} {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		image, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", f.Name+".svg")
		if *update {
			write(t, path, svg)
			write(t, filepath.Join(os.TempDir(), "gcdbench-"+f.Name+".png"), image)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(svg, want) {
			t.Errorf("%s is not the golden one; run: go test ./reports/plots -update", f.Name)
		}
		if again, _ := f.PNG(); !bytes.Equal(image, again) {
			t.Errorf("%s: two PNGs of one figure differ", f.Name)
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOddData: zeros, single values, one panel, many algorithms: none may panic.
func TestOddData(t *testing.T) {
	many := []Sample{}
	for i := range 20 {
		many = append(many, Sample{"json", strings.Repeat("long name ", 1+i%4) + string(rune('a'+i)), []float64{float64(i + 1)}})
	}
	figures := map[string]*Figure{
		"zeros":        ECDF("e", []Sample{{"json", "a", []float64{0, 0, 0}}}),
		"one value":    ECDF("e", []Sample{{"json", "a", []float64{1000}}}),
		"four panels":  ECDF("e", []Sample{{"a", "x", []float64{1}}, {"b", "x", []float64{2}}, {"c", "x", []float64{3}}, {"d", "x", []float64{4}}}),
		"eight panels": ECDF("e", slices.Repeat([]Sample{{"a", "x", []float64{1}}, {"b", "x", nil}, {"c", "x", []float64{3, 1e10}}}, 3)),
		"many names":   ECDF("e", many),
		"zero rates":   Throughput("t", []Rate{{"a", "x", 300, 0, stats.Interval{}}, {"a", "x", 400, 0, stats.Interval{}}}),
		"zero tail":    Tail("t", []Sample{{"json", "a", []float64{0, 0, 0}}}),
		"tail of one":  Tail("t", []Sample{{"json", "a", []float64{7}}, {"json", "b", nil}}),
		"long tail":    Tail("t", []Sample{{"a", "x", slices.Repeat([]float64{1, 2, 1e10}, 50_000)}}),
		"narrow":       Throughput("t", []Rate{{"a", "x", 30000, 5, stats.Interval{}}, {"a", "x", 31000, 5, stats.Interval{}}}),
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
	if ECDF("e", []Sample{{"json", "a", nil}}) != nil || Tail("t", []Sample{{"json", "a", nil}}) != nil || Tail("t", nil) != nil {
		t.Error("a figure of nothing")
	}
	if f := Throughput("t", []Rate{{"a", "x", 300, 1, stats.Interval{}}, {"b", "x", 300, 1, stats.Interval{}}}); f != nil {
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

func TestStylesDiffer(t *testing.T) {
	type look struct{ color, dash int }
	seen := map[look]int{}
	for i := range 35 {
		l := look{i % len(colours), i % len(dashes)}
		if j, twice := seen[l]; twice {
			t.Errorf("entries %d and %d look the same", j, i)
		}
		seen[l] = i
	}
}
