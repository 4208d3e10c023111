package plots

import (
	"cmp"
	"slices"

	"gcdbench/harness/stats"
)

// Sample is the times of one algorithm in one panel.
type Sample struct {
	Panel string
	Line
	Values []float64 // ns
}

// ECDF is the figure of the distributions of mask times: for each time, the
// share of masks that took no longer. It shows at once what a table of
// percentiles does, the tail included. It is nil if there are no times.
func ECDF(name string, samples []Sample) *Figure {
	f := &Figure{Name: name, XLabel: "time of one mask", YLabel: "share of masks",
		Y: Axis{Min: 0, Max: 1, Format: Share}}
	return f.distribution(samples, func(sorted []float64) Series {
		line := staircase(sorted)
		line.markAt(0.1, 0.5, 0.9)
		return line
	}, func(s *Series, _, high float64) { s.extend(high) })
}

// distribution draws a line of the sorted times of each sample, and ends it at the range of the
// axis of times. It is nil if there are no times.
func (f *Figure) distribution(samples []Sample, draw func(sorted []float64) Series, end func(s *Series, low, high float64)) *Figure {
	x := emptySpan()
	for _, s := range samples {
		sorted := f.sorted(s.Values)
		if len(sorted) == 0 {
			continue
		}
		x.include(sorted[0], sorted[len(sorted)-1])
		line := draw(sorted)
		line.Line = s.Line
		f.add(s.Panel, line)
	}
	if len(f.Panels) == 0 {
		return nil
	}
	low, high := decades(x.low, x.high)
	f.X = Axis{Min: low, Max: high, Log: true, Format: Duration}
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			end(&f.Panels[i].Series[j], low, high)
		}
	}
	f.dress()
	return f
}

// sorted are the times in order, lifted for a logarithmic axis; NaN is left out.
func (f *Figure) sorted(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if finite(v) {
			out = append(out, f.lift(v))
		}
	}
	slices.Sort(out)
	return out
}

// markAt puts the marker where the line first reaches each of the heights, going up or down.
func (s *Series) markAt(heights ...float64) {
	up := s.Y[len(s.Y)-1] >= s.Y[0]
	for _, y := range heights {
		i := slices.IndexFunc(s.Y, func(v float64) bool { return up && v >= y || !up && v <= y })
		if i >= 0 {
			s.Marks = append(s.Marks, Point{s.X[i], y})
		}
	}
}

// maxSteps bounds the steps of one line: more than one for each point of height can hardly be seen,
// and the SVG of a million masks would have 50 MB.
const maxSteps = 200

// staircase is the empirical distribution function of sorted values, thinned to
// about maxSteps steps that lie on it. The first and last value are always there.
func staircase(sorted []float64) Series {
	n := len(sorted)
	stride := max(1, n/maxSteps)
	s := Series{}
	level := 0.0
	step := func(i int) {
		s.X = append(s.X, sorted[i], sorted[i])
		s.Y = append(s.Y, level, float64(i+1)/float64(n))
		level = float64(i+1) / float64(n)
	}
	next := stride - 1
	for ; next < n-1; next += stride {
		step(next)
	}
	// The last stride has the slowest values, which lie far apart: without steps between them the
	// line would run to the longest time before it reaches the top.
	for _, i := range tailRanks(n) {
		if i > next-stride && i < n-1 {
			step(i)
		}
	}
	step(n - 1)
	if s.X[0] > sorted[0] {
		s.X = slices.Insert(s.X, 0, sorted[0])
		s.Y = slices.Insert(s.Y, 0, 0)
	}
	return s
}

// extend draws a finished distribution on to the right edge, where it is 1.
func (s *Series) extend(to float64) {
	s.X, s.Y = append(s.X, to), append(s.Y, 1)
}

// Rate is the speed of one algorithm at one size: of a vocabulary, or of a request.
type Rate struct {
	Panel string
	Line
	Size     int            // ids, or tools
	MeanNS   float64        // mean time of a whole step, or another time
	Interval stats.Interval // of MeanNS; zero for none
}

// Throughput is the figure of positions per second over the size of the
// vocabulary. It is nil unless some panel has two sizes: one point shows nothing
// that a table does not. Rates whose time is no number are left out.
func Throughput(name string, rates []Rate) *Figure {
	f := &Figure{Name: name, XLabel: "vocabulary size (ids)", YLabel: "positions per second", Y: Axis{Log: true, Format: Quantity}}
	return f.overSize(rates, func(ns float64) float64 { return 1e9 / ns })
}

// TimesOver is the figure of times over a size. It is nil where Throughput is.
func TimesOver(name, size, time string, rates []Rate) *Figure {
	f := &Figure{Name: name, XLabel: size, YLabel: time, Y: Axis{Log: true, Format: Duration}}
	return f.overSize(rates, func(ns float64) float64 { return ns })
}

// overSize draws a value of times over sizes.
func (f *Figure) overSize(rates []Rate, value func(ns float64) float64) *Figure {
	type line struct{ panel, label, state string }
	points := map[line][]Rate{}
	var lines []line
	for _, r := range rates {
		if !finite(r.MeanNS) {
			continue
		}
		l := line{r.Panel, r.Label, r.State}
		if points[l] == nil {
			lines = append(lines, l)
		}
		points[l] = append(points[l], r)
	}
	sizes := false
	x, y := emptySpan(), emptySpan()
	for _, l := range lines {
		s := f.rateSeries(points[l], value)
		sizes = sizes || s.X[0] != s.X[len(s.X)-1]
		f.add(l.panel, s)
		x.include(s.X...)
		y.include(s.Low...)
		y.include(s.High...)
	}
	if !sizes {
		return nil
	}
	f.X = x.around(1.3, Quantity)
	f.Y.Min, f.Y.Max = decades(y.low, y.high)
	f.dress()
	return f
}

// rateSeries turns times into values. The ends of an interval change places where the
// longest time is the lowest value.
func (f *Figure) rateSeries(rates []Rate, value func(ns float64) float64) Series {
	slices.SortStableFunc(rates, func(a, b Rate) int { return cmp.Compare(a.Size, b.Size) })
	s := Series{Line: rates[0].Line}
	for _, r := range rates {
		ns := f.lift(r.MeanNS)
		low, high := ends(ns, r.Interval)
		x, y := float64(max(r.Size, 1)), value(ns)
		s.X, s.Y = append(s.X, x), append(s.Y, y)
		s.Low, s.High = append(s.Low, min(value(low), value(high))), append(s.High, max(value(low), value(high)))
		s.Marks = append(s.Marks, Point{x, y})
	}
	return s
}
