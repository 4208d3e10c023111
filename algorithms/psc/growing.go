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

// byTop has pointers by LR state. With a lexer built ahead they are a plain array, the fastest to
// read. With one built on demand they are a list: there are many lexer states, and each meets few
// of the LR states of what may be a large grammar. It may be read at any time; a writer holds the
// lock of the core.
type byTop[T any] struct {
	all  []atomic.Pointer[T] // nil with a list
	some edges[T]
}

// init makes room for n states, unless there is to be a list.
func (p *byTop[T]) init(n int, sparse bool) {
	if !sparse {
		p.all = make([]atomic.Pointer[T], n)
	}
}

// get is entry i, nil if it was not set.
func (p *byTop[T]) get(i int32) *T {
	if p.all != nil {
		return p.all[i].Load()
	}
	return p.some.find(i)
}

// set sets entry i, which was not set, and returns the bytes of memory that took.
func (p *byTop[T]) set(i int32, to *T) (took int64) {
	if p.all != nil {
		p.all[i].Store(to)
		return 0
	}
	p.some.add(i, to)
	return 64
}

// bytes is the memory that an empty one holds.
func (p *byTop[T]) bytes() int64 { return 8 * int64(len(p.all)) }
