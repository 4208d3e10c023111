package psc

import (
	"slices"
	"sync"
	"sync/atomic"

	"gcdbench/internal/hugepages"
	"gcdbench/internal/index"
)

// Documents come to few contexts again and again: a start, and what the states after it put out
// (20 Java programs: 15,935 positions, 715 contexts with such outputs). Where the outputs are
// large, composing costs several times the copy of a finished mask. So the second time that such a
// context is met, its finished mask is kept. At the first time, the memory of a mask would cost
// more than composing it. Contexts are found by a hash, without a lock; each has one place, and one
// whose place another took is composed again.
//
// Equal masks share their memory: fewer of them stay nearer to the processor. To keep a mask is a
// part of the step that meets its context again, so the hash by which equal ones are found is a
// fast one, and the memory of the first masks is there beforehand.

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

	mu     sync.Mutex
	limit  int64
	held   int64
	room   []uint64
	byHash map[uint64][]uint64
	masks  int64 // kept so far, of all contexts
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
	if m.held > m.limit {
		for i := range m.slots {
			m.slots[i].Store(nil)
		}
		m.room, m.byHash, m.held = nil, nil, 0
	}
	m.masks++
	x := &keptMask{hash: h, first: first, deltas: slices.Clone(deltas), words: m.shared(words)}
	m.held += 72 + 8*int64(len(deltas))
	m.slots[h%keptSlots].Store(x)
}

// prepare takes memory for some masks of n words, and touches it, so that the first steps that keep
// one need not wait for the system's pages.
func (m *keptMasks) prepare(n int) {
	m.room = make([]uint64, roomForKept*wholeLines(n))
	for i := 0; i < len(m.room); i += 512 {
		m.room[i] = 0
	}
	hugepages.Advise(m.room)
	m.held += 8 * int64(len(m.room))
}

// shared is a copy of a mask, the same one for equal masks; m.mu is held.
func (m *keptMasks) shared(words []uint64) []uint64 {
	h := hashWords(words)
	same := m.byHash[h]
	if slices.Equal(same, words) {
		return same
	}
	if n := len(words); len(m.room) < wholeLines(n) {
		same = slices.Clone(words)
		m.held += 8 * int64(n)
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

// bytes is the memory held, roughly, and how many masks were kept so far.
func (m *keptMasks) bytes() (bytes, masks int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, m.masks
}
