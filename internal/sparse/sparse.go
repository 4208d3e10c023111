// Package sparse has a table for things that are known by large numbers, of which few are met: the
// states of an automaton that is made on demand, say.
//
// Readers take no lock. A thing is put there under a lock, and stays. The table costs 16 bytes for
// a slot, and half of the slots are free on average.
package sparse

import (
	"sync"
	"sync/atomic"
)

// A Table maps numbers from 0 on to things that are made once. The zero value is empty.
type Table[T any] struct {
	mu    sync.Mutex
	n     int                       // how many things there are
	slots atomic.Pointer[[]slot[T]] // 2^i of them; replaced when it grows
}

// A slot is free, or has a thing, which is there before its number is.
type slot[T any] struct {
	number atomic.Int32 // 1 + the number, 0 if free
	thing  atomic.Pointer[T]
}

// find is the slot of a number, or the one that was free where it would be.
func find[T any](slots []slot[T], n int32) (s *slot[T], there bool) {
	h := uint32(n) * 0x9e3779b1
	for i := int(h ^ h>>16); ; i++ {
		s = &slots[i&(len(slots)-1)]
		if k := s.number.Load(); k == n+1 || k == 0 {
			return s, k != 0
		}
	}
}

// At is the thing with a number, nil if there is none.
func (t *Table[T]) At(n int32) *T {
	slots := t.slots.Load()
	if slots == nil {
		return nil
	}
	if s, there := find(*slots, n); there {
		return s.thing.Load()
	}
	return nil
}

// Put makes x the thing with a number, and returns it; or what is there already.
func (t *Table[T]) Put(n int32, x *T) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	var slots []slot[T]
	if known := t.slots.Load(); known != nil {
		slots = *known
	}
	if 4*(t.n+1) > 3*len(slots) {
		grown := make([]slot[T], max(4, 2*len(slots)))
		for i := range slots {
			if k := slots[i].number.Load(); k != 0 {
				s, _ := find(grown, k-1)
				s.set(k-1, slots[i].thing.Load())
			}
		}
		slots = grown
		t.slots.Store(&grown)
	}
	s, there := find(slots, n)
	if there {
		return s.thing.Load()
	}
	s.set(n, x)
	t.n++
	return x
}

// set fills a free slot.
func (s *slot[T]) set(n int32, x *T) {
	s.thing.Store(x)
	s.number.Store(n + 1)
}
