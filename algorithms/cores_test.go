package algorithms_test

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// A contender is an engine whose masks per second are measured over batches and cores.
type contender struct {
	name, algorithm string
	options         algorithms.Options
	cold            bool // each walk has an engine that has built nothing
	masks           int  // of a walk, roughly: some ten milliseconds on one core
}

var contenders = []contender{
	{"psc", "psc", nil, false, 25600},
	{"psc-cold", "psc", nil, true, 6400},
	{"psc-eager", "psc", algorithms.Options{"compile": "eager"}, false, 25600},
	{"greatgramma", "greatgramma", nil, false, 3200},
	{"greatgramma-cold", "greatgramma", nil, true, 3200},
	{"parserdwa", "parserdwa", nil, false, 12800},
	{"trie", "trie", nil, false, 640},
}

// BenchmarkCores reports the masks per second of batches of generations that walk Java programs, by
// the size of the batch and the number of cores. A mask is a commit and a delivered mask. Unless
// the name says cold, everything that a walk meets was built before.
//
// In each round all numbers of cores, powers of two up to GOMAXPROCS, walk the same way, one after
// the other, and the next round in the other order. The process has as many processors then.
// Reported are medians over rounds, and of the ratio to one core, taken round by round, the
// quartiles as well: where these lie far apart, something else had the cores.
// cpu/wall is how many cores the process had: less than cores=n says the same.
func BenchmarkCores(b *testing.B) {
	c := realtext.Need(b, "java", "llama3", 0)
	for _, x := range contenders {
		b.Run(x.name, func(b *testing.B) {
			e := realtext.MustCompile(b, x.algorithm, c.Problem, x.options)
			for _, size := range []int{1, 4, 16, 64, 256} {
				steps := min(400, max(10, x.masks/size))
				begin := func() *batch { return newBatch(b, c, realtext.MustCompile(b, x.algorithm, c.Problem, x.options), size) }
				if !x.cold {
					begin = warm(b, newBatch(b, c, e, size), steps)
				}
				b.Run(fmt.Sprintf("generations=%d", size), func(b *testing.B) { overCores(b, begin, size*steps) })
			}
		})
	}
}

// warm walks a batch until nothing is built any more, and returns how to begin again.
func warm(b *testing.B, first *batch, steps int) func() *batch {
	for range 3 { // a mask is kept when it is asked for the second time
		first.clone().walk(b, advanceOnce, steps)
	}
	return first.clone
}

// A walked is what a walk took.
type walked struct{ wall, cpu time.Duration }

// overCores walks from a beginning on each number of cores, b.N rounds.
func overCores(b *testing.B, begin func() *batch, masks int) {
	var cores []int
	var workers []*algorithms.Workers
	for n := 1; n <= runtime.GOMAXPROCS(0); n *= 2 {
		cores, workers = append(cores, n), append(workers, algorithms.NewWorkers(n))
		defer workers[len(workers)-1].Close()
	}
	took := make([][]walked, len(cores)) // by number of cores and round
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for round := range b.N {
		for i := range cores {
			if round%2 == 1 {
				i = len(cores) - 1 - i
			}
			batch := begin()
			runtime.GC()
			runtime.GOMAXPROCS(cores[i])
			took[i] = append(took[i], timed(func() { batch.walk(b, workers[i].Advance, masks/len(batch.states)) }))
			runtime.GOMAXPROCS(cores[len(cores)-1])
		}
	}
	for i, n := range cores {
		var rates, shares, ratios []float64
		for round, t := range took[i] {
			rates = append(rates, float64(masks)/t.wall.Seconds())
			shares = append(shares, t.cpu.Seconds()/t.wall.Seconds())
			ratios = append(ratios, took[0][round].wall.Seconds()/t.wall.Seconds())
		}
		b.ReportMetric(quantile(rates, 2), fmt.Sprintf("cores=%d-masks/s", n))
		b.ReportMetric(quantile(shares, 2), fmt.Sprintf("cores=%d-cpu/wall", n))
		if n > 1 {
			for k, name := range []string{"q1", "median", "q3"} {
				b.ReportMetric(quantile(ratios, k+1), fmt.Sprintf("cores=%d-over-1-%s", n, name))
			}
		}
	}
}

// timed is what f took.
func timed(f func()) walked {
	begin, cpu := time.Now(), used()
	f()
	return walked{time.Since(begin), used() - cpu}
}

// used is the processor time of the process so far.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// quantile is a quartile, by nearest rank; k is 1 to 3.
func quantile(list []float64, k int) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)*k/4]
}

// walk takes a batch some steps further.
func (b *batch) walk(t testing.TB, advance advancer, steps int) {
	for range steps {
		b.step(t, advance)
	}
}
