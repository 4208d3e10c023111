package psc

import (
	"runtime"
	"sync/atomic"
	"time"
	"weak"

	"gcdbench/algorithms"
)

// With compile=background the offline phase of an eager engine runs beside the generations, on a
// processor of its own, while the model computes its first tokens. Until it is done they decode as
// with a lazy engine, in a core of their own: nobody waits for the builder, and the builder waits
// for nobody. Once it is done they go on in the core that it built, and the lazy one is garbage.
// Building so is not free. It needs the processor, it takes memory bandwidth from whoever else
// runs, and what was built lazily is built twice. The time that it took is a counter
// (algorithms.BesideSeconds), and belongs to the bill.

// A background is a builder that works beside the generations of its engine.
type background struct {
	*builder
	took atomic.Int64 // ns so far
	done atomic.Bool
}

// buildBeside builds everything on a goroutine that ends when all is built, or the engine is
// garbage.
func (e *engine) buildBeside(limit budget) {
	e.background = &background{builder: newBuilder(newCoreOver(e, false, e.problem, e.core.Load().auto.spans), limit)}
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

// slice builds some states, and gives the generations the core once there are all. It tells whether
// there is more to do.
func (b *background) slice(e *engine) (more bool) {
	begin := time.Now()
	c := b.core
	c.mu.Lock()
	more = b.some()
	c.mu.Unlock()
	if !more {
		c.settle()
		c.builtAhead = c.things()
		e.core.Store(c)
	}
	b.took.Add(int64(time.Since(begin)))
	b.done.Store(!more)
	return more
}

// counter is the time that the builder took so far.
func (b *background) counter() algorithms.Counter {
	return algorithms.Counter{Name: algorithms.BesideSeconds, Value: time.Duration(b.took.Load()).Seconds(), Unit: "s"}
}
