// Package arena hands out slices that are made together.
package arena

import "unsafe"

// An Arena hands out slices: the automaton of a large grammar has some ten thousand lists of one or
// two members. The zero value is ready for use.
type Arena[T any] struct {
	room []T
	made int // how many elements there are room for or were
}

// An arena makes as many bytes at a time as the first of these, later a quarter of what it has
// made, and never more than the other: little of it is wasted, whether it is small or large.
const (
	firstBytes = 1 << 8
	mostBytes  = 1 << 16
)

// Take returns n zero elements with no room to grow.
func (a *Arena[T]) Take(n int) []T {
	if n > len(a.room) {
		size := int(unsafe.Sizeof(*new(T)))
		a.room = make([]T, max(n, firstBytes/size, min(a.made/4, mostBytes/size)))
		a.made += len(a.room)
	}
	s := a.room[:n:n]
	a.room = a.room[n:]
	return s
}

// Clone returns a copy of s.
func (a *Arena[T]) Clone(s []T) []T {
	c := a.Take(len(s))
	copy(c, s)
	return c
}
