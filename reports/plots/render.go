package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
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
	legendHigh = 14 // points, one line of the legend
	legendGap  = 8  // points between the legend and the titles of the panels
	titleGap   = 5  // points between a title and its panel
	labelHigh  = 12 // points, the label of an axis
	noteHigh   = 11 // points, the note below
	margin     = 6  // points
	tickGap    = 3  // points between the label of an axis and the longest tick
	panelGap   = 10 // points between panels
)

// SVG renders the figure as SVG.
func (f *Figure) SVG() ([]byte, error) {
	wide, high := f.size()
	c := vgsvg.New(wide, high)
	if err := f.drawOn(c); err != nil {
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
	if err := f.drawOn(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.Image()); err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// grid arranges the panels, in the columns asked for or else in up to maxColumns: four look better
// as a square than as three and one.
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
	return wide, high + f.top(wide) + f.bottom()
}

// top is the height of the legend, if there is one, and of the gap below it.
func (f *Figure) top(wide vg.Length) vg.Length {
	if f.direct() {
		return vg.Points(margin)
	}
	rows := f.layLegend(f.Legend, wide).rows() + f.layLegend(f.States, wide).rows()
	return vg.Length(rows)*vg.Points(legendHigh) + vg.Points(margin+legendGap)
}

// bottom is the height of what stands below the panels.
func (f *Figure) bottom() vg.Length {
	high := vg.Points(labelHigh + margin)
	if f.Lifted > 0 {
		high += vg.Points(noteHigh)
	}
	return high
}

// drawOn draws the figure, the first time on a record that the other formats repeat: a change of
// the figure after that is not seen.
func (f *Figure) drawOn(c vg.Canvas) error {
	if f.record == nil {
		wide, high := f.size()
		r := new(recorder.Canvas)
		if err := f.draw(draw.NewCanvas(r, wide, high)); err != nil {
			return err
		}
		f.record = r
	}
	return f.record.ReplayOn(c)
}

// draw puts legend, labels and panels on a canvas.
func (f *Figure) draw(c draw.Canvas) error {
	wide := c.Max.X - c.Min.X
	if !f.direct() {
		f.drawLegend(c)
	}
	// The labels stand once, at the edges of the figure: panels without labels
	// are all alike, which is what plot.Align needs to line them up.
	f.drawLabels(c)
	rows, columns := f.grid()
	inner := draw.Crop(c, vg.Points(labelHigh+margin+tickGap), -vg.Points(2*margin), f.bottom(), -f.top(wide))
	titleWide := (inner.Max.X-inner.Min.X)/vg.Length(columns) - vg.Points(2*panelGap)
	grid := make([][]*plot.Plot, rows)
	for r := range grid {
		grid[r] = make([]*plot.Plot, columns)
		for col := range grid[r] {
			i := r*columns + col
			if i >= len(f.Panels) {
				continue
			}
			p, err := f.panel(f.Panels[i], titleWide)
			if err != nil {
				return fmt.Errorf("figure %s, panel %s: %w", f.Name, f.Panels[i].Title, err)
			}
			grid[r][col] = p
		}
	}
	canvases := plot.Align(grid, draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(panelGap), PadY: vg.Points(panelGap)}, inner)
	for r := range grid {
		for col, p := range grid[r] {
			if p != nil {
				p.Draw(canvases[r][col])
			}
		}
	}
	if f.direct() {
		f.drawNames(grid[0][0], canvases[0][0])
	}
	return nil
}

// drawLabels writes the labels of the axes, below all panels and left of them, and the note below.
func (f *Figure) drawLabels(c draw.Canvas) {
	label := sansStyle(labelSize)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	x := (c.Min.X + c.Max.X + vg.Points(labelHigh)) / 2
	y := c.Min.Y + f.bottom() - vg.Points(labelHigh)
	c.FillText(label, vg.Point{X: x, Y: y}, f.XLabel)
	if f.Lifted > 0 {
		note := label
		note.Font, note.Color = sans(tickSize), color.Gray{0x50}
		c.FillText(note, vg.Point{X: x, Y: y - vg.Points(noteHigh)}, f.Note())
	}
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	middle := (c.Min.Y + f.bottom() + c.Max.Y - f.top(c.Max.X-c.Min.X)) / 2
	c.FillText(label, vg.Point{X: c.Min.X + vg.Points(margin), Y: middle}, f.YLabel)
}

// Note, below the figure, says what was changed for a logarithmic axis; "" if nothing was.
func (f *Figure) Note() string {
	switch f.Lifted {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("one time below %s is drawn as %[1]s", Duration(Least))
	}
	return fmt.Sprintf("%d times below %s are drawn as %[2]s", f.Lifted, Duration(Least))
}

// panel makes one plot, without axis labels. Its title gets the width given.
func (f *Figure) panel(panel Panel, wide vg.Length) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Padding = vg.Points(titleGap)
	p.Title.TextStyle.Font = sans(titleSize)
	p.Title.Text = shorten(panel.Title, p.Title.TextStyle, wide)
	f.X.apply(&p.X)
	f.Y.apply(&p.Y)
	p.Add(f.gridLines())
	if err := panel.addSeries(p); err != nil {
		return nil, err
	}
	if err := panel.addCrossings(p); err != nil {
		return nil, err
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
