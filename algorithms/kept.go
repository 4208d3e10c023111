package algorithms

import "sync"

// A Kept is what outlives an engine: what an algorithm has found out about a vocabulary and can use
// again for the next grammar (what tokens do inside the strings of JSON, say). Whoever compiles
// many grammars makes one for each contestant and vocabulary and hands it to every compile, as a
// server would; nobody else finds what that contestant built. It is safe for concurrent use.
//
// Nothing of the kind is kept in variables of packages: figures taken in turn would then depend on
// who came first.
type Kept struct {
	mu     sync.Mutex
	values map[any]any
}

// NewKept is an empty Kept.
func NewKept() *Kept { return &Kept{values: map[any]any{}} }

// KeptValue returns the value that k has for key, made by create if there is none. Keys are of types
// that packages do not export, so that they cannot meet, with whatever tells values apart (the
// vocabulary, say) in them. A nil k keeps nothing: create is called.
func KeptValue[T any](k *Kept, key any, create func() T) T {
	if k == nil {
		return create()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, ok := k.values[key]; ok {
		return v.(T)
	}
	v := create()
	k.values[key] = v
	return v
}
