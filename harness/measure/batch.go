package measure

import (
	"context"
	"errors"
	"slices"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// A batch is what a server decodes: several generations that advance together by one token a step.
// When one ends, the next request takes its place in the next step (continuous batching). So the
// batch is full until there are no more requests, and then drains.

// A Slot is a generation of a batch: a request and the position whose mask is made in this step.
type Slot struct {
	Request, Position int
}

// A Batch says which requests are in each step. It depends on their lengths alone, not on times.
type Batch struct {
	// Slots are the generations of this step; a Request below 0 is an empty slot.
	Slots   []Slot
	lengths []int
	next    int // the first request that has not begun
}

// NewBatch begins with the first requests. lengths are in steps, one each at least; the width is
// not above their number.
func NewBatch(lengths []int, width int) *Batch {
	b := &Batch{Slots: make([]Slot, width), lengths: lengths}
	for i := range b.Slots {
		b.Slots[i] = b.fresh()
	}
	return b
}

// fresh begins the next request.
func (b *Batch) fresh() Slot {
	if b.next == len(b.lengths) {
		return Slot{-1, 0}
	}
	b.next++
	return Slot{b.next - 1, 0}
}

// Live counts the generations of this step; 0 at the end.
func (b *Batch) Live() (n int) {
	for _, s := range b.Slots {
		if s.Request >= 0 {
			n++
		}
	}
	return n
}

// Advance goes on to the next step.
func (b *Batch) Advance() {
	for i, s := range b.Slots {
		switch {
		case s.Request < 0:
		case s.Position+1 == b.lengths[s.Request]:
			b.Slots[i] = b.fresh()
		default:
			b.Slots[i].Position++
		}
	}
}

// Requests are what a batch decodes.
type Requests struct {
	// Tokens are the oracle tokens of each request; the last is not committed.
	Tokens [][]int32
	// Engine is called, outside of the clock, when a request is about to begin.
	Engine func(ctx context.Context, request int) (algorithms.Engine, error)
	// Check gets every mask, outside of the clock. Its error ends the walk.
	Check func(request, position int, mask algorithms.Mask) error

	Width   int // generations at a time
	Threads int // that commit tokens and make masks
	Size    int // |V|
	Clock   environment.Clock
	Collect *Collector
	// StolenNS is set by Time: how long something else had the core during steps, of one thread.
	StolenNS int64
}

// RequestError is an error about one of the Requests.
type RequestError struct {
	Request int
	Err     error
}

// Error is that of the cause; the caller knows what the request is.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// Time decodes all requests and returns the time of each step in ns: the starts of generations that
// begin, all commits of the step before, and all masks, until every row of the batch stands there.
//
// Between two steps are only the checks: the logits of a batch stay on the accelerator. One thread
// is pinned to a core, and goes on as a walk of one generation does. Several are algorithms.Workers
// on any cores; between two steps they get the time to fall asleep, as while a model computes, and
// a step wakes them.
//
// An engine that is Batching makes the steps itself, in its own process.
//
// Errors are a *RequestError (of a *RefusedError, or what Check or Engine said), or ctx's.
func (r *Requests) Time(ctx context.Context) (ns []int64, err error) {
	err = onThreads(r.Threads, func() error {
		w := &batchWalk{Requests: r}
		defer w.close()
		ns, err = w.time(ctx)
		return err
	})
	return ns, err
}

// onThreads runs f, which uses some threads: one is pinned to a core.
func onThreads(threads int, f func() error) (err error) {
	if threads == 1 {
		_, release := environment.Pin()
		defer release()
		return f()
	}
	defer Procs(threads)()
	// The caller's goroutine may be locked to a thread, which the others would have to wake.
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		err = f()
	}()
	if v := <-ended; v != nil {
		panic(v)
	}
	return err
}

// batchWalk is a walk of a batch. Its steps are made by slots here, or by the process of an engine.
type batchWalk struct {
	*Requests
	slots *Slots   // nil as long as no engine of this process has begun
	last  Batching // the engine that began last in another process; nil for none

	ns     []int64
	script [][]int32 // what each slot does in the steps that come next
	live   [][]Slot  // who is in them
}

func (w *batchWalk) close() {
	if w.slots != nil {
		w.slots.Close()
	}
}

