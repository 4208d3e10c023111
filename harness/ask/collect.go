package ask

import (
	"runtime"
	"sync/atomic"

	"gcdbench/harness/measure"
	"gcdbench/harness/prepare"
)

// Base is the heap before a group, in bytes, with which no engine of it is charged. Garbage is
// collected until the heap stops shrinking. One collection is not enough: pools let go at
// the second, and a cleanup (of a table of weak pointers, say) frees more when it has run, some
// time after the collection that found its object dead. Memory of an earlier group must be gone
// before a group is measured: if it went later, the first engines would seem to hold less.
func Base(g *prepare.Prepared) int64 {
	atMost := 8 // longer than any chain of cleanups, each holding the next
	if g.Unweighed {
		atMost = 0
	}
	for n := range atMost {
		before := measure.Heap()
		collectOnce()
		if n > 0 && before-measure.Heap() < before/1000 {
			break
		}
	}
	return measure.Heap()
}

// collectOnce collects, and waits until cleanups begin to run.
func collectOnce() {
	const patience = 1000 // yields
	ran := new(atomic.Bool)
	func() {
		runtime.AddCleanup(new([8]*byte), func(ran *atomic.Bool) { ran.Store(true) }, ran)
	}()
	measure.Collect()
	for n := 0; n < patience && !ran.Load(); n++ {
		runtime.Gosched()
	}
}

// Settled is the heap without garbage, in bytes. Pools let go at the second collection.
func Settled() int64 {
	measure.Collect()
	measure.Collect()
	return measure.Heap()
}
