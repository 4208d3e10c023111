package spanner

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// Behind a closing quote it no longer matters which token it was in, but only what follows the quote: the rest, by its
// rank (slices.go). The tokens that are closed alike are a list by rank. The same lists come up again and again, all
// tokens with a quote, all but a few, those that begin with one; so a list is made once per vocabulary.

// A restList is tokens by the rank of what is behind a quote of theirs. It is immutable.
type restList struct {
	id     uint32 // no other list of the vocabulary has it
	tokens []int32
	ranks  []int32
}

// A spot is a quote: a node of a slice whose byte is one. It stands for the tokens that go on behind it.
type spot struct {
	slice sliceKind
	node  int32
}

// A listing says which tokens a list has: those of base, if any, but for those at the spots in without, and those at the
// spots in with.
type listing struct {
	base          *restList
	without, with []spot
}

// restLists has the lists of a vocabulary by what they were made from.
type restLists struct {
	sync.Mutex
	of   map[string]*restList
	last uint32
}

// maxRestLists bounds it: at some 16 KB each these are 32 MB at most, and mostly much less.
const maxRestLists = 2048

// list is the list of a listing.
func (l *lexicon) list(x listing) *restList {
	if x.base != nil && len(x.without)+len(x.with) == 0 {
		return x.base
	}
	id := uint32(0) // of no list
	if x.base != nil {
		id = x.base.id
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
		list.id = r.last
		return list
	}
	if list == nil {
		if r.of == nil || len(r.of) >= maxRestLists {
			r.of = map[string]*restList{}
		}
		list = l.gather(x)
		r.last++
		list.id = r.last
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

// ranked is a token by the rank of what is behind its quote.
type ranked struct{ rank, token int32 }

// gather makes a list.
func (l *lexicon) gather(x listing) *restList {
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
			setBits(gone, s.order[n.own:n.hi])
		}
	}
	if len(list) == 0 && gone != nil {
		return x.base.but(gone)
	}
	for k, id := range x.base.tokens {
		if gone == nil || gone[id>>6]&(1<<(uint(id)&63)) == 0 {
			list = append(list, ranked{x.base.ranks[k], id})
		}
	}
	return sorted(list, len(l.rests.order))
}

// but is a list without the tokens of a bit set.
func (r *restList) but(gone []uint64) *restList {
	rest := &restList{tokens: make([]int32, 0, len(r.tokens)), ranks: make([]int32, 0, len(r.tokens))}
	for k, id := range r.tokens {
		if gone[id>>6]&(1<<(uint(id)&63)) == 0 {
			rest.tokens, rest.ranks = append(rest.tokens, id), append(rest.ranks, r.ranks[k])
		}
	}
	return rest
}

// sorted is a list, by rank. A long one is sorted by counting.
func sorted(list []ranked, numRests int) *restList {
	r := &restList{tokens: make([]int32, len(list)), ranks: make([]int32, len(list))}
	if len(list) < numRests/8 {
		slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
		for i, x := range list {
			r.tokens[i], r.ranks[i] = x.token, x.rank
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
		r.tokens[next[x.rank]], r.ranks[next[x.rank]] = x.token, x.rank
		next[x.rank]++
	}
	return r
}
