// Package plots draws the figures of a report: small multiples with shared axes,
// one panel for each workload, one line for each algorithm.
//
// A figure is data (Figure), made by ECDF and Throughput; Render turns it into
// SVG and PNG. They are meant to be put into a paper as they are, so: units on
// both axes; times as people say them (100 ns, 1 µs); the legend above the
// panels, where it covers nothing; the same range in every panel, so that panels
// can be compared; and colours that people with colour blindness tell apart, each
// with a dash pattern of its own for those who print in grey.
//
// gonum's logarithmic axis panics on a value that is not above zero, so values
// are lifted to Least first. Two renderings of one figure are equal byte for byte.
package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Least is the smallest value on a logarithmic axis: half a nanosecond is below
// what any clock here resolves.
const Least = 0.5

// Figure is a set of panels that share axes and legend.
type Figure struct {
	Name           string // of the files it goes into, without ending
	XLabel, YLabel string
	X, Y           Axis
	Legend         []string // entry i has style i
	Panels         []Panel
	Columns        int // panels side by side; 0 for as many as suits their number
}

// Panel is one plot.
type Panel struct {
	Title  string
	Series []Series
}

// Series is one line.
type Series struct {
	Style     int // index into Figure.Legend
	X, Y      []float64
	Low, High []float64 // interval of each Y; nil for none
	Points    bool      // mark the points; else only the line
}

// Axis is the range of an axis and how it is labelled.
type Axis struct {
	Min, Max float64
	Log      bool
	// Format labels a tick; nil for none in between.
	Format func(float64) string
}

// style is how an entry of the legend is drawn.
type style struct {
	color  color.Color
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

// colours are those of Okabe and Ito (Color Universal Design, 2008), the yellow
// left out: it is too light for a line on white.
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xff}, // blue
	color.RGBA{0xD5, 0x5E, 0x00, 0xff}, // vermilion
	color.RGBA{0x00, 0x9E, 0x73, 0xff}, // bluish green
	color.RGBA{0xCC, 0x79, 0xA7, 0xff}, // reddish purple
	color.RGBA{0xE6, 0x9F, 0x00, 0xff}, // orange
	color.RGBA{0x56, 0xB4, 0xE9, 0xff}, // sky blue
	color.RGBA{0x00, 0x00, 0x00, 0xff}, // black
}

// dashes tell lines apart where colour does not: in print, or to the colour-blind.
var dashes = [][]vg.Length{
	nil,
	{vg.Points(5), vg.Points(2)},
	{vg.Points(1.5), vg.Points(1.5)},
	{vg.Points(7), vg.Points(2), vg.Points(1.5), vg.Points(2)},
	{vg.Points(3), vg.Points(1)},
}

// glyphs mark points; only figures whose lines have few of them show any.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{},
}

// styleOf gives entry i a look of its own: the three cycles have lengths 7, 5
// and 7, so 35 entries differ.
func styleOf(i int) style {
	return style{colours[i%len(colours)], dashes[i%len(dashes)], glyphs[i%len(glyphs)]}
}

// Duration labels a time given in nanoseconds: 100 ns, 1 µs, 10 ms, 1 s.
func Duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size*(1-1e-9) {
			return fmt.Sprintf("%g %s", round(ns/u.size), u.name)
		}
	}
	return fmt.Sprintf("%g ns", round(ns))
}

// Quantity labels a number: 500, 10k, 2M.
func Quantity(v float64) string {
	switch {
	case v >= 1e6*(1-1e-9):
		return fmt.Sprintf("%gM", round(v/1e6))
	case v >= 1e3*(1-1e-9):
		return fmt.Sprintf("%gk", round(v/1e3))
	}
	return fmt.Sprintf("%g", round(v))
}

// round drops what repeated multiplication by ten leaves behind.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// decades widens a range to whole powers of ten, at least one.
func decades(low, high float64) (float64, float64) {
	const slack = 1e-9
	lo := math.Pow(10, math.Floor(math.Log10(low)+slack))
	hi := math.Pow(10, math.Ceil(math.Log10(high)-slack))
	if hi <= lo {
		hi = lo * 10
	}
	return lo, hi
}
