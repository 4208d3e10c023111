package jsontokens

import (
	"gcdbench/internal/bitset"
)

// Nothing ends inside a plain token, so it only matters whether any live state remains, and each
// is followed on its own. Three observations keep that short. In most patterns characters of some
// kinds lead back to a state; all tokens of these kinds leave it alive, a bit set made once per
// vocabulary, and only subtrees with other characters are looked at. Where any so many characters
// of some kinds keep a state alive, whole subtrees do. And children are chosen by their bytes
// before they are looked at.

// plain notes the plain tokens after which a state is alive.
func (c *crawl) plain() {
	for k := range c.stack {
		x := &c.stack[k]
		if !c.loops(x.p, x.state) {
			c.single(0, x.p, x.state)
		}
	}
}

// loops is single at the root of the slice, for a state that letters lead back to. It is false
// for other states.
func (c *crawl) loops(p *Profile, s int32) bool {
	if !p.strict || p.phases[s] != inside || p.steps[s] != 0 || c.l.without&Loops != 0 {
		return false
	}
	loop := p.choice(s).loop
	if loop&wordKinds == 0 {
		return false
	}
	c.unite(c.l.ofKinds(loop))
	var others kinds
	for i := range kindBytes {
		if k := &kindBytes[i]; k.kind&loop == 0 && p.alive[s].meets(&k.bytes) {
			others |= k.kind
		}
	}
	if others != 0 {
		c.beyond(0, p, s, s, loop, others)
	}
	return true
}

// beyond looks for the tokens below a node that leave a loop by characters of other kinds. The
// loop is at state s, for the kinds in loop; at is s, or a state between the bytes of one of its
// characters.
func (c *crawl) beyond(i int32, p *Profile, s, at int32, loop, others kinds) {
	n := &c.slice.nodes[i]
	alive := &p.alive[at]
	for k, b := range c.slice.bytes[n.kidLo:n.kidHi] {
		if !alive.has(b) {
			continue
		}
		kid := c.slice.kids[int(n.kidLo)+k]
		if at != s || kindOfByte[b]&loop != 0 {
			if c.slice.nodes[kid].kinds&others != 0 {
				c.beyond(kid, p, s, p.d.Next(at, b), loop, others)
			}
			continue
		}
		c.take(kid, p, p.d.Next(at, b))
	}
}

// take notes the tokens of a node at which state s is alive, and goes on below it.
func (c *crawl) take(i int32, p *Profile, s int32) {
	n := &c.slice.nodes[i]
	if n.lo < n.own {
		c.keep(n.lo, n.own)
	}
	if n.kidLo < n.kidHi {
		c.single(i, p, s)
	}
}

// single notes the tokens below a node that leave one live state alive, which is s at the node.
func (c *crawl) single(i int32, p *Profile, s int32) {
	n := &c.slice.nodes[i]
	if n.height > 0 && p.choice(s).endures(p, s, n.kinds, int32(n.height)) {
		c.keep(n.own, n.hi)
		return
	}
	alive := &p.alive[s]
	for k, b := range c.slice.bytes[n.kidLo:n.kidHi] {
		if alive.has(b) {
			c.take(c.slice.kids[int(n.kidLo)+k], p, p.d.Next(s, b))
		}
	}
}

// maxKindSets bounds the bit sets that are kept for kinds, at 16 KB each 4 MB. A pattern with a
// loop has one or two, and patterns share them.
const maxKindSets = 256

// ofKinds is the bits of the plain tokens of characters of some kinds only; read only.
func (l *Lexicon) ofKinds(some kinds) []uint64 {
	l.kindsMu.Lock()
	defer l.kindsMu.Unlock()
	bits := l.byKinds[some]
	if bits == nil {
		if l.byKinds == nil || len(l.byKinds) >= maxKindSets {
			l.byKinds = map[kinds][]uint64{}
		}
		bits = make([]uint64, l.words)
		l.slices[plainSlice].setKinds(bits, 0, some)
		l.byKinds[some] = bits
	}
	return bits
}

// setKinds sets the bits of the tokens below a node that go on with characters of some kinds only.
func (s *Slice) setKinds(bits []uint64, i int32, some kinds) {
	n := &s.nodes[i]
	if n.kinds&^some == 0 {
		bitset.AddAll(bits, s.order[n.own:n.hi])
		return
	}
	for k, b := range s.bytes[n.kidLo:n.kidHi] {
		if kindOfByte[b]&some != 0 {
			kid := s.kids[int(n.kidLo)+k]
			bitset.AddAll(bits, s.order[s.nodes[kid].lo:s.nodes[kid].own])
			s.setKinds(bits, kid, some)
		}
	}
}
