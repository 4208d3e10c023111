package serve

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"gcdbench/engines/wire"
)

// Garbage is collected between two steps, never in one. In the harness a collection that has
// begun goes on beside a walk, on another core; a child has one core, so none may be going on
// when a walk begins. Therefore the runtime collects nothing by itself here, but while a grammar
// is compiled that is large enough to need it. It gives no memory back either then: a step finds
// memory that was used before, as in a process that has been running for a while, and not pages
// that the system has to make first.

// collectAfter is how much garbage may pile up. It is small, since memory is made ready for it
// (warmHeap).
const collectAfter = 64 << 20

// warmHeap has the system make memory that garbage can be put in until the first collection.
func warmHeap() {
	const page = 4096
	block := make([]byte, collectAfter)
	for i := 0; i < len(block); i += page {
		block[i] = 1
	}
	runtime.KeepAlive(block)
	runtime.GC()
}

// collecting has the runtime collect as usual; the returned function ends that, with a collection.
func collecting() (end func()) {
	debug.SetGCPercent(100)
	return func() {
		debug.SetGCPercent(-1)
		runtime.GC()
	}
}

// weigh says how much is held. The system does not know: memory that is free was made ready, and
// is kept.
func (s *server) weigh(q *wire.Weigh) (*wire.WeighAnswer, error) {
	if q.Drop {
		s.engine, s.problem, s.state = nil, nil, nil
	}
	runtime.GC()
	runtime.GC() // what pools held
	return &wire.WeighAnswer{Answer: wire.Yes(), Held: int64(counter("/memory/classes/heap/objects:bytes"))}, nil
}

// counter reads one of the runtime's counters; 0 if this Go does not have it.
func counter(name string) uint64 {
	sample := [1]metrics.Sample{{Name: name}}
	metrics.Read(sample[:])
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// collector collects garbage between two operations that are timed.
type collector struct{ since uint64 } // bytes that were allocated before the last collection

// maybe collects if much was allocated since the last time.
func (c *collector) maybe() {
	if now := counter("/gc/heap/allocs:bytes"); now-c.since > collectAfter {
		runtime.GC()
		c.since = now
	}
}
