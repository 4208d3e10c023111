package plots

import (
	"math"
	"slices"
)

// Overtaking is a crossing of two lines of a panel.
type Overtaking struct {
	Crossing
	Before string `json:"before"` // the label of the line that is the lower one before it
	After  string `json:"after"`  // and of that from it on
}

// Cumulative is the figure of the whole bill: the time spent after n tokens, offline time included,
// on logarithmic axes. A line with a point for 0 tokens begins at a tick of that name left of 1.
// Panel.Crossings lists the clear crossings of lines; from the first token on each is marked by a
// small open circle. Long curves are thinned. It is nil if no curve has two points.
func Cumulative(name string, curves []Curve) *Figure {
	f := &Figure{Name: name, XLabel: "tokens", YLabel: "time spent (offline included)"}
	x, y := emptySpan(), emptySpan()
	zero := false
	for _, c := range curves {
		points := c.points()
		if len(points) < 2 {
			continue
		}
		zero = zero || points[0].X < 1
		s := f.billSeries(points)
		s.Line = c.Line
		x.include(s.X...)
		y.include(s.Y...)
		f.add(c.Panel, s)
	}
	if len(f.Panels) == 0 {
		return nil
	}
	if zero {
		x.include(zeroTokens)
	}
	f.X = Axis{Min: x.low, Max: max(x.high, 2*x.low), Log: true, Zero: zero, Format: Quantity}
	f.Y = y.around(1.5, Duration)
	for i := range f.Panels {
		f.Panels[i].Crossings = f.overtakings(f.Panels[i].Title, curves)
	}
	f.dress()
	return f
}

// zeroTokens is the place of 0 on a logarithmic axis; the scale from 0 to 1 is linear.
const zeroTokens = 0.5

// place is the place of a number of tokens on the axis.
func place(tokens float64) float64 {
	if tokens < 1 {
		return zeroTokens + tokens*(1-zeroTokens)
	}
	return tokens
}

// billSeries is the line through the points, marked at powers of ten. A straight piece of a curve
// is bent on logarithmic axes, and is drawn as several pieces.
func (f *Figure) billSeries(points []Point) Series {
	s := Series{}
	points = thin(points)
	for i, p := range points {
		if i > 0 {
			for _, between := range pieces(points[i-1], p) {
				s.X, s.Y = append(s.X, place(between.X)), append(s.Y, max(between.Y, Least))
			}
		}
		s.X, s.Y = append(s.X, place(p.X)), append(s.Y, f.lift(p.Y))
	}
	for tokens := 1.0; tokens <= points[len(points)-1].X; tokens *= 10 {
		if tokens >= points[0].X {
			ns, _ := valuesAt(points, tokens)
			s.Marks = append(s.Marks, Point{tokens, max(ns, Least)})
		}
	}
	return s
}

// thin keeps about maxSteps points, evenly spread by the logarithm of the tokens, the first and the
// last among them. Few points all stay.
func thin(points []Point) []Point {
	if len(points) <= maxSteps {
		return points
	}
	first, last := place(points[0].X), place(points[len(points)-1].X)
	ratio := math.Pow(last/first, 1.0/maxSteps)
	kept := points[:1:1]
	next := first * ratio
	for _, p := range points[1 : len(points)-1] {
		if place(p.X) >= next {
			kept = append(kept, p)
			next = place(p.X) * ratio
		}
	}
	return append(kept, points[len(points)-1])
}

// pieces are the points between two that lie far apart on logarithmic axes.
func pieces(p, q Point) []Point {
	const step = 1.1 // a fortieth of a decade, less than the width of a line off the bend
	n := math.Ceil(math.Log(place(q.X)/place(p.X)) / math.Log(step))
	var points []Point
	for i := 1.0; i < n; i++ {
		x := unplace(place(p.X) * math.Pow(place(q.X)/place(p.X), i/n))
		points = append(points, Point{x, p.Y + (x-p.X)/(q.X-p.X)*(q.Y-p.Y)})
	}
	return points
}

// unplace is the number of tokens that the axis shows at x.
func unplace(x float64) float64 {
	if x < 1 {
		return (x - zeroTokens) / (1 - zeroTokens)
	}
	return x
}

// clearly is the ratio by which two curves differ at both ends if their crossing counts. A curve is
// one generation, so a closer race proves nothing.
const clearly = 1.1

// overtakes reports whether a begins clearly above b and ends clearly below it.
func overtakes(a, b []Point) bool {
	return len(a) > 0 && len(b) > 0 && a[0].Y >= clearly*b[0].Y && b[len(b)-1].Y >= clearly*a[len(a)-1].Y
}

// overtakings are the clear crossings of a panel: of two curves that cross several times the last.
func (f *Figure) overtakings(panel string, curves []Curve) []Overtaking {
	curves = slices.DeleteFunc(slices.Clone(curves), func(c Curve) bool { return c.Panel != panel })
	var list []Overtaking
	for i, a := range curves {
		for _, b := range curves[i+1:] {
			high, low := a, b
			if !overtakes(high.points(), low.points()) {
				high, low = b, a
			}
			if found := Crossings(high, low); len(found) > 0 && overtakes(high.points(), low.points()) {
				list = append(list, Overtaking{found[len(found)-1], low.Name(), high.Name()})
			}
		}
	}
	return list
}
