package automata

import (
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// Automata that run beside each other, all at once. Of n patterns up to 2^n combinations match some
// text, and a product for each takes as many automata as there are combinations, over and over the
// same states. Here the states are made once, with what each accepts, and the combinations share
// them.

// A Joint has the texts of UTF-8 that an automaton accepts, divided into parts by which of some
// others accept them, too.
type Joint struct {
	of     [256]uint8
	reps   []byte // by class: a byte
	states intern.Lists[int32]
	table  []int32 // by state and class
	parts  intern.Lists[int32]
	part   []int32    // by state: the part that it accepts for; -1 for none
	leads  [][]uint64 // by state: the parts from which a text may still be accepted
}

// NewJoint runs automata beside each other. It is not ok if that takes more states than most, or if
// one of them is on demand or asks what follows a match.
func NewJoint(all *DFA, others []*DFA, most int) (j *Joint, ok bool) {
	j = &Joint{}
	list := append([]*DFA{AnyText(), all}, others...) // the first keeps the place in a character
	start := make([]int32, len(list))
	var seen intern.Lists[int32]
	for i, d := range list {
		if start[i] = d.Start(); d.demand != nil || d.HasContexts() || i < 2 && start[i] == Dead {
			return nil, false
		}
	}
	classes := make([]int32, len(list))
	for b := range 256 {
		for i, d := range list {
			classes[i] = int32(d.classOf[b])
		}
		class, isNew := seen.ID(classes)
		if isNew {
			j.reps = append(j.reps, byte(b))
		}
		j.of[b] = uint8(class)
	}
	j.states.ID(start)
	next := make([]int32, len(list))
	for s := 0; s < j.states.Len(); s++ {
		if s == most {
			return nil, false
		}
		at := j.states.At(int32(s))
		j.part = append(j.part, j.partAt(list, at))
		for _, b := range j.reps {
			to := Dead
			if next[0], next[1] = list[0].Next(at[0], b), list[1].Next(at[1], b); next[0] != Dead && next[1] != Dead {
				for i, d := range list[2:] {
					next[2+i] = d.Next(at[2+i], b)
				}
				to, _ = j.states.ID(next)
			}
			j.table = append(j.table, to)
		}
	}
	return j, true
}

// partAt is the part that a state accepts for, by the numbers of the automata that accept there.
func (j *Joint) partAt(list []*DFA, at []int32) int32 {
	if !list[1].Accepting(at[1]) {
		return -1
	}
	var within []int32
	for i, d := range list[2:] {
		if d.Accepting(at[2+i]) {
			within = append(within, int32(i))
		}
	}
	part, _ := j.parts.Take(within)
	return part
}

// Combinations lists the parts, each by the numbers of the automata that accept its texts.
func (j *Joint) Combinations() (list [][]int32) {
	for p := range j.parts.Len() {
		list = append(list, j.parts.At(int32(p)))
	}
	return list
}

// Parts are the automata of some parts, on demand. It is asked once.
func (j *Joint) Parts(chosen []int) (list []*DFA) {
	number := slices.Repeat([]int32{-1}, j.parts.Len())
	for i, p := range chosen {
		number[p] = int32(i)
		list = append(list, OnDemand(j.of, len(j.reps), &jointPart{j, i, nil}))
	}
	for s, p := range j.part {
		set := bitset.New(len(chosen))
		if p >= 0 && number[p] >= 0 {
			bitset.Add(set, number[p])
		}
		if j.leads = append(j.leads, set); p >= 0 {
			j.part[s] = number[p]
		}
	}
	n := len(j.reps)
	for changed := true; changed; {
		changed = false
		for s := len(j.leads) - 1; s >= 0; s-- {
			for _, to := range j.table[s*n : (s+1)*n] {
				changed = to != Dead && bitset.Unite(j.leads[s], j.leads[to]) || changed
			}
		}
	}
	return list
}

// A jointPart has the rows of a part.
type jointPart struct {
	*Joint
	p      int
	filled []uint8 // scratch
}

// Row implements Rows.
func (x *jointPart) Row(s int32, to []int32) []uint8 {
	x.filled = x.filled[:0]
	if int(s) >= len(x.part) {
		return x.filled
	}
	for c, next := range x.table[int(s)*len(x.reps) : (int(s)+1)*len(x.reps)] {
		if next != Dead && bitset.Has(x.leads[next], x.p) {
			to[c], x.filled = next, append(x.filled, uint8(c))
		}
	}
	return x.filled
}

// Accepting implements Rows.
func (x *jointPart) Accepting(s int32) bool { return int(s) < len(x.part) && int(x.part[s]) == x.p }

// Bound is a number above those of all states.
func (x *jointPart) Bound() int { return len(x.part) }

// Bytes is the memory that the states take.
func (j *Joint) Bytes() int {
	bytes := 4*len(j.table) + 4*len(j.part)
	for _, set := range j.leads {
		bytes += 24 + 8*len(set)
	}
	return bytes
}
