package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gcdbench/harness/stats"
	"gcdbench/internal/seed"
)

// spy is a canvas that notes where text stands. It follows moves and turns, and nothing else.
type spy struct {
	wide, high vg.Length
	at         []matrix // the last is in force
	texts      []written
	glyphs     []vg.Path // stroked outlines with an arc: circles
}

// matrix maps (x, y) to (a*x + b*y + e, c*x + d*y + f).
type matrix struct{ a, b, c, d, e, f float64 }

// written is a text and the box around it.
type written struct {
	text                     string
	left, right, bottom, top float64
}

func (w written) String() string {
	return fmt.Sprintf("%q in %.0f..%.0f, %.0f..%.0f", w.text, w.left, w.right, w.bottom, w.top)
}

func (m matrix) move(x, y float64) (float64, float64) {
	return m.a*x + m.b*y + m.e, m.c*x + m.d*y + m.f
}

func (s *spy) now() *matrix                        { return &s.at[len(s.at)-1] }
func (s *spy) Size() (vg.Length, vg.Length)        { return s.wide, s.high }
func (s *spy) SetLineWidth(vg.Length)              {}
func (s *spy) SetLineDash([]vg.Length, vg.Length)  {}
func (s *spy) SetColor(color.Color)                {}
func (s *spy) Fill(vg.Path)                        {}
func (s *spy) DrawImage(vg.Rectangle, image.Image) {}
func (s *spy) Push()                               { s.at = append(s.at, *s.now()) }
func (s *spy) Pop()                                { s.at = s.at[:len(s.at)-1] }
func (s *spy) Translate(p vg.Point)                { m := s.now(); m.e, m.f = m.move(float64(p.X), float64(p.Y)) }
func (s *spy) Scale(x, y float64)                  { m := s.now(); m.a, m.b, m.c, m.d = m.a*x, m.b*y, m.c*x, m.d*y }
func (s *spy) Rotate(r float64) {
	m, sin, cos := *s.now(), math.Sin(r), math.Cos(r)
	*s.now() = matrix{m.a*cos + m.b*sin, m.b*cos - m.a*sin, m.c*cos + m.d*sin, m.d*cos - m.c*sin, m.e, m.f}
}

// Stroke notes circles.
func (s *spy) Stroke(p vg.Path) {
	if slices.ContainsFunc(p, func(c vg.PathComp) bool { return c.Type == vg.ArcComp }) {
		s.glyphs = append(s.glyphs, p)
	}
}

// FillString notes the box of the text: its width, the height of its capitals and a part of what is
// below.
func (s *spy) FillString(face font.Face, p vg.Point, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	x, y, size := float64(p.X), float64(p.Y), float64(face.Font.Size)
	x0, y0 := s.now().move(x, y-0.2*size)
	x1, y1 := s.now().move(x+float64(face.Width(text)), y+0.72*size)
	s.texts = append(s.texts, written{text, min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)})
}

