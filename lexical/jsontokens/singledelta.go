package jsontokens

import (
	"math/bits"

	"gcdbench/automata"
)

// The string that an object most often has beside its declared keys is "any key but these". It is
// free, except along the declared keys, where its automaton is not in its free state. It is the
// only live state of its kind, so its difference to the free state needs less than a delta does:
// two states of one automaton.

// maxSingle is how many nodes are visited before a single delta is given up. The keys of an
// object come to ten or fifteen nodes each, and a crawl would visit these as well.
// maxSingleTokens is how many tokens may differ: keys have few, strings that a pattern is
// excluded from have thousands.
const maxSingle, maxSingleTokens = 1 << 12, 1 << 9

// maxDiverging is how many bytes, of 256, may lead a live state and the free state to different
// states. The keys of an object begin with some letters. A pattern that may occur anywhere in a
// string differs after every byte until it is found, and its delta would be given up after
// thousands of nodes.
const maxDiverging = 96

// A singleDelta is the walk of the difference between a live state and the free state of its
// automaton.
type singleDelta struct {
	l     *Lexicon
	p     *Profile
	kind  sliceKind
	slice *Slice
	left  int // nodes that may still be looked at
	difference
	gone, added []spot // quotes after which only the free state accepts, or only the live state
}

// singleDelta is delta for one live state whose automaton has a free state.
func (l *Lexicon) singleDelta(t Live, to freeState) *Effect {
	base := l.freeEffect([]based{{Live{t.p, to.state}, to.language, 0}})
	if base.Alive == nil {
		return nil
	}
	w := singleDelta{l: l, p: t.p, left: maxSingle}
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
	v := &Effect{}
	v.setAlive(base.Alive, w.minus, w.plus)
	for _, c := range base.Closings {
		v.add(c.Members, l.list(listing{base: c.List, without: w.gone}))
	}
	if len(w.added) > 0 {
		v.add([]int32{0}, l.list(listing{with: w.added}))
	}
	return v
}

// differing counts the bytes that lead two states to different ones.
func (w *singleDelta) differing(s, o int32) (n int) {
	row, other := w.p.d.Row(s), w.p.d.Row(o)
	for c, to := range row {
		if to != other[c] {
			n += w.p.classes[c].count()
		}
	}
	return n
}

// below goes on to the children of a node after whose byte the live state, s at the node, and the
// free state, o, differ. It is false if the difference is too large.
func (w *singleDelta) below(i, s, o int32) bool {
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
	row, other := w.p.d.Row(s), w.p.d.Row(o)
	for c, to := range row {
		if to != other[c] && !w.class(i, c, to, other[c]) {
			return false
		}
	}
	return true
}

// alone is below where one of the states is dead.
func (w *singleDelta) alone(i, s, o int32) bool {
	for c, to := range w.p.d.Row(max(s, o)) {
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

// class goes on to the children of a node whose byte is in a class, with states s and o there.
func (w *singleDelta) class(i int32, class int, s, o int32) bool {
	for k, set := range w.p.classes[class] {
		for ; set != 0; set &= set - 1 {
			if kid := w.slice.child(i, byte(k<<6+bits.TrailingZeros64(set))); kid >= 0 && !w.kid(kid, s, o) {
				return false
			}
		}
	}
	return true
}

func (w *singleDelta) next(s int32, b byte) int32 {
	if s == automata.Dead {
		return s
	}
	return w.p.d.Next(s, b)
}

// kid is at a child, with the states there.
func (w *singleDelta) kid(i, s, o int32) bool {
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
	case len(w.minus)+len(w.plus) > maxSingleTokens:
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
