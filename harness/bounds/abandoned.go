package bounds

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"gcdbench/harness/cell"
	"gcdbench/harness/environment"
	"gcdbench/harness/measure"
)

// An operation that ignores cancellation cannot be stopped. It is abandoned, and keeps the memory
// it holds: perhaps more than one operation may have. The heap belongs to the whole process, so the
// next operation would be charged with that memory. The process therefore records its abandoned
// operations. While one of them runs:
//
//   - an operation is charged with the growth of the heap since it began, not with the whole heap;
//   - growth beyond the limit that stays after the operation has returned and garbage is collected
//     belongs to an abandoned operation that goes on growing;
//   - such growth, and a heap above a ceiling, ends the command with an *AbandonedError: nothing in
//     this process can be charged rightly any more, or not for long. A new process can, and goes on
//     where this one stopped.
//
// The runtime's memory limit is raised by as much. Left at its limit, the runtime would collect
// without end.

// operation is one call of a guard.
type operation struct {
	who   string
	ended bool // guarded by abandoned.mu
}

// Abandoned are the operations that were abandoned and have not returned.
type Abandoned struct {
	mu      sync.Mutex
	running []*operation
	// garbage is set if one of them returned, and its memory is not collected yet.
	garbage bool
	// allowed is by how many bytes the runtime's limit was raised.
	allowed int64
}

// OfProcess are the abandoned operations of this process, as the heap is the process's.
var OfProcess Abandoned

// abandon records an operation, unless it returned in this moment.
func (b *Abandoned) abandon(op *operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !op.ended {
		b.running = append(b.running, op)
	}
}

// end records that an operation has returned, abandoned or not.
func (b *Abandoned) end(op *operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	op.ended = true
	for i, left := range b.running {
		if left == op {
			b.running = append(b.running[:i:i], b.running[i+1:]...)
			b.garbage = true
			return
		}
	}
}

// inUse is the part of the heap that an operation that begins now is not charged with, in bytes:
// the heap in use if an abandoned operation runs, else 0. It may be up to slack bytes of garbage
// too high: an exact figure would need a collection for every operation.
func (b *Abandoned) inUse(slack int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.garbage || len(b.running) > 0 && measure.Heap()-measure.LiveHeap() > slack {
		measure.Collect()
		b.garbage = false
	}
	if len(b.running) == 0 {
		return 0
	}
	return measure.Heap()
}

// allow sets the runtime's memory limit to before + inUse bytes.
func (b *Abandoned) allow(before, inUse int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if inUse != b.allowed {
		b.allowed = inUse
		debug.SetMemoryLimit(before + inUse)
	}
}

// Count is how many abandoned operations run now.
func (b *Abandoned) Count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running)
}

// Names lists the abandoned operations for a person.
func (b *Abandoned) Names() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, op := range b.running {
		names = append(names, op.who)
	}
	return strings.Join(names, ", ")
}

// AbandonedError says that abandoned operations hold so much memory, or allocate so much more, that
// the command cannot go on beside them. The results so far are kept.
type AbandonedError struct {
	Who          string // the operations
	Used, Beyond int64  // the heap, and the size that it must not reach, in bytes
}

// Error names the operations and the size of the heap, and says what to do.
func (e *AbandonedError) Error() string {
	return fmt.Sprintf("operations that did not stop when told to go on and hold memory (%s): the heap is at %d MiB, which is too much beyond %d MiB; "+
		"what was measured is kept, and a run goes on there when it is started again; if it ends here once more, take that algorithm out of the configuration",
		e.Who, e.Used>>20, e.Beyond>>20)
}

// EndsAll reports whether an error of a guard ends the command, and not one operation.
func EndsAll(ctx context.Context, err error) bool {
	var full *AbandonedError
	return errors.As(err, &full) || err != nil && ctx.Err() != nil
}

// machineMemory is the size of the machine's memory in bytes.
var machineMemory = sync.OnceValue(environment.Memory)

// ceiling is the size of the heap at which a command ends: room for two operations that were
// abandoned at `beyond` times their limit, if the machine has that much.
func (g *Guard) ceiling() int64 {
	most := int64(2 * beyond * float64(g.Memory))
	if machine := machineMemory(); machine > 0 {
		most = min(most, machine/10*9)
	}
	return most
}

// LimitCollector sets the runtime's memory limit below the guard's, until the returned function is
// called: garbage then stops no operation.
func LimitCollector(g *Guard) (end func()) {
	before := debug.SetMemoryLimit(collectBefore(g))
	g.Abandoned.mu.Lock()
	g.Abandoned.allowed = 0
	g.Abandoned.mu.Unlock()
	return func() { debug.SetMemoryLimit(before) }
}

// concurrency lets operations run at once, as those of Verify do, or one of them alone. They share
// the heap, so an operation that exceeds the limit may be the victim of another: it runs again
// alone, and the second run decides.
type concurrency struct {
	queue chan struct{} // held while waiting for slots
	slots chan struct{} // one for each operation that runs
}

// NewConcurrency is for as many operations as there are processors.
func NewConcurrency() *concurrency {
	return &concurrency{make(chan struct{}, 1), make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// shared runs an operation beside others.
func (c *concurrency) shared(f func() error) error {
	c.queue <- struct{}{}
	c.slots <- struct{}{}
	<-c.queue
	defer func() { <-c.slots }()
	return f()
}

// alone runs an operation after all others have ended, and before any new one begins.
func (c *concurrency) alone(f func() error) error {
	c.queue <- struct{}{}
	defer func() { <-c.queue }()
	for range cap(c.slots) {
		c.slots <- struct{}{}
		defer func() { <-c.slots }()
	}
	measure.Collect() // the garbage of the others
	return f()
}

// maybeAnothers reports whether an operation ended for the size of the heap, which others may have
// caused. An operation that did not return after the grace period caused it itself.
func maybeAnothers(err error) bool {
	var failed *Failure
	var full *AbandonedError
	return errors.As(err, &full) || errors.As(err, &failed) && failed.Outcome == cell.OutOfMemory && !failed.Abandoned
}
