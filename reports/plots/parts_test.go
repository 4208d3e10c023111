package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"gcdbench/reports/stats"
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
		{Axis{Min: 15000, Max: 70000, Log: true, Format: Quantity}, "20k 50k"},
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

// TestLegendLines: every entry is in one line, in order, and no line is wider
// than the figure unless it is a single entry.
func TestLegendLines(t *testing.T) {
	f := &Figure{}
	for i := range 17 {
		f.Legend = append(f.Legend, strings.Repeat("name ", 1+i%5))
	}
	f.Legend = append(f.Legend, strings.Repeat("very long ", 20))
	const wide = 4 * vg.Inch
	var seen []int
	for _, line := range f.legendLines(wide) {
		total := -vg.Points(entryGap)
		for _, i := range line {
			total += vg.Points(entryGap) + f.entryWidth(i)
		}
		if total > wide-vg.Points(2*margin) && len(line) > 1 {
			t.Errorf("the line %v is %v wide in %v", line, total, vg.Length(wide))
		}
		seen = append(seen, line...)
	}
	if len(seen) != len(f.Legend) || !slices.IsSorted(seen) {
		t.Errorf("entries %v", seen)
	}
}

// TestECDFData: panels, styles and ranges of the figure as data.
func TestECDFData(t *testing.T) {
	f := ECDF("e", []Sample{
		{"json", "a", []float64{20, 30, 10}},
		{"go", "d", nil}, // nothing measured: no panel, and no end of the list
		{"java", "b", []float64{4000, 0}},
		{"json", "b", []float64{5, 5}},
		{"sql", "c", nil},
	})
	if strings.Join(f.Legend, " ") != "a b" || len(f.Panels) != 2 || f.Panels[0].Title != "json" || len(f.Panels[0].Series) != 2 {
		t.Fatalf("legend %v, panels %+v", f.Legend, f.Panels)
	}
	if f.X.Min > Least*1.0001 || math.Abs(f.X.Max/1e4-1) > 1e-9 || !f.X.Log || f.Y.Log {
		t.Errorf("x from %v to %v", f.X.Min, f.X.Max)
	}
	a := f.Panels[0].Series[0]
	wantX := []float64{10, 10, 20, 20, 30, 30, f.X.Max}
	wantY := []float64{0, 1. / 3, 1. / 3, 2. / 3, 2. / 3, 1, 1}
	if !slices.Equal(a.X, wantX) || !slices.Equal(a.Y, wantY) || a.Style != 0 {
		t.Errorf("the stairs of a go %v over %v", a.Y, a.X)
	}
	if b := f.Panels[1].Series[0]; b.Style != 1 || b.X[0] != Least {
		t.Errorf("b has style %d and begins at %v", b.Style, b.X[0])
	}
}

func TestThroughputData(t *testing.T) {
	f := Throughput("t", []Rate{
		{"json", "a", 20000, 1e6, stats.Interval{Low: 5e5, High: 2e6}},
		{"json", "a", 2000, 1e5, stats.Interval{}},
		{"java", "a", 2000, 1e4, stats.Interval{}},
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
	svg, err := exampleThroughput().SVG()
	if err != nil {
		t.Fatal(err)
	}
	if n, m := strings.Count(string(svg), "font-family:"), strings.Count(string(svg), "Arial,Helvetica,sans-serif"); n == 0 || n != m {
		t.Errorf("%d texts, %d with a fallback", n, m)
	}
}
