package measure

import (
	"sync/atomic"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// Apart are Slots that step without the generations that take long. What such a generation does, in
// a step or while the model computes, goes on in a thread of its own. The others do not wait for
// it, and it takes part in no step until it is done.
type Apart struct {
	*Slots
	pool  *Pool[job]
	jobs  []job // of this step
	fates []fate
}

// A job is work for a slot: a token that is committed and a mask, or, with on, what the next mask
// needs, a piece at a time as long as on is true.
type job struct {
	slot  int
	token int32
	on    func() bool
}

// A fate is what becomes of a slot's mask. As long as it is busy, the slot's state is of whoever
// works on it.
type fate struct {
	busy     atomic.Bool
	made     atomic.Bool // the mask stands in the row, and nobody has taken it
	refusal  error
	panicked any
}

// NewApart are the slots of NewSlots. Of what takes longer than limit, most go on apart at a time.
func NewApart(width, threads, size int, limit time.Duration, most int) *Apart {
	a := &Apart{Slots: NewSlots(width, 1, size), fates: make([]fate, width)}
	if limit == 0 {
		threads-- // see Pool.Wait
	}
	a.pool = NewPool(threads, limit, most, a.do)
	return a
}

// Close waits for what goes on, and ends the threads.
func (a *Apart) Close() { a.pool.Close() }

// Busy reports whether something goes on in a slot; it may be of a generation that has ended.
func (a *Apart) Busy(slot int) bool { return a.fates[slot].busy.Load() }

// Take takes the mask of a slot. It is not there as long as it is being made. The error is the
// refusal of the slot's last token.
func (a *Apart) Take(slot int) (there bool, refusal error) {
	if !a.fates[slot].made.CompareAndSwap(true, false) {
		return false, nil
	}
	return true, a.fates[slot].refusal
}

// Step makes a step as Slots.Step does, of the slots that are not busy and whose masks were taken.
// It returns the time in ns until each of them is done or goes on apart. An engine's panic is one
// of the call, or of a later one.
func (a *Apart) Step(tokens []int32) (ns float64) {
	begin := environment.Now()
	for slot, token := range tokens {
		switch f := &a.fates[slot]; {
		case f.busy.Load():
		case token == Empty:
			a.engines[slot], a.states[slot] = nil, nil
		case !f.made.Load():
			a.jobs = append(a.jobs, job{slot: slot, token: token})
		}
	}
	a.work()
	return float64((environment.Now() - begin).Nanoseconds())
}

// Idle has the generations that are not busy build what their next masks need, a piece at a time,
// in turns, as long as on is true.
func (a *Apart) Idle(on func() bool) {
	for slot := range a.fates {
		if !a.Busy(slot) && a.states[slot] != nil {
			a.jobs = append(a.jobs, job{slot: slot, on: on})
		}
	}
	a.work()
}

// work does the jobs, and returns when each is done or goes on apart.
func (a *Apart) work() {
	for _, j := range a.jobs {
		a.fates[j.slot].busy.Store(true)
	}
	a.pool.Submit(a.jobs...)
	a.jobs = a.jobs[:0]
	a.pool.Wait()
	for slot := range a.fates {
		if f := &a.fates[slot]; !f.busy.Load() && f.panicked != nil {
			panic(f.panicked)
		}
	}
}

// do does a job.
func (a *Apart) do(j job) (again bool) {
	f := &a.fates[j.slot]
	defer func() {
		if v := recover(); v != nil {
			f.panicked, again = v, false
		}
		if !again {
			f.busy.Store(false)
		}
	}()
	if j.on != nil {
		return j.on() && algorithms.Idle(a.states[j.slot])
	}
	f.refusal = nil
	if j.token == Begins {
		a.states[j.slot] = a.engines[j.slot].Start()
	} else {
		f.refusal = a.states[j.slot].Commit(int(j.token))
	}
	algorithms.Deliver(a.states[j.slot], a.rows[j.slot])
	f.made.Store(true)
	return false
}
