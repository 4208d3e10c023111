package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes, for a page of a paper: text in a figure should be as large as the captions around it.
const (
	// maxColumns panels stand side by side: three are the width of a page.
	maxColumns = 3
	panelWide  = 2.5 * vg.Inch
	panelHigh  = 2.0 * vg.Inch
	// A single panel fills one column of a two-column page.
	aloneWide = 3.6 * vg.Inch
	aloneHigh = 2.6 * vg.Inch
	// dpi of the PNG: what journals ask of line art on screen.
	dpi = 200

	titleSize  = 10
	labelSize  = 9
	tickSize   = 8
	legendHigh = 16 // points, one line of the legend
	labelHigh  = 12 // points, the label of an axis
	margin     = 6  // points
	tickGap    = 3  // points between the label of an axis and the longest tick
)

// SVG renders the figure as SVG.
func (f *Figure) SVG() ([]byte, error) {
	wide, high := f.size()
	c := vgsvg.New(wide, high)
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	// Liberation Sans has the widths of Arial; a viewer without it should take
	// that, and not its own default serif.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}

// PNG renders the figure as PNG.
func (f *Figure) PNG() ([]byte, error) {
	wide, high := f.size()
	c := vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// grid arranges the panels, in the columns asked for or else in up to maxColumns: four look better as a square than as
// three and one.
func (f *Figure) grid() (rows, columns int) {
	n := len(f.Panels)
	columns = min(n, maxColumns)
	switch {
	case f.Columns > 0:
		columns = min(n, f.Columns)
	case n == 4:
		columns = 2
	}
	return (n + columns - 1) / columns, columns
}

// size grows with the panels and the lines of the legend, so that panels are
// equally large in every figure.
func (f *Figure) size() (wide, high vg.Length) {
	rows, columns := f.grid()
	wide, high = vg.Length(columns)*panelWide, vg.Length(rows)*panelHigh
	if len(f.Panels) == 1 {
		wide, high = aloneWide, aloneHigh
	}
	high += vg.Points(labelHigh)
	return wide, high + vg.Length(len(f.legendLines(wide)))*vg.Points(legendHigh) + vg.Points(margin)
}

// draw puts legend, labels and panels on a canvas.
func (f *Figure) draw(c draw.Canvas) error {
	wide := c.Max.X - c.Min.X
	lines := f.legendLines(wide)
	legend := vg.Length(len(lines))*vg.Points(legendHigh) + vg.Points(margin)
	f.drawLegend(draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-legend, 0), lines)

	// The labels stand once, at the edges of the figure: panels without labels
	// are all alike, which is what plot.Align needs to line them up.
	f.drawLabels(c, legend)
	rows, columns := f.grid()
	grid := make([][]*plot.Plot, rows)
	for r := range grid {
		grid[r] = make([]*plot.Plot, columns)
		for col := range grid[r] {
			i := r*columns + col
			if i >= len(f.Panels) {
				continue
			}
			p, err := f.panel(f.Panels[i])
			if err != nil {
				return fmt.Errorf("figure %s, panel %s: %w", f.Name, f.Panels[i].Title, err)
			}
			grid[r][col] = p
		}
	}
	inner := draw.Crop(c, vg.Points(labelHigh+margin+tickGap), -vg.Points(2*margin), vg.Points(labelHigh+margin), -legend)
	canvases := plot.Align(grid, draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(8), PadY: vg.Points(8)}, inner)
	for r := range grid {
		for col, p := range grid[r] {
			if p != nil {
				p.Draw(canvases[r][col])
			}
		}
	}
	return nil
}

// drawLabels writes what the axes are: below all panels and left of them.
func (f *Figure) drawLabels(c draw.Canvas, legend vg.Length) {
	label := text.Style{Color: color.Black, Font: sans(labelSize), Handler: plot.DefaultTextHandler, XAlign: draw.XCenter, YAlign: draw.YBottom}
	c.FillText(label, vg.Point{X: (c.Min.X + c.Max.X + vg.Points(labelHigh)) / 2, Y: c.Min.Y + vg.Points(margin)}, f.XLabel)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	c.FillText(label, vg.Point{X: c.Min.X + vg.Points(margin), Y: (c.Min.Y + c.Max.Y - legend + vg.Points(labelHigh)) / 2}, f.YLabel)
}

// panel makes one plot, without axis labels.
func (f *Figure) panel(panel Panel) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = panel.Title
	p.Title.Padding = vg.Points(4)
	p.Title.TextStyle.Font = sans(titleSize)
	f.X.apply(&p.X)
	f.Y.apply(&p.Y)
	p.Add(f.gridLines())
	for _, s := range panel.Series {
		if err := s.add(p); err != nil {
			return nil, err
		}
	}
	// Adding data widens the axes to it; the figure's own range is right.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = f.X.Min, f.X.Max, f.Y.Min, f.Y.Max
	return p, nil
}

// gridLines are light, and behind the data.
func (f *Figure) gridLines() *plotter.Grid {
	g := plotter.NewGrid()
	line := draw.LineStyle{Color: color.Gray{0xE0}, Width: vg.Points(0.5)}
	g.Vertical, g.Horizontal = line, line
	return g
}

// apply sets gonum's axis up. Ticks are ours, since gonum labels a logarithmic axis
// with numbers like 1e+06.
func (a Axis) apply(to *plot.Axis) {
	to.Min, to.Max = a.Min, a.Max
	to.Tick.Label.Font = sans(tickSize)
	to.LineStyle.Width, to.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
	to.Tick.Length = vg.Points(4)
	to.Padding = 0
	to.Tick.Marker = plot.ConstantTicks(a.ticks())
	if a.Log {
		to.Scale = plot.LogScale{}
	}
}

