// Package kept holds values that outlive what they were made for, each for an owner of its own.
package kept

import (
	"errors"
	"io"
	"sync"
)

// A Kept is what outlives an engine: what an algorithm has found out about a vocabulary and can use
// again for the next grammar (what tokens do inside the strings of JSON, say). Whoever compiles
// many grammars makes one for each contestant and vocabulary and hands it to every compile, as a
// server would; nobody else finds what that contestant built.
//
// Nothing of the kind is kept in variables of packages: figures taken in turn would then depend on
// who came first.
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

// Value returns the value that k has for key, made by create if there is none: once, while
// others who ask for the same key wait. It may ask for other keys meanwhile. If it panics, the next
// who asks makes the value. A nil k keeps nothing: create is called.
//
// Keys are of types that packages do not export, so that they cannot meet, with whatever tells
// values apart (the vocabulary, say) in them; all values of a key are of the same type. A lookup
// takes locks: it belongs into Compile, not into a step.
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
