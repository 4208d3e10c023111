package plots

import (
	"math"
	"slices"
)

// Tail is the figure of the slowest values: for each time, the share of values that are as long or
// longer, on a logarithmic axis. Where the line of ECDF lies along the top, this line shows events
// of once in a thousand times; p99 is where it crosses 1%. It is nil if there are no times.
func Tail(name string, samples []Sample) *Figure {
	f := &Figure{Name: name, Y: Axis{Max: 1, Log: true, Format: Share}}
	rarest := 1.0
	return f.distribution(samples, func(sorted []float64) Series {
		rarest = min(rarest, 1/float64(len(sorted)))
		if f.Y.Min, _ = decades(rarest, 1); f.Y.Min == 1 { // single values
			f.Y.Min = 0.1
		}
		line := survival(sorted)
		line.markAt(0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5)
		return line
	}, func(s *Series, low, _ float64) {
		s.X, s.Y = append([]float64{low}, append(s.X, s.X[len(s.X)-1])...), append([]float64{1}, append(s.Y, f.Y.Min)...)
	})
}

// tailSteps is how many steps of a line there are for each power of ten of the share: as many as
// can be told apart in a third of a panel's height.
const tailSteps = 40

// tailRanks are places in n sorted values, evenly spread by the logarithm of how many values are
// from there on: ever closer towards the longest one, which is the last.
func tailRanks(n int) []int {
	var ranks []int
	for left := n; left > 0; {
		ranks = append(ranks, n-left)
		left = min(left-1, int(float64(left)*math.Pow(10, -1.0/tailSteps)))
	}
	return ranks
}

// survival is the share of the sorted values that are at least as long, as stairs that lie on it.
// It begins at the shortest value, where it is 1, and ends at the longest.
func survival(sorted []float64) Series {
	n := len(sorted)
	s := Series{}
	level := 1.0
	for _, i := range tailRanks(n) {
		// All from i on are at least as long as sorted[i]; of equal ones the first says how many
		// those are.
		i, _ = slices.BinarySearch(sorted, sorted[i])
		share := float64(n-i) / float64(n)
		s.X, s.Y = append(s.X, sorted[i], sorted[i]), append(s.Y, level, share)
		level = share
	}
	return s
}
