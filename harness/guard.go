package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// failure is how an operation of an algorithm ended if not well.
type failure struct {
	outcome cell.Outcome
	detail  string
	// reason is a short form of detail, the same for all cases of one kind, for counting; "" if the
	// operation gave none.
	reason string
	// abandoned is set if the operation did not return: the engine must not be used again.
	abandoned bool
	// starting is set if the start of a process failed.
	starting bool
}

// notAgain is the failure of an engine that is not called again on a unit, since it did not return
// from a document.
func (f *failure) notAgain(id string) *failure {
	return &failure{outcome: f.outcome, detail: "not called again after it did not return on " + id + ": " + f.detail}
}

// maxAbandoned is how many operations of an algorithm may be abandoned before it is not called for
// the rest of a group: each of them takes processor time from all measurements.
const maxAbandoned = 3

// notCalled is the failure of an algorithm of which n operations were abandoned; nil if it is still
// called.
func notCalled(n int) *failure {
	if n < maxAbandoned {
		return nil
	}
	return &failure{outcome: cell.Timeout, detail: fmt.Sprintf("not called any more after it did not return %d times", n), reason: "not called any more"}
}

// why is the reason, or a reason made of the outcome or the detail.
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
	memory  int64         // limit of the heap, in bytes
	every   time.Duration // between two readings of the heap
	grace   time.Duration // see the constant
	// abandoned are the operations of this process that did not return.
	abandoned *abandoned
	// concurrency is nil if operations run one after the other.
	concurrency *concurrency
	// elsewhere is set if operations run in another process, whose memory its starter watches: they
	// do not cause the growth of this process's heap.
	elsewhere bool
	// starting is set if operations start a process: at a timeout its last words tell how far it was.
	starting bool
	// base is the part of the heap, in bytes, that was there before the first operation (documents,
	// vocabularies, grammars). No operation is charged with it.
	base int64
	// peak is the largest heap seen in the last call, inUse the part of it that the call was not
	// charged with (see abandoned), both in bytes.
	peak, inUse int64
}

// grace is how long an operation may take to notice its cancellation: long enough for one mask of a
// slow algorithm.
const grace = 3 * time.Second

// beyond is by which factor the heap may exceed the limit in the grace period before the operation
// is abandoned: an engine that goes on allocating would take the machine down. Beside other
// operations the growth may be theirs; then only the ceiling ends the grace period.
const beyond = 1.5

// collectBefore is the runtime's own memory limit, in bytes. It is below the guard's, so that
// garbage stops no engine.
func collectBefore(g *guard) int64 { return g.memory / 10 * 9 }

// call runs f on a goroutine of its own, locked to a thread, and waits for it. who describes the
// operation in messages. It returns nil, a *failure, an *AbandonedError, or ctx's error if the
// command was interrupted.
//
// Where operations run at once, f may be called a second time while the first call still runs: see
// concurrency.
func (g *guard) call(ctx context.Context, who string, f func(ctx context.Context) error) error {
	if g.concurrency == nil {
		return g.callOnce(ctx, who, f)
	}
	err := g.concurrency.shared(func() error { return g.callOnce(ctx, who, f) })
	if !maybeAnothers(err) {
		return err
	}
	solo := *g
	solo.concurrency = nil
	return g.concurrency.alone(func() error { return solo.callOnce(ctx, who, f) })
}

// of is the guard of an entry's operations.
func (g *guard) of(e *entry) *guard {
	own := *g
	own.elsewhere = e.outside()
	return &own
}

// callFor is call for an operation with a result. An abandoned operation does not change the result
// later.
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
	g.inUse = g.abandoned.inUse(g.memory / 8)
	g.abandoned.allow(collectBefore(g), max(g.inUse, g.base))
	if used := measure.Heap(); g.inUse > 0 && used > g.ceiling() {
		return &AbandonedError{g.abandoned.names(), used, g.ceiling()}
	}
	inner, cancel := context.WithCancelCause(algorithms.WithMemoryLimit(ctx, g.memory))
	defer cancel(nil)
	op := &operation{who: who}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer g.abandoned.end(op)
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
	g.peak = max(g.peak, measure.Heap())
	if !returned {
		g.abandoned.abandon(op)
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
	var full *AbandonedError
	if errors.As(err, &full) {
		return full
	}
	var ours *algorithms.HarnessError
	if errors.As(err, &ours) {
		return ours // not the engine's fault
	}
	failed := classify(err, cause, returned, g)
	if failed.outcome != cell.OutOfMemory || g.elsewhere {
		return failed
	}
	runtime.GC() // its garbage must not count against the next operation
	if now := measure.Heap(); returned && g.inUse > 0 && now-g.inUse > g.memory/2 {
		return &AbandonedError{g.abandoned.names(), now, g.inUse}
	}
	return failed
}

// wait waits for the operation, cancels it at a limit, and abandons it after the grace period.
func (g *guard) wait(ctx context.Context, done <-chan error, cancel context.CancelCauseFunc) (err error, returned bool) {
	g.peak = 0
	deadline := time.NewTimer(g.timeout)
	defer deadline.Stop()
	look := time.NewTicker(g.every)
	defer look.Stop()
	interrupt := ctx.Done()
	var abandon <-chan time.Time
	stop := func(cause error) {
		cancel(cause)
		if abandon == nil {
			abandon = time.After(g.grace)
		}
	}
	for {
		select {
		case err := <-done:
			return err, true
		case <-abandon:
			return nil, false
		case <-interrupt:
			interrupt = nil
			stop(ctx.Err())
		case <-deadline.C:
			stop(errTimeout)
		case <-look.C:
			used := measure.Heap()
			g.peak = max(g.peak, used)
			if !g.elsewhere && used-max(g.inUse, g.base) > g.memory {
				stop(errMemory)
			}
			switch mine := g.inUse == 0 && g.concurrency == nil; {
			case mine && g.elsewhere:
			case mine && float64(used-g.base) > beyond*float64(g.memory):
				return nil, false
			case !mine && used > g.ceiling():
				return &AbandonedError{g.abandoned.names(), used, g.ceiling()}, false
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
			f.detail += fmt.Sprintf(", beside %d MiB that were in use while abandoned operations ran", g.inUse>>20)
		}
	default:
		f.outcome, f.detail = cell.CompileError, err.Error()
	}
	if f.abandoned {
		f.detail += "; it did not stop when told to and was abandoned"
	}
	return f
}
