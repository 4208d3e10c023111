package plots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg/draw"
)

// What a program that draws a figure by itself, as a page in a browser does, needs beside the exported data: how the
// entries look, and where the ticks are. Both are those of SVG and PNG, so that a line is the same line everywhere.

// Look is how an entry of a legend is drawn.
type Look struct {
	Color  string    // as CSS writes it, #rrggbb
	Dashes []float64 // lengths of strokes and gaps in turn, in points; nil for an unbroken line
	Marker string    // circle, square, triangle, ring, box, pyramid, plus or cross
}

// Look is how entry i of the legend is drawn.
func (f *Figure) Look(i int) Look {
	s := styleOf(i)
	l := Look{Color: cssColor(s.color), Marker: markerName(s.glyph)}
	for _, d := range s.dashes {
		l.Dashes = append(l.Dashes, d.Points())
	}
	return l
}

// cssColor writes a colour without its transparency.
func cssColor(c color.Color) string {
	rgba := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", rgba.R, rgba.G, rgba.B)
}

// markerName names gonum's shapes. Ring, square and triangle are outlines; circle, box and pyramid are filled.
func markerName(g draw.GlyphDrawer) string {
	switch g.(type) {
	case draw.SquareGlyph:
		return "square"
	case draw.TriangleGlyph:
		return "triangle"
	case draw.RingGlyph:
		return "ring"
	case draw.BoxGlyph:
		return "box"
	case draw.PyramidGlyph:
		return "pyramid"
	case draw.PlusGlyph:
		return "plus"
	case draw.CrossGlyph:
		return "cross"
	}
	return "circle"
}

// Tick is a place on an axis; one without a label is a small one.
type Tick struct {
	Value float64
	Label string
}

// Ticks are those of the axis, in rising order.
func (a Axis) Ticks() []Tick {
	var list []Tick
	for _, t := range a.ticks() {
		list = append(list, Tick{t.Value, t.Label})
	}
	return list
}

// Unit is what the axis counts in: "ns" for times, "share" for parts of a whole, else "". An axis knows it only by the
// labels that its Format writes.
func (a Axis) Unit() string {
	switch {
	case a.Format == nil:
		return ""
	case a.Format(1) == Duration(1):
		return "ns"
	case a.Format(1) == Share(1), !a.Log && a.Min == 0 && a.Max == 1:
		return "share"
	}
	return ""
}
