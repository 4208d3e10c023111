package psc

import (
	"slices"

	"gcdbench/internal/index"
)

// An interned table maps a hash to the ids that have it. The caller owns the values: it asks for
// the candidates of a hash and compares them itself.
type interned struct {
	first table64 // hash -> the number put last with that hash
	next  []int32 // by number: the one put before it with the same hash, -1 for none
}

// find is the number of the thing with that hash that is is true for, -1 if there is none.
func (t *interned) find(hash uint64, is func(id int32) bool) int32 {
	id := t.first.get(hash)
	if id == absent {
		return -1
	}
	for ; id >= 0; id = t.next[id] {
		if is(id) {
			return id
		}
	}
	return -1
}

// add puts the next thing, with that hash, and numbers it.
func (t *interned) add(hash uint64) int32 {
	id, before := int32(len(t.next)), t.first.get(hash)
	if before == absent {
		before = -1
	}
	t.next = append(t.next, before)
	t.first.put(hash, id)
	return id
}

// bytes is the memory held, roughly.
func (t *interned) bytes() int64 { return t.first.bytes() + 4*int64(len(t.next)) }

// numbered are lists with numbers, equal ones with the same.
type numbered[T index.Integer] struct {
	list   [][]T
	byHash interned
	held   int // elements
}

// of is the number of a list, which it does not keep.
func (n *numbered[T]) of(list []T) int32 {
	h := index.Hash(list)
	id := n.byHash.find(h, func(id int32) bool { return slices.Equal(n.list[id], list) })
	if id < 0 {
		id = n.byHash.add(h)
		n.list = append(n.list, slices.Clone(list))
		n.held += len(list)
	}
	return id
}

// at is the list with a number; read only.
func (n *numbered[T]) at(id int32) []T { return n.list[id] }

// bytes is the memory held, roughly, with elements of so many bytes.
func (n *numbered[T]) bytes(element int) int64 {
	return n.byHash.bytes() + int64(32*len(n.list)) + int64(element*n.held)
}
