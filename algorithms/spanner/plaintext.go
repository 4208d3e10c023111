package spanner

import "gcdbench/automata"

// Behind a plain token nothing ends, so it only matters whether any ending is alive: each is followed on its own. Three
// observations keep that short. Where characters of some kinds lead back to a state, as they do in most patterns, all
// tokens of them are alive, a bit set made once per vocabulary; only subtrees with other characters that are alive
// are looked at. Where any so many characters of some kinds keep a state alive, whole subtrees are, too. And children
// are told apart by their bytes before they are looked at.

// plain notes the plain tokens that something is alive after.
func (c *crawl) plain() {
	for k := range c.stack {
		x := &c.stack[k]
		if !c.loops(x.d, x.p, x.state) {
			c.single(0, x.d, x.p, x.state)
		}
	}
}

// loops is single at the root, for a state that letters lead back to; false for others.
func (c *crawl) loops(d *automata.DFA, p *spelling, s int32) bool {
	if !p.strict || p.phases[s] != inside || p.steps[s] != 0 || c.l.without&Loops != 0 {
		return false
	}
	loop := p.choice(d, s).loop
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
		c.beyond(0, d, p, s, s, loop, others)
	}
	return true
}

// beyond looks for the tokens below a node that leave a loop for characters of some other kinds. The loop, of some kinds, is
// at state s; at is s or between the bytes of a character of the loop.
func (c *crawl) beyond(i int32, d *automata.DFA, p *spelling, s, at int32, loop, others kinds) {
	n := &c.slice.nodes[i]
	alive := &p.alive[at]
	for k, b := range c.slice.bytes[n.kidLo:n.kidHi] {
		if !alive.has(b) {
			continue
		}
		kid := c.slice.kids[int(n.kidLo)+k]
		if at != s || kindOfByte[b]&loop != 0 {
			if c.slice.nodes[kid].kinds&others != 0 {
				c.beyond(kid, d, p, s, d.Next(at, b), loop, others)
			}
			continue
		}
		c.take(kid, d, p, d.Next(at, b))
	}
}

// take notes the tokens of a node, which s is alive after, and goes on below it.
func (c *crawl) take(i int32, d *automata.DFA, p *spelling, s int32) {
	n := &c.slice.nodes[i]
	if n.lo < n.own {
		c.live(n.lo, n.own)
	}
	if n.kidLo < n.kidHi {
		c.single(i, d, p, s)
	}
}

// single notes the tokens below a node that one ending is alive after, s at the node.
func (c *crawl) single(i int32, d *automata.DFA, p *spelling, s int32) {
	n := &c.slice.nodes[i]
	if n.height > 0 && p.choice(d, s).endures(d, p, s, n.kinds, int32(n.height)) {
		c.live(n.own, n.hi)
		return
	}
	alive := &p.alive[s]
	for k, b := range c.slice.bytes[n.kidLo:n.kidHi] {
		if alive.has(b) {
			c.take(c.slice.kids[int(n.kidLo)+k], d, p, d.Next(s, b))
		}
	}
}

// maxKindSets bounds the bit sets that are kept for kinds: at 16 KB each, 4 MB. A pattern that loops has one or two, and
// patterns share them.
const maxKindSets = 256

// ofKinds is the bits of the plain tokens of characters of some kinds only; read only.
func (l *lexicon) ofKinds(some kinds) []uint64 {
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
func (s *slice) setKinds(bits []uint64, i int32, some kinds) {
	n := &s.nodes[i]
	if n.kinds&^some == 0 {
		setBits(bits, s.order[n.own:n.hi])
		return
	}
	for k, b := range s.bytes[n.kidLo:n.kidHi] {
		if kindOfByte[b]&some != 0 {
			kid := s.kids[int(n.kidLo)+k]
			setBits(bits, s.order[s.nodes[kid].lo:s.nodes[kid].own])
			s.setKinds(bits, kid, some)
		}
	}
}
