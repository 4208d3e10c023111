package serve

import (
	"runtime"
	"runtime/debug"

	"gcdbench/engines/wire"
	"gcdbench/harness/measure"
)

// Garbage is collected between two steps, never in one. In the harness a collection that has begun
// goes on beside a walk, on another core. A child has one core, so no collection may be under way
// when a walk begins. Therefore automatic collection is off here, except during the compile of a
// grammar, which may be large enough to need it. The runtime then gives no memory back either: a
// step finds memory that was used before, as in a process that has been running for a while, and
// not pages that the system has to make first.

// collectAfter is how much garbage may pile up, in bytes: less than in the harness, since warmHeap
// touches that much memory first.
const collectAfter = 64 << 20

// warmHeap has the system provide the memory that garbage fills until the first collection.
func warmHeap() {
	const page = 4096
	block := make([]byte, collectAfter)
	for i := 0; i < len(block); i += page {
		block[i] = 1
	}
	runtime.KeepAlive(block)
	measure.Collect()
}

// collecting turns automatic collection on; the returned function collects and turns it off again.
func collecting() (end func()) {
	debug.SetGCPercent(100)
	return func() {
		debug.SetGCPercent(-1)
		measure.Collect()
	}
}

// weigh says how much memory is held. The system does not know that: the runtime keeps free memory.
func (s *server) weigh(q *wire.Weigh) (*wire.WeighAnswer, error) {
	if q.Drop {
		s.dropBatch()
		s.engine, s.problem, s.state = nil, nil, nil
	}
	measure.Collect()
	measure.Collect() // pools let go at the second collection
	return &wire.WeighAnswer{Answer: wire.Yes(), Held: measure.Heap()}, nil
}
