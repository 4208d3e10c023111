package stats

import "math"

// studentT are the 97.5% points of Student's distribution by degrees of freedom, from 2 on: what
// the mean of a few repeated measurements needs instead of 1.96.
var studentT = []float64{2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042}

// MeanInterval is the interval of the mean of independent repetitions of one measurement, by
// Student's t. The measurement is of what is never below zero, such as a time or a rate, and no
// part of the interval is. It is zero of fewer than MinClusters values.
func MeanInterval(values []float64) Interval {
	n := len(values)
	if n < MinClusters {
		return Interval{}
	}
	m, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	half := tPoint(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return Interval{max(0, m-half), m + half}
}

// tPoint is the 97.5% point for so many degrees of freedom: that of the next lower number in the
// table, which makes intervals wider than they need to be, never narrower.
func tPoint(freedom int) float64 {
	for f := min(freedom, len(studentT)-1); f > 2; f-- {
		if studentT[f] != 0 {
			return studentT[f]
		}
	}
	return studentT[2]
}
