// Package tally counts events of an engine's generations. Each generation counts on a sheet of its
// own, so cores do not wait for each other.
package tally

import (
	"runtime"
	"sync"
)

// Sheets are the sheets of an engine. A T has atomic counters, and fills whole cache lines (64
// bytes each). The zero value has no sheets. It may be used by any number of goroutines.
type Sheets[T any] struct {
	once sync.Once
	pool *pool[T]
}

// A pool has the sheets. It is memory of its own: what waits for the end of an owner holds it, and
// would otherwise hold the engine for one more collection of garbage. Under a stream of new engines
// the heap would then grow without end.
type pool[T any] struct {
	mu        sync.Mutex
	all, free []*T
}

func (s *Sheets[T]) made() *pool[T] {
	s.once.Do(func() { s.pool = new(pool[T]) })
	return s.pool
}

// Of is a sheet for an owner, who alone counts on it. An owner that nobody has any more leaves its
// sheet, with what is counted on it, to the next that needs one.
func Of[T, Owner any](s *Sheets[T], owner *Owner) *T {
	p := s.made()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		made := new(T)
		p.all, p.free = append(p.all, made), append(p.free, made)
	}
	given := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	runtime.AddCleanup(owner, p.giveBack, given)
	return given
}

func (p *pool[T]) giveBack(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
}

// Each calls f for every sheet, with the counts of all owners so far on them.
func (s *Sheets[T]) Each(f func(*T)) {
	p := s.made()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.all {
		f(x)
	}
}
