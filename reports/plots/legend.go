package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The legend is a centred table above the panels: columns of a piece of line with its marker and a
// name, as many columns as fit, but no more than the rows need. States of the engine have a table
// of their own below it.

const (
	thumbWide = 28 // points; a piece of line long enough for its dash pattern on both sides of a marker
	thumbOnly = 6  // points; the width of a marker alone
	thumbGap  = 4
	entryGap  = 16
)

// sans is the one typeface of a figure. It is embedded in the program, so that every machine draws
// the same.
func sans(size float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size))
}

// sansStyle is black text in that typeface.
func sansStyle(size float64) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), Handler: plot.DefaultTextHandler}
}

// shorten cuts the middle of a text that does not fit, since its two ends identify it.
func shorten(s string, style text.Style, wide vg.Length) string {
	if style.Width(s) <= wide {
		return s
	}
	runes := []rune(s)
	for left := len(runes) - 1; left > 0; left-- {
		short := string(runes[:(left+1)/2]) + "…" + string(runes[len(runes)-left/2:])
		if style.Width(short) <= wide {
			return short
		}
	}
	return "…"
}

// legend is where entries stand.
type legend struct {
	entries []Entry   // with names as far as they fit
	thumb   vg.Length // the room for a piece of line and the gap after it
	columns []vg.Length
}

// rows is how many there are.
func (l legend) rows() int {
	if len(l.columns) == 0 {
		return 0
	}
	return (len(l.entries) + len(l.columns) - 1) / len(l.columns)
}

// wide is the width of all columns.
func (l legend) wide() vg.Length {
	total := vg.Length(0)
	for i, w := range l.columns {
		if i > 0 {
			total += vg.Points(entryGap)
		}
		total += w
	}
	return total
}

// layLegend arranges entries in as many columns as the width has room for, and then in as few as
// need no further row.
func (f *Figure) layLegend(entries []Entry, wide vg.Length) legend {
	wide -= vg.Points(2 * margin)
	l := legend{thumb: vg.Points(thumbWide + thumbGap)}
	if f.Points {
		l.thumb = vg.Points(thumbOnly + thumbGap)
	}
	for _, e := range entries {
		e.Label = shorten(e.Label, sansStyle(labelSize), wide-l.thumb)
		l.entries = append(l.entries, e)
	}
	for n := len(l.entries); n > 0; n-- {
		if l.columns = l.widths(n); l.wide() <= wide {
			break
		}
	}
	if rows := l.rows(); rows > 1 {
		l.columns = l.widths((len(l.entries) + rows - 1) / rows)
	}
	return l
}

// widths are those of n columns, filled row by row.
func (l legend) widths(n int) []vg.Length {
	columns := make([]vg.Length, n)
	for i, e := range l.entries {
		columns[i%n] = max(columns[i%n], l.thumb+sansStyle(labelSize).Width(e.Label))
	}
	return columns
}

// drawLegend draws the legend from the top of c down.
func (f *Figure) drawLegend(c draw.Canvas) {
	style := sansStyle(labelSize)
	style.YAlign = draw.YCenter
	y := c.Max.Y - vg.Points(margin) - vg.Points(legendHigh)/2
	for _, entries := range [][]Entry{f.Legend, f.States} {
		l := f.layLegend(entries, c.Max.X-c.Min.X)
		for row := range slices.Chunk(l.entries, max(len(l.columns), 1)) {
			x := (c.Min.X + c.Max.X - l.wide()) / 2
			for i, e := range row {
				f.drawThumb(c, e.Style, x, x+l.thumb-vg.Points(thumbGap), y)
				c.FillText(style, vg.Point{X: x + l.thumb, Y: y}, e.Label)
				x += l.columns[i] + vg.Points(entryGap)
			}
			y -= vg.Points(legendHigh)
		}
	}
}

// drawThumb draws what a line looks like: no line where the figure has only points.
func (f *Figure) drawThumb(c draw.Canvas, s Style, left, right, y vg.Length) {
	if !f.Points {
		c.StrokeLine2(s.line(), left, y, right, y)
	}
	if s.Marker != "" {
		c.DrawGlyph(s.glyph(), vg.Point{X: (left + right) / 2, Y: y})
	}
}
