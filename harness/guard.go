package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
)

// failure is how an operation of an algorithm ended if not well.
type failure struct {
	outcome cell.Outcome
	detail  string
	// reason is the detail without what is particular to the case, for counting;
	// "" if nobody said it.
	reason string
	// abandoned is set if the operation had not returned and its goroutine was
	// left behind: the engine must not be used again.
	abandoned bool
	// starting is set if it was the start of a process that failed.
	starting bool
}

// why is the reason, or one made of the outcome and, where it says what is
// missing, of the detail.
func (f *failure) why() string {
	switch {
	case f.reason != "":
		return f.reason
	case f.outcome == cell.Timeout:
		return "beyond the time limit"
	case f.outcome == cell.OutOfMemory:
		return "beyond the memory limit"
	}
	return class(f.detail)
}

// Error is outcome: detail.
func (f *failure) Error() string { return string(f.outcome) + ": " + f.detail }

var (
	errTimeout = errors.New("the time limit is over")
	errMemory  = errors.New("the memory limit is reached")
)

// guard runs operations of algorithms within limits.
type guard struct {
	timeout time.Duration
	memory  int64 // bytes of heap
	// every is how often the heap is looked at.
	every time.Duration
	grace time.Duration
	// behind is what was left behind in this process.
	behind *leftBehind
	// company is nil if operations run one after the other.
	company *company
	// elsewhere is set if operations are those of another process, whose memory is watched by who
	// runs it: what the heap of this one does is not their doing.
	elsewhere bool
	// starting is set if operations start a process: of one that is not done in time the last words
	// tell what it was at.
	starting bool
	// base is the heap that no operation is charged with, since it was there before
	// the first one: documents, vocabularies, grammars.
	base int64
	// peak is the most heap seen in the last call, inUse the part of it that the call
	// was not charged with: see leftBehind.
	peak, inUse int64
}

// grace is how long an operation may take to notice that it was cancelled: long
// enough for one mask of a slow algorithm.
const grace = 3 * time.Second

// beyond is how far over its limit the heap may grow in the grace period before
// the operation is given up on: an engine that goes on allocating would take the
// machine down. Beside others, left behind or running, there is the ceiling for that,
// since the growth may be theirs: the operation has its grace period.
const beyond = 1.5

// collectBefore is the heap from which on the runtime collects all it can: below the
// limit, so that garbage stops no engine.
func collectBefore(g *guard) int64 { return g.memory / 10 * 9 }

// call runs f on a goroutine of its own, locked to a thread, and waits for it. who
// says what it does, for a message if it is left behind. It returns nil, a *failure,
// a *LeftBehindError, or ctx's error if the command was interrupted.
//
// Where operations run at once, f may be called a second time, when the first may
// still be running: see company.
func (g *guard) call(ctx context.Context, who string, f func(ctx context.Context) error) error {
	if g.company == nil {
		return g.callOnce(ctx, who, f)
	}
	err := g.company.among(func() error { return g.callOnce(ctx, who, f) })
	if !maybeAnothers(err) {
		return err
	}
	solo := *g
	solo.company = nil
	return g.company.alone(func() error { return solo.callOnce(ctx, who, f) })
}

// of is the guard of an entry's operations.
func (g *guard) of(e *entry) *guard {
	own := *g
	own.elsewhere = e.outside()
	return &own
}

// callFor is call for an operation with a result, which one that was given up on
// does not touch any more.
func callFor[T any](ctx context.Context, g *guard, who string, f func(ctx context.Context) (T, error)) (T, error) {
	var mu sync.Mutex
	var result T
	err := g.call(ctx, who, func(ctx context.Context) error {
		made, err := f(ctx)
		mu.Lock()
		defer mu.Unlock()
		result = made
		return err
	})
	mu.Lock()
	defer mu.Unlock()
	return result, err
}