// time walks: stretches of steps, each up to the next one in which a request begins, so that its
// engine is ready.
func (w *batchWalk) time(ctx context.Context) ([]int64, error) {
	lengths := make([]int, len(w.Tokens))
	for i, tokens := range w.Tokens {
		lengths[i] = len(tokens)
	}
	w.StolenNS = 0
	for b := NewBatch(lengths, w.Width); b.Live() > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.begin(ctx, b.Slots); err != nil {
			return nil, err
		}
		w.script, w.live = w.script[:0], w.live[:0]
		for begins := false; b.Live() > 0 && !begins; begins = slices.ContainsFunc(b.Slots, Slot.begins) {
			w.script, w.live = append(w.script, w.tokens(b.Slots)), append(w.live, slices.Clone(b.Slots))
			b.Advance()
		}
		advance := w.here
		if w.last != nil {
			advance = w.outside
		}
		if err := advance(ctx); err != nil {
			return nil, err
		}
	}
	return w.ns, nil
}

// begins reports whether a slot's request starts in this step.
func (s Slot) begins() bool { return s.Request >= 0 && s.Position == 0 }

// begin has the engines of the requests that begin ready.
func (w *batchWalk) begin(ctx context.Context, slots []Slot) error {
	for i, s := range slots {
		if !s.begins() {
			continue
		}
		engine, err := w.Engine(ctx, s.Request)
		if err == nil {
			err = w.hold(ctx, i, engine)
		}
		if err != nil {
			return &RequestError{s.Request, err}
		}
	}
	return nil
}

// hold has the generations of a slot be an engine's.
func (w *batchWalk) hold(ctx context.Context, slot int, e algorithms.Engine) error {
	if e, ok := e.(Batching); ok {
		first := w.last == nil
		w.last = e
		return e.Hold(ctx, slot, first)
	}
	if w.slots == nil {
		w.slots = NewSlots(w.Width, w.Threads, w.Size)
	}
	w.slots.Hold(slot, e)
	return nil
}

// tokens are what slots do in a step: a token that is committed, Begins or Empty.
func (w *batchWalk) tokens(slots []Slot) []int32 {
	tokens := make([]int32, len(slots))
	for i, s := range slots {
		switch {
		case s.Request < 0:
			tokens[i] = Empty
		case s.Position == 0:
			tokens[i] = Begins
		default:
			tokens[i] = w.Tokens[s.Request][s.Position-1]
		}
	}
	return tokens
}

// here makes the steps of the script in this process.
func (w *batchWalk) here(ctx context.Context) error {
	for step, tokens := range w.script {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.Collect.Maybe()
		w.slots.Settle()
		took, refused := w.slots.Step(tokens)
		if refused >= 0 {
			return w.refused(step, refused)
		}
		if err := w.stepped(step, took-w.Clock.EmptyNS, w.slots.Row); err != nil {
			return err
		}
	}
	w.StolenNS = w.slots.StolenNS
	return nil
}

// outside has the engine's process make them.
func (w *batchWalk) outside(ctx context.Context) error {
	s := &Script{Width: w.Width, Threads: w.Threads, Steps: w.script, Stepped: w.stepped}
	err := w.last.AdvanceBatch(ctx, s)
	w.StolenNS += s.StolenNS
	var refused *SlotError
	if errors.As(err, &refused) {
		return w.refused(refused.Step, refused.Slot)
	}
	return err
}

// refused is the error of a slot whose commit refuses a token that its mask allows.
func (w *batchWalk) refused(step, slot int) error {
	s := w.live[step][slot]
	return &RequestError{s.Request, &RefusedError{Position: s.Position - 1, Token: int(w.script[step][slot]), ByCommit: true}}
}

// stepped takes the time of a step and looks at its masks.
func (w *batchWalk) stepped(step int, ns float64, row func(slot int) []uint64) error {
	w.ns = append(w.ns, max(0, int64(ns)))
	for i, s := range w.live[step] {
		if s.Request < 0 {
			continue
		}
		mask := algorithms.MaskOf(row(i), w.Size)
		if token := int(w.Tokens[s.Request][s.Position]); !mask.Has(token) {
			return &RequestError{s.Request, &RefusedError{Position: s.Position, Token: token}}
		}
		if err := w.Check(s.Request, s.Position, mask); err != nil {
			return &RequestError{s.Request, err}
		}
	}
	return nil
}
