package measure

import (
	"sync"
	"sync/atomic"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// Apart are Slots that step without the generations that take long. What such a generation does, in
// a step or while the model computes, goes on in a goroutine of its own. The others do not wait for
// it, and it takes part in no step until it is done.
type Apart struct {
	*Slots
	passing *Passing
	going   sync.WaitGroup
	fates   []fate // of the slots
}

// A fate is what becomes of a slot's mask. As long as it is busy, the slot's state is of whoever
// works on it.
type fate struct {
	busy     atomic.Bool
	made     atomic.Bool // the mask stands in the row, and nobody has taken it
	refusal  error
	panicked any
}

// NewApart are the slots of NewSlots. What takes longer than passing allows goes on apart.
func NewApart(width, threads, size int, passing *Passing) *Apart {
	return &Apart{Slots: NewSlots(width, threads, size), passing: passing, fates: make([]fate, width)}
}

// Close waits for what goes on, and closes the slots.
func (a *Apart) Close() {
	a.going.Wait()
	a.Slots.Close()
}

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
	var list []int
	for slot, token := range tokens {
		switch f := &a.fates[slot]; {
		case f.busy.Load():
			continue
		case token == Empty:
			a.engines[slot], a.states[slot] = nil, nil
		case !f.made.Load():
			list = append(list, slot)
		}
	}
	a.deal(list, nil, func(slot int, f *fate) (again bool) {
		if token := tokens[slot]; token == Begins {
			a.states[slot], f.refusal = a.engines[slot].Start(), nil
		} else {
			f.refusal = a.states[slot].Commit(int(token))
		}
		algorithms.Deliver(a.states[slot], a.rows[slot])
		f.made.Store(true)
		return false
	})
	return float64((environment.Now() - begin).Nanoseconds())
}

// Idle is Slots.Idle for the slots that are not busy.
func (a *Apart) Idle(on func() bool) {
	var list []int
	for slot := range a.fates {
		if !a.Busy(slot) && a.states[slot] != nil {
			list = append(list, slot)
		}
	}
	a.deal(list, on, func(slot int, _ *fate) (again bool) { return algorithms.Idle(a.states[slot]) })
}

// A deal is work for a list of slots, which goroutines take from its front. What is to be done
// again goes to its end.
type deal struct {
	apart *Apart
	work  func(slot int, f *fate) (again bool)
	on    func() bool // whether to go on; nil for always

	mu    sync.Mutex
	left  []int
	hands int // goroutines that are waited for
	done  chan struct{}
}

// deal has the work done for all slots, and returns when each is done or goes on apart.
func (a *Apart) deal(list []int, on func() bool, work func(slot int, f *fate) (again bool)) {
	if len(list) == 0 {
		return
	}
	d := &deal{apart: a, work: work, on: on, left: list, hands: min(a.threads, len(list)), done: make(chan struct{})}
	for range d.hands {
		a.going.Go(d.live)
	}
	<-d.done
	for slot := range a.fates {
		if f := &a.fates[slot]; !f.busy.Load() && f.panicked != nil {
			panic(f.panicked)
		}
	}
}

// live is the life of a goroutine of a deal. If others pass it, another one is waited for in its
// place, and it ends with its slot.
func (d *deal) live() {
	thread := d.apart.passing.Thread(func() { d.apart.going.Go(d.live) })
	for slot := d.take(); slot >= 0; slot = d.take() {
		thread.Begin()
		f := &d.apart.fates[slot]
		again := d.do(slot, f)
		passed := thread.End()
		f.busy.Store(false) // before another goroutine may take the slot again
		switch {
		case passed:
			return
		case again:
			d.mu.Lock()
			d.left = append(d.left, slot)
			d.mu.Unlock()
		}
	}
}

// do does the work of a slot.
func (d *deal) do(slot int, f *fate) (again bool) {
	defer func() {
		if v := recover(); v != nil {
			f.panicked = v
		}
	}()
	return d.work(slot, f)
}

// take takes a slot, -1 if there is none; then the last goroutine that is waited for ends the deal.
func (d *deal) take() (slot int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.left) > 0 && (d.on == nil || d.on()) {
		slot, d.left = d.left[0], d.left[1:]
		d.apart.fates[slot].busy.Store(true)
		return slot
	}
	d.left = nil
	if d.hands--; d.hands == 0 {
		close(d.done)
	}
	return -1
}
