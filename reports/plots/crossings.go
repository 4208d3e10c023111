package plots

import (
	"cmp"
	"slices"
)

// Where one algorithm's bill overtakes another's.

// Curve is the time that one algorithm has spent after so many tokens.
type Curve struct {
	Panel string
	Line
	// Tokens are numbers of tokens, ascending. The first is 0 if what is spent before the first token
	// is a point of its own, or else 1. The same number twice is a jump.
	Tokens []float64
	// NS is the time spent after each of Tokens, what was spent before the first one included.
	NS []float64
}

// points are those of the curve in order. Points without a partner or that are no numbers, and
// negative numbers of tokens, are left out.
func (c Curve) points() []Point {
	var points []Point
	for i := range min(len(c.Tokens), len(c.NS)) {
		if finite(c.Tokens[i], c.NS[i]) && c.Tokens[i] >= 0 {
			points = append(points, Point{c.Tokens[i], c.NS[i]})
		}
	}
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return points
}

// Crossing is a place where two curves change order.
type Crossing struct {
	Tokens float64 `json:"x"`
	NS     float64 `json:"y"`
	First  bool    `json:"-"` // the first of the two curves is the lower one from here on
}

// Crossings are the places where the curves a and b change order, by tokens. Between its points a
// curve is straight, as time that grows evenly is. Curves that touch and part again do not cross,
// nor do those that begin at the same value. Curves that run together before they change order
// cross where they part. What only one of the two was measured for has no crossing.
func Crossings(a, b Curve) []Crossing {
	var found []Crossing
	order := 0 // of the last place where the two differ
	var last both
	var met *both // where the two were equal since
	for _, p := range together(a.points(), b.points()) {
		switch now := cmp.Compare(p.a, p.b); {
		case now == 0:
			met = &p
			last = p
			continue
		case order == -now && met != nil:
			found = append(found, Crossing{met.tokens, met.a, now < 0})
		case order == -now:
			t := (last.a - last.b) / ((last.a - last.b) - (p.a - p.b))
			found = append(found, Crossing{last.tokens + t*(p.tokens-last.tokens), last.a + t*(p.a-last.a), now < 0})
		}
		order, last, met = cmp.Compare(p.a, p.b), p, nil
	}
	return found
}

// both is where two curves are after so many tokens.
type both struct{ tokens, a, b float64 }

// together evaluates two curves at the points of either, as far as both go. Where one jumps there
// are two places, before and after: the way from one to the next is straight for both curves.
func together(a, b []Point) []both {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	from, to := max(a[0].X, b[0].X), min(a[len(a)-1].X, b[len(b)-1].X)
	var at []float64
	for _, p := range slices.Concat(a, b) {
		if p.X >= from && p.X <= to {
			at = append(at, p.X)
		}
	}
	slices.Sort(at)
	var places []both
	for _, x := range slices.Compact(at) {
		aBefore, aBehind := valuesAt(a, x)
		bBefore, bBehind := valuesAt(b, x)
		places = append(places, both{x, aBefore, bBefore})
		if aBefore != aBehind || bBefore != bBehind {
			places = append(places, both{x, aBehind, bBehind})
		}
	}
	return places
}

// valuesAt are the values of a curve just before and just after x, which lies between its ends.
// They differ where the curve jumps.
func valuesAt(points []Point, x float64) (before, behind float64) {
	i, hit := slices.BinarySearchFunc(points, x, func(p Point, x float64) int { return cmp.Compare(p.X, x) })
	if !hit {
		p, q := points[i-1], points[i]
		v := p.Y + (x-p.X)/(q.X-p.X)*(q.Y-p.Y)
		return v, v
	}
	before, behind = points[i].Y, points[i].Y
	for ; i < len(points) && points[i].X == x; i++ {
		behind = points[i].Y
	}
	return before, behind
}