// layout draws a figure on a spy, and reports texts that lie on each other or outside.
func layout(t *testing.T, name string, f *Figure) *spy {
	t.Helper()
	wide, high := f.size()
	s := &spy{wide: wide, high: high, at: []matrix{{a: 1, d: 1}}}
	if err := f.draw(draw.New(s)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i, a := range s.texts {
		if a.left < 0 || a.bottom < 0 || a.right > float64(wide) || a.top > float64(high) {
			t.Errorf("%s: %v is not inside %v x %v", name, a, wide, high)
		}
		for _, b := range s.texts[:i] {
			if a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top {
				t.Errorf("%s: %v lies on %v", name, a, b)
			}
		}
	}
	return s
}

// TestNothingOverlaps: texts of figures of many sizes are apart from each other and inside, with
// names of all lengths.
func TestNothingOverlaps(t *testing.T) {
	for _, panels := range seed.Some(t, []int{1, 2, 5, 6}, 2, 1, 1) {
		for _, algorithms := range []int{1, 2, 5, 8} {
			for _, long := range []int{0, 8} {
				for _, f := range sized(panels, algorithms, long) {
					texts := layout(t, fmt.Sprintf("%s, %d panels, %d algorithms, names longer by %d", f.Name, panels, algorithms, long), f).texts
					if len(texts) < panels+algorithms+2 {
						t.Errorf("%s: only %d texts", f.Name, len(texts))
					}
				}
			}
		}
	}
	for _, f := range examples() {
		layout(t, f.Name, f)
	}
}

// sized is a figure of each kind, with names that much longer than a word.
func sized(panels, algorithms, long int) []*Figure {
	var samples []Sample
	var costs []Cost
	var rates []Rate
	var curves []Curve
	for p := range panels {
		panel := fmt.Sprintf("workload %d%s", p, strings.Repeat(" with more to say", long))
		for a := range algorithms {
			l := Line{Label: fmt.Sprintf("engine %d%s", a, strings.Repeat(" option=value", long)), Algorithm: fmt.Sprint(a)}
			ns := math.Pow(10, float64(a))
			samples = append(samples, Sample{panel, l, []float64{0, ns, 3 * ns, 20 * ns}})
			costs = append(costs, Cost{panel, l, ns, stats.Interval{}, ns, stats.Interval{}}, Cost{panel, l, 9 * ns, stats.Interval{}, ns, stats.Interval{}})
			rates = append(rates, Rate{panel, l, 1000, ns, stats.Interval{}}, Rate{panel, l, 250_000, ns, stats.Interval{}})
			curves = append(curves, Curve{panel, l, []float64{0, 1, 1e4}, []float64{ns, 2 * ns, 3 * ns}})
		}
	}
	return []*Figure{ECDF("ecdf", samples), Tail("tail", samples), TradeOff("tradeoff", costs), Throughput("throughput", rates), Cumulative("cumulative", curves)}
}

// TestLegendIsClear: between the legend and the titles of panels is more room than between a title
// and its panel.
func TestLegendIsClear(t *testing.T) {
	title, entry := math.Inf(-1), math.Inf(1)
	for _, w := range layout(t, "tradeoff", exampleTradeOff()).texts {
		switch w.text {
		case "json", "java":
			title = max(title, w.top)
		case "naive", "psc (compile=eager)":
			entry = min(entry, w.bottom)
		}
	}
	if gap := entry - title; gap < titleGap {
		t.Errorf("%.1f points between legend and titles", gap)
	}
}

// TestLiftedIsSaid: times that a logarithmic axis cannot show are counted below the figure.
func TestLiftedIsSaid(t *testing.T) {
	for want, values := range map[string][]float64{
		"one time below 0.5 ns is drawn as 0.5 ns": {0, 5},
		"2 times below 0.5 ns are drawn as 0.5 ns": {0, -1, 5},
		"3 times below 0.5 ns are drawn as 0.5 ns": {0.2, 0, 0.4},
		"": {0.5, 7},
	} {
		var all []string
		f := Tail("t", []Sample{{"json", line("psc"), values}})
		for _, w := range layout(t, "lifted", f).texts {
			all = append(all, w.text)
		}
		if f.Note() != want {
			t.Errorf("%v: the note is %q, want %q", values, f.Note(), want)
		}
		if said := strings.Contains(strings.Join(all, "|"), "drawn as"); said != (want != "") || !strings.Contains(strings.Join(all, "|"), want) {
			t.Errorf("%v: %q does not say %q", values, all, want)
		}
	}
}

// TestNamesAreBesideTheirLines: a panel that is alone has no legend: each name is nearer to its own
// line than to another one, and on none. Long names, many lines and several panels have a legend.
func TestNamesAreBesideTheirLines(t *testing.T) {
	for algorithms, direct := range map[int]bool{3: true, maxDirect: true, maxDirect + 1: false} {
		f := sized(1, algorithms, 0)[3] // lines that lie apart
		if f.direct() != direct {
			t.Errorf("%d lines: the names stand beside them: %v", algorithms, f.direct())
		}
		if sized(1, algorithms, 8)[3].direct() || sized(2, algorithms, 0)[3].direct() {
			t.Errorf("%d lines with long names, or in two panels, have no legend", algorithms)
		}
	}
	f := sized(1, 4, 0)[3]
	wide, high := f.size()
	s := &spy{wide: wide, high: high, at: []matrix{{a: 1, d: 1}}}
	c := draw.New(s)
	p, err := f.panel(f.Panels[0], wide)
	if err != nil {
		t.Fatal(err)
	}
	f.drawNames(p, c)
	ways := f.ways(p, p.DataCanvas(c))
	if len(s.texts) != 4 {
		t.Fatalf("%d names", len(s.texts))
	}
	for _, w := range s.texts {
		box := vg.Rectangle{Min: vg.Point{X: vg.Length(w.left), Y: vg.Length(w.bottom)}, Max: vg.Point{X: vg.Length(w.right), Y: vg.Length(w.top)}}
		own, _ := closest(box, ways[w.text])
		for name, way := range ways {
			if d, _ := closest(box, way); name != w.text && d <= own || d == 0 {
				t.Errorf("%v is %.1f points from its line and %.1f from that of %s", w, own, d, name)
			}
		}
	}
}
