package jsontokens

import (
	"sync"
	"unicode/utf8"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// The shape of a plain token is the kinds of its characters. Llama 3's 122,000 plain tokens have
// 5,400 shapes, and their prefix tree has 11,000 nodes where that of the tokens has 275,000. A
// state of a pattern mostly goes on alike with all tokens of a shape, so the walk for a new place
// in a pattern is one of shapes. Where characters of one kind lead to different states, as in a
// word that is given, the tokens themselves are walked from there on.

// A shape is a node of the tree of shapes: the tokens whose first characters are of given kinds.
type shape struct {
	// order[lo:hi] of the tree are these tokens, order[lo:own] those that end here.
	lo, own, hi int32
	end         int32 // the nodes below this one are those up to end
	// nodes[from:to] of the tree are the nodes of the plain slice that have this shape.
	from, to int32
	kinds    kinds // of the characters below
	height   int16 // the most characters below
	kind     uint8 // of the last character
}

// shapes is the tree of shapes, node 0 the empty one, in depth-first order.
type shapes struct {
	nodes []shape
	order []int32
	at    []int32

	mu    sync.Mutex
	bases []*shapeSet
}

// grow makes the node of some nodes of the plain slice, and those below it.
func (t *shapes) grow(s *Slice, at []int32, kind uint8) (all kinds, height int16) {
	i := len(t.nodes)
	n := shape{lo: int32(len(t.order)), from: int32(len(t.at)), kind: kind}
	t.nodes = append(t.nodes, n)
	t.at = append(t.at, at...)
	n.to = int32(len(t.at))
	var kids [numKinds][]int32
	for _, node := range at {
		t.order = append(t.order, s.order[s.nodes[node].lo:s.nodes[node].own]...)
		s.characters(node, nil, func(kid int32, r rune) {
			k := kindOfRune(r)
			kids[k] = append(kids[k], kid)
		})
	}
	n.own = int32(len(t.order))
	for k := range kids {
		if len(kids[k]) > 0 {
			below, h := t.grow(s, kids[k], uint8(k))
			n.kinds |= below | 1<<k
			n.height = max(n.height, h+1)
		}
	}
	n.hi, n.end = int32(len(t.order)), int32(len(t.nodes))
	t.nodes[i] = n
	return n.kinds, n.height
}

// characters calls f for the nodes that are one more character than node i, with the character.
// text is the first bytes of the character, which were read on the way to i.
func (s *Slice) characters(i int32, text []byte, f func(kid int32, r rune)) {
	for _, kid := range s.kids[s.nodes[i].kidLo:s.nodes[i].kidHi] {
		if b := s.nodes[kid].byte; b < utf8.RuneSelf {
			f(kid, rune(b))
			continue
		}
		text := append(text[:len(text):len(text)], s.nodes[kid].byte)
		if r, n := utf8.DecodeRune(text); r != utf8.RuneError || n > 1 {
			f(kid, r)
		} else {
			s.characters(kid, text, f)
		}
	}
}

// kindsBelow notes at each node from i on the kinds of the characters after its prefix; nothing
// inside a character.
func (s *Slice) kindsBelow(i int32) (all kinds) {
	s.characters(i, nil, func(kid int32, r rune) {
		all |= 1<<kindOfRune(r) | s.kindsBelow(kid)
	})
	s.nodes[i].below = all
	return all
}

// A shapeSet is the tokens of some shapes: ranges of the tree's order, ascending and apart. It is
// immutable.
type shapeSet struct {
	ranges []tokenizers.Range
	count  int32
	bits   []uint64
}

// add adds tokens after those that are there.
func (x *shapeSet) add(lo, hi int32) {
	if lo == hi {
		return
	}
	x.count += hi - lo
	if n := len(x.ranges); n > 0 && x.ranges[n-1].Hi == lo {
		x.ranges[n-1].Hi = hi
		return
	}
	x.ranges = append(x.ranges, tokenizers.Range{Lo: lo, Hi: hi})
}

// A change turns one set into another: ranges to take out, and to add.
type change struct {
	minus, plus []tokenizers.Range
	size        int32
}

// changeTo is the change that makes o of x. It is not ok if that has limit tokens or more.
func (x *shapeSet) changeTo(o *shapeSet, limit int32) (c change, ok bool) {
	a, b := x.ranges, o.ranges
	i, j, at := 0, 0, int32(0)
	for i < len(a) || j < len(b) {
		// at is how far both sets were read; lo is the next place where either begins, or at.
		inA, inB := i < len(a) && a[i].Lo <= at, j < len(b) && b[j].Lo <= at
		next := int32(1<<31 - 1)
		if i < len(a) {
			next = min(next, boundary(a[i], inA))
		}
		if j < len(b) {
			next = min(next, boundary(b[j], inB))
		}
		if inA != inB {
			if c.size += next - at; c.size >= limit {
				return c, false
			}
			if inA {
				c.minus = append(c.minus, tokenizers.Range{Lo: at, Hi: next})
			} else {
				c.plus = append(c.plus, tokenizers.Range{Lo: at, Hi: next})
			}
		}
		at = next
		if i < len(a) && a[i].Hi <= at {
			i++
		}
		if j < len(b) && b[j].Hi <= at {
			j++
		}
	}
	return c, c.size < limit
}

// boundary is where a range ends, or where it begins if it was not reached yet.
func boundary(r tokenizers.Range, in bool) int32 {
	if in {
		return r.Hi
	}
	return r.Lo
}

const (
	// maxBases bounds the sets that others are made from, at 16 KB each to 1 MB.
	maxBases = 64
	// farFromBases is how many tokens a set differs from all others in that becomes one of them. To
	// change as many takes as long as to copy a bit set.
	farFromBases = 1 << 11
)

// near is the set among those that are kept from which x is made with the fewest changes, and the
// changes. If all are far x becomes one of them.
func (t *shapes) near(x *shapeSet, words int) (*shapeSet, change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	base, least := &shapeSet{}, change{plus: x.ranges, size: x.count}
	for _, b := range t.bases {
		if abs(b.count-x.count) < least.size {
			if c, ok := b.changeTo(x, least.size); ok {
				base, least = b, c
			}
		}
	}
	if least.size < farFromBases {
		return base, least
	}
	x.bits = make([]uint64, words)
	copy(x.bits, base.bits)
	for _, r := range least.minus {
		bitset.RemoveAll(x.bits, t.order[r.Lo:r.Hi])
	}
	for _, r := range least.plus {
		bitset.AddAll(x.bits, t.order[r.Lo:r.Hi])
	}
	if len(t.bases) >= maxBases {
		t.bases = t.bases[:0:0]
	}
	t.bases = append(t.bases, x)
	return x, change{}
}

func abs(n int32) int32 { return max(n, -n) }

// A shapeWalk finds the shapes after which a live state is alive.
type shapeWalk struct {
	t     *shapes
	p     *Profile
	asks  *int // for how many subtrees a stay may still be found out
	found shapeSet
	// rest are the places where the tokens themselves have to be walked.
	rest []shapeRest
}

// A shapeRest is a node below which the tokens themselves are walked. state is that at its parent,
// whose characters of the node's kind lead to different ones. For characters that are not ASCII it
// is the parent, and all of them are walked.
type shapeRest struct {
	node, state int32
	stay        stay // at the parent
	foreign     bool
}

// below goes on to the shapes below node i, at which the live state is s. x is what is known of how
// long it stays alive.
func (w *shapeWalk) below(i, s int32, x stay) {
	n := &w.t.nodes[i]
	if x.length == 0 && n.hi-n.own >= manyTokens && *w.asks > 0 {
		*w.asks--
		x = w.p.stays(s)
	}
	if x.holds(n.kinds, n.height) {
		w.found.add(n.own, n.hi)
		return
	}
	abroad := false
	for j := i + 1; j < n.end; j = w.t.nodes[j].end {
		kid := &w.t.nodes[j]
		left := x.after(kid.kind)
		if x.length > 0 && x.kinds>>kid.kind&1 != 0 && left.holds(kid.kinds, kid.height) {
			w.found.add(kid.lo, kid.hi)
			continue
		}
		switch to := w.p.target(s, kid.kind); to {
		case automata.Dead:
		case mixed:
			if foreign>>kid.kind&1 != 0 {
				abroad = true
			} else {
				w.rest = append(w.rest, shapeRest{j, s, x, false})
			}
		default:
			w.found.add(kid.lo, kid.own)
			if kid.own < kid.hi {
				w.below(j, to, left)
			}
		}
	}
	if abroad {
		w.rest = append(w.rest, shapeRest{i, s, x, true})
	}
}
