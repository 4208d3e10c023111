package plots

import (
	"cmp"
	"slices"
)

// Dot is a point of a chart.
type Dot struct {
	Panel string
	Line
	X, Y      float64
	Low, High float64 // the interval of Y; both 0 for none
}

// Scale is how a chart's axis is divided and labelled.
type Scale struct {
	Label  string
	Log    bool
	Format func(float64) string
}

// Chart is a figure of lines through dots, a line for each label in each panel. Linear axes begin
// at 0. It is nil without a dot; what an axis has no place for is left out.
func Chart(name string, x, y Scale, dots []Dot) *Figure {
	f := &Figure{Name: name, XLabel: x.Label, YLabel: y.Label}
	type line struct{ panel, label string }
	lines := map[line]*Series{}
	var order []line
	across, up := emptySpan(), emptySpan()
	for _, d := range slices.SortedStableFunc(slices.Values(dots), func(a, b Dot) int { return cmp.Compare(a.X, b.X) }) {
		if !finite(d.X, d.Y) || x.Log && d.X <= 0 || y.Log && d.Y <= 0 {
			continue
		}
		l := line{d.Panel, d.Label}
		if lines[l] == nil {
			lines[l], order = &Series{Line: d.Line}, append(order, l)
		}
		lines[l].dot(d)
		across.include(d.X)
		up.include(d.Y, max(d.Y, d.High))
	}
	if len(order) == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b line) int { return cmp.Compare(a.panel, b.panel) })
	for _, l := range order {
		lines[l].thin()
		f.add(l.panel, *lines[l])
	}
	f.X, f.Y = x.axis(across), y.axis(up)
	f.dress()
	return f
}

// dot adds a point with its marker.
func (s *Series) dot(d Dot) {
	s.X, s.Y, s.Marks = append(s.X, d.X), append(s.Y, d.Y), append(s.Marks, Point{d.X, d.Y})
	if d.Low == 0 && d.High == 0 {
		d.Low, d.High = d.Y, d.Y
	}
	s.Low, s.High = append(s.Low, d.Low), append(s.High, d.High)
}

// manyMarks is from how many on the markers of a line are a smear.
const manyMarks = 40

// thin leaves every tenth part of many markers, and no intervals, which have markers of their own.
func (s *Series) thin() {
	n := len(s.Marks)
	if n < manyMarks {
		return
	}
	var few []Point
	for i := 0; i < n; i += n / 10 {
		few = append(few, s.Marks[i])
	}
	s.Marks, s.Low, s.High = few, nil, nil
}

// axis is an axis with room for a span.
func (s Scale) axis(of span) Axis {
	if s.Log {
		return of.around(1.3, s.Format)
	}
	return Axis{Min: 0, Max: max(of.high, 1e-9) * 1.08, Format: s.Format}
}
