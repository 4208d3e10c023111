package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gcdbench/harness/stats"
	"gcdbench/internal/must"
)

// labels are the labelled ticks of an axis.
func labels(a Axis) string {
	var list []string
	for _, t := range a.ticks() {
		if t.Label != "" {
			list = append(list, t.Label)
		}
	}
	return strings.Join(list, " ")
}

func TestTicks(t *testing.T) {
	cases := []struct {
		axis Axis
		want string
	}{
		{Axis{Min: 0, Max: 1, Format: Quantity}, "0 0.2 0.4 0.6 0.8 1"},
		{Axis{Min: 1, Max: 10, Log: true, Format: Duration}, "1 ns 10 ns"},
		{Axis{Min: 100, Max: 1e6, Log: true, Format: Duration}, "100 ns 1 µs 10 µs 100 µs 1 ms"},
		{Axis{Min: 10, Max: 1e9, Log: true, Format: Duration}, "10 ns 1 µs 100 µs 10 ms 1 s"},
		{Axis{Min: 1, Max: 1e10, Log: true, Format: Duration}, "1 ns 1 µs 1 ms 1 s"},
		{Axis{Min: 1500, Max: 270000, Log: true, Format: Quantity}, "10k 100k"},
		{Axis{Min: 25000, Max: 60000, Log: true, Format: Quantity}, "50k"},
		{Axis{Min: 0.5, Max: 1e4, Log: true, Zero: true, Format: Quantity}, "0 1 10 100 1k 10k"},
		{Axis{Min: 15000, Max: 70000, Log: true, Format: Quantity}, "20k 50k"},
		{Axis{Min: 1e-5, Max: 1, Log: true, Upright: true, Format: Share}, "0.001% 0.01% 0.1% 1% 10% 100%"},
	}
	for _, c := range cases {
		if got := labels(c.axis); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.axis.Min, c.axis.Max, got, c.want)
		}
		for _, tick := range c.axis.ticks() {
			if tick.Value < c.axis.Min*(1-1e-6) || tick.Value > c.axis.Max*(1+1e-6) {
				t.Errorf("%v to %v: a tick at %v", c.axis.Min, c.axis.Max, tick.Value)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 3: {1, 3}, 4: {2, 2}, 5: {2, 3}, 6: {2, 3}, 7: {3, 3}} {
		f := &Figure{Panels: make([]Panel, n)}
		if rows, columns := f.grid(); rows != want[0] || columns != want[1] {
			t.Errorf("%d panels stand in %d rows of %d, want %v", n, rows, columns, want)
		}
	}
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 3: {2, 2}, 6: {3, 2}} {
		f := &Figure{Panels: make([]Panel, n), Columns: 2}
		if rows, columns := f.grid(); rows != want[0] || columns != want[1] {
			t.Errorf("in two columns %d panels stand in %d rows of %d, want %v", n, rows, columns, want)
		}
	}
}

// TestLegendFits: whatever the names, the legend is no wider than the figure, and with short ones
// it has as few rows as it can.
func TestLegendFits(t *testing.T) {
	const wide = 4 * vg.Inch
	for n := range 12 {
		for _, length := range []int{1, 8, 30, 400} {
			f := &Figure{}
			for i := range n {
				f.Legend = append(f.Legend, Entry{Label: fmt.Sprint(strings.Repeat("n", length), i)})
			}
			l := f.layLegend(f.Legend, wide)
			if l.wide() > wide-vg.Points(2*margin) {
				t.Errorf("%d names of %d are %v wide in %v", n, length, l.wide(), vg.Length(wide))
			}
			if len(l.entries) != n || l.rows()*len(l.columns) < n {
				t.Errorf("%d names of %d: %d in %d columns", n, length, len(l.entries), len(l.columns))
			}
			if n > 1 && length == 1 && n < 5 && l.rows() != 1 || length == 400 && l.rows() != n {
				t.Errorf("%d names of %d stand in %d rows", n, length, l.rows())
			}
		}
	}
}

