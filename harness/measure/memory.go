package measure

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Heap is the size of the objects on the heap in bytes: live ones, and dead ones that are not swept
// yet.
func Heap() int64 { return counter("/memory/classes/heap/objects:bytes") }

// LiveHeap is the size of the objects that the last collection found to be live, in bytes.
func LiveHeap() int64 { return counter("/gc/heap/live:bytes") }

// Allocated is how many bytes were allocated on the heap since the process began.
func Allocated() int64 { return counter("/gc/heap/allocs:bytes") }

// automatic counts the collections that the runtime began on its own.
func automatic() int64 { return counter("/gc/cycles/automatic:gc-cycles") }

// counter reads one of the runtime's counters, without stopping the world as runtime.ReadMemStats
// does; 0 if this version of Go does not have it.
func counter(name string) int64 {
	sample := [1]metrics.Sample{{Name: name}}
	metrics.Read(sample[:])
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// smallHeap is a heap that one core collects in a few ms.
const smallHeap = 32 << 20

// procs is held while GOMAXPROCS is another.
var procs sync.Mutex

// Procs sets GOMAXPROCS until restore is called. It waits for whoever has set it.
func Procs(n int) (restore func()) {
	procs.Lock()
	before := runtime.GOMAXPROCS(n)
	return func() {
		runtime.GOMAXPROCS(before)
		procs.Unlock()
	}
}

// Collect collects garbage, of a small heap on one core unless GOMAXPROCS is set at that time:
// beside idle ones runtime.GC wakes one of them at each span that it sweeps, and takes three to
// four times the processor time.
func Collect() {
	if Heap() < smallHeap && procs.TryLock() {
		defer procs.Unlock()
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	runtime.GC()
}

// GC counts the garbage collections around timed passes.
type GC struct {
	// Timed is how many the runtime began on its own during timed passes: automatic collection is off
	// then, unless the heap nears the memory limit.
	Timed int `json:"timed"`
	// Between is how many the harness made between timed operations.
	Between int `json:"between"`
}

// Add sums two counts.
func (g GC) Add(o GC) GC { return GC{g.Timed + o.Timed, g.Between + o.Between} }

// A Collector keeps garbage collection out of timed operations. It may be used by several
// goroutines, since an abandoned walk may still ask it. A nil Collector does nothing.
type Collector struct {
	// After is how many bytes may be allocated between two collections; 0 for CollectAfter.
	After int64

	mu      sync.Mutex
	since   int64 // bytes that were allocated before the last collection
	timed   int64 // automatic collections before Off
	between int   // collections since Off
}

// CollectAfter is how much garbage may pile up, in bytes: far below any memory limit, and large
// enough that a collection (some 10 ms) is rare.
const CollectAfter = 256 << 20

// every is at how many positions of a walk a Collector is asked once: asking takes a microsecond.
const every = 64

// Off turns automatic collection off. The returned function turns it on again and counts the
// collections since.
func (c *Collector) Off() (on func() GC) {
	if c == nil {
		return func() GC { return GC{} }
	}
	percent := debug.SetGCPercent(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timed, c.between = automatic(), 0
	return func() GC {
		debug.SetGCPercent(percent)
		c.mu.Lock()
		defer c.mu.Unlock()
		return GC{Timed: int(automatic() - c.timed), Between: c.between}
	}
}

// Maybe collects if much was allocated. It is called between timed operations.
func (c *Collector) Maybe() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	after := c.After
	if after == 0 {
		after = CollectAfter
	}
	if Allocated()-c.since > after {
		Collect()
		c.between++
		c.since = Allocated()
	}
}

// Between is Maybe for every 64th position of a walk: a Walker's Between.
func (c *Collector) Between(pos int) {
	if pos%every == 0 {
		c.Maybe()
	}
}
