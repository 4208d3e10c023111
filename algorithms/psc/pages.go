package psc

import "sync/atomic"

// pages is a sparse array of pointers by LR state: of the many states of a large grammar a lexer state meets
// few. It may be read at any time; whoever sets holds the lock of the core.
type pages[T any] []atomic.Pointer[page[T]]

// pageSize is the entries of a page: eight cache lines.
const pageSize = 64

type page[T any] [pageSize]atomic.Pointer[T]

func newPages[T any](n int) pages[T] { return make(pages[T], (n+pageSize-1)/pageSize) }

// get is entry i, nil if it was not set.
func (p pages[T]) get(i int32) *T {
	if page := p[i/pageSize].Load(); page != nil {
		return page[i%pageSize].Load()
	}
	return nil
}

// set sets entry i, and tells whether that took a new page.
func (p pages[T]) set(i int32, to *T) bool {
	of := p[i/pageSize].Load()
	fresh := of == nil
	if fresh {
		of = new(page[T])
	}
	of[i%pageSize].Store(to)
	p[i/pageSize].Store(of)
	return fresh
}
