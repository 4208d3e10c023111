package stats

import (
	"math"
	"slices"
)

// Ratio compares two algorithms on identical positions.
type Ratio struct {
	// Value is the first's time divided by the second's, 0.5 being half the time: the geometric
	// mean over positions (Pairs), which is the same comparison whichever of the two stands first, or
	// the ratio of the means (MeanRatio).
	Value float64 `json:"value"`
	// Interval is that of Value; zero if there were too few documents.
	Interval Interval `json:"interval"`
	// N is how many positions were compared, Clusters in how many documents.
	N        int `json:"n"`
	Clusters int `json:"documents"`
}

// Same reports whether the comparison cannot tell the two apart: its interval
// holds 1. Tables show "~" then.
func (r Ratio) Same() bool { return r.Interval.Holds(1) }

// least is what a time of zero, which is below the clock's resolution, counts as in a ratio: half a
// nanosecond.
const least = 0.5

// Quotient is a time divided by another, both in nanoseconds; it is finite for finite times.
func Quotient(a, b float64) float64 { return max(a, least) / max(b, least) }

// QuotientIntervals are the intervals of the figures of a divided by those of b, of which values of
// the same clusters are expected. Each resample draws the same clusters of both, so that what makes
// a document slow in both does not widen the interval. They are zero of fewer than MinClusters, or
// of different clusters.
func QuotientIntervals(a, b Data, seed uint64) Intervals {
	clusters := a.clusters()
	if len(clusters) < MinClusters || !slices.Equal(clusters, b.clusters()) {
		return Intervals{}
	}
	x, y := newResampler(a, clusters, seed), newResampler(b, clusters, seed) // the same seed: the same draws
	resamples, values := min(x.resamples(), y.resamples()), min(len(a.Values), len(b.Values))
	return intervals(resamples, values, func() (float64, [len(quantiles)]float64) {
		drawn := x.draw()
		above, below := x.quantiles(drawn), y.quantiles(y.draw())
		for i := range above {
			above[i] = Quotient(above[i], below[i])
		}
		return Quotient(x.mean(drawn), y.mean(y.weights)), above
	})
}

// MeanRatio divides the mean of a by that of b, of which values of the same clusters are
// expected. Each resample draws the same clusters of both. N is the number of values of a.
func MeanRatio(a, b Data, seed uint64) Ratio {
	if len(a.Values) == 0 || len(b.Values) == 0 {
		return Ratio{}
	}
	clusters := a.clusters()
	r := Ratio{Value: Quotient(mean(a.Values), mean(b.Values)), N: len(a.Values), Clusters: len(clusters)}
	if len(clusters) < MinClusters || !slices.Equal(clusters, b.clusters()) {
		return r
	}
	x, y := newResampler(a, clusters, seed), newResampler(b, clusters, seed) // the same seed: the same draws
	var means []float64
	for range maxResamples {
		means = append(means, Quotient(x.mean(x.draw()), y.mean(y.draw())))
	}
	r.Interval = percentileInterval(means)
	return r
}

// Pairs is a set of times of two algorithms at the same positions.
type Pairs struct{ logs Data }

// Add appends one position. A time of zero counts as half a nanosecond.
func (p *Pairs) Add(cluster int, a, b float64) {
	p.logs.Add(cluster, math.Log(max(a, least))-math.Log(max(b, least)))
}

// Ratio computes the paired ratio; its N is 0 if there were no pairs.
func (p *Pairs) Ratio(seed uint64) Ratio {
	if len(p.logs.Values) == 0 {
		return Ratio{}
	}
	clusters := p.logs.clusters()
	r := Ratio{Value: math.Exp(mean(p.logs.Values)), N: len(p.logs.Values), Clusters: len(clusters)}
	if len(clusters) < MinClusters {
		return r
	}
	s := newResampler(p.logs, clusters, seed)
	var means []float64
	for range maxResamples { // a mean costs one step per document, so no budget
		means = append(means, s.mean(s.draw()))
	}
	i := percentileInterval(means)
	r.Interval = Interval{math.Exp(i.Low), math.Exp(i.High)}
	return r
}

// Wilson is the interval of a rate of passed out of n, by E. B. Wilson's score
// method: unlike the textbook formula it stays inside 0 to 1 and does not shrink
// to nothing when all or none passed. It is zero if n is.
func Wilson(passed, n int) Interval {
	if n <= 0 {
		return Interval{}
	}
	const z = 1.959963984540054 // the normal distribution's 97.5% point, for Level
	p, f := float64(passed)/float64(n), float64(n)
	centre := (p + z*z/(2*f)) / (1 + z*z/f)
	half := z / (1 + z*z/f) * math.Sqrt(p*(1-p)/f+z*z/(4*f*f))
	i := Interval{max(0, centre-half), min(1, centre+half)}
	if passed == 0 {
		i.Low = 0 // exactly; the formula leaves a rounding error
	}
	if passed == n {
		i.High = 1
	}
	return i
}
