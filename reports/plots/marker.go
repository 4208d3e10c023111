package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Markers tell lines apart in grey. Their outlines are our own, since gonum has few, and none both
// filled and hollow.

// outlines are the corners of the markers around the origin, the circle apart. They look equally
// large.
var outlines = map[string][]Point{
	"square":        {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}},
	"triangle":      {{-1.1, -0.75}, {1.1, -0.75}, {0, 1.2}},
	"triangle-down": {{-1.1, 0.75}, {0, -1.2}, {1.1, 0.75}},
	"diamond":       {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
	"plus":          turned(arms, 0),
	"cross":         turned(arms, math.Pi/4),
	"star":          star(),
}

// Outline is the closed path of a marker around the origin, in radii, with y upwards; nil for the
// circle, which is of radius 1, and for names that are none of Markers. The caller does not change
// it.
func Outline(marker string) []Point { return outlines[marker] }

// arms are those of a plus.
var arms = []Point{
	{-0.36, -1.25}, {0.36, -1.25}, {0.36, -0.36}, {1.25, -0.36}, {1.25, 0.36}, {0.36, 0.36},
	{0.36, 1.25}, {-0.36, 1.25}, {-0.36, 0.36}, {-1.25, 0.36}, {-1.25, -0.36}, {-0.36, -0.36},
}

// turned turns corners around the origin.
func turned(corners []Point, angle float64) []Point {
	sin, cos := math.Sincos(angle)
	var out []Point
	for _, p := range corners {
		out = append(out, Point{p.X*cos - p.Y*sin, p.X*sin + p.Y*cos})
	}
	return out
}

// star has five points.
func star() []Point {
	var out []Point
	for i := range 10 {
		r := 1.45
		if i%2 == 1 {
			r = 0.6
		}
		sin, cos := math.Sincos(math.Pi/2 + float64(i)*math.Pi/5)
		out = append(out, Point{r * cos, r * sin})
	}
	return out
}

// marker is a shape that gonum can draw.
type marker struct {
	shape  string
	hollow bool
}

// DrawGlyph implements draw.GlyphDrawer. A hollow marker is white inside, and a little larger than
// a filled one.
func (m marker) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius
	if !m.hollow {
		c.SetColor(style.Color)
		c.Fill(m.path(r, at))
		return
	}
	path := m.path(1.3*r, at)
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: vg.Points(0.8)})
	c.Stroke(path)
}

// path is the outline around a point.
func (m marker) path(r vg.Length, at vg.Point) vg.Path {
	var p vg.Path
	corners := Outline(m.shape)
	if corners == nil {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i, corner := range corners {
		to := vg.Point{X: at.X + r*vg.Length(corner.X), Y: at.Y + r*vg.Length(corner.Y)}
		if i == 0 {
			p.Move(to)
			continue
		}
		p.Line(to)
	}
	p.Close()
	return p
}

// glyph is the marker of a style.
func (s Style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color(), Radius: vg.Points(markerRadius), Shape: marker{s.Marker, s.Hollow}}
}

// markerRadius is in points: large enough to tell shapes apart in print.
const markerRadius = 2.3