// callOnce is call, once.
func (g *guard) callOnce(ctx context.Context, who string, f func(ctx context.Context) error) error {
	g.inUse = g.behind.inUse(g.memory / 8)
	g.behind.allow(collectBefore(g), max(g.inUse, g.base))
	if used := heap(); g.inUse > 0 && used > g.ceiling() {
		return &LeftBehindError{g.behind.names(), used, g.ceiling()}
	}
	inner, cancel := context.WithCancelCause(algorithms.WithMemoryLimit(ctx, g.memory))
	defer cancel(nil)
	op := &operation{who: who}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer g.behind.end(op)
		defer func() {
			v := recover()
			if died, ok := v.(*algorithms.ProcessError); ok { // State.Mask has no other way to say it
				done <- died
			} else if v != nil {
				done <- &failure{outcome: cell.Crash, detail: fmt.Sprintf("panic: %v\n%s", v, debug.Stack())}
			}
		}()
		done <- f(inner)
	}()
	err, returned := g.wait(ctx, done, cancel)
	g.peak = max(g.peak, heap())
	if !returned {
		g.behind.giveUp(op)
	}
	if interrupted := ctx.Err(); interrupted != nil {
		return interrupted
	}
	if returned && err == nil {
		return nil // finished just in time
	}
	return g.ending(err, context.Cause(inner), returned)
}

// ending is the error of an operation that did not end well.
func (g *guard) ending(err, cause error, returned bool) error {
	var full *LeftBehindError
	if errors.As(err, &full) {
		return full
	}
	var ours *algorithms.HarnessError
	if errors.As(err, &ours) {
		return ours // nothing of the engine's
	}
	failed := classify(err, cause, returned, g)
	if failed.outcome != cell.OutOfMemory || g.elsewhere {
		return failed
	}
	runtime.GC() // what it left must not count against the next operation
	if now := heap(); returned && g.inUse > 0 && now-g.inUse > g.memory/2 {
		return &LeftBehindError{g.behind.names(), now, g.inUse}
	}
	return failed
}

// wait waits for the operation, cancels it at a limit, and gives up on it after
// the grace period.
func (g *guard) wait(ctx context.Context, done <-chan error, cancel context.CancelCauseFunc) (err error, returned bool) {
	g.peak = 0
	deadline := time.NewTimer(g.timeout)
	defer deadline.Stop()
	look := time.NewTicker(g.every)
	defer look.Stop()
	interrupt := ctx.Done()
	var giveUp <-chan time.Time
	stop := func(cause error) {
		cancel(cause)
		if giveUp == nil {
			giveUp = time.After(g.grace)
		}
	}
	for {
		select {
		case err := <-done:
			return err, true
		case <-giveUp:
			return nil, false
		case <-interrupt:
			interrupt = nil
			stop(ctx.Err())
		case <-deadline.C:
			stop(errTimeout)
		case <-look.C:
			used := heap()
			g.peak = max(g.peak, used)
			if !g.elsewhere && used-max(g.inUse, g.base) > g.memory {
				stop(errMemory)
			}
			switch mine := g.inUse == 0 && g.company == nil; {
			case mine && g.elsewhere:
			case mine && float64(used-g.base) > beyond*float64(g.memory):
				return nil, false
			case !mine && used > g.ceiling():
				return &LeftBehindError{g.behind.names(), used, g.ceiling()}, false
			}
		}
	}
}

