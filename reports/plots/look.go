package plots

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
	s := f.Legend[i].Style
	return Look{s.Color, s.Dash, s.Marker}
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
