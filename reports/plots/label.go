package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Names beside lines. A reader of a legend looks from a line to the list and back, once a line. So
// a panel that stands alone and has few lines has their names beside them: each where it is near
// its own line and far from the others.

const (
	maxDirect   = 6  // names; more lie on each other
	directWide  = 80 // points; a longer name needs a legend
	labelGrid   = 3  // points between the places that are tried
	markerClear = 3  // points; nearer, a name touches a marker
	enoughRoom  = 14 // points; further from other lines than that is no better
)

// direct tells whether the names of lines stand beside them, and not in a legend.
func (f *Figure) direct() bool {
	if len(f.Panels) != 1 || len(f.Legend) > maxDirect || len(f.States) > 0 {
		return false
	}
	for _, e := range f.Legend {
		if sansStyle(labelSize).Width(e.Label) > vg.Points(directWide) {
			return false
		}
	}
	return true
}

// drawNames writes the names into the only panel, which was drawn on c.
func (f *Figure) drawNames(p *plot.Plot, c draw.Canvas) {
	data := p.DataCanvas(c)
	ways := f.ways(p, data)
	var taken []vg.Rectangle
	for _, e := range f.Legend {
		style := sansStyle(labelSize)
		style.Color, style.YAlign = dark(e.Style.color()), draw.YBottom
		size := vg.Point{X: style.Width(e.Label), Y: vg.Points(labelSize)}
		box, at, ok := placeName(e.Label, size, ways, taken, data.Rectangle)
		if !ok {
			continue
		}
		taken = append(taken, box)
		to := nearest(box, at)
		if away(box, at) > 2*markerClear {
			data.StrokeLine2(draw.LineStyle{Color: style.Color, Width: vg.Points(0.4)}, to.X, to.Y, at.X, at.Y)
		}
		data.FillText(style, box.Min, e.Label)
	}
}

// ways are the lines of the only panel by their names in the legend, as points on the canvas that
// lie close together.
func (f *Figure) ways(p *plot.Plot, c draw.Canvas) map[string][]vg.Point {
	x, y := p.Transforms(&c)
	ways := map[string][]vg.Point{}
	for _, s := range f.Panels[0].Series {
		name := s.Label
		if slices.ContainsFunc(f.Legend, func(e Entry) bool { return e.Label == s.Name() }) {
			name = s.Name()
		}
		var way []vg.Point
		for i := range s.X {
			to := vg.Point{X: x(s.X[i]), Y: y(s.Y[i])}
			if i > 0 {
				from := way[len(way)-1]
				n := int(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y)) / labelGrid)
				for j := 1; j <= n; j++ {
					part := vg.Length(j) / vg.Length(n+1)
					way = append(way, vg.Point{X: from.X + part*(to.X-from.X), Y: from.Y + part*(to.Y-from.Y)})
				}
			}
			way = append(way, to)
		}
		ways[name] = append(ways[name], way...)
	}
	return ways
}

// placeName finds the best box for a name, and the point of its line that is next to it: near its
// own line and far from the others. A box that covers a line is the last choice. ok is false if all
// places are taken.
func placeName(name string, size vg.Point, ways map[string][]vg.Point, taken []vg.Rectangle, in vg.Rectangle) (box vg.Rectangle, at vg.Point, ok bool) {
	best := math.Inf(-1)
	for x := in.Min.X + labelGrid; x+size.X < in.Max.X; x += labelGrid {
		for y := in.Min.Y + labelGrid; y+size.Y < in.Max.Y; y += labelGrid {
			here := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + size.X, Y: y + size.Y}}
			if overlaps(here, taken) {
				continue
			}
			own, next := closest(here, ways[name])
			if enoughRoom-own <= best {
				continue // wherever the others are
			}
			others := math.Inf(1)
			for other, way := range ways {
				if others-own <= best {
					break // one line is too near
				}
				if other != name {
					d, _ := closest(here, way)
					others = min(others, d)
				}
			}
			score := min(others, enoughRoom) - own
			if min(own, others) < markerClear {
				score -= 100
			}
			if score > best {
				best, box, at, ok = score, here, next, true
			}
		}
	}
	return box, at, ok
}

// overlaps tells whether a box lies on another one, or touches it.
func overlaps(box vg.Rectangle, others []vg.Rectangle) bool {
	for _, o := range others {
		if box.Min.X < o.Max.X+labelGrid && o.Min.X < box.Max.X+labelGrid && box.Min.Y < o.Max.Y+labelGrid && o.Min.Y < box.Max.Y+labelGrid {
			return true
		}
	}
	return false
}

// closest is the distance between a box and the nearest point of a line, and that point.
func closest(box vg.Rectangle, way []vg.Point) (least float64, at vg.Point) {
	least = math.Inf(1)
	for _, p := range way {
		dx, dy := max(box.Min.X-p.X, p.X-box.Max.X, 0), max(box.Min.Y-p.Y, p.Y-box.Max.Y, 0)
		if d := float64(dx*dx + dy*dy); d < least {
			least, at = d, p
		}
	}
	return math.Sqrt(least), at
}

// away is the distance of a point from a box in points, 0 inside.
func away(box vg.Rectangle, p vg.Point) float64 {
	to := nearest(box, p)
	return math.Hypot(float64(p.X-to.X), float64(p.Y-to.Y))
}

// nearest is the point of a box that is nearest to p.
func nearest(box vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, box.Min.X), box.Max.X), Y: min(max(p.Y, box.Min.Y), box.Max.Y)}
}

// dark is a colour in which small letters can be read on white.
func dark(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	const share = 0.65
	return color.RGBA{uint8(share * float64(r>>8)), uint8(share * float64(g>>8)), uint8(share * float64(b>>8)), 0xff}
}
