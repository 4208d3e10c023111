// Package bounds stands between the harness and the algorithms: a panic, an endless loop and a
// growing heap become outcomes, and an operation that does not end is abandoned.
package bounds

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/cell"
	"gcdbench/harness/measure"
)

// Failure is how an operation of an algorithm ended if not well.
type Failure struct {
	Outcome cell.Outcome
	Detail  string
	// Reason is a short form of detail, the same for all cases of one kind, for counting; "" if the
	// operation gave none.
	Reason string
	// Abandoned is set if the operation did not return: the engine must not be used again.
	Abandoned bool
	// Starting is set if the start of a process failed.
	Starting bool
}

// NotAgain is the failure of an engine that is not called again on a unit, since it did not return
// from a document.
func (f *Failure) NotAgain(id string) *Failure {
	return &Failure{Outcome: f.Outcome, Detail: "not called again after it did not return on " + id + ": " + f.Detail}
}

// MaxAbandoned is how many operations of an algorithm may be abandoned before it is not called for
// the rest of a group: each of them takes processor time from all measurements.
const MaxAbandoned = 3

// NotCalled is the failure of an algorithm of which n operations were abandoned; nil if it is still
// called.
func NotCalled(n int) *Failure {
	if n < MaxAbandoned {
		return nil
	}
	return &Failure{Outcome: cell.Timeout, Detail: fmt.Sprintf("not called any more after it did not return %d times", n), Reason: "not called any more"}
}

// Why is the reason, or a reason made of the outcome or the detail.
func (f *Failure) Why() string {
	switch {
	case f.Reason != "":
		return f.Reason
	case f.Outcome == cell.Timeout:
		return "beyond the time limit"
	case f.Outcome == cell.OutOfMemory:
		return "beyond the memory limit"
	}
	return Class(f.Detail)
}

// Error is outcome: detail.
func (f *Failure) Error() string { return string(f.Outcome) + ": " + f.Detail }

var (
	errTimeout = errors.New("the time limit is over")
	errMemory  = errors.New("the memory limit is reached")
)

// Guard runs operations of algorithms within limits.
type Guard struct {
	Timeout time.Duration
	Memory  int64         // limit of the heap, in bytes
	Every   time.Duration // between two readings of the heap
	Grace   time.Duration // see the constant
	// Abandoned are the operations of this process that did not return.
	Abandoned *Abandoned
	// Concurrency is nil if operations run one after the other.
	Concurrency *concurrency
	// Elsewhere is set if operations run in another process, whose memory its starter watches: they
	// do not cause the growth of this process's heap.
	Elsewhere bool
	// Starting is set if operations start a process: at a timeout its last words tell how far it was.
	Starting bool
	// Base is the part of the heap, in bytes, that was there before the first operation (documents,
	// vocabularies, grammars). No operation is charged with it.
	Base int64
	// Peak is the largest heap seen in the last call, inUse the part of it that the call was not
	// charged with (see abandoned), both in bytes.
	Peak, inUse int64
}

// Grace is how long an operation may take to notice its cancellation: long enough for one mask of a
// slow algorithm.
const Grace = 3 * time.Second

// beyond is by which factor the heap may exceed the limit in the grace period before the operation
// is abandoned: an engine that goes on allocating would take the machine down. Beside other
// operations the growth may be theirs; then only the ceiling ends the grace period.
const beyond = 1.5

// collectBefore is the runtime's own memory limit, in bytes. It is below the guard's, so that
// garbage stops no engine.
func collectBefore(g *Guard) int64 { return g.Memory / 10 * 9 }

// Call runs f on a goroutine of its own, locked to a thread, and waits for it. who describes the
// operation in messages. It returns nil, a *failure, an *AbandonedError, or ctx's error if the
// command was interrupted.
//
// Where operations run at once, f may be called a second time while the first call still runs: see
// concurrency.
func (g *Guard) Call(ctx context.Context, who string, f func(ctx context.Context) error) error {
	if g.Concurrency == nil {
		return g.callOnce(ctx, who, f)
	}
	err := g.Concurrency.shared(func() error { return g.callOnce(ctx, who, f) })
	if !maybeAnothers(err) {
		return err
	}
	solo := *g
	solo.Concurrency = nil
	return g.Concurrency.alone(func() error { return solo.callOnce(ctx, who, f) })
}

