package psc

// A table64 is a hash table from 64-bit keys to 32-bit values, open addressing with linear probing. The
// construction looks up a symbolic run for every item of every state, some hundred million times for a
// large grammar; this is a few times faster than a map, and a lookup is one cache miss at most.
type table64 struct {
	entries []tableEntry
	used    int
}

// value is as put, with the bits of absent inverted: so a free entry is zero, and a new table need not be filled.
type tableEntry struct {
	key   uint64
	value int32
}

// absent is what get returns for a key that is not there; no value may be it.
const absent int32 = -1 << 31

const (
	// minTable is the number of entries that a table begins with.
	minTable = 256
	// smallTable is the number up to which it grows by four instead of two: growing is what a single mask may have to wait for.
	smallTable = 1 << 14
)

func (t *table64) slot(key uint64) *tableEntry {
	mask := len(t.entries) - 1
	for i := int(spread(key)) & mask; ; i = (i + 1) & mask {
		if e := &t.entries[i]; e.value == 0 || e.key == key {
			return e
		}
	}
}

func (t *table64) get(key uint64) int32 {
	if t.used == 0 {
		return absent
	}
	return t.slot(key).value ^ absent
}

func (t *table64) put(key uint64, value int32) {
	if 4*(t.used+1) > 3*len(t.entries) {
		t.grow()
	}
	e := t.slot(key)
	if e.value == 0 {
		t.used++
	}
	*e = tableEntry{key, value ^ absent}
}

func (t *table64) grow() {
	old := t.entries
	size := 2 * len(old)
	if len(old) < smallTable {
		size = max(minTable, 4*len(old))
	}
	t.entries = make([]tableEntry, size)
	for _, e := range old {
		if e.value != 0 {
			*t.slot(e.key) = e
		}
	}
}

func (t *table64) bytes() int64 { return 16 * int64(len(t.entries)) }

// spread mixes the bits of a key (the finalizer of splitmix64).
func spread(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// pair packs two small numbers into a key.
func pair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }
