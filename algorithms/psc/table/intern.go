package table

import (
	"slices"

	"gcdbench/internal/index"
)

// Numbered are lists with numbers, equal ones with the same.
type Numbered[T index.Integer] struct {
	List   [][]T
	byHash index.Index
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