// classify finds the outcome of an operation that did not end well.
func classify(err, cause error, returned bool, g *guard) *failure {
	var failed *failure
	if errors.As(err, &failed) {
		return failed
	}
	var unsupported *algorithms.UnsupportedError
	if errors.As(err, &unsupported) {
		return &failure{outcome: cell.Unsupported, detail: unsupported.Reason}
	}
	var died *algorithms.ProcessError
	f := &failure{abandoned: !returned}
	switch {
	case errors.Is(cause, errTimeout):
		f.outcome, f.detail = cell.Timeout, fmt.Sprintf("not done after %v", g.timeout)
		if g.starting && errors.As(err, &died) {
			f.detail += ": " + died.Detail // in which step, and its last words
		}
	case errors.As(err, &died) && !errors.Is(cause, errMemory):
		f.outcome, f.detail = cell.Outcome(died.Outcome), died.Detail
	case errors.Is(cause, errMemory), !returned:
		f.outcome, f.detail = cell.OutOfMemory, fmt.Sprintf("the heap grew to %d MiB, above the limit of %d MiB", (g.peak-max(g.inUse, g.base))>>20, g.memory>>20)
		if g.inUse > 0 {
			f.detail += fmt.Sprintf(", beside %d MiB that were in use while operations that did not stop were left behind", g.inUse>>20)
		}
	default:
		f.outcome, f.detail = cell.CompileError, err.Error()
	}
	if f.abandoned {
		f.detail += "; it did not stop when told to and was left behind"
	}
	return f
}

const (
	// heapMetric counts live objects and dead ones that are not swept yet.
	heapMetric = "/memory/classes/heap/objects:bytes"
	// liveMetric counts those that the last collection found to be live.
	liveMetric = "/gc/heap/live:bytes"
)

// heap is the size of the heap's objects in bytes.
func heap() int64 { return readMetric(heapMetric) }

// readMetric reads one of the runtime's counters, without stopping the world as
// runtime.ReadMemStats does; 0 if this Go does not have it.
func readMetric(name string) int64 {
	sample := [1]metrics.Sample{{Name: name}}
	metrics.Read(sample[:])
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// collectAll collects until nothing more goes. One collection is not all: pools let go
// at the second, and a cleanup (of a table of weak pointers, say) lets go of more when
// it has run, some time after the collection that found its object dead. Before a group
// is measured nothing of the one before may be left, since its going would be taken
// off what the first engines hold.
func collectAll() {
	const atMost = 8 // a chain of cleanups, each holding the next, as far as anybody has one
	for n := range atMost {
		before := heap()
		collectOnce()
		if n > 0 && before-heap() < before/1000 {
			return
		}
	}
}

// collectOnce collects, and waits until cleanups have begun to run.
func collectOnce() {
	const patience = 1000 // yields
	ran := new(atomic.Bool)
	func() {
		runtime.AddCleanup(new([8]*byte), func(ran *atomic.Bool) { ran.Store(true) }, ran)
	}()
	runtime.GC()
	for n := 0; n < patience && !ran.Load(); n++ {
		runtime.Gosched()
	}
}

// collector keeps garbage collection out of timed operations.
type collector struct {
	mu        sync.Mutex // a walk that was given up on was among those who asked
	since     int64      // bytes allocated when it last collected
	automatic int64      // collections the runtime had begun on its own, at begin
	between   int
	// after is how much may pile up; 0 for collectAfter.
	after int64
}

const (
	allocMetric     = "/gc/heap/allocs:bytes"
	automaticMetric = "/gc/cycles/automatic:gc-cycles"
	// collectAfter is how much garbage may pile up: far below any memory limit,
	// and large enough that a collection (some 10 ms) is rare.
	collectAfter = 256 << 20
)

// begin turns automatic collection off; the returned function turns it on again.
// Where nothing is timed there is no collector, and nothing to do.
func (c *collector) begin() (end func() cell.GC) {
	if c == nil {
		return func() cell.GC { return cell.GC{} }
	}
	percent := debug.SetGCPercent(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.automatic, c.between = readMetric(automaticMetric), 0
	return func() cell.GC {
		debug.SetGCPercent(percent)
		c.mu.Lock()
		defer c.mu.Unlock()
		return cell.GC{Timed: int(readMetric(automaticMetric) - c.automatic), Between: c.between}
	}
}

// maybe collects if much was allocated. It is called between timed operations.
func (c *collector) maybe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	after := c.after
	if after == 0 {
		after = collectAfter
	}
	if now := readMetric(allocMetric); now-c.since > after {
		runtime.GC()
		c.between++
		c.since = readMetric(allocMetric)
	}
}
