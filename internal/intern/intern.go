// Package intern numbers distinct values 0, 1, 2, ... in the order in which they are first seen,
// and keeps them by number.
//
// Automata are built by asking, thousands of times, whether a set of states was seen before: its
// number is the state of the automaton. Keys is for values that a map can have as keys, Lists for
// lists of integers. Values of another form stay with their owner, which finds them with package
// index.
//
// The zero value of either is empty. Neither is safe for concurrent use.
package intern

import (
	"slices"

	"gcdbench/internal/arena"
	"gcdbench/internal/index"
)

// Keys numbers values of a comparable type.
type Keys[K comparable] struct {
	ids  map[K]int32
	list []K
}

// ID is the number of a key, and whether the key is new.
func (k *Keys[K]) ID(key K) (id int32, isNew bool) {
	if id, ok := k.ids[key]; ok {
		return id, false
	}
	if k.ids == nil {
		k.ids = map[K]int32{}
	}
	id = int32(len(k.list))
	k.ids[key] = id
	k.list = append(k.list, key)
	return id, true
}

// At is the key with a number.
func (k *Keys[K]) At(id int32) K { return k.list[id] }

// Len is the number of keys.
func (k *Keys[K]) Len() int { return len(k.list) }

// Lists numbers lists of integers. The empty list is one, too.
type Lists[E index.Integer] struct {
	seen  index.Index
	lists [][]E
	room  arena.Arena[E] // what they are cut from
}

// Find is the number of a list, -1 if it has none.
func (l *Lists[E]) Find(list []E) int32 { return l.find(index.Hash(list), list) }

func (l *Lists[E]) find(hash uint64, list []E) int32 {
	return l.seen.Find(hash, func(i int32) bool { return slices.Equal(l.lists[i], list) })
}

// ID is the number of a list, and whether the list is new; then a copy of it is kept.
func (l *Lists[E]) ID(list []E) (id int32, isNew bool) {
	if id, isNew = l.Take(list); isNew {
		l.lists[id] = l.room.Clone(list)
	}
	return id, isNew
}

// Take is ID for a list that is given away: a new one is kept itself.
func (l *Lists[E]) Take(list []E) (id int32, isNew bool) {
	hash := index.Hash(list)
	if id = l.find(hash, list); id >= 0 {
		return id, false
	}
	l.lists = append(l.lists, list)
	return l.seen.Add(hash), true
}

// At is the list with a number; it is read-only and stays valid.
func (l *Lists[E]) At(id int32) []E { return l.lists[id] }

// All are all lists, by number. They are read-only.
func (l *Lists[E]) All() [][]E { return l.lists }

// Len is the number of lists.
func (l *Lists[E]) Len() int { return len(l.lists) }

// Reset forgets all lists. It holds on to the memory of the table.
func (l *Lists[E]) Reset() {
	l.seen.Reset()
	clear(l.lists)
	l.lists = l.lists[:0]
}
