package automata

import "slices"

// Counted repeats that overlap with what surrounds them. In .{0,99}x every x begins the count anew,
// so that the subset construction meets sets of counts: 2^99 of them. But a thread in an optional
// copy of a repeat's body can do all that a thread at the same place of a later copy can, which has
// fewer copies left: the latter is dropped from each set, and of every set of counts the one that
// has most left remains.
//
// Places are the same if they differ only in the copies that they are in. Nested repeats make that
// a vector of counts, and the order is one of vectors: (2 outer, 5 inner) and (3 outer, 4 inner)
// both stay. Required copies are not alike: the first of {3,9} has to go on where the third may
// stop.
//
// Where threads have an order of preference (order.go), only the one before can stand for the one
// after it: if the latter leads to a match then so does the former, which is tried first.

const (
	// rankBits is the width of a count in a vector, one bit of which is spare for comparing.
	rankBits = 16
	// rankLevels is how deep repeats are nested whose copies are compared; those around them are not.
	rankLevels = 64 / rankBits
	// rankSpare has the spare bit of every count.
	rankSpare = uint64(0x8000_8000_8000_8000)
)

// copyRanks says of which copies of repeats a position is part. It is empty if there are none.
type copyRanks struct {
	base   []int32  // by position: the same place in the last copies
	rank   []uint64 // by position: how many copies are left, one count for each level
	levels []int8   // by position: how many levels there are
}

// repeat notes that the positions from first on are optional copies, each of size positions, the
// last copy of the text first. Positions that were noted before are inner repeats.
func (r *copyRanks) repeat(first, size, copies int) {
	for i := len(r.base); i < first+size*copies; i++ {
		r.base, r.rank, r.levels = append(r.base, int32(i)), append(r.rank, 0), append(r.levels, 0)
	}
	level := slices.Max(r.levels[first : first+size])
	if level == rankLevels || copies > 1<<(rankBits-1) {
		return
	}
	for i := first; i < first+size; i++ {
		r.levels[i] = level + 1
	}
	for copied := 1; copied < copies; copied++ {
		for i := range size {
			last, here := first+i, first+copied*size+i
			r.base[here], r.rank[here], r.levels[here] = r.base[last], r.rank[last]|uint64(copied)<<(level*rankBits), level+1
		}
	}
}

// of is the place of a position among the copies.
func (r *copyRanks) of(position int32) (base int32, rank uint64) {
	if int(position) >= len(r.base) {
		return position, 0
	}
	return r.base[position], r.rank[position]
}

// exceeds tells whether no count of a is less than that of b.
func exceeds(a, b uint64) bool { return ((a|rankSpare)-b)&rankSpare == rankSpare }

// rivals are the threads of a set by place, while those with fewer copies left are dropped.
type rivals struct {
	mark  uint32
	marks []uint32 // by base: whether head is of this set
	head  []int32  // by base: the last thread kept there, by its index
	next  []int32  // by index of a kept thread: the one before; -1 for none
}

// dropCopies drops from d.closed the threads that are in a later copy of a repeat than another one
// at the same place. Threads with obligations stay.
func (d *determinizer) dropCopies() {
	d.startRivals()
	kept := d.closed[:0]
	// Positions are built from the end of the text, so that of two copies the one with more left is
	// the later.
	slices.Reverse(d.closed)
	for _, t := range d.closed {
		if d.admit(kept, t) {
			kept = append(kept, t)
		}
	}
	slices.Reverse(kept)
	d.closed = kept
}

// startRivals begins a set.
func (d *determinizer) startRivals() {
	v := &d.rivals
	if v.marks == nil {
		v.marks, v.head = make([]uint32, len(d.nfa.states)), make([]int32, len(d.nfa.states))
	}
	v.mark++
	v.next = v.next[:0]
}

// admit reports whether a thread can do something that those kept before cannot. It is kept then.
func (d *determinizer) admit(kept []int32, t int32) bool {
	v := &d.rivals
	before := int32(-1)
	if int(t) < len(d.nfa.states) {
		base, rank := d.nfa.copies.of(t)
		if v.marks[base] == v.mark {
			before = v.head[base]
		}
		if d.dominated(kept, before, rank) {
			return false
		}
		v.marks[base], v.head[base] = v.mark, int32(len(kept))
	}
	v.next = append(v.next, before)
	return true
}

// dominated tells whether a thread kept at the same place, the last one first, exceeds a rank.
func (d *determinizer) dominated(kept []int32, at int32, rank uint64) bool {
	for ; at >= 0; at = d.rivals.next[at] {
		if _, other := d.nfa.copies.of(kept[at]); exceeds(other, rank) {
			return true
		}
	}
	return false
}
