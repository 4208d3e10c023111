package harness

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
)

// An operation that ignores cancellation cannot be stopped, only left behind, and it keeps what it holds:
// perhaps more than a whole operation may have. The heap is the process's, so whoever comes next would be
// charged with it. Therefore the process knows what it left behind and has not returned. While there is any:
//
//   - an operation is charged with what the heap grows by from its beginning, and not with the whole heap;
//   - growth beyond its limit that stays when the operation has returned and garbage is collected is not its
//     own, but of one that was left behind and goes on growing;
//   - this, and a heap above a ceiling, ends the command with a *LeftBehindError: nothing in this process can
//     be charged rightly any more, or for long. A new process can, and goes on where this one stopped.
//
// The runtime, too, is told that so much more is in use. Left at its limit, it would collect without end.

// operation is one call of a guard.
type operation struct {
	who   string
	ended bool // guarded by leftBehind.mu
}

// leftBehind are operations that were given up on and have not returned.
type leftBehind struct {
	mu      sync.Mutex
	running []*operation
	// garbage is set if one of them returned, and what it held is not collected yet.
	garbage bool
	// allowed is what the runtime was told to be in use beyond the limit.
	allowed int64
}

// behind is that of the process, as the heap is.
var behind leftBehind

// giveUp leaves an operation behind, unless it returned in this moment.
func (b *leftBehind) giveUp(op *operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !op.ended {
		b.running = append(b.running, op)
	}
}

// end says that an operation has returned, left behind or not.
func (b *leftBehind) end(op *operation) {
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

// inUse is the part of the heap that an operation that begins now is not charged
// with: 0 if nothing is left behind, and otherwise what is in use. It may be up to
// slack bytes of garbage too high: without that, every operation would need a
// collection of its own.
func (b *leftBehind) inUse(slack int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.garbage || len(b.running) > 0 && heap()-readMetric(liveMetric) > slack {
		runtime.GC()
		b.garbage = false
	}
	if len(b.running) == 0 {
		return 0
	}
	return heap()
}

// allow has the runtime collect all it can from before + inUse bytes on.
func (b *leftBehind) allow(before, inUse int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if inUse != b.allowed {
		b.allowed = inUse
		debug.SetMemoryLimit(before + inUse)
	}
}

// count is how many are left behind now.
func (b *leftBehind) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running)
}

// names are who is left behind, as a list for a person.
func (b *leftBehind) names() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, op := range b.running {
		names = append(names, op.who)
	}
	return strings.Join(names, ", ")
}

// LeftBehindError says that operations that did not stop when told to hold so much
// memory, or go on allocating, that the command cannot go on beside them. What it
// measured is kept.
type LeftBehindError struct {
	Who          string // the operations
	Used, Beyond int64  // bytes: the heap, and what it must not reach
}

// Error says who, how much, and what to do.
func (e *LeftBehindError) Error() string {
	return fmt.Sprintf("operations that did not stop when told to go on and hold memory (%s): the heap is at %d MiB, which is too much beyond %d MiB; "+
		"what was measured is kept, and a run goes on there when it is started again; if it ends here once more, take that algorithm out of the configuration",
		e.Who, e.Used>>20, e.Beyond>>20)
}

// endsAll reports whether an error of a guard is about no operation, but ends the
// command.
func endsAll(ctx context.Context, err error) bool {
	var full *LeftBehindError
	return errors.As(err, &full) || err != nil && ctx.Err() != nil
}

// machineMemory is the machine's memory, which does not change.
var machineMemory = sync.OnceValue(environment.Memory)

// ceiling is the heap, with all that was left behind, at which a command ends: room
// for two operations that were given up on at `beyond` their limit, if the machine
// has that.
func (g *guard) ceiling() int64 {
	most := int64(2 * beyond * float64(g.memory))
	if machine := machineMemory(); machine > 0 {
		most = min(most, machine/10*9)
	}
	return most
}

// limitCollector has the runtime collect all it can before an operation reaches the
// guard's limit, until the returned function is called.
func limitCollector(g *guard) (end func()) {
	before := debug.SetMemoryLimit(collectBefore(g))
	g.behind.mu.Lock()
	g.behind.allowed = 0
	g.behind.mu.Unlock()
	return func() { debug.SetMemoryLimit(before) }
}

// company are operations that run at once, as those of Verify do. They share the heap,
// so one that is found beyond a limit may be the victim of another; it is run again
// with no other beside it, and only that counts.
type company struct {
	turn  chan struct{} // held while taking seats
	seats chan struct{} // one for each that runs
}

// newCompany is for as many operations as there are processors.
func newCompany() *company {
	return &company{make(chan struct{}, 1), make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// among runs an operation among others.
func (c *company) among(f func() error) error {
	c.turn <- struct{}{}
	c.seats <- struct{}{}
	<-c.turn
	defer func() { <-c.seats }()
	return f()
}

// alone waits until the others are done, and holds new ones off.
func (c *company) alone(f func() error) error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	for range cap(c.seats) {
		c.seats <- struct{}{}
		defer func() { <-c.seats }()
	}
	runtime.GC() // what the others left
	return f()
}

// maybeAnothers reports whether an operation among others ended for what the heap holds,
// and may be innocent: who has not even returned after the grace period is not.
func maybeAnothers(err error) bool {
	var failed *failure
	var full *LeftBehindError
	return errors.As(err, &full) || errors.As(err, &failed) && failed.outcome == cell.OutOfMemory && !failed.abandoned
}
