package plots

import (
	"cmp"
	"slices"
	"strconv"
)

// Served is what one algorithm reaches with one size of the batch, beside a model.
type Served struct {
	Panel string // the model
	Line
	Batch                    int
	PerSecond, Unconstrained float64 // tokens
}

// unconstrained is the name of the line without masks.
const unconstrained = "unconstrained"

// Serving is the figure of tokens per second over the size of the batch, as PSC's figures 2 to 5
// have it: a panel for each model, a line for each algorithm, and one without masks. It is nil
// without two sizes. What is no number is left out.
func Serving(name string, served []Served) *Figure {
	f := &Figure{Name: name, XLabel: "batch size", YLabel: "tokens per second"}
	type line struct{ panel, label string }
	lines := map[line]*Series{}
	var order []line
	point := func(panel string, of Line, batch int, perSecond float64) {
		l := line{panel, of.Label}
		s := lines[l]
		if s == nil {
			s = &Series{Line: of}
			lines[l], order = s, append(order, l)
		}
		if !slices.Contains(s.X, float64(batch)) { // the first algorithm gives the line without masks
			s.X, s.Y = append(s.X, float64(batch)), append(s.Y, perSecond)
		}
	}
	x, y := emptySpan(), emptySpan()
	for _, s := range slices.SortedStableFunc(slices.Values(served), func(a, b Served) int { return cmp.Compare(a.Batch, b.Batch) }) {
		if s.Batch < 1 || !finite(s.PerSecond, s.Unconstrained) || s.PerSecond <= 0 || s.Unconstrained <= 0 {
			continue
		}
		point(s.Panel, s.Line, s.Batch, s.PerSecond)
		point(s.Panel, Line{Label: unconstrained, Algorithm: unconstrained}, s.Batch, s.Unconstrained)
		x.include(float64(s.Batch))
		y.include(s.PerSecond, s.Unconstrained)
	}
	if x.high <= x.low {
		return nil
	}
	for _, last := range []bool{false, true} { // an engine that loses nothing is below the dots
		for _, l := range order {
			s := lines[l]
			if last != (l.label == unconstrained) {
				continue
			}
			for i := range s.X {
				if !last {
					s.Marks = append(s.Marks, Point{s.X[i], s.Y[i]})
				}
			}
			f.add(l.panel, *s)
		}
	}
	f.X, f.Y = x.around(1.2, func(v float64) string { return strconv.Itoa(int(v)) }), y.around(1.5, Quantity)
	f.X.Doubling = true
	f.dress()
	return f
}
