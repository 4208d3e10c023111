package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// How a line, its intervals and its markers get into a plot of gonum's.

// line is the style of a line.
func (s Style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color(), Width: vg.Points(1.3), Dashes: s.dashes()}
}

// addSeries draws the lines of a panel, and then the markers. Hollow ones come first: where two
// variants of an algorithm have the same times, one marker stands around the other. The error is
// gonum's, for coordinates that are no numbers.
func (panel Panel) addSeries(p *plot.Plot) error {
	for _, s := range panel.Series {
		if err := s.addLine(p); err != nil {
			return err
		}
	}
	for _, hollow := range []bool{true, false} {
		for _, s := range panel.Series {
			if s.Style.Hollow != hollow || len(s.Marks) == 0 {
				continue
			}
			marks, err := scatter(s.Marks, s.Style.glyph())
			if err != nil {
				return err
			}
			p.Add(marks)
		}
	}
	return nil
}

// addLine draws the line and the intervals of its points.
func (s Series) addLine(p *plot.Plot) error {
	points := make(plotter.XYs, len(s.X))
	for i := range points {
		points[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = s.Style.line()
	p.Add(line)
	return s.addBars(p, points)
}

// addBars draws the intervals of points.
func (s Series) addBars(p *plot.Plot, points plotter.XYs) error {
	look := draw.LineStyle{Color: s.Style.color(), Width: vg.Points(0.7)}
	const cap = 2.5 // behind the marker if the interval is
	if s.XLow != nil {
		bars, err := plotter.NewXErrorBars(bounded{points, s})
		if err != nil {
			return err
		}
		bars.LineStyle, bars.CapWidth = look, vg.Points(cap)
		p.Add(bars)
	}
	if s.Low != nil {
		bars, err := plotter.NewYErrorBars(bounded{points, s})
		if err != nil {
			return err
		}
		bars.LineStyle, bars.CapWidth = look, vg.Points(cap)
		p.Add(bars)
	}
	return nil
}

// bounded gives points their intervals.
type bounded struct {
	plotter.XYs
	s Series
}

// XError implements plotter.XErrorer.
func (b bounded) XError(i int) (low, high float64) {
	return b.s.XLow[i] - b.s.X[i], b.s.XHigh[i] - b.s.X[i]
}

// YError implements plotter.YErrorer.
func (b bounded) YError(i int) (low, high float64) {
	return b.s.Low[i] - b.s.Y[i], b.s.High[i] - b.s.Y[i]
}

// scatter draws a glyph at each point.
func scatter(points []Point, glyph draw.GlyphStyle) (*plotter.Scatter, error) {
	list := make(plotter.XYs, len(points))
	for i, p := range points {
		list[i] = plotter.XY(p)
	}
	marks, err := plotter.NewScatter(list)
	if err != nil {
		return nil, err
	}
	marks.GlyphStyle = glyph
	return marks, nil
}

// addCrossings marks where lines cross. The circles are thin, and a little larger than markers.
// What is before the first token has none: its place there says nothing.
func (panel Panel) addCrossings(p *plot.Plot) error {
	var points []Point
	for _, c := range panel.Crossings {
		if c.Tokens >= 1 {
			points = append(points, Point{c.Tokens, max(c.NS, Least)})
		}
	}
	if len(points) == 0 {
		return nil
	}
	marks, err := scatter(points, draw.GlyphStyle{Color: color.Black, Radius: vg.Points(2.9), Shape: draw.RingGlyph{}})
	if err != nil {
		return err
	}
	p.Add(marks)
	return nil
}
