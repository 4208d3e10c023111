package spanner

import (
	"runtime"
	"sync"
	"weak"
)

// A weakly keeps something about objects for as long as they are in use, once per process. It is safe for
// concurrent use.
type weakly[K, V any] struct {
	mu sync.Mutex
	of map[weak.Pointer[K]]V
}

// about is what is kept about k, made by the first who asks; the others wait. known is whether it was there.
func (w *weakly[K, V]) about(k *K, make func() V) (v V, known bool) {
	key := weak.Make(k)
	w.mu.Lock()
	defer w.mu.Unlock()
	if v, known = w.of[key]; known {
		return v, true
	}
	v = make()
	if w.of == nil {
		w.of = map[weak.Pointer[K]]V{}
	}
	w.of[key] = v
	runtime.AddCleanup(k, w.forget, key)
	return v, false
}

// forget drops what is kept about an object that is gone.
func (w *weakly[K, V]) forget(key weak.Pointer[K]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.of, key)
}
