package psc

import (
	"slices"

	"gcdbench/internal/bitset"
	"gcdbench/internal/index"
	"gcdbench/lexical/spanner"
)

// Of what a new state of the stack has to decide, nine in ten are groups of tokens that end inside
// a lexeme: after a space SQL has 737 of them, one for each prefix of a keyword. All groups of a
// node that wait for the same reduction go on as one item of a lazy engine, a bunch, whose goal
// looks for the terminals before which the reduction is made. Where the reduction leads, one pass
// over the bunch accepts some, refuses some and leaves the others as bunches again. So a group
// that waits takes a few nanoseconds rather than a goal of its own.
//
// States that wait for the same may then differ in how it is bunched. That makes some more of them,
// of a size that is a tenth.

// bunches are the interned lists of groups: the set of terminals that a group is asked for, and its
// number, in the order of a node.
type bunches struct {
	lists  [][]uint64
	byHash interned
	ofNode map[spanner.NodeID]nodeBunch
	ofRoot map[spanner.NodeID]nodeBunch // as own groups
	held   int64

	shifted, reduced, look []uint64 // scratch of judgeAll
	rest, some             []uint64
	accepted               []int32
}

// A nodeBunch is the groups of a node: those that may be ignored, and the others.
type nodeBunch struct {
	free  []int32
	bunch int32
}

// bunchOf interns a list, which it does not keep.
func (b *bunches) bunchOf(list []uint64) int32 {
	h := index.Hash(list)
	id := b.byHash.find(h, func(id int32) bool { return slices.Equal(b.lists[id], list) })
	if id < 0 {
		id = b.byHash.add(h)
		b.lists = append(b.lists, slices.Clone(list))
		b.held += 8*int64(len(list)) + 24
	}
	return id
}

// bytes is the memory held, roughly.
func (b *bunches) bytes() int64 {
	return b.held + b.byHash.bytes() + 50*int64(len(b.ofNode)+len(b.ofRoot))
}

// leaves decides the groups of a node on a cell; own groups are numbered from ownLeaf on.
func (a *automaton) leaves(c int32, node spanner.NodeID, class int32, own bool) {
	if a.bunching && !a.lines.dropped(class) {
		x := a.bunchesOf(node, own)
		a.acceptAll(x.free)
		a.judgeAll(c, nil, x.bunch)
		return
	}
	for i, l := range a.spans.Node(node).Leaves {
		a.leaf(c, l.Reach, numberOf(i, l, own), class)
	}
}

// numberOf is the number of the i-th group of a node.
func numberOf(i int, l spanner.SharedLeaf, own bool) int32 {
	if own {
		return ownLeaf + int32(i)
	}
	return int32(l.ID)
}

// bunchesOf are the groups of a node.
func (a *automaton) bunchesOf(node spanner.NodeID, own bool) nodeBunch {
	b := &a.bunches
	of := b.ofNode
	if own {
		of = b.ofRoot
	}
	x, ok := of[node]
	if ok {
		return x
	}
	b.some = b.some[:0]
	for i, l := range a.spans.Node(node).Leaves {
		if leaf := numberOf(i, l, own); a.problem.Lexer.ReachSet(l.Reach).Ignored {
			x.free = append(x.free, leaf)
		} else {
			b.some = append(b.some, pair(a.setOf(l.Reach), leaf))
		}
	}
	x.bunch = b.bunchOf(b.some)
	of[node] = x
	return x
}

// judgeAll decides a bunch on a cell by the terminals of look, nil for all.
func (a *automaton) judgeAll(c int32, look []uint64, bunch int32) {
	b, answers := &a.bunches, a.sym.answersOf(c)
	b.shifted, b.reduced = append(b.shifted[:0], answers.shifted...), append(b.reduced[:0], answers.reduced...)
	for i, w := range look {
		b.shifted[i] &= w
		b.reduced[i] &= w
	}
	b.rest, b.accepted = b.rest[:0], b.accepted[:0]
	open := !bitset.Empty(b.reduced)
	for _, x := range b.lists[bunch] {
		set := a.sym.set(int32(x >> 32))
		if bitset.Intersect(set, b.shifted) {
			b.accepted = append(b.accepted, int32(uint32(x)))
		} else if open && bitset.Intersect(set, b.reduced) {
			b.rest = append(b.rest, x)
		}
	}
	a.acceptAll(b.accepted)
	if len(b.rest) == 0 {
		return
	}
	for i := range answers.parts {
		if p := &answers.parts[i]; p.cell < 0 {
			a.waitAll(p, look)
		}
	}
}

// acceptAll accepts the groups of a list: of other than own groups, as one entry if it is long.
func (a *automaton) acceptAll(list []int32) {
	if len(list) < longList || list[0] >= ownLeaf {
		a.accepts = append(a.accepts, list...)
		return
	}
	a.accepts = append(a.accepts, ^a.outOf(distinct(list)))
}

// waitAll adds the item of those of bunches.rest that wait for the reduction of an answer.
func (a *automaton) waitAll(p *answer, look []uint64) {
	b := &a.bunches
	b.look = append(b.look[:0], p.set...)
	for i, w := range look {
		b.look[i] &= w
	}
	b.some = b.some[:0]
	for _, x := range b.rest {
		if bitset.Intersect(a.sym.set(int32(x>>32)), b.look) {
			b.some = append(b.some, x)
		}
	}
	if len(b.some) > 0 {
		a.items = append(a.items, pair(a.sym.goalIn(p.shape, a.sym.setOf(b.look), true), ^b.bunchOf(b.some)))
	}
}

// readBunch goes on with a bunch on a cell; n symbols of its goal were popped.
func (a *automaton) readBunch(c, n, id, bunch int32) {
	s, g := a.sym, a.sym.goals[id]
	if pops := g.pops - n; pops > 0 {
		under, left := s.pop(c, int(pops))
		if under < 0 {
			a.items = append(a.items, pair(s.popped(id, g.pops-left), ^bunch))
			return
		}
		c = under
	}
	if s.goTo(c, g.lhs); s.entered.answers != nil {
		a.judgeAll(s.entered.to, s.set(g.look), bunch)
	}
}
