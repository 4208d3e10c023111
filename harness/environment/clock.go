package environment

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// Clock is what reading the clock costs here, measured at the start of a run.
type Clock struct {
	// PairNS is the time one pair of reads takes: what timing adds to a run.
	PairNS float64 `json:"pair_ns"`
	// EmptyNS is the time that a pair of reads around nothing reports in the mean: what
	// timing adds to a value. It is taken off every time. The mean, because a clock that
	// ticks every 10 ns reports 20 and 30 for what takes 26.
	EmptyNS float64 `json:"empty_ns"`
}

// epoch is what all readings are relative to; time.Since of it reads only the
// monotonic clock, which is cheaper than time.Now.
var epoch = time.Now()

// Now reads the monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

// Calibrate measures the clock: over many rounds, of which the slowest half, in which
// something else had the core, do not count. It takes some 3 to 6 ms, on the core that times are
// taken on.
func Calibrate() Clock {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, release := Pin()
	defer release()
	const rounds, pairs = 50, 1000
	type round struct{ pair, empty float64 }
	list := make([]round, rounds)
	for i := range list {
		begin, empty := Now(), time.Duration(0)
		for range pairs {
			a := Now()
			b := Now()
			empty += b - a
		}
		list[i] = round{float64(Now()-begin) / pairs, float64(empty) / pairs}
	}
	slices.SortFunc(list, func(a, b round) int { return cmp.Compare(a.pair, b.pair) })
	var clock Clock
	for _, r := range list[:rounds/2] {
		clock.PairNS += r.pair / (rounds / 2)
		clock.EmptyNS += r.empty / (rounds / 2)
	}
	return clock
}

const (
	// paceLinks is how many multiplications a round of a reading of the pace has: some 6 to 20 µs,
	// which is short beside a turn of the scheduler.
	paceLinks = 4096
	// The quickest paceAgree rounds differ by paceWithin at most, or after paceRounds there is no
	// reading: something else slowed them down.
	paceAgree  = 8
	paceRounds = 200
	paceWithin = 0.005
)

// Pace is the time in ns of a fixed chain of multiplications on the core that times are taken on; 0
// where a busy machine does not let it be seen. The chain touches no memory, so its quickest rounds
// change with the rate of the processor's clock and with nothing else. Systems tell that rate in
// different ways, and virtual machines not at all.
func Pace() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, release := Pin()
	defer release()
	var quickest []time.Duration // paceAgree of them, ascending
	x := uint64(1)
	for range paceRounds {
		begin := Now()
		for range paceLinks {
			x = x*6364136223846793005 + 1442695040888963407
		}
		took := Now() - begin
		at, _ := slices.BinarySearch(quickest, took)
		if quickest = slices.Insert(quickest, at, took); len(quickest) > paceAgree {
			quickest = quickest[:paceAgree]
		}
		if len(quickest) == paceAgree && float64(quickest[paceAgree-1]) <= (1+paceWithin)*float64(quickest[0]) {
			runtime.KeepAlive(x)
			return float64(quickest[0])
		}
	}
	return 0
}
