package psc

import (
	"runtime"
	"sync/atomic"
	"time"
	"weak"

	"gcdbench/algorithms"
)

// With compile=background the offline phase of an eager engine runs beside the generations, on a
// core of its own, while the model computes its first tokens: the first mask does not wait for it,
// and after the seconds that it takes an eager engine is there. It is not free. It needs the core,
// it takes memory bandwidth from whoever else runs, and a mask that meets something unbuilt may
// wait until the builder gives way, after the state that it is at. The time that it took is a
// counter (algorithms.BesideSeconds), and belongs to the bill.

// A background is a builder that works beside the generations of its engine.
type background struct {
	*builder
	took atomic.Int64 // ns so far
	done atomic.Bool
}

// buildBeside builds everything on a goroutine that ends when all is built, or the engine is
// garbage, or has started over with another core.
func (e *engine) buildBeside(limit budget) {
	e.background = &background{builder: newBuilder(e.core.Load(), limit)}
	go func(of weak.Pointer[engine]) {
		for {
			e := of.Value()
			if e == nil || !e.background.slice(e) {
				return
			}
			e = nil // while it gives way, the engine may become garbage
			runtime.Gosched()
		}
	}(weak.Make(e))
}

// slice builds some states. It tells whether there is more to do.
func (b *background) slice(e *engine) (more bool) {
	begin := time.Now()
	c := b.core
	if q, ok := b.upcoming(); ok && len(b.starts)+len(b.todo) == 0 {
		c.auto.spans.Shared(q) // not under the lock
	}
	for c.mu.wanted() {
		runtime.Gosched()
	}
	c.mu.Lock()
	more = e.core.Load() == c && b.some()
	c.mu.Unlock()
	b.took.Add(int64(time.Since(begin)))
	b.done.Store(!more)
	return more
}

// counter is the time that the builder took so far.
func (b *background) counter() algorithms.Counter {
	return algorithms.Counter{Name: algorithms.BesideSeconds, Value: time.Duration(b.took.Load()).Seconds(), Unit: "s"}
}
