package environment

import (
	"slices"
	"time"
)

// Clock is what reading the clock costs here, measured at the start of a run.
type Clock struct {
	// PairNS is the time one pair of reads takes: what timing adds to a run.
	PairNS float64 `json:"pair_ns"`
	// EmptyNS is the time that a pair of reads around nothing reports: what timing
	// adds to a value. It is taken off every time.
	EmptyNS float64 `json:"empty_ns"`
}

// epoch is what all readings are relative to; time.Since of it reads only the
// monotonic clock, which is cheaper than time.Now.
var epoch = time.Now()

// Now reads the monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

// Calibrate measures the clock: the median over rounds, so that a preempted
// round does not count. It takes about 10 ms.
func Calibrate() Clock {
	const rounds, pairs = 101, 1000
	perPair := make([]float64, 0, rounds)
	empty := make([]float64, 0, rounds*pairs)
	for range rounds {
		begin := Now()
		for range pairs {
			a := Now()
			b := Now()
			empty = append(empty, float64(b-a))
		}
		perPair = append(perPair, float64(Now()-begin)/pairs)
	}
	slices.Sort(perPair)
	slices.Sort(empty)
	return Clock{PairNS: perPair[rounds/2], EmptyNS: empty[len(empty)/2]}
}
