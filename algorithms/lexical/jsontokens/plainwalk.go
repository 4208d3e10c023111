package jsontokens

import (
	"math/bits"
	"unicode/utf8"

	"gcdbench/internal/bitset"
)

// Nothing ends inside a plain token, so it only matters whether any live state remains, and each
// is followed on its own: through the shapes of tokens as far as all characters of a kind lead to
// one state (shapes.go), and through the tokens elsewhere. Where all characters of some kinds lead
// back to a state, or any so many characters keep it alive, whole subtrees do.

// plain notes the plain tokens after which a state is alive. Strings that have a word each and not
// those of the others leave nearly all tokens alive each: once few are left, these are tried.
func (c *crawl) plain() {
	for k := range c.stack {
		x := &c.stack[k]
		if c.alive != nil && c.rest(k) {
			return
		}
		if c.counted(x.Live) {
			continue
		}
		c.asks = maxAsks
		if c.l.without&Shapes != 0 || !x.p.between(x.state) {
			c.single(0, x.p, x.state, stay{})
			continue
		}
		w := shapeWalk{t: &c.l.shapes, p: x.p, asks: &c.asks}
		w.below(0, x.state, stay{})
		c.uniteShapes(&w.found)
		for _, r := range w.rest {
			n := &w.t.nodes[r.node]
			for _, at := range w.t.at[n.from:n.to] {
				if r.foreign {
					c.foreign(at, x.p, &r)
				} else {
					c.step(at, x.p, &r)
				}
			}
		}
	}
}

// rest decides the plain tokens that are not alive yet, if they are few, by trying them with the
// live states from number k on. It is false if they are many.
func (c *crawl) rest(k int) bool {
	all, count := c.l.upToLength(int32(len(c.l.upTo)-1)), 0
	for i, w := range all {
		count += bits.OnesCount64(w &^ c.alive[i])
	}
	if count > maxTries {
		return false
	}
	for i, w := range all {
		for w &^= c.alive[i]; w != 0; w &= w - 1 {
			if id := i<<6 + bits.TrailingZeros64(w); c.try(k, c.l.vocabulary.Token(id)) {
				bitset.Add(c.alive, id)
			}
		}
	}
	return true
}

// uniteShapes notes that a live state remains after the tokens of some shapes.
func (c *crawl) uniteShapes(x *shapeSet) {
	t := &c.l.shapes
	if c.alive != nil || x.count <= maxFew {
		for _, r := range x.ranges {
			c.note(t.order[r.Lo:r.Hi])
		}
		return
	}
	base, change := t.near(x, c.l.words)
	c.alive = make([]uint64, c.l.words)
	copy(c.alive, base.bits)
	for _, r := range change.minus {
		bitset.RemoveAll(c.alive, t.order[r.Lo:r.Hi])
	}
	for _, r := range change.plus {
		bitset.AddAll(c.alive, t.order[r.Lo:r.Hi])
	}
	bitset.AddAll(c.alive, c.few)
	c.few = nil
}

// step notes the tokens of a node of the plain slice and below it that leave a live state alive. It
// is r.state before the node's byte.
func (c *crawl) step(i int32, p *Profile, r *shapeRest) {
	if b := c.slice.nodes[i].byte; p.alive(r.state).has(b) {
		c.take(i, p, p.d.Next(r.state, b), r.stay.afterByte(b))
	}
}

// foreign is step for the children of a node whose byte is not ASCII.
func (c *crawl) foreign(i int32, p *Profile, r *shapeRest) {
	n := &c.slice.nodes[i]
	for _, kid := range c.slice.kids[n.kidLo:n.kidHi] {
		if c.slice.nodes[kid].byte >= utf8.RuneSelf {
			c.step(kid, p, r)
		}
	}
}

// afterByte is the rest of a stay after a byte, the first one or another of a character.
func (x stay) afterByte(b byte) stay {
	switch {
	case b < utf8.RuneSelf:
		return x.after(kindOfASCII[b])
	case !utf8.RuneStart(b):
		return x
	case x.kinds&foreign != foreign:
		return stay{}
	}
	return x.after(otherKind)
}

// take notes the tokens of a node at which state s is alive, and goes on below it.
func (c *crawl) take(i int32, p *Profile, s int32, x stay) {
	n := &c.slice.nodes[i]
	if n.lo < n.own {
		c.keep(n.lo, n.own)
	}
	if n.kidLo < n.kidHi {
		c.single(i, p, s, x)
	}
}

// single notes the tokens below a node that leave one live state alive, which is s at the node. x
// is what is known of how long it stays alive.
func (c *crawl) single(i int32, p *Profile, s int32, x stay) {
	n := &c.slice.nodes[i]
	if n.height > 0 && !n.inside && p.between(s) && c.l.without&Shapes == 0 {
		if x.length == 0 && n.hi-n.own >= manyTokens && c.asks > 0 {
			c.asks--
			x = p.stays(s)
		}
		if x.holds(n.below, n.height) {
			c.keep(n.own, n.hi)
			return
		}
	}
	alive := p.alive(s)
	for k, b := range c.slice.bytes[n.kidLo:n.kidHi] {
		if alive.has(b) {
			c.take(c.slice.kids[int(n.kidLo)+k], p, p.d.Next(s, b), x.afterByte(b))
		}
	}
}
