// Package paged has a table for things that are known by large numbers, of which few are met: the
// states of an automaton that is made on demand, say.
//
// Readers take no lock. A thing is put there under a lock, and stays. The table costs a pointer for
// every neighbour of a number that is met (page and block), and one for every 131,072 numbers up to
// the largest.
package paged

import (
	"sync"
	"sync/atomic"
)

// A Table maps numbers from 0 on to things that are made once. The zero value is empty.
type Table[T any] struct {
	mu     sync.Mutex
	blocks atomic.Pointer[[]atomic.Pointer[block[T]]]
}

// The numbers of a page are neighbours, as are the pages of a shelf and the shelves of a block.
type (
	page[T any]  [1 << pageBits]atomic.Pointer[T]
	shelf[T any] [1 << shelfBits]atomic.Pointer[page[T]]
	block[T any] [1 << shelfBits]atomic.Pointer[shelf[T]]
)

const (
	pageBits  = 5
	shelfBits = 6
	blockBits = pageBits + 2*shelfBits
)

// At is the thing with a number, nil if there is none.
func (t *Table[T]) At(n int32) *T {
	blocks := t.blocks.Load()
	if blocks == nil || int(n>>blockBits) >= len(*blocks) {
		return nil
	}
	b := (*blocks)[n>>blockBits].Load()
	if b == nil {
		return nil
	}
	s := b[n>>(pageBits+shelfBits)&(1<<shelfBits-1)].Load()
	if s == nil {
		return nil
	}
	p := s[n>>pageBits&(1<<shelfBits-1)].Load()
	if p == nil {
		return nil
	}
	return p[n&(1<<pageBits-1)].Load()
}

// Put makes x the thing with a number, and returns it; or what is there already.
func (t *Table[T]) Put(n int32, x *T) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	var blocks []atomic.Pointer[block[T]]
	if known := t.blocks.Load(); known != nil {
		blocks = *known
	}
	if at := int(n >> blockBits); at >= len(blocks) {
		grown := make([]atomic.Pointer[block[T]], max(at+1, 2*len(blocks)))
		for i := range blocks {
			grown[i].Store(blocks[i].Load())
		}
		blocks = grown
		t.blocks.Store(&grown)
	}
	b := made(&blocks[n>>blockBits])
	s := made(&b[n>>(pageBits+shelfBits)&(1<<shelfBits-1)])
	at := &made(&s[n>>pageBits&(1<<shelfBits-1)])[n&(1<<pageBits-1)]
	if old := at.Load(); old != nil {
		return old
	}
	at.Store(x)
	return x
}

// made is what a pointer points to, made if there is nothing yet.
func made[T any](at *atomic.Pointer[T]) *T {
	x := at.Load()
	if x == nil {
		x = new(T)
		at.Store(x)
	}
	return x
}
