package psc

import "sync/atomic"

// pages is an array of pointers by LR state. With a lexer built ahead it is a plain array, the
// fastest to read. With one built on demand it is sparse: there are many lexer states, and each
// meets few of the LR states of what may be a large grammar. It may be read at any time; a writer
// holds the lock of the core.
type pages[T any] struct {
	whole []atomic.Pointer[T]
	some  []atomic.Pointer[page[T]]
}

// pageSize is the entries of a page: eight cache lines.
const pageSize = 64

type page[T any] [pageSize]atomic.Pointer[T]

func newPages[T any](n int, sparse bool) pages[T] {
	if sparse {
		return pages[T]{some: make([]atomic.Pointer[page[T]], (n+pageSize-1)/pageSize)}
	}
	return pages[T]{whole: make([]atomic.Pointer[T], n)}
}

// get is entry i, nil if it was not set.
func (p *pages[T]) get(i int32) *T {
	if p.whole != nil {
		return p.whole[i].Load()
	}
	if page := p.some[i/pageSize].Load(); page != nil {
		return page[i%pageSize].Load()
	}
	return nil
}

// set sets entry i, and returns the bytes of memory that took.
func (p *pages[T]) set(i int32, to *T) (took int64) {
	if p.whole != nil {
		p.whole[i].Store(to)
		return 0
	}
	of := p.some[i/pageSize].Load()
	if of == nil {
		of = new(page[T])
		took = 8 * pageSize
	}
	of[i%pageSize].Store(to)
	p.some[i/pageSize].Store(of)
	return took
}

// bytes is the memory that an empty one holds.
func (p *pages[T]) bytes() int64 { return 8 * int64(len(p.whole)+len(p.some)) }