// CallFor is call for an operation with a result. An abandoned operation does not change the result
// later.
func CallFor[T any](ctx context.Context, g *Guard, who string, f func(ctx context.Context) (T, error)) (T, error) {
	var mu sync.Mutex
	var result T
	err := g.Call(ctx, who, func(ctx context.Context) error {
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
func (g *Guard) callOnce(ctx context.Context, who string, f func(ctx context.Context) error) error {
	g.inUse = g.Abandoned.inUse(g.Memory / 8)
	g.Abandoned.allow(collectBefore(g), max(g.inUse, g.Base))
	if used := measure.Heap(); g.inUse > 0 && used > g.ceiling() {
		return &AbandonedError{g.Abandoned.Names(), used, g.ceiling()}
	}
	inner, cancel := context.WithCancelCause(algorithms.WithMemoryLimit(ctx, g.Memory))
	defer cancel(nil)
	op := &operation{who: who}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer g.Abandoned.end(op)
		defer func() {
			v := recover()
			if died, ok := v.(*algorithms.ProcessError); ok { // State.Mask has no other way to say it
				done <- died
			} else if v != nil {
				done <- &Failure{Outcome: cell.Crash, Detail: fmt.Sprintf("panic: %v\n%s", v, debug.Stack())}
			}
		}()
		done <- f(inner)
	}()
	err, returned := g.wait(ctx, done, cancel)
	g.Peak = max(g.Peak, measure.Heap())
	if !returned {
		g.Abandoned.abandon(op)
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
func (g *Guard) ending(err, cause error, returned bool) error {
	var full *AbandonedError
	if errors.As(err, &full) {
		return full
	}
	var ours *algorithms.HarnessError
	if errors.As(err, &ours) {
		return ours // not the engine's fault
	}
	failed := classify(err, cause, returned, g)
	if failed.Outcome != cell.OutOfMemory || g.Elsewhere {
		return failed
	}
	measure.Collect() // its garbage must not count against the next operation
	if now := measure.Heap(); returned && g.inUse > 0 && now-g.inUse > g.Memory/2 {
		return &AbandonedError{g.Abandoned.Names(), now, g.inUse}
	}
	return failed
}

// wait waits for the operation, cancels it at a limit, and abandons it after the grace period.
func (g *Guard) wait(ctx context.Context, done <-chan error, cancel context.CancelCauseFunc) (err error, returned bool) {
	g.Peak = 0
	deadline := time.NewTimer(g.Timeout)
	defer deadline.Stop()
	look := time.NewTicker(g.Every)
	defer look.Stop()
	interrupt := ctx.Done()
	var abandon <-chan time.Time
	stop := func(cause error) {
		cancel(cause)
		if abandon == nil {
			abandon = time.After(g.Grace)
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
			g.Peak = max(g.Peak, used)
			if !g.Elsewhere && used-max(g.inUse, g.Base) > g.Memory {
				stop(errMemory)
			}
			switch mine := g.inUse == 0 && g.Concurrency == nil; {
			case mine && g.Elsewhere:
			case mine && float64(used-g.Base) > beyond*float64(g.Memory):
				return nil, false
			case !mine && used > g.ceiling():
				return &AbandonedError{g.Abandoned.Names(), used, g.ceiling()}, false
			}
		}
	}
}

// classify finds the outcome of an operation that did not end well.
func classify(err, cause error, returned bool, g *Guard) *Failure {
	var failed *Failure
	if errors.As(err, &failed) {
		return failed
	}
	var unsupported *algorithms.UnsupportedError
	if errors.As(err, &unsupported) {
		return &Failure{Outcome: cell.Unsupported, Detail: unsupported.Reason}
	}
	var died *algorithms.ProcessError
	f := &Failure{Abandoned: !returned}
	switch {
	case errors.Is(cause, errTimeout):
		f.Outcome, f.Detail = cell.Timeout, fmt.Sprintf("not done after %v", g.Timeout)
		if g.Starting && errors.As(err, &died) {
			f.Detail += ": " + died.Detail // in which step, and its last words
		}
	case errors.As(err, &died) && !errors.Is(cause, errMemory):
		f.Outcome, f.Detail = cell.Outcome(died.Outcome), died.Detail
	case errors.Is(cause, errMemory), !returned:
		f.Outcome, f.Detail = cell.OutOfMemory, fmt.Sprintf("the heap grew to %d MiB, above the limit of %d MiB", (g.Peak-max(g.inUse, g.Base))>>20, g.Memory>>20)
		if g.inUse > 0 {
			f.Detail += fmt.Sprintf(", beside %d MiB that were in use while abandoned operations ran", g.inUse>>20)
		}
	default:
		f.Outcome, f.Detail = cell.CompileError, err.Error()
	}
	if f.Abandoned {
		f.Detail += "; it did not stop when told to and was abandoned"
	}
	return f
}

// quoted matches the parts of a message that quote its schema.
var quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")

// Class is the part of a message that is the same for all messages of its kind: its first line,
// without quotations.
func Class(message string) string {
	const longest = 100 // characters; a row of a table
	message, _, _ = strings.Cut(message, "\n")
	message = quoted.ReplaceAllString(message, `"..."`)
	if r := []rune(message); len(r) > longest {
		message = string(r[:longest]) + "..."
	}
	return message
}
