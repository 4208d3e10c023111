package psc

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/internal/hugepages"
	"gcdbench/internal/index"
)

// Documents come to few contexts again and again. A context is a start, and what the states after
// it put out (20 Java programs: 15,935 positions, 715 contexts with such outputs). Where the
// outputs are large, composing a mask takes several times as long as copying a finished one. So the
// mask of such a context is kept when the context is met for the second time; at the first time, to
// take memory for it would cost more than to compose it. Contexts are found by a hash, without a
// lock. Each has one slot. A context that has lost its slot to another one is composed again.
//
// Equal masks share their memory: the fewer there are, the more of them are in the processor's
// caches. A step that keeps a mask takes longer by that. So the hash by which equal masks are found
// is a fast one, and the memory of the first masks is there beforehand.

// maxRecalled bounds the memory of masks that are kept so, in bytes. Beyond it all are forgotten.
const maxRecalled = 64 << 20

// lightShare bounds what is composed anew each time: as much work as that of one in so many of a
// mask's words.
const lightShare = 4

// A keptMask is the mask of a context: a start, and what the states after it put out, in the order
// of a walk. It is never changed.
type keptMask struct {
	hash   uint64
	first  *start
	deltas []*delta
	words  []uint64
}

// keptSlots is how many contexts are remembered at most, one for each slot of hashes.
const keptSlots = 1 << 14

// roomForKept is for how many masks an engine that is built offline takes memory beforehand.
const roomForKept = 128

// keptMasks are the masks of contexts that were met. They may be read at any time.
type keptMasks struct {
	slots [keptSlots]atomic.Pointer[keptMask]
	// met has for each slot a part of the hash of the context that was met last.
	met [keptSlots]atomic.Uint32

	mu    sync.Mutex
	limit int64
	held  int64 // bytes, beside the masks
	kept  int64 // masks so far, of all contexts
	masks maskPool
}

// find is the mask of a context, nil if it is not kept.
func (m *keptMasks) find(h uint64, first *start, deltas []*delta) []uint64 {
	if x := m.slots[h%keptSlots].Load(); x != nil && x.hash == h && x.first == first && slices.Equal(x.deltas, deltas) {
		return x.words
	}
	return nil
}

// meet keeps the mask of a context that was met before, and remembers one that was not.
func (m *keptMasks) meet(h uint64, first *start, deltas []*delta, words []uint64) {
	if tag := uint32(h>>32) | 1; m.met[h%keptSlots].Swap(tag) != tag {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if masks, _ := m.masks.size(); m.held+masks > m.limit {
		for i := range m.slots {
			m.slots[i].Store(nil)
		}
		m.masks.forget()
		m.held = 0
	}
	m.kept++
	x := &keptMask{hash: h, first: first, deltas: slices.Clone(deltas), words: m.masks.share(words)}
	m.held += 72 + 8*int64(len(deltas))
	m.slots[h%keptSlots].Store(x)
}

// bytes is the memory held, roughly, and how many masks were kept so far.
func (m *keptMasks) bytes() (bytes, masks int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes, _ = m.masks.size()
	return m.held + bytes, m.kept
}

// A maskPool has finished masks, equal ones once. Any number of goroutines may use it.
type maskPool struct {
	mu     sync.Mutex
	byHash map[uint64][]uint64
	room   []uint64 // for the next masks
	held   int64    // bytes
}

// prepare takes memory for some masks of n words, and touches it, so that the first steps that keep
// one need not wait for the system's pages.
func (m *maskPool) prepare(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room = make([]uint64, roomForKept*wholeLines(n))
	for i := 0; i < len(m.room); i += 512 {
		m.room[i] = 0
	}
	hugepages.Advise(m.room)
	m.held += 8 * int64(len(m.room))
}

// share is a copy of a mask, the same one for equal masks.
func (m *maskPool) share(words []uint64) []uint64 {
	h := hashWords(words)
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.byHash[h]
	if slices.Equal(same, words) {
		return same
	}
	if n := len(words); len(m.room) < wholeLines(n) {
		same = slices.Clone(words)
		m.held += 8*int64(n) + 60
	} else {
		same = m.room[:n:n]
		m.room = m.room[wholeLines(n):]
		copy(same, words)
	}
	if m.byHash == nil {
		m.byHash = map[uint64][]uint64{}
	}
	m.byHash[h] = same
	return same
}

// forget drops all masks.
func (m *maskPool) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.room, m.byHash, m.held = nil, nil, 0
}

// size is the memory held, roughly, and the number of masks.
func (m *maskPool) size() (bytes int64, masks int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, len(m.byHash)
}

// hashWords is a hash of the words of a mask: four at a time, as the product of one would wait for
// that of the one before.
func hashWords(words []uint64) uint64 {
	const k = 0x9e3779b97f4a7c15
	var a, b, c, d uint64
	for ; len(words) >= 4; words = words[4:] {
		w := (*[4]uint64)(words)
		a, b, c, d = (a^w[0])*k, (b^w[1])*k, (c^w[2])*k, (d^w[3])*k
	}
	for _, w := range words {
		a = (a ^ w) * k
	}
	return index.Mix(a ^ index.Mix(b^index.Mix(c^index.Mix(d))))
}
