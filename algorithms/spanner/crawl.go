package spanner

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// crawl finds out what the tokens do after some endings, by a walk of the slices. Where a character kills most
// endings, as the letters of a key do, only the children are looked up that something is alive after; where
// all plain strings are alive, plain tokens are counted and not looked at.
type crawl struct {
	l      *lexicon
	slice  *slice
	stack  []live
	alive  []uint64
	any    bool
	byKey  map[string]int32
	closed []closing
	key    []byte
}

// A live ending is one of the endings with which the walk began, and where it is now.
type live struct {
	ending
	index int32
}

// A closing is quotes after which the same endings accept.
type closing struct {
	members []int32
	at      []spot
	tokens  int
}

// A spot is a node of a slice.
type spot struct {
	slice *slice
	node  int32
}

// judge is the verdict on some endings, which are inside a string or behind a backslash.
func (l *lexicon) judge(endings []ending) *verdict {
	c := &crawl{l: l, alive: make([]uint64, l.words), byKey: map[string]int32{}}
	for i, t := range endings {
		c.stack = append(c.stack, live{t, int32(i)})
	}
	for k := range l.slices {
		c.slice = &l.slices[k]
		if sliceKind(k) == plainSlice && c.layer() {
			continue
		}
		if len(c.slice.order) > 0 {
			c.kids(0, 0, len(c.stack))
		}
	}
	v := &verdict{}
	if c.any {
		v.alive = c.alive
	}
	for i := range c.closed {
		v.closers = append(v.closers, c.closed[i].gather(len(l.rests.order)))
	}
	return v
}

// depth is the depth of stack[lo:hi] together: any one alive is enough.
func (c *crawl) depth(lo, hi int) depth {
	var all depth
	for i := lo; i < hi; i++ {
		x := &c.stack[i]
		d := x.p.depth(x.d, x.state)
		all.least, all.most = max(all.least, d.least), max(all.most, d.most)
	}
	return all
}

// layer decides all plain tokens by their length, if that decides them.
func (c *crawl) layer() bool {
	d := c.depth(0, len(c.stack))
	longest := int32(len(c.l.layers) - 1)
	if d.least < longest && d.least != d.most {
		return false
	}
	for i, w := range c.l.upToLength(d.least) {
		c.alive[i] |= w
		c.any = c.any || w != 0
	}
	return true
}

// visit is at a node with stack[lo:hi] alive.
func (c *crawl) visit(i int32, lo, hi int) {
	n := &c.slice.nodes[i]
	c.live(n.lo, n.own)
	if n.kidLo == n.kidHi {
		return
	}
	if first := &c.stack[lo]; first.p.phases[first.state] == closed {
		c.close(i, lo, hi)
		return
	}
	if c.slice == &c.l.slices[plainSlice] && n.height > 0 && c.depth(lo, hi).least >= int32(n.height) {
		c.live(n.own, n.hi)
		return
	}
	c.kids(i, lo, hi)
}

// live notes that endings are alive after some tokens.
func (c *crawl) live(lo, hi int32) {
	c.any = c.any || lo < hi
	setBits(c.alive, c.slice.order[lo:hi])
}

// kids visits the children of a node that something is alive after.
func (c *crawl) kids(i int32, lo, hi int) {
	var alive byteSet
	for k := lo; k < hi; k++ {
		x := &c.stack[k]
		alive.unite(&x.p.alive[x.state])
	}
	n := &c.slice.nodes[i]
	if alive.count() >= int(n.kidHi-n.kidLo) {
		for _, kid := range c.slice.kids[n.kidLo:n.kidHi] {
			if alive.has(c.slice.nodes[kid].byte) {
				c.kid(kid, lo, hi)
			}
		}
		return
	}
	for k, w := range alive {
		for ; w != 0; w &= w - 1 {
			if kid := c.slice.child(i, byte(k<<6+bits.TrailingZeros64(w))); kid >= 0 {
				c.kid(kid, lo, hi)
			}
		}
	}
}

// kid steps to a child.
func (c *crawl) kid(kid int32, lo, hi int) {
	b, top := c.slice.nodes[kid].byte, len(c.stack)
	for k := lo; k < hi; k++ {
		x := c.stack[k]
		if x.p.alive[x.state].has(b) {
			x.state = x.d.Next(x.state, b)
			c.stack = append(c.stack, x)
		}
	}
	c.visit(kid, top, len(c.stack))
	c.stack = c.stack[:top]
}

// close notes a quote after which stack[lo:hi] accept.
func (c *crawl) close(node int32, lo, hi int) {
	c.key = c.key[:0]
	for k := lo; k < hi; k++ {
		c.key = binary.AppendUvarint(c.key, uint64(c.stack[k].index))
	}
	i, ok := c.byKey[string(c.key)]
	if !ok {
		i = int32(len(c.closed))
		c.byKey[string(c.key)] = i
		var members []int32
		for k := lo; k < hi; k++ {
			members = append(members, c.stack[k].index)
		}
		c.closed = append(c.closed, closing{members: members})
	}
	x, n := &c.closed[i], &c.slice.nodes[node]
	x.at = append(x.at, spot{c.slice, node})
	x.tokens += int(n.hi - n.own)
}

// gather lists the tokens of a closing by rank.
func (x *closing) gather(numRests int) closer {
	c := closer{members: x.members, tokens: make([]int32, x.tokens), ranks: make([]int32, x.tokens)}
	type ranked struct{ rank, token int32 }
	list := make([]ranked, 0, x.tokens)
	for _, at := range x.at {
		n := &at.slice.nodes[at.node]
		for k, id := range at.slice.order[n.own:n.hi] {
			list = append(list, ranked{at.slice.ranks[int(n.quote)+k], id})
		}
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for i, r := range list {
		c.tokens[i], c.ranks[i] = r.token, r.rank
	}
	return c
}
