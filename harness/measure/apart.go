package measure

import (
	"sync"
	"sync/atomic"
	"time"

	"gcdbench/algorithms"
	"gcdbench/harness/environment"
)

// Apart are Slots that step without the generations that take long. What such a generation does, in
// a step or while the model computes, goes on in a goroutine of its own. The others do not wait for
// it, and it takes part in no step until it is done.
type Apart struct {
	*Slots
	limit time.Duration // from which on something takes long
	most  int           // how many may go on so
	slow  atomic.Int32  // how many do
	going sync.WaitGroup
	fates []fate // of the slots
}

// A fate is what becomes of a slot's mask. As long as it is busy, the slot's state is of whoever
// works on it.
type fate struct {
	busy     atomic.Bool
	made     atomic.Bool // the mask stands in the row, and nobody has taken it
	refusal  error
	panicked any
}

// NewApart are the slots of NewSlots. What takes longer than limit goes on apart, as far as it is
// not more than most at a time.
func NewApart(width, threads, size int, limit time.Duration, most int) *Apart {
	return &Apart{Slots: NewSlots(width, threads, size), limit: limit, most: most, fates: make([]fate, width)}
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
	hands []*hand // that work on it and are waited for
	done  chan struct{}
}

// A hand is a goroutine of a deal, with what it works on.
type hand struct {
	begin time.Duration
	apart bool // nobody waits for it
}

// deal has the work done for all slots, and returns when each is done or goes on apart.
func (a *Apart) deal(list []int, on func() bool, work func(slot int, f *fate) (again bool)) {
	d := &deal{apart: a, work: work, on: on, left: list, done: make(chan struct{})}
	d.mu.Lock()
	for range min(a.threads, len(list)) {
		d.add()
	}
	d.mu.Unlock()
	if len(list) == 0 {
		return
	}
	look := time.NewTimer(a.limit)
	defer look.Stop()
	for {
		select {
		case <-d.done:
			for slot := range a.fates {
				if f := &a.fates[slot]; !f.busy.Load() && f.panicked != nil {
					panic(f.panicked)
				}
			}
			return
		case <-look.C:
			look.Reset(d.look())
		}
	}
}

// add adds a hand; d.mu is held.
func (d *deal) add() {
	h := &hand{begin: environment.Now()}
	d.hands = append(d.hands, h)
	d.apart.going.Go(func() {
		for d.next(h) {
		}
	})
}

// next does the work of a slot. It returns false to a hand that is not needed any more.
func (d *deal) next(h *hand) bool {
	slot := d.take(h)
	if slot < 0 {
		return false
	}
	f := &d.apart.fates[slot]
	again := d.do(slot, f)
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.apart {
		d.apart.slow.Add(-1)
	} else if again {
		d.left = append(d.left, slot)
	}
	f.busy.Store(false)
	return !h.apart
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

// take takes a slot, -1 if there is none; then the last hand that is waited for ends the deal.
func (d *deal) take(h *hand) (slot int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.apart {
		d.apart.slow.Add(-1)
		return -1
	}
	if len(d.left) > 0 && (d.on == nil || d.on()) {
		slot, d.left = d.left[0], d.left[1:]
		h.begin = environment.Now()
		d.apart.fates[slot].busy.Store(true)
		return slot
	}
	d.left = nil
	d.leave(h)
	return -1
}

// leave strikes a hand off; d.mu is held.
func (d *deal) leave(h *hand) {
	for i := range d.hands {
		if d.hands[i] == h {
			d.hands = append(d.hands[:i], d.hands[i+1:]...)
			break
		}
	}
	if len(d.hands) == 0 {
		close(d.done)
	}
}

// look lets what takes long go on apart, and returns when to look again.
func (d *deal) look() (after time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	after = d.apart.limit
	for _, h := range append([]*hand(nil), d.hands...) {
		took := environment.Now() - h.begin
		if took < d.apart.limit {
			after = min(after, d.apart.limit-took)
			continue
		}
		if int(d.apart.slow.Add(1)) > d.apart.most {
			d.apart.slow.Add(-1)
			continue
		}
		h.apart = true
		d.add() // before the other leaves, so that somebody is waited for
		d.leave(h)
	}
	return max(after, time.Millisecond/10)
}
