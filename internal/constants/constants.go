// Package constants holds values that never depend on what a program reads but take time to make:
// tables of Unicode, the automaton of all texts. Each is made once in a process, when it is first
// asked for, or before: a program that measures has all of them made ahead of its first measurement
// (Prepare of the package that has them), so that no figure holds such work.
//
// What depends on an input is no constant. It belongs to an object that the caller owns.
package constants

import (
	"sync"
	"sync/atomic"
)

// A Set is the constants of a package. The zero value has none. Constants are added while packages
// are initialized; after that a Set is safe for concurrent use.
type Set struct{ makers []func() }

// built counts the constants made in this process.
var built atomic.Int64

// Of adds a constant to a Set. The function returned gives its value, which build makes at the
// first call; concurrent callers wait for it. The value is shared and must not be changed.
func Of[T any](s *Set, build func() T) func() T {
	value := sync.OnceValue(func() T {
		defer built.Add(1)
		return build()
	})
	s.makers = append(s.makers, func() { value() })
	return value
}

// Prepare makes all constants of the Set that are not there yet.
func (s *Set) Prepare() {
	for _, make := range s.makers {
		make()
	}
}

// Built is how many constants were made in this process, those of all Sets together. Where it stays
// the same, nothing was made for the first time.
func Built() int { return int(built.Load()) }
