package jsontokens

import (
	"math/bits"
	"slices"
	"sync"
)

// At the beginning of a key a schema's object may go on with each of its declared keys: dozens of
// live states, and another set of them at each place in the object. But each of these has only a
// handful of tokens, those that go along its text, and they do not depend on the other keys. So
// they are found once per key, for all sets and all schemas. The effect on a set is put together
// from those of its members (merge.go).

// A literalWalk is the effect on a live state that few tokens go along. It is immutable.
type literalWalk struct {
	few []int32 // the tokens after which it is alive
	// ends are the quotes that complete it and have more after them in a token; texts are the
	// beginnings of these tokens, with the quote; list is these tokens.
	ends  []spot
	texts [][]byte
	list  *List
}

// noList is the list of a literal walk that no token goes on after.
var noList = &List{}

// noLiteral stands for a live state that has no literal walk.
var noLiteral = &literalWalk{}

const (
	// maxLiteralBytes is the number of bytes that may follow at any place: a text has one, and a
	// backslash, and the common first bytes of some escapes.
	maxLiteralBytes = 8
	// maxLiteralNodes is the number of nodes that may be visited. A key of 20 characters comes to
	// some 15.
	maxLiteralNodes = 64
)

// literals has the literal walks of a vocabulary by profile and state.
type literals struct {
	sync.Mutex
	of map[uint64]*literalWalk
}

// maxLiterals bounds literals, at some 300 bytes each to 10 MB.
const maxLiterals = 1 << 15

// literalWalk is the literal walk of a live state, noLiteral if it has none. w is scratch.
func (l *Lexicon) literalWalk(w *literalWalker, t Live) *literalWalk {
	key := uint64(t.p.id)<<32 | uint64(uint32(t.state))
	m := &l.literals
	m.Lock()
	x := m.of[key]
	m.Unlock()
	if x != nil {
		return x
	}
	x = l.walkLiteral(w, t)
	m.Lock()
	defer m.Unlock()
	if m.of == nil || len(m.of) >= maxLiterals {
		m.of = map[uint64]*literalWalk{}
	}
	m.of[key] = x
	return x
}

// walkLiteral finds the literal walk of a live state.
func (l *Lexicon) walkLiteral(w *literalWalker, t Live) *literalWalk {
	if !t.p.fewBytes(t.state) {
		return noLiteral
	}
	*w = literalWalker{l: l, p: t.p, left: maxLiteralNodes, text: w.text[:0], out: literalWalk{few: w.out.few[:0]}}
	for k := range l.slices {
		w.kind, w.slice = sliceKind(k), &l.slices[k]
		if !w.below(0, t.state) {
			return noLiteral
		}
	}
	if len(w.out.few) > maxFew {
		return noLiteral
	}
	x := &literalWalk{few: slices.Clone(w.out.few), ends: w.out.ends, texts: w.out.texts, list: noList}
	if len(x.ends) > 0 {
		x.list = l.list(listing{with: x.ends})
	}
	return x
}

// fewBytes tells whether few bytes may follow a state.
func (p *Profile) fewBytes(s int32) bool { return p.alive(s).count() <= maxLiteralBytes }

// A literalWalker walks the slices with one live state.
type literalWalker struct {
	l     *Lexicon
	p     *Profile
	kind  sliceKind
	slice *Slice
	text  []byte // on the way to the node
	left  int    // nodes that may still be looked at
	out   literalWalk
}

// below goes on to the children of a node, with the live state in state s. It is false if there
// are too many.
func (w *literalWalker) below(i, s int32) bool {
	if !w.p.fewBytes(s) {
		return false
	}
	for k, set := range w.p.alive(s) {
		for ; set != 0; set &= set - 1 {
			b := byte(k<<6 + bits.TrailingZeros64(set))
			kid := w.slice.child(i, b)
			if kid < 0 {
				continue
			}
			w.text = append(w.text, b)
			if !w.visit(kid, w.p.d.Next(s, b)) {
				return false
			}
			w.text = w.text[:len(w.text)-1]
		}
	}
	return true
}

// visit is at a node.
func (w *literalWalker) visit(i, s int32) bool {
	if w.left--; w.left < 0 {
		return false
	}
	n := &w.slice.nodes[i]
	w.out.few = append(w.out.few, w.slice.order[n.lo:n.own]...)
	switch {
	case n.kidLo == n.kidHi:
		return true
	case w.p.phase(s) == closed:
		w.out.ends = append(w.out.ends, spot{w.kind, i})
		w.out.texts = append(w.out.texts, slices.Clone(w.text))
		return true
	}
	return w.below(i, s)
}
