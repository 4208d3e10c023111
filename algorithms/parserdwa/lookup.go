package parserdwa

import "math/bits"

// A lookup numbers keys, in order of their first use: an open-addressed hash table with linear
// probing. The composition asks it for every reduction chain, and a map of the language takes three
// times as long.
type lookup struct {
	slots []lookupSlot // a power of two
	count int32
}

// A lookupKey is a transition of a template: what is to be shifted, and what is read.
type lookupKey struct{ symbol, under, top int32 }

type lookupSlot struct {
	key    lookupKey
	number int32 // 1 + the key's; 0 if free
}

func (k lookupKey) hash() uint64 {
	h, l := bits.Mul64(uint64(uint32(k.under))<<32^uint64(uint32(k.top))^0x9E3779B97F4A7C15, uint64(uint32(k.symbol))<<1^0xD6E8FEB86659FD93)
	return h ^ l
}

// number is the number of k, and whether it is new.
func (t *lookup) number(k lookupKey) (n int32, isNew bool) {
	if int(t.count)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	for i := k.hash() & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.number == 0 {
			t.count++
			s.key, s.number = k, t.count
			return t.count - 1, true
		}
		if s.key == k {
			return s.number - 1, false
		}
	}
}

func (t *lookup) grow() {
	old := t.slots
	t.slots = make([]lookupSlot, max(64, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := s.key.hash() & mask
		for t.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
