package parserdwa

import "gcdbench/internal/index"

// A lookup numbers keys, in order of their first use. The composition asks it for every reduction
// chain, and a map of the language takes three times as long.
type lookup struct {
	index index.Index
	keys  []lookupKey
}

// A lookupKey is a transition of a template: symbol is to be shifted, under and top are read.
type lookupKey struct{ symbol, under, top int32 }

func (k lookupKey) hash() uint64 {
	return index.Hash([]uint64{uint64(uint32(k.under))<<32 ^ uint64(uint32(k.top)), uint64(k.symbol)})
}

// number is the number of k, and whether it is new.
func (t *lookup) number(k lookupKey) (n int32, isNew bool) {
	h := k.hash()
	if n = t.index.Find(h, func(i int32) bool { return t.keys[i] == k }); n >= 0 {
		return n, false
	}
	t.keys = append(t.keys, k)
	return t.index.Add(h), true
}
