package psc

import (
	"slices"
	"sync/atomic"
)

// edges are the transitions of a state or a path: symbols of the stack, ascending, and the
// targets. They may be read at any time without a lock; a writer holds the lock of the core. A
// list is never changed, only replaced. Most states have few edges, so a scan of the symbols,
// which are adjacent in memory, is the fastest search; long lists are searched by halves.
type edges[T any] struct {
	list atomic.Pointer[edgeList[T]]
}

type edgeList[T any] struct {
	symbols []int32
	to      []*T
	// firstSymbol and firstTo are what the slices of a list of one edge are of: most are.
	firstSymbol [1]int32
	firstTo     [1]*T
}

// manyEdges is the number from which on halving beats scanning.
const manyEdges = 16

// find is where symbol x leads, nil if there is no such edge yet.
func (e *edges[T]) find(x int32) *T {
	l := e.list.Load()
	if l == nil {
		return nil
	}
	if i := indexOf(l.symbols, x); i >= 0 {
		return l.to[i]
	}
	return nil
}

// indexOf is where x is in an ascending list, -1 if it is not there. Most lists are short.
func indexOf(list []int32, x int32) int {
	lo, hi := 0, len(list)
	for hi-lo > manyEdges {
		if mid := int(uint(lo+hi) >> 1); list[mid] <= x {
			lo = mid
		} else {
			hi = mid
		}
	}
	for i := lo; i < hi; i++ {
		if list[i] == x {
			return i
		}
	}
	return -1
}

// add adds an edge that is not there.
func (e *edges[T]) add(x int32, to *T) {
	n := &edgeList[T]{}
	old := e.list.Load()
	if old == nil {
		n.firstSymbol[0], n.firstTo[0] = x, to
		n.symbols, n.to = n.firstSymbol[:], n.firstTo[:]
		e.list.Store(n)
		return
	}
	at := 0
	for at < len(old.symbols) && old.symbols[at] < x {
		at++
	}
	n.symbols = make([]int32, len(old.symbols)+1)
	n.to = make([]*T, len(old.symbols)+1)
	copy(n.symbols, old.symbols[:at])
	copy(n.to, old.to[:at])
	n.symbols[at], n.to[at] = x, to
	copy(n.symbols[at+1:], old.symbols[at:])
	copy(n.to[at+1:], old.to[at:])
	e.list.Store(n)
}

// addAll adds edges, by ascending symbol; those that are there already stay. It returns how many
// are new. symbols may be kept.
func (e *edges[T]) addAll(symbols []int32, to []*T) (added int) {
	old := e.list.Load()
	if old == nil {
		e.list.Store(&edgeList[T]{symbols: symbols, to: slices.Clone(to)})
		return len(to)
	}
	n := &edgeList[T]{symbols: make([]int32, 0, len(old.symbols)+len(symbols)), to: make([]*T, 0, len(old.symbols)+len(symbols))}
	k := 0
	for i, x := range symbols {
		for ; k < len(old.symbols) && old.symbols[k] < x; k++ {
			n.symbols, n.to = append(n.symbols, old.symbols[k]), append(n.to, old.to[k])
		}
		if k == len(old.symbols) || old.symbols[k] != x {
			n.symbols, n.to = append(n.symbols, x), append(n.to, to[i])
			added++
		}
	}
	n.symbols, n.to = append(n.symbols, old.symbols[k:]...), append(n.to, old.to[k:]...)
	e.list.Store(n)
	return added
}
