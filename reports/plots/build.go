package plots

import (
	"math"
	"slices"

	"gcdbench/reports/stats"
)

// Sample is the mask times of one algorithm in one panel.
type Sample struct {
	Panel     string
	Algorithm string
	Values    []float64 // ns
}

// ECDF is the figure of the distributions of mask times: for each time, the
// share of masks that took no longer. It shows at once what a table of
// percentiles does, the tail included. It is nil if there are no times.
func ECDF(name string, samples []Sample) *Figure {
	f := &Figure{Name: name, XLabel: "time of one mask", YLabel: "share of masks",
		Y: Axis{Min: 0, Max: 1, Format: Quantity}}
	low, high := math.Inf(1), 0.0
	for _, s := range samples {
		if len(s.Values) == 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(s.Values))
		low, high = min(low, max(sorted[0], Least)), max(high, sorted[len(sorted)-1], Least)
		f.add(s.Panel, s.Algorithm, staircase(sorted))
	}
	if len(f.Panels) == 0 {
		return nil
	}
	low, high = decades(low, high)
	f.X = Axis{Min: low, Max: high, Log: true, Format: Duration}
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			f.Panels[i].Series[j].extend(high)
		}
	}
	return f
}

// maxSteps bounds the steps of one line: more than one for each point of
// height can hardly be seen, and would make the SVG of a million masks 50 MB.
const maxSteps = 200

// staircase is the empirical distribution function of sorted values, thinned to
// about maxSteps steps that lie on it. The first and last value are always there.
func staircase(sorted []float64) Series {
	n := len(sorted)
	stride := max(1, n/maxSteps)
	s := Series{}
	level := 0.0
	step := func(i int) {
		x := max(sorted[i], Least)
		s.X = append(s.X, x, x)
		s.Y = append(s.Y, level, float64(i+1)/float64(n))
		level = float64(i+1) / float64(n)
	}
	next := stride - 1
	for ; next < n-1; next += stride {
		step(next)
	}
	// The last stride holds the slowest, which lie far apart: without steps of its own a line would run to the
	// very longest time before it reaches the top.
	for _, i := range tailRanks(n) {
		if i > next-stride && i < n-1 {
			step(i)
		}
	}
	step(n - 1)
	if first := max(sorted[0], Least); s.X[0] > first {
		s.X = slices.Insert(s.X, 0, first)
		s.Y = slices.Insert(s.Y, 0, 0)
	}
	return s
}

// extend draws a finished distribution on to the right edge, where it is 1.
func (s *Series) extend(to float64) {
	s.X, s.Y = append(s.X, to), append(s.Y, 1)
}

// Rate is how fast one algorithm is on one vocabulary.
type Rate struct {
	Panel      string
	Algorithm  string
	Vocabulary int            // |V|
	MeanNS     float64        // mean time of a whole step
	Interval   stats.Interval // of MeanNS; zero for none
}

// Throughput is the figure of positions per second over the size of the
// vocabulary. It is nil unless some panel has two sizes: one point shows nothing
// that a table does not.
func Throughput(name string, rates []Rate) *Figure {
	f := &Figure{Name: name, XLabel: "vocabulary size (ids)", YLabel: "positions per second"}
	type line struct{ panel, algorithm string }
	points := map[line][]Rate{}
	var lines []line
	for _, r := range rates {
		l := line{r.Panel, r.Algorithm}
		if points[l] == nil {
			lines = append(lines, l)
		}
		points[l] = append(points[l], r)
	}
	sizes := false
	xlow, xhigh, ylow, yhigh := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, l := range lines {
		s := rateSeries(points[l])
		sizes = sizes || len(slices.Compact(slices.Clone(s.X))) > 1
		f.add(l.panel, l.algorithm, s)
		xlow, xhigh = min(xlow, s.X[0]), max(xhigh, s.X[len(s.X)-1])
		for i := range s.Y {
			ylow, yhigh = min(ylow, s.Low[i]), max(yhigh, s.High[i])
		}
	}
	if !sizes {
		return nil
	}
	f.X = Axis{Min: xlow / 1.3, Max: xhigh * 1.3, Log: true, Format: Quantity}
	ylow, yhigh = decades(ylow, yhigh)
	f.Y = Axis{Min: ylow, Max: yhigh, Log: true, Format: Quantity}
	return f
}

// rateSeries turns times into rates. The ends of an interval change places: the
// longest time is the lowest rate.
func rateSeries(rates []Rate) Series {
	slices.SortStableFunc(rates, func(a, b Rate) int { return a.Vocabulary - b.Vocabulary })
	s := Series{Points: true}
	perSecond := func(ns float64) float64 { return 1e9 / max(ns, Least) }
	for _, r := range rates {
		y := perSecond(r.MeanNS)
		low, high := y, y
		if r.Interval.Valid() {
			low, high = perSecond(r.Interval.High), perSecond(r.Interval.Low)
		}
		s.X, s.Y = append(s.X, float64(r.Vocabulary)), append(s.Y, y)
		s.Low, s.High = append(s.Low, min(low, y)), append(s.High, max(high, y))
	}
	return s
}

// add puts a series into its panel, under the style of its algorithm.
func (f *Figure) add(panel, algorithm string, s Series) {
	s.Style = slices.Index(f.Legend, algorithm)
	if s.Style < 0 {
		s.Style = len(f.Legend)
		f.Legend = append(f.Legend, algorithm)
	}
	i := slices.IndexFunc(f.Panels, func(p Panel) bool { return p.Title == panel })
	if i < 0 {
		i = len(f.Panels)
		f.Panels = append(f.Panels, Panel{Title: panel})
	}
	f.Panels[i].Series = append(f.Panels[i].Series, s)
}
