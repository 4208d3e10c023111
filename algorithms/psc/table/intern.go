package table

import (
	"slices"

	"gcdbench/internal/index"
)

// An Interned table maps a hash to the ids that have it. The caller owns the values: it asks for
// the candidates of a hash and compares them itself.
type Interned struct {
	first Table   // hash -> the number put last with that hash
	next  []int32 // by number: the one put before it with the same hash, -1 for none
}

// Find is the number of the thing with that hash that is is true for, -1 if there is none.
func (t *Interned) Find(hash uint64, is func(id int32) bool) int32 {
	id := t.first.Get(hash)
	if id == Absent {
		return -1
	}
	for ; id >= 0; id = t.next[id] {
		if is(id) {
			return id
		}
	}
	return -1
}

// Add puts the next thing, with that hash, and numbers it.
func (t *Interned) Add(hash uint64) int32 {
	id, before := int32(len(t.next)), t.first.Get(hash)
	if before == Absent {
		before = -1
	}
	t.next = append(t.next, before)
	t.first.Put(hash, id)
	return id
}

// Bytes is the memory held, roughly.
func (t *Interned) Bytes() int64 { return t.first.Bytes() + 4*int64(len(t.next)) }

// Numbered are lists with numbers, equal ones with the same.
type Numbered[T index.Integer] struct {
	List   [][]T
	byHash Interned
	held   int // elements
}

// Of is the number of a list, which it does not keep.
func (n *Numbered[T]) Of(list []T) int32 {
	h := index.Hash(list)
	id := n.byHash.Find(h, func(id int32) bool { return slices.Equal(n.List[id], list) })
	if id < 0 {
		id = n.byHash.Add(h)
		n.List = append(n.List, slices.Clone(list))
		n.held += len(list)
	}
	return id
}

// At is the list with a number; read only.
func (n *Numbered[T]) At(id int32) []T { return n.List[id] }

// Bytes is the memory held, roughly, with elements of so many bytes.
func (n *Numbered[T]) Bytes(element int) int64 {
	return n.byHash.Bytes() + int64(32*len(n.List)) + int64(element*n.held)
}
