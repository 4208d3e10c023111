package jsontokens

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// After a closing quote the token before it no longer matters, only the text after it: the rest,
// by its rank (lexicon.go). The tokens that complete the same live states are a list, by rank.
// The same lists come up again and again: all tokens with a quote, all but a few, those that
// begin with a quote. So each is made once per vocabulary.

// A List is tokens by the rank of the rest after one of their quotes. It is immutable.
type List struct {
	ID     uint32 // no other list of the vocabulary has it
	Tokens []int32
	Ranks  []int32
}

// A spot is a quote: a node of a slice whose byte is one. It stands for the tokens that go on
// after it.
type spot struct {
	slice sliceKind
	node  int32
}

// A listing is a recipe of a list: the tokens of base (none if it is nil) except those at the
// spots in without, and the tokens at the spots in with.
type listing struct {
	base          *List
	without, with []spot
}

// lists has the lists of a vocabulary by their listings.
type lists struct {
	sync.Mutex
	of   map[string]*List
	last uint32
}

// maxLists bounds lists, at some 16 KB each to 32 MB.
const maxLists = 2048

// list is the list of a listing.
func (l *Lexicon) list(x listing) *List {
	if x.base != nil && len(x.without)+len(x.with) == 0 {
		return x.base
	}
	id := uint32(0) // of no list
	if x.base != nil {
		id = x.base.ID
	}
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 64), id)
	key = appendSpots(appendSpots(key, x.without), x.with)
	r := &l.lists
	r.Lock()
	defer r.Unlock()
	list := r.of[string(key)]
	if l.without&Lists != 0 {
		list = l.gather(x)
		r.last++
		list.ID = r.last
		return list
	}
	if list == nil {
		if r.of == nil || len(r.of) >= maxLists {
			r.of = map[string]*List{}
		}
		list = l.gather(x)
		r.last++
		list.ID = r.last
		r.of[string(key)] = list
	}
	return list
}

// appendSpots appends some spots and an end to a key.
func appendSpots(key []byte, spots []spot) []byte {
	for _, s := range spots {
		key = binary.LittleEndian.AppendUint32(append(key, byte(s.slice)), uint32(s.node))
	}
	return append(key, byte(numSlices))
}

// ranked is a token and the rank of the rest after its quote.
type ranked struct{ rank, token int32 }

// gather makes a list.
func (l *Lexicon) gather(x listing) *List {
	var list []ranked
	for _, at := range x.with {
		s := &l.slices[at.slice]
		n := &s.nodes[at.node]
		for k, id := range s.order[n.own:n.hi] {
			list = append(list, ranked{s.ranks[int(n.quote)+k], id})
		}
	}
	if x.base == nil {
		return sorted(list, len(l.rests.order))
	}
	var gone []uint64
	if len(x.without) > 0 {
		gone = make([]uint64, l.words)
		for _, at := range x.without {
			s := &l.slices[at.slice]
			n := &s.nodes[at.node]
			bitset.AddAll(gone, s.order[n.own:n.hi])
		}
	}
	if len(list) == 0 && gone != nil {
		return x.base.but(gone)
	}
	for k, id := range x.base.Tokens {
		if gone == nil || !bitset.Has(gone, id) {
			list = append(list, ranked{x.base.Ranks[k], id})
		}
	}
	return sorted(list, len(l.rests.order))
}

// but is a list without the tokens of a bit set.
func (r *List) but(gone []uint64) *List {
	rest := &List{Tokens: make([]int32, 0, len(r.Tokens)), Ranks: make([]int32, 0, len(r.Tokens))}
	for k, id := range r.Tokens {
		if !bitset.Has(gone, id) {
			rest.Tokens, rest.Ranks = append(rest.Tokens, id), append(rest.Ranks, r.Ranks[k])
		}
	}
	return rest
}

// sorted is a list, by rank. A long one is sorted by counting.
func sorted(list []ranked, numRests int) *List {
	r := &List{Tokens: make([]int32, len(list)), Ranks: make([]int32, len(list))}
	if len(list) < numRests/8 {
		slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
		for i, x := range list {
			r.Tokens[i], r.Ranks[i] = x.token, x.rank
		}
		return r
	}
	next := make([]int32, numRests+1)
	for _, x := range list {
		next[x.rank+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for _, x := range list {
		r.Tokens[next[x.rank]], r.Ranks[next[x.rank]] = x.token, x.rank
		next[x.rank]++
	}
	return r
}

// allBut has the bits of nearly all tokens, by those that are left out.
type allBut struct {
	sync.Mutex
	without intern.Lists[int32]
	bits    [][]uint64 // by the number of what is left out
}

// maxAllBut bounds allBut, at some 25 KB each to 2 MB.
const maxAllBut = 64

// AllBut is the bits of all legal tokens without some, which ascend in the order of the trie; read
// only. Free texts of all requests have the same few.
func (l *Lexicon) AllBut(ids []int32) []uint64 {
	a := &l.allBut
	a.Lock()
	defer a.Unlock()
	number, isNew := a.without.Take(ids)
	if !isNew {
		return a.bits[number]
	}
	if len(a.bits) >= maxAllBut {
		a.without, a.bits = intern.Lists[int32]{}, nil
		a.without.Take(ids)
	}
	words := slices.Clone(l.trie.All())
	bitset.RemoveAll(words, ids)
	a.bits = append(a.bits, words)
	return words
}
