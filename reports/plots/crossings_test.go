package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// curve is made of pairs of tokens and times.
func curve(pairs ...float64) Curve {
	c := Curve{Panel: "p"}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.Tokens, c.NS = append(c.Tokens, pairs[i]), append(c.NS, pairs[i+1])
	}
	return c
}

func TestCrossings(t *testing.T) {
	cases := []struct {
		about string
		a, b  Curve
		want  []Crossing
	}{
		{"once", curve(0, 0, 10, 100), curve(0, 50, 10, 50), []Crossing{{5, 50, false}}},
		{"once, the other way", curve(0, 50, 10, 50), curve(0, 0, 10, 100), []Crossing{{5, 50, true}}},
		{"at a point of both", curve(0, 0, 5, 50, 10, 100), curve(0, 50, 5, 50, 10, 50), []Crossing{{5, 50, false}}},
		{"different points", curve(0, 0, 8, 80, 16, 160), curve(0, 70, 5, 70, 16, 70), []Crossing{{7, 70, false}}},
		{"never", curve(0, 1, 10, 2), curve(0, 3, 10, 4), nil},
		{"touching", curve(0, 1, 5, 5, 10, 6), curve(0, 5, 5, 5, 10, 9), nil},
		{"touching at the end", curve(0, 1, 10, 5), curve(0, 5, 10, 5), nil},
		{"together and back", curve(0, 1, 2, 5, 4, 5, 6, 5), curve(0, 5, 2, 5, 4, 5, 6, 9), nil},
		{"together and across", curve(0, 1, 2, 5, 4, 5, 6, 9), curve(0, 5, 2, 5, 4, 5, 6, 5), []Crossing{{4, 5, false}}},
		{"equal at the start", curve(0, 5, 10, 50), curve(0, 5, 10, 90), nil},
		{"equal at the start, then across", curve(0, 5, 4, 6, 8, 40), curve(0, 5, 4, 10, 8, 12), []Crossing{{4.5, 10.25, false}}},
		{"the same", curve(0, 5, 10, 50), curve(0, 5, 10, 50), nil},
		{"several times", curve(0, 0, 10, 0, 20, 20, 30, 20, 40, 40), curve(0, 5, 20, 5, 30, 25, 40, 25),
			[]Crossing{{12.5, 5, false}, {27.5, 20, true}, {32.5, 25, false}}},
		{"a jump over", curve(0, 1, 5, 1, 5, 9, 10, 9), curve(0, 4, 10, 4), []Crossing{{5, 4, false}}},
		{"a jump up to it", curve(0, 1, 5, 1, 5, 4, 10, 4), curve(0, 4, 10, 4), nil},
		{"jumps of both", curve(0, 1, 5, 1, 5, 9, 10, 9), curve(0, 4, 5, 4, 5, 6, 10, 6), []Crossing{{5, 5, false}}},
		{"where both were measured", curve(0, 0, 10, 100), curve(6, 50, 10, 50), nil},
		{"nowhere both were measured", curve(0, 0, 4, 100), curve(6, 50, 10, 50), nil},
		{"points out of order", curve(10, 100, 0, 0), curve(10, 50, 0, 50), []Crossing{{5, 50, false}}},
		{"no numbers", curve(0, 0, 3, math.NaN(), 5, math.Inf(1), -4, 7, 10, 100), curve(0, 50, 10, 50), []Crossing{{5, 50, false}}},
		{"single points", curve(5, 1), curve(5, 2), nil},
		{"nothing", Curve{}, curve(0, 1, 2, 3), nil},
		{"a time is missing", Curve{Tokens: []float64{0, 10, 11}, NS: []float64{0, 100}}, curve(0, 50, 10, 50), []Crossing{{5, 50, false}}},
	}
	for _, c := range cases {
		if got := Crossings(c.a, c.b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.about, got, c.want)
		}
		var mirrored []Crossing
		for _, x := range c.want {
			mirrored = append(mirrored, Crossing{x.Tokens, x.NS, !x.First})
		}
		if got := Crossings(c.b, c.a); !slices.Equal(got, mirrored) {
			t.Errorf("%s, exchanged: %v, want %v", c.about, got, mirrored)
		}
	}
}

// TestCrossingsAgree compares with a walk in small steps: of random curves, the order behind each
// crossing and until the next is the one it says.
func TestCrossingsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	random := func() Curve {
		c := curve(0, float64(rng.IntN(20)))
		for len(c.Tokens) < 12 {
			last := len(c.Tokens) - 1
			c.Tokens = append(c.Tokens, c.Tokens[last]+float64(1+rng.IntN(3)))
			c.NS = append(c.NS, c.NS[last]+float64(rng.IntN(9)))
		}
		return c
	}
	crossed := 0
	for range 300 {
		a, b := random(), random()
		found := Crossings(a, b)
		crossed += len(found)
		pa, pb := a.points(), b.points()
		for x := 0.01; x < min(pa[len(pa)-1].X, pb[len(pb)-1].X); x += 0.017 {
			va, _ := valuesAt(pa, x)
			vb, _ := valuesAt(pb, x)
			before := 0
			for before < len(found) && found[before].Tokens < x {
				before++
			}
			if len(found) == 0 || math.Abs(va-vb) < 1e-9 {
				continue
			}
			want := !found[0].First
			if before > 0 {
				want = found[before-1].First
			}
			if (va < vb) != want {
				t.Fatalf("after %v tokens the curves are at %v and %v: %v\n%v\n%v", x, va, vb, found, a, b)
			}
		}
	}
	if crossed < 50 {
		t.Errorf("only %d crossings", crossed)
	}
}

