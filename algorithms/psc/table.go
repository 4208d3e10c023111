package psc

// A table64 is a hash table from 64-bit keys to 32-bit values, open addressing with linear probing. The
// construction looks up a symbolic run for every item of every state, some hundred million times for a
// large grammar; this is a few times faster than a map and takes 12 bytes an entry at load one.
type table64 struct {
	keys   []uint64
	values []int32
	used   int
}

// absent is what get returns for a key that is not there; no value may be it.
const absent int32 = -1 << 31

func (t *table64) slot(key uint64) int {
	mask := len(t.keys) - 1
	i := int(spread(key)) & mask
	for t.values[i] != absent && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (t *table64) get(key uint64) int32 {
	if t.used == 0 {
		return absent
	}
	return t.values[t.slot(key)]
}

func (t *table64) put(key uint64, value int32) {
	if 4*(t.used+1) > 3*len(t.keys) {
		t.grow()
	}
	i := t.slot(key)
	if t.values[i] == absent {
		t.used++
	}
	t.keys[i], t.values[i] = key, value
}

func (t *table64) grow() {
	old := *t
	n := max(64, 2*len(old.keys))
	t.keys, t.values = make([]uint64, n), make([]int32, n)
	for i := range t.values {
		t.values[i] = absent
	}
	for i, v := range old.values {
		if v != absent {
			j := t.slot(old.keys[i])
			t.keys[j], t.values[j] = old.keys[i], v
		}
	}
}

func (t *table64) bytes() int64 { return 12 * int64(len(t.keys)) }

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
