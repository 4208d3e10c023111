// Package kept holds values that outlive their engine.
package kept

import (
	"errors"
	"io"
	"sync"
)

// A Kept outlives an engine: it has what an algorithm found out about a vocabulary and can use
// again for the next grammar, such as the effects of tokens inside the strings of JSON. A program
// that compiles many grammars makes a Kept for each algorithm with its options and each vocabulary,
// and hands it to every compile, as a server would. Two Kepts share nothing.
//
// Nothing of the kind is kept in variables of packages: the figures of engines that take turns
// would then depend on their order.
//
// The zero value is empty. A Kept is safe for concurrent use, and holds what is in it for as long
// as it is held itself.
type Kept struct {
	mu     sync.Mutex
	values map[any]*slot
}

// A slot is a value, or the place of one that is being made.
type slot struct {
	mu    sync.Mutex
	made  bool
	value any
}

// New is an empty Kept.
func New() *Kept { return &Kept{} }

// place is where the value for a key is.
func (k *Kept) place(key any) *slot {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.values[key]
	if v == nil {
		if k.values == nil {
			k.values = map[any]*slot{}
		}
		v = &slot{}
		k.values[key] = v
	}
	return v
}

// Value returns the value that k has for key, made by create if there is none. create runs once;
// other callers for the same key wait for it. It may ask for other keys meanwhile. If it panics,
// the next caller makes the value. A nil k keeps nothing: create is called.
//
// A key is of a type that its package does not export, so that the keys of two packages never
// collide, and contains all that the value depends on, such as the vocabulary. All values of a key
// are of the same type. A lookup takes locks: it belongs into Compile, not into a step.
func Value[T any](k *Kept, key any, create func() T) T {
	if k == nil {
		return create()
	}
	v := k.place(key)
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.made {
		v.value = create()
		v.made = true
	}
	return v.value.(T)
}

// Close closes the values that are io.Closers, such as the processes of engines from outside.
// Nothing of k may be used after it.
func (k *Kept) Close() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, v := range k.values {
		if c, ok := v.value.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	k.values = nil
	return errors.Join(errs...)
}
