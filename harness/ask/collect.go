package ask

import (
	"runtime"
	"sync/atomic"

	"gcdbench/harness/measure"
)

// CollectAll collects until the heap stops shrinking. One collection is not enough: pools let go at
// the second, and a cleanup (of a table of weak pointers, say) frees more when it has run, some
// time after the collection that found its object dead. Memory of an earlier group must be gone
// before a group is measured: if it went later, the first engines would seem to hold less.
func CollectAll() {
	const atMost = 8 // longer than any chain of cleanups, each holding the next
	for n := range atMost {
		before := measure.Heap()
		collectOnce()
		if n > 0 && before-measure.Heap() < before/1000 {
			return
		}
	}
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
