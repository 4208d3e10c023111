package spanner

import (
	"math/bits"

	"gcdbench/automata"
)

// Any key but the declared ones is the string that an object most often has beside them: free, but for the ways along
// the declared keys, on which it is somewhere else than in its sink. It is the one ending of its kind, so
// its difference to the sink needs less than differ does: two states of the same automaton.

// maxDetour is how many nodes are looked at before a detour is given up. An object's keys come to ten or fifteen each; a walk
// of what is alive would come to them as well. maxDetourTokens is how many tokens may make a difference: keys have hardly
// any, strings that a pattern is taken from have thousands.
const maxDetour, maxDetourTokens = 1 << 12, 1 << 9

// maxDiverging is after how many bytes, of 256, an ending may be somewhere else than its sink. The keys of an object begin
// with some letters; a pattern that is looked for anywhere in a string differs after all of them, until it is found, and
// its detour would be given up after thousands of nodes.
const maxDiverging = 96

// A detour is the walk of the difference between an ending and the sink of its automaton.
type detour struct {
	l     *lexicon
	d     *automata.DFA
	p     *spelling
	kind  sliceKind
	slice *slice
	left  int // nodes that may still be looked at
	difference
	gone, added []spot // quotes after which only the sink accepts, or only the ending
}

// detour is differ for one ending whose automaton has a sink.
func (l *lexicon) detour(t ending, to sink) *verdict {
	base := l.judgeSinks([]sunk{{ending{t.d, t.p, to.state}, to.language, 0}})
	if base.alive == nil {
		return nil
	}
	w := detour{l: l, d: t.d, p: t.p, left: maxDetour}
	if w.differing(t.state, to.state) > maxDiverging {
		return nil
	}
	if t.state != to.state {
		for k := range l.slices {
			w.kind, w.slice = sliceKind(k), &l.slices[k]
			if !w.below(0, t.state, to.state) {
				return nil
			}
		}
	}
	v := &verdict{}
	v.setAlive(base.alive, w.minus, w.plus)
	for _, c := range base.closers {
		v.add(c.members, l.list(listing{base: c.list, without: w.gone}))
	}
	if len(w.added) > 0 {
		v.add([]int32{0}, l.list(listing{with: w.added}))
	}
	return v
}

// differing counts the bytes that lead from two states to different ones.
func (w *detour) differing(s, o int32) (n int) {
	row, other := w.d.Row(s), w.d.Row(o)
	for c, to := range row {
		if to != other[c] {
			n += w.p.classes[c].count()
		}
	}
	return n
}

// below goes on to the children of a node that the ending, in state s, and the sink, in state o, differ after. It
// is false if there is too much of it.
func (w *detour) below(i, s, o int32) bool {
	n := &w.slice.nodes[i]
	if n.kidHi-n.kidLo <= fewKids {
		for at, b := range w.slice.bytes[n.kidLo:n.kidHi] {
			if !w.kid(w.slice.kids[int(n.kidLo)+at], w.next(s, b), w.next(o, b)) {
				return false
			}
		}
		return true
	}
	if s == automata.Dead || o == automata.Dead {
		return w.alone(i, s, o)
	}
	row, other := w.d.Row(s), w.d.Row(o)
	for c, to := range row {
		if to != other[c] && !w.class(i, c, to, other[c]) {
			return false
		}
	}
	return true
}

// alone is below with one of the states dead.
func (w *detour) alone(i, s, o int32) bool {
	for c, to := range w.d.Row(max(s, o)) {
		if to == automata.Dead {
			continue
		}
		is, was := to, automata.Dead
		if s == automata.Dead {
			is, was = was, is
		}
		if !w.class(i, c, is, was) {
			return false
		}
	}
	return true
}

// class goes on to the children of a node by the bytes of a class, which lead to states s and o.
func (w *detour) class(i int32, class int, s, o int32) bool {
	for k, set := range w.p.classes[class] {
		for ; set != 0; set &= set - 1 {
			if kid := w.slice.child(i, byte(k<<6+bits.TrailingZeros64(set))); kid >= 0 && !w.kid(kid, s, o) {
				return false
			}
		}
	}
	return true
}

func (w *detour) next(s int32, b byte) int32 {
	if s == automata.Dead {
		return s
	}
	return w.d.Next(s, b)
}

// kid is at a child, with the states there.
func (w *detour) kid(i, s, o int32) bool {
	if s == o {
		return true
	}
	if w.left--; w.left < 0 {
		return false
	}
	n := &w.slice.nodes[i]
	is, was := s != automata.Dead, o != automata.Dead
	w.note(w.slice.order[n.lo:n.own], was, is)
	switch {
	case len(w.minus)+len(w.plus) > maxDetourTokens:
		return false
	case n.kidLo == n.kidHi:
		return true
	case is && w.p.phases[s] == closed, was && w.p.phases[o] == closed:
		if is == was {
			return true
		} else if was {
			w.gone = append(w.gone, spot{w.kind, i})
		} else {
			w.added = append(w.added, spot{w.kind, i})
		}
		return true
	}
	return w.below(i, s, o)
}
