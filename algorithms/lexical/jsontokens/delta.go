package jsontokens

import (
	"encoding/binary"
	"math/bits"

	"gcdbench/grammar/automata"
)

// The string that an object most often has beside its declared keys is "any key but these". It is
// free, except along the declared keys, where its automaton is not in its free state. So the
// effect on it is computed as a difference: the live state and the free state of the same
// automaton are followed together. Where both are in one state the subtree need not be looked at,
// as its tokens have the effect that they have on the free string. The walk visits the paths of
// the declared keys through the slices, some dozen nodes. The effect on free strings is found once
// per vocabulary and language.

const (
	// maxDeltaNodes is how many nodes are visited before a difference is given up. The keys of an
	// object come to ten or fifteen nodes each, and a crawl would visit these as well.
	maxDeltaNodes = 1 << 12
	// maxDeltaTokens is how many tokens may differ: keys have few, strings that a pattern is
	// excluded from have thousands.
	maxDeltaTokens = 1 << 9
	// maxDiverging is how many bytes, of 256, may lead a live state and the free state to different
	// states. The keys of an object begin with some letters. A pattern that may occur anywhere in a
	// string differs after every byte until it is found, and its difference would be given up after
	// thousands of nodes.
	maxDiverging = 96
	// fewKids is the number of children up to which all of them are tried.
	fewKids = 6
)

// A delta is the walk of the difference between a live state and the free state of its automaton.
type delta struct {
	l       *Lexicon
	p       *Profile
	classes []byteSet // the bytes of each class of its DFA
	kind    sliceKind
	slice   *Slice
	left    int // nodes that may still be visited
	// minus and plus are the tokens that leave alive only the free state, or only the live state.
	minus, plus []int32
	gone, added []spot // quotes after which only the free state accepts, or only the live state
}

// note adds tokens: was tells whether they leave the free state alive, is whether they leave the
// live state alive.
func (w *delta) note(tokens []int32, was, is bool) {
	switch {
	case was && !is:
		w.minus = append(w.minus, tokens...)
	case is && !was:
		w.plus = append(w.plus, tokens...)
	}
}

// freeEffect is the effect on the free state of a profile, which it has.
func (l *Lexicon) freeEffect(p *Profile) *Effect {
	to := p.freeForGood()
	key := binary.LittleEndian.AppendUint32(nil, to.language)
	v := l.free.get(key)
	if v == nil {
		v = l.crawl([]Live{p.At(to.state)})
		l.free.put(key, v)
	}
	return v
}

// delta is the effect on a live state as a difference to the effect on the free state of its
// automaton. It is nil if there is no free state, or if the difference is too large.
func (l *Lexicon) delta(t Live) *Effect {
	to := t.p.freeForGood()
	if to.state == automata.Dead || l.without&Deltas != 0 {
		return nil
	}
	base := l.freeEffect(t.p)
	if base.Alive == nil {
		return nil
	}
	w := delta{l: l, p: t.p, classes: classBytes(t.p.d), left: maxDeltaNodes}
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
func (w *delta) differing(s, o int32) (n int) {
	row, other := w.p.d.Row(s), w.p.d.Row(o)
	for c, to := range row {
		if to != other[c] {
			n += w.classes[c].count()
		}
	}
	return n
}

// below goes on to the children of a node after whose byte the live state, s at the node, and the
// free state, o, differ. It is false if the difference is too large.
func (w *delta) below(i, s, o int32) bool {
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
func (w *delta) alone(i, s, o int32) bool {
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
func (w *delta) class(i int32, class int, s, o int32) bool {
	for k, set := range w.classes[class] {
		for ; set != 0; set &= set - 1 {
			if kid := w.slice.child(i, byte(k<<6+bits.TrailingZeros64(set))); kid >= 0 && !w.kid(kid, s, o) {
				return false
			}
		}
	}
	return true
}

func (w *delta) next(s int32, b byte) int32 {
	if s == automata.Dead {
		return s
	}
	return w.p.d.Next(s, b)
}

// kid is at a child, with the states there.
func (w *delta) kid(i, s, o int32) bool {
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
	case len(w.minus)+len(w.plus) > maxDeltaTokens:
		return false
	case n.kidLo == n.kidHi:
		return true
	case is && w.p.phase(s) == closed, was && w.p.phase(o) == closed:
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