// TestCumulativeData: where lines begin and end, and what of their crossings is marked.
func TestCumulativeData(t *testing.T) {
	f := Cumulative("c", []Curve{
		bill("java", "psc", 1000, 0, 10, 10_000), bill("java", "trie", 100, 0, 100, 10_000),
		bill("go", "naive", 0, 0, 5, 100), {Panel: "none", Line: line("x"), Tokens: []float64{1}, NS: []float64{1}},
	})
	if len(f.Panels) != 2 || f.X.Min != zeroTokens || !f.X.Zero || f.X.Max != 10_000 || f.Lifted != 1 {
		t.Fatalf("%d panels, x %v, %d lifted", len(f.Panels), f.X, f.Lifted)
	}
	psc := f.Panels[0].Series[0]
	if n := len(psc.X); n > 2*maxSteps || psc.X[0] != zeroTokens || psc.Y[0] != 1000 || psc.X[n-1] != 10_000 || psc.Y[n-1] != 101_000 {
		t.Errorf("%d points from %v, %v to %v, %v", n, psc.X[0], psc.Y[0], psc.X[n-1], psc.Y[n-1])
	}
	for i, x := range psc.X {
		if want := 1000 + 10*unplace(x); math.Abs(psc.Y[i]/want-1) > 1e-9 || place(unplace(x)) != x {
			t.Errorf("at %v tokens %v, want %v", x, psc.Y[i], want)
		}
	}
	if want := []Point{{1, 1010}, {10, 1100}, {100, 2000}, {1000, 11000}, {10000, 101000}}; !slices.Equal(psc.Marks, want) {
		t.Errorf("marks %v", psc.Marks)
	}
	if got := fmt.Sprint(f.Panels[0].Crossings); got != "[{{10 1100 true} trie psc}]" {
		t.Errorf("crossings %s", got)
	}
	if Cumulative("c", nil) != nil || Cumulative("c", []Curve{curve(5, 1), curve()}) != nil {
		t.Error("a figure of nothing")
	}
}

// TestCrossingsOfTwins: lines that lie on each other have no mark; those that part at the end have
// one, not hundreds.
func TestCrossingsOfTwins(t *testing.T) {
	a, b := curve(0, 10), curve(0, 11)
	a.Label, b.Label, b.State = "trie", "trie #2", "new"
	for i := 1; i < 500; i++ {
		a.Tokens, a.NS = append(a.Tokens, float64(i)), append(a.NS, float64(10*i+i%2*3))
		b.Tokens, b.NS = append(b.Tokens, float64(i)), append(b.NS, float64(10*i+1))
	}
	if marked := Cumulative("c", []Curve{a, b}).Panels[0].Crossings; len(marked) != 0 {
		t.Errorf("marked %v", marked)
	}
	b.NS[0], a.NS[len(a.NS)-1] = 12, 6000
	all := Crossings(b, a)
	marked := Cumulative("c", []Curve{a, b}).Panels[0].Crossings
	if len(all) < 400 || len(marked) != 1 || marked[0].Crossing != all[len(all)-1] {
		t.Errorf("%d crossings, marked %v", len(all), marked)
	}
	if names := marked[0].Before + " " + marked[0].After; !strings.Contains(names, "trie #2, new") {
		t.Errorf("%s", names)
	}
}

// TestThin: long curves keep their ends and some points in every part of the axis.
func TestThin(t *testing.T) {
	var points []Point
	for i := range 100_000 {
		points = append(points, Point{float64(i), float64(i)})
	}
	kept := thin(points)
	if n := len(kept); n > maxSteps+2 || n < maxSteps/2 || kept[0] != points[0] || kept[n-1] != points[len(points)-1] {
		t.Errorf("%d points from %v to %v", len(kept), kept[0], kept[len(kept)-1])
	}
	for low := 1.0; low < 1e5; low *= 10 {
		if !slices.ContainsFunc(kept, func(p Point) bool { return p.X >= low && p.X < 3*low }) {
			t.Errorf("no point from %v to %v", low, 3*low)
		}
	}
	if few := thin(points[:maxSteps]); len(few) != maxSteps {
		t.Errorf("of %d points %d are left", maxSteps, len(few))
	}
}

// TestCircles: a crossing has its circle in the panel from the first token on.
func TestCircles(t *testing.T) {
	circles := func(tokens ...float64) int {
		f := Cumulative("c", []Curve{{Panel: "p", Tokens: []float64{0, 100}, NS: []float64{1, 2}}})
		bare := len(layout(t, "without", f).glyphs)
		for _, n := range tokens {
			f.Panels[0].Crossings = append(f.Panels[0].Crossings, Overtaking{Crossing: Crossing{Tokens: n, NS: 1.5}})
		}
		return len(layout(t, "with", f).glyphs) - bare
	}
	for _, c := range []struct {
		tokens []float64
		want   int
	}{{nil, 0}, {[]float64{0.2}, 0}, {[]float64{5, 50}, 2}, {[]float64{0, 1, 0.99, 100}, 2}} {
		if got := circles(c.tokens...); got != c.want {
			t.Errorf("crossings at %v have %d circles, want %d", c.tokens, got, c.want)
		}
	}
}
