package psc

import (
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/table"
	"gcdbench/internal/bitset"
)

// Of what a state of the stack has to decide, nine in ten are groups of tokens that end inside a
// lexeme: after a space SQL has 737 of them, one for each prefix of a keyword. Many groups wait for
// few reductions. So those that wait for the same one are a bunch, and go on together: what a stack
// does is found once, terminal by terminal, and what becomes of each group of a bunch is read off
// it. Of the terminals some are accepted, some wait for other reductions, and the rest is refused:
// that is a split (splits.go).
//
// A bunch is one item of a state, whose goal looks for the terminals before which the reduction is
// made. A group that waits takes a few nanoseconds then rather than a goal of its own. States that
// wait for the same may differ in how it is bunched. That makes some more of them, of a size that
// is a tenth.
//
// All of this is for tables with one action per entry that end.

// A bunch is groups that wait for the same reduction, each with the set of terminals of which one
// must be accepted: set<<32 | group.
type bunch []uint64

// bunches are those that have a number.
type bunches struct {
	table.Numbered[uint64]
	ofNode map[spanner.NodeID]nodeBunch
	ofRoot map[spanner.NodeID]nodeBunch // as own groups

	rest, some bunch // scratch
	accepted   []int32
}

// A nodeBunch is the groups of a node: those that may be ignored, and the others.
type nodeBunch struct {
	free  []int32
	bunch int32
}

// bytes is the memory held, roughly.
func (b *bunches) bytes() int64 {
	return b.Numbered.Bytes(8) + 50*int64(len(b.ofNode)+len(b.ofRoot))
}

// leaves decides the groups of a node on a cell; own groups are numbered from ownLeaf on.
func (a *automaton) leaves(c int32, node spanner.NodeID, class int32, own bool) {
	if a.bunching && !a.lines.dropped(class) {
		x := a.bunchesOf(node, own)
		a.acceptAll(x.free)
		a.deal(a.splits.OfAnswers(a.sym.AnswersOf(c)), a.bunches.At(x.bunch))
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
			b.some = append(b.some, table.Pair(a.setOf(l.Reach), leaf))
		}
	}
	x.bunch = b.Of(b.some)
	of[node] = x
	return x
}

// readBunch goes on with a bunch on a cell; n symbols of its goal were popped.
func (a *automaton) readBunch(c, n, id, bunch int32) {
	s, g := a.sym, a.sym.Goals[id]
	if pops := g.Pops - n; pops > 0 {
		under, left := s.Pop(c, int(pops))
		if under < 0 {
			a.items = append(a.items, table.Pair(s.Popped(id, g.Pops-left), ^bunch))
			return
		}
		c = under
	}
	if answers := s.GoTo(c, g.Lhs); answers != nil {
		a.deal(a.splits.PartOf(a.splits.OfAnswers(answers), g.Look), a.bunches.At(bunch))
	}
}

// deal adds what a split makes of a bunch to the scratch.
func (a *automaton) deal(split int32, list bunch) {
	b, words := &a.bunches, a.splits.List.At(split)
	accept := a.sym.Set(words[0])
	b.rest, b.accepted = b.rest[:0], b.accepted[:0]
	for _, x := range list {
		if bitset.Intersect(a.sym.Set(int32(x>>32)), accept) {
			b.accepted = append(b.accepted, int32(uint32(x)))
		} else {
			b.rest = append(b.rest, x)
		}
	}
	a.acceptAll(b.accepted)
	for i := 1; i < len(words) && len(b.rest) > 0; i += 2 {
		a.waitAll(words[i], words[i+1])
	}
}

// acceptAll accepts the groups of a list, as one entry if it is long, but for own groups.
func (a *automaton) acceptAll(list []int32) {
	if len(list) < longList || list[0] >= ownLeaf {
		a.accepts = append(a.accepts, list...)
		return
	}
	a.accepts = append(a.accepts, ^a.outs.Of(distinct(list)))
}

// waitAll adds the item of those of bunches.rest that wait for a reduction before some of a set of
// terminals.
func (a *automaton) waitAll(shape, set int32) {
	b, terminals := &a.bunches, a.sym.Set(set)
	b.some = b.some[:0]
	for _, x := range b.rest {
		if bitset.Intersect(a.sym.Set(int32(x>>32)), terminals) {
			b.some = append(b.some, x)
		}
	}
	if len(b.some) > 0 {
		a.items = append(a.items, table.Pair(a.sym.GoalIn(shape, set, true), ^b.Of(b.some)))
	}
}
