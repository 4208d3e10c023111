package measure

import (
	"context"
	"runtime"
	"time"

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
// Errors are a *RequestError (of a *RefusedError, or what Check or Engine said), or ctx's.
func (r *Requests) Time(ctx context.Context) (ns []int64, err error) {
	if r.Threads == 1 {
		_, release := environment.Pin()
		defer release()
		return r.time(ctx)
	}
	before := runtime.GOMAXPROCS(r.Threads)
	defer runtime.GOMAXPROCS(before)
	// The caller's goroutine may be locked to a thread, which the others would have to wake.
	ended := make(chan any)
	go func() {
		defer func() { ended <- recover() }()
		ns, err = r.time(ctx)
	}()
	if v := <-ended; v != nil {
		panic(v)
	}
	return ns, err
}

// asleep is longer than algorithms.Workers look out for the next step, and shorter than the step of
// any model.
const asleep = 100 * time.Microsecond

// time is Time, with the threads set up.
func (r *Requests) time(ctx context.Context) ([]int64, error) {
	lengths := make([]int, len(r.Tokens))
	for i, tokens := range r.Tokens {
		lengths[i] = len(tokens)
	}
	w := newBatchWalk(r)
	defer w.workers.Close()
	r.StolenNS = 0
	var ns []int64
	for b := NewBatch(lengths, r.Width); b.Live() > 0; b.Advance() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Collect.Maybe()
		if r.Threads > 1 {
			time.Sleep(asleep)
		}
		if err := w.gather(ctx, b); err != nil {
			return nil, err
		}
		took, err := w.step()
		if err == nil {
			err = w.check()
		}
		if err != nil {
			return nil, err
		}
		ns = append(ns, max(0, int64(float64(took)-r.Clock.EmptyNS)))
	}
	return ns, nil
}

// batchWalk is the state of the generations of a batch.
type batchWalk struct {
	*Requests
	workers *algorithms.Workers
	load    load
	rows    [][]uint64 // of the slots

	engines []algorithms.Engine // of the slots
	states  []algorithms.State  // of the slots
	// The slots of this step, without gaps: which, what they commit, and where the mask goes.
	live    []Slot
	at      []int // slot
	begins  []int // indices into live
	current []algorithms.State
	tokens  []int
	into    [][]uint64
}

func newBatchWalk(r *Requests) *batchWalk {
	words := algorithms.MaskWords(r.Size)
	memory := make([]uint64, words*r.Width)
	w := &batchWalk{Requests: r, workers: algorithms.NewWorkers(r.Threads), load: newLoad(), rows: make([][]uint64, r.Width),
		engines: make([]algorithms.Engine, r.Width), states: make([]algorithms.State, r.Width)}
	for i := range w.rows {
		w.rows[i] = memory[i*words : (i+1)*words : (i+1)*words]
	}
	return w
}

// gather lists what a step does, and has the engines of new requests ready.
func (w *batchWalk) gather(ctx context.Context, b *Batch) error {
	w.live, w.at, w.begins = w.live[:0], w.at[:0], w.begins[:0]
	w.current, w.tokens, w.into = w.current[:0], w.tokens[:0], w.into[:0]
	for i, s := range b.Slots {
		if s.Request < 0 {
			w.engines[i], w.states[i] = nil, nil
			continue
		}
		token := -1
		if s.Position == 0 {
			engine, err := w.Engine(ctx, s.Request)
			if err != nil {
				return &RequestError{s.Request, err}
			}
			w.engines[i] = engine
			w.begins = append(w.begins, len(w.live))
		} else {
			token = int(w.Tokens[s.Request][s.Position-1])
		}
		w.live, w.at = append(w.live, s), append(w.at, i)
		w.current, w.tokens, w.into = append(w.current, w.states[i]), append(w.tokens, token), append(w.into, w.rows[i])
	}
	return nil
}

// step makes one step, and returns its time with the cost of the clock in it.
func (w *batchWalk) step() (ns int64, err error) {
	w.load.between(environment.Now())
	begin := environment.Now()
	for _, i := range w.begins {
		w.current[i] = w.engines[w.at[i]].Start()
	}
	errs := w.workers.Advance(w.current, w.tokens, w.into)
	end := environment.Now()
	ns = (end - begin).Nanoseconds()
	if w.Threads == 1 {
		w.StolenNS += w.load.step(begin, end).Nanoseconds()
	}
	for i, at := range w.at {
		w.states[at] = w.current[i]
		if errs[i] != nil {
			return 0, w.refused(i)
		}
	}
	return ns, nil
}

// refused is the error of a generation whose commit refuses a token that its mask allows.
func (w *batchWalk) refused(i int) error {
	s := w.live[i]
	return &RequestError{s.Request, &RefusedError{Position: s.Position - 1, Token: w.tokens[i], ByCommit: true}}
}

// check looks at the masks of a step.
func (w *batchWalk) check() error {
	for i, s := range w.live {
		mask := algorithms.MaskOf(w.into[i], w.Size)
		if token := int(w.Tokens[s.Request][s.Position]); !mask.Has(token) {
			return &RequestError{s.Request, &RefusedError{Position: s.Position, Token: token}}
		}
		if err := w.Check(s.Request, s.Position, mask); err != nil {
			return &RequestError{s.Request, err}
		}
	}
	return nil
}
