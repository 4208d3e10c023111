package psc

import (
	"sync"
	"sync/atomic"
)

// A growing is an array of pointers that grows when it is set. It may be read at any time.
type growing[T any] struct {
	mu   sync.Mutex
	list atomic.Pointer[[]atomic.Pointer[T]]
}

// get is entry i, nil if it was not set.
func (g *growing[T]) get(i int32) *T {
	if list := g.entries(); int(i) < len(list) {
		return list[i].Load()
	}
	return nil
}

// set sets entry i if it was not set. It returns the entry, and whether it is new.
func (g *growing[T]) set(i int32, to *T) (is *T, added bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := g.entries()
	if int(i) >= len(list) {
		grown := make([]atomic.Pointer[T], max(2*len(list), int(i)+1))
		for k := range list {
			grown[k].Store(list[k].Load())
		}
		g.list.Store(&grown)
		list = grown
	}
	if is := list[i].Load(); is != nil {
		return is, false
	}
	list[i].Store(to)
	return to, true
}

// replace sets entry i to another if it is what it was. It tells whether it was.
func (g *growing[T]) replace(i int32, was, to *T) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entries()[i].CompareAndSwap(was, to)
}

// entries are all entries, those that were not set as well.
func (g *growing[T]) entries() []atomic.Pointer[T] {
	if list := g.list.Load(); list != nil {
		return *list
	}
	return nil
}
