// Package table has the tables of the stack automaton: from 64-bit keys to numbers, and numbers for
// distinct lists.
package table

import "gcdbench/internal/index"

// A Table is a hash table from 64-bit keys to 32-bit values. The construction looks up a
// symbolic run for every item of every state, some hundred million times for a large grammar;
// this is a few times faster than a map.
//
// It grows by a page at a time (extendible hashing: Fagin, Nievergelt, Pippenger and Strong, ACM
// TODS 4:3, 1979). A table that doubles as a whole copies everything in one step. While an
// automaton is built lazily that step is part of a mask that someone waits for, about one in a
// thousand.
type Table struct {
	// pages are by the first bits of the hash. A page is there as often as it has hashes: as many
	// bits as its depth says are the same for all its keys.
	pages []*tablePage
	shift uint8 // by how much a hash is shifted to be a page's index
	used  int
}

// pageEntries is the entries of a page, 1 KB: to split it takes less than a microsecond.
const pageEntries = 64

// A tablePage is an open-addressed table with linear probing by the last bits of the hash. One
// entry is free at least.
type tablePage struct {
	entries     [pageEntries]tableEntry
	used, depth uint8
}

// value is as put, with the bits of absent inverted: so a free entry is zero, and a new page need
// not be filled.
type tableEntry struct {
	key   uint64
	value int32
}

// Absent is what Get returns for a key that is not there; no value may be it.
const Absent int32 = -1 << 31

func (p *tablePage) slot(hash, key uint64) *tableEntry {
	for i := hash; ; i++ {
		if e := &p.entries[i%pageEntries]; e.value == 0 || e.key == key {
			return e
		}
	}
}

// Get is the value of a key, Absent if there is none.
func (t *Table) Get(key uint64) int32 {
	if t.used == 0 {
		return Absent
	}
	h := index.Mix(key)
	return t.pages[h>>t.shift].slot(h, key).value ^ Absent
}

// Put sets the value of a key; no value may be Absent.
func (t *Table) Put(key uint64, value int32) {
	if t.pages == nil { // one page is all that most tables of a JSON schema's engine ever have
		t.pages, t.shift = []*tablePage{{}}, 64
	}
	h := index.Mix(key)
	p := t.pages[h>>t.shift]
	for 4*int(p.used) >= 3*pageEntries {
		t.split(h, p)
		p = t.pages[h>>t.shift]
	}
	e := p.slot(h, key)
	if e.value == 0 {
		p.used++
		t.used++
	}
	*e = tableEntry{key, value ^ Absent}
}

// split deals the entries of page p, of which h is a hash, to itself and a new one.
func (t *Table) split(h uint64, p *tablePage) {
	if p.depth == 64-t.shift {
		t.double()
	}
	old, bit := *p, 63-p.depth
	*p = tablePage{depth: old.depth + 1}
	kids := [2]*tablePage{p, {depth: old.depth + 1}}
	for i := range old.entries {
		if e := &old.entries[i]; e.value != 0 {
			hash := index.Mix(e.key)
			kid := kids[hash>>bit&1]
			*kid.slot(hash, e.key) = *e
			kid.used++
		}
	}
	n := len(t.pages) >> old.depth // how often p is there
	from := int(h>>t.shift) &^ (n - 1)
	for i := n / 2; i < n; i++ {
		t.pages[from+i] = kids[1]
	}
}

// double has every page there twice as often.
func (t *Table) double() {
	pages := make([]*tablePage, 2*len(t.pages))
	for i, p := range t.pages {
		pages[2*i], pages[2*i+1] = p, p
	}
	t.pages = pages
	t.shift--
}

// Bytes is the memory held, roughly.
func (t *Table) Bytes() int64 {
	if t.pages == nil {
		return 0
	}
	// A page is split when it is three quarters full, so that they are half full or more on the
	// average.
	return 8*int64(len(t.pages)) + max(32*int64(t.used), pageEntries*16)
}

// Pair packs two small numbers into a key.
func Pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }
