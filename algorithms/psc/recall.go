package psc

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/internal/index"
)

// Documents come to few contexts again and again: a start, and what the states after it put out
// (20 Java programs: 15,935 positions, 715 contexts with such outputs). Where the outputs are
// large, composing costs several times the copy of a finished mask. So the second time that such a
// context is met, its finished mask is kept. At the first time, the memory of a mask would cost
// more than composing it. Contexts are found by a hash, without a lock; each has one place, and one
// whose place another took is composed again.

// maxRecalled bounds the memory of masks that are kept so, in bytes. Beyond it all are forgotten.
const maxRecalled = 64 << 20

// lightShare bounds what is composed anew each time: as much work as that of one in so many of a
// mask's words.
const lightShare = 4

// A keptMask is the mask of a context: a start, and what the states after it put out, in the order
// of a walk. It is never changed; words are nil until the context is met again.
type keptMask struct {
	hash   uint64
	first  *start
	deltas []*delta
	words  []uint64
}

// bytes is the memory that it takes beside its words.
func (x *keptMask) bytes() int64 { return 64 + 8*int64(len(x.deltas)) }

// keptSlots is how many contexts are remembered at most, one for each slot of hashes.
const keptSlots = 1 << 14

// keptMasks are the masks of contexts that were met. They may be read at any time.
type keptMasks struct {
	slots [keptSlots]atomic.Pointer[keptMask]

	mu     sync.Mutex
	limit  int64
	held   int64
	byHash map[uint64][]uint64
	masks  int64 // kept so far, of all contexts
}

// find is a context that was met, nil if it was not.
func (m *keptMasks) find(h uint64, first *start, deltas []*delta) *keptMask {
	if x := m.slots[h%keptSlots].Load(); x != nil && x.hash == h && x.first == first && slices.Equal(x.deltas, deltas) {
		return x
	}
	return nil
}

// meet remembers that a context was met for the first time.
func (m *keptMasks) meet(h uint64, first *start, deltas []*delta) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held > m.limit {
		for i := range m.slots {
			m.slots[i].Store(nil)
		}
		m.byHash, m.held = nil, 0
	}
	x := &keptMask{hash: h, first: first, deltas: slices.Clone(deltas)}
	m.held += x.bytes()
	if old := m.slots[h%keptSlots].Swap(x); old != nil {
		m.held -= old.bytes()
	}
}

// keep keeps the mask of a context that was met before. Equal masks share their memory.
func (m *keptMasks) keep(x *keptMask, words []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot := &m.slots[x.hash%keptSlots]
	if slot.Load() != x {
		return
	}
	m.masks++
	h := index.Hash(words)
	same := m.byHash[h]
	if !slices.Equal(same, words) {
		same = slices.Clone(words)
		if m.byHash == nil {
			m.byHash = map[uint64][]uint64{}
		}
		m.byHash[h] = same
		m.held += 8*int64(len(words)) + 60
	}
	slot.Store(&keptMask{x.hash, x.first, x.deltas, same})
}

// bytes is the memory held, roughly, and how many masks were kept so far.
func (m *keptMasks) bytes() (bytes, masks int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, m.masks
}