// ticks puts labelled ticks at powers of ten, every second or third where there
// are many, and unlabelled ones between; a linear axis has fifths.
func (a Axis) ticks() []plot.Tick {
	var ticks []plot.Tick
	if !a.Log {
		for i := range 6 {
			v := a.Min + float64(i)*(a.Max-a.Min)/5
			ticks = append(ticks, plot.Tick{Value: v, Label: a.Format(v)})
		}
		return ticks
	}
	const slack = 1e-9
	first := int(math.Floor(math.Log10(a.Min) + slack))
	last := int(math.Floor(math.Log10(a.Max) + slack))
	const labels = 5 // fit side by side under a panel
	every := 1 + (last-first)/labels
	for e := first; e <= last; e++ {
		power := math.Pow(10, float64(e))
		for i := 1; i < 10; i++ {
			v := power * float64(i)
			if v < a.Min*(1-slack) || v > a.Max*(1+slack) {
				continue
			}
			t := plot.Tick{Value: v}
			if i == 1 && (e-first)%every == 0 {
				t.Label = a.Format(v)
			} else if every > 1 && i > 1 {
				continue // nine small ticks in each of many decades are a smear
			}
			ticks = append(ticks, t)
		}
	}
	return labelNarrow(ticks, a.Format)
}

// labelNarrow labels 2 and 5 times a power of ten where fewer than two powers
// are in sight, or an axis would have no numbers.
func labelNarrow(ticks []plot.Tick, format func(float64) string) []plot.Tick {
	labelled := 0
	for _, t := range ticks {
		if t.Label != "" {
			labelled++
		}
	}
	if labelled >= 2 {
		return ticks
	}
	for i, t := range ticks {
		lead := t.Value / math.Pow(10, math.Floor(math.Log10(t.Value)+1e-9))
		if d := math.Round(lead); d == 2 || d == 5 {
			ticks[i].Label = format(t.Value)
		}
	}
	return ticks
}

// add draws the series into a plot.
func (s Series) add(p *plot.Plot) error {
	points := make(plotter.XYs, len(s.X))
	for i := range points {
		points[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	look := styleOf(s.Style)
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = look.line()
	p.Add(line)
	if !s.Points {
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: look.color, Radius: vg.Points(2.2), Shape: look.glyph}
	if s.Low == nil {
		p.Add(marks)
		return nil
	}
	bars, err := plotter.NewYErrorBars(bounded{points, s})
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: look.color, Width: vg.Points(0.7)}
	bars.CapWidth = vg.Points(4)
	p.Add(bars, marks)
	return nil
}

// bounded gives points their intervals.
type bounded struct {
	plotter.XYs
	s Series
}

// YError implements plotter.YErrorer.
func (b bounded) YError(i int) (low, high float64) {
	return b.s.Low[i] - b.s.Y[i], b.s.High[i] - b.s.Y[i]
}

// line is the style of a line.
func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(1.3), Dashes: s.dashes}
}

// sans is the one typeface of a figure. It is embedded in the program, so that every machine draws the same.
func sans(size float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size))
}

// The legend is rows of a piece of line and its name, centred above the panels.

const (
	thumbWide = 22 // points; a piece of line long enough for its longest dash pattern
	thumbGap  = 4
	entryGap  = 16
)

// legendText is how the names are written.
func legendText() text.Style {
	return text.Style{Color: color.Black, Font: sans(labelSize), Handler: plot.DefaultTextHandler, YAlign: draw.YCenter}
}

// entryWidth is how much room entry i takes, line and name.
func (f *Figure) entryWidth(i int) vg.Length {
	return vg.Points(thumbWide+thumbGap) + legendText().Width(f.Legend[i])
}

// legendLines breaks the entries into rows that fit.
func (f *Figure) legendLines(wide vg.Length) [][]int {
	var lines [][]int
	used := wide + 1 // begins a line
	for i := range f.Legend {
		w := f.entryWidth(i)
		if used+vg.Points(entryGap)+w > wide-vg.Points(2*margin) {
			lines = append(lines, nil)
			used = -vg.Points(entryGap)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], i)
		used += vg.Points(entryGap) + w
	}
	return lines
}

// drawLegend draws the lines of the legend from the top of c down.
func (f *Figure) drawLegend(c draw.Canvas, lines [][]int) {
	y := c.Max.Y - vg.Points(margin) - vg.Points(legendHigh)/2
	for _, line := range lines {
		total := -vg.Points(entryGap)
		for _, i := range line {
			total += vg.Points(entryGap) + f.entryWidth(i)
		}
		x := c.Min.X + (c.Max.X-c.Min.X-total)/2
		for _, i := range line {
			look := styleOf(i)
			c.StrokeLine2(look.line(), x, y, x+vg.Points(thumbWide), y)
			if f.marked() {
				c.DrawGlyph(draw.GlyphStyle{Color: look.color, Radius: vg.Points(2.2), Shape: look.glyph}, vg.Point{X: x + vg.Points(thumbWide)/2, Y: y})
			}
			c.FillText(legendText(), vg.Point{X: x + vg.Points(thumbWide+thumbGap), Y: y}, f.Legend[i])
			x += f.entryWidth(i) + vg.Points(entryGap)
		}
		y -= vg.Points(legendHigh)
	}
}

// marked reports whether the lines of the figure have points.
func (f *Figure) marked() bool {
	return len(f.Panels) > 0 && len(f.Panels[0].Series) > 0 && f.Panels[0].Series[0].Points
}
