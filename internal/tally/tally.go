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
	mu        sync.Mutex
	all, free []*T
}

// Of is a sheet for an owner, who alone counts on it. An owner that nobody has any more leaves its
// sheet, with what is counted on it, to the next that needs one.
func Of[T, Owner any](s *Sheets[T], owner *Owner) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		made := new(T)
		s.all, s.free = append(s.all, made), append(s.free, made)
	}
	given := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	runtime.AddCleanup(owner, s.giveBack, given)
	return given
}

func (s *Sheets[T]) giveBack(x *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
}

// Each calls f for every sheet, with the counts of all owners so far on them.
func (s *Sheets[T]) Each(f func(*T)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		f(x)
	}
}