func TestShorten(t *testing.T) {
	style := sansStyle(labelSize)
	long := "maskbench, everything that begins alike, llama3[:32000]"
	for _, wide := range []vg.Length{1, 20, 60, 100, 200} {
		short := shorten(long, style, wide)
		if style.Width(short) > wide && short != "…" {
			t.Errorf("%q is wider than %v", short, wide)
		}
		if front, back, ok := strings.Cut(short, "…"); !ok || !strings.HasPrefix(long, front) || !strings.HasSuffix(long, back) {
			t.Errorf("%q is not made of the ends", short)
		}
	}
	if got := shorten("short", style, 100); got != "short" {
		t.Errorf("%q", got)
	}
}

// TestECDFData: panels, styles and ranges of the figure as data.
func TestECDFData(t *testing.T) {
	f := ECDF("e", []Sample{
		{"json", line("a"), []float64{20, 30, 10}},
		{"go", line("d"), nil}, // nothing measured: no panel, and no end of the list
		{"java", line("b"), []float64{4000, 0}},
		{"json", line("b"), []float64{5, 5}},
		{"sql", line("c"), nil},
	})
	if legendOf(f) != "a b" || len(f.Panels) != 2 || f.Panels[0].Title != "json" || len(f.Panels[0].Series) != 2 {
		t.Fatalf("legend %v, panels %+v", f.Legend, f.Panels)
	}
	if f.X.Min > Least*1.0001 || math.Abs(f.X.Max/1e4-1) > 1e-9 || !f.X.Log || f.Y.Log {
		t.Errorf("x from %v to %v", f.X.Min, f.X.Max)
	}
	a := f.Panels[0].Series[0]
	wantX := []float64{10, 10, 20, 20, 30, 30, f.X.Max}
	wantY := []float64{0, 1. / 3, 1. / 3, 2. / 3, 2. / 3, 1, 1}
	if !slices.Equal(a.X, wantX) || !slices.Equal(a.Y, wantY) || a.Label != "a" {
		t.Errorf("the stairs of a go %v over %v", a.Y, a.X)
	}
	if want := []Point{{10, 0.1}, {20, 0.5}, {30, 0.9}}; !slices.Equal(a.Marks, want) {
		t.Errorf("marks of a at %v, want %v", a.Marks, want)
	}
	if b := f.Panels[1].Series[0]; b.Label != "b" || b.X[0] != Least || f.Lifted != 1 {
		t.Errorf("%s begins at %v, %d times are lifted", b.Label, b.X[0], f.Lifted)
	}
}

func TestThroughputData(t *testing.T) {
	f := Throughput("t", []Rate{
		{"json", line("a"), 20000, 1e6, stats.Interval{Low: 5e5, High: 2e6}},
		{"json", line("a"), 2000, 1e5, stats.Interval{}},
		{"java", line("a"), 2000, 1e4, stats.Interval{}},
	})
	a := f.Panels[0].Series[0]
	if !slices.Equal(a.X, []float64{2000, 20000}) || !slices.Equal(a.Y, []float64{1e4, 1e3}) {
		t.Errorf("points %v, %v", a.X, a.Y)
	}
	if !slices.Equal(a.Low, []float64{1e4, 500}) || !slices.Equal(a.High, []float64{1e4, 2000}) {
		t.Errorf("bars from %v to %v", a.Low, a.High)
	}
	if len(f.Panels) != 2 || math.Abs(f.Y.Min/100-1) > 1e-9 || math.Abs(f.Y.Max/1e5-1) > 1e-9 {
		t.Errorf("%d panels, y from %v to %v", len(f.Panels), f.Y.Min, f.Y.Max)
	}
}

// TestSVGFonts: a viewer without our font is told what to take instead.
func TestSVGFonts(t *testing.T) {
	svg := must.Get(exampleThroughput().SVG())(t)
	if n, m := strings.Count(string(svg), "font-family:"), strings.Count(string(svg), "Arial,Helvetica,sans-serif"); n == 0 || n != m {
		t.Errorf("%d texts, %d with a fallback", n, m)
	}
}

// legendOf are the names in a legend.
func legendOf(f *Figure) string {
	var list []string
	for _, e := range f.Legend {
		list = append(list, e.Label)
	}
	return strings.Join(list, " ")
}
