package spanner

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/automata"
)

// crawl finds out what the tokens do after some endings, by a walk of the slices. Where a character kills most
// endings, as the letters of a key do, only the children are looked up that something is alive after; where
// all plain strings are alive, plain tokens are counted and not looked at.
type crawl struct {
	l      *lexicon
	kind   sliceKind
	slice  *slice
	stack  []live
	few    []int32  // the tokens that something is alive after, as long as they are few
	alive  []uint64 // from then on
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
	all     bool // and all quotes of the quotes slice
}

// judge is the verdict on some endings, which are inside a string or behind a backslash.
func (l *lexicon) judge(endings []ending) *verdict {
	if v := l.differ(endings); v != nil {
		return v
	}
	return l.crawl(endings)
}

// crawl is judge by a walk of all that is alive.
func (l *lexicon) crawl(endings []ending) *verdict {
	c := &crawl{l: l, byKey: map[string]int32{}}
	for i, t := range endings {
		c.stack = append(c.stack, live{t, int32(i)})
	}
	d := c.depth(0, len(c.stack))
	for k := range l.slices {
		c.kind, c.slice = sliceKind(k), &l.slices[k]
		switch sliceKind(k) {
		case plainSlice:
			if !c.layer(d) {
				c.plain()
			}
			continue
		case brokenSlice:
			if d.least >= l.unfinishedLength && c.strict(0, len(c.stack)) {
				c.unite(l.unfinished)
				continue
			}
		}
		if len(c.slice.order) > 0 {
			c.below(0, 0, len(c.stack))
		}
	}
	v := &verdict{few: distinct(c.few)}
	v.setAlive(c.alive, nil, nil)
	for i := range c.closed {
		x := &c.closed[i]
		list := listing{with: x.at}
		if x.all {
			list.base = l.all
		}
		v.add(x.members, l.list(list))
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

// strict tells whether all of stack[lo:hi] are strict.
func (c *crawl) strict(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if !c.stack[i].p.strict {
			return false
		}
	}
	return true
}

// unite notes that something is alive after the tokens of a bit set.
func (c *crawl) unite(words []uint64) {
	if c.alive == nil {
		c.alive = slices.Clone(words)
		setBits(c.alive, c.few)
		c.few = nil
		return
	}
	for i, w := range words {
		c.alive[i] |= w
	}
}

// maxTries is how many tokens are tried one by one where their length does not decide: a walk would meet
// several times as many nodes.
const maxTries = 20_000

// layer decides the plain tokens by their length, if that decides all but some, which it tries.
func (c *crawl) layer(d depth) bool {
	longest := int32(len(c.l.upTo) - 1)
	least, most := min(d.least, longest), min(d.most, longest)
	lo, hi := c.l.upTo[least], c.l.upTo[most]
	if hi-lo > maxTries || lo < hi && d.most > d.least+2 {
		return false
	}
	if least > 0 {
		c.unite(c.l.upToLength(least))
	}
	for i, id := range c.l.byLength[lo:hi] {
		if c.try(c.l.texts[int(lo)+i]) {
			c.note([]int32{id})
		}
	}
	return true
}

// try tells whether something is alive after a text.
func (c *crawl) try(text []byte) bool {
	for i := range c.stack {
		if runs(c.stack[i].d, c.stack[i].state, text) != automata.Dead {
			return true
		}
	}
	return false
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
	c.below(i, lo, hi)
}

// below is at a node with stack[lo:hi] alive, and goes on to what is below it: at once for a whole subtree
// if it can.
func (c *crawl) below(i int32, lo, hi int) {
	if c.kind == quoteSlice && c.uniform(i, lo, hi) {
		return
	}
	c.kids(i, lo, hi)
}

// uniform decides the tokens below a node of the quotes slice if, of stack[lo:hi], the same accept after
// each of their quotes. It is not for nodes behind a quote, where nothing is uniform.
func (c *crawl) uniform(i int32, lo, hi int) bool {
	if c.slice.nodes[i].quoted {
		return false
	}
	top := len(c.stack)
	defer func() { c.stack = c.stack[:top] }()
	for k := lo; k < hi; k++ {
		x := c.stack[k]
		if x.p.phases[x.state] != inside {
			return false
		}
		switch d := x.p.depth(x.d, x.state); {
		case d.quote == quoteNever:
		case d.quote == quoteAlways && d.least >= c.l.quotedLength:
			c.stack = append(c.stack, x)
		default:
			return false
		}
	}
	if len(c.stack) == top {
		return true
	}
	x := c.closing(top, len(c.stack))
	if i == 0 {
		x.all = true
		c.unite(c.l.ends)
		return true
	}
	from, _ := slices.BinarySearch(c.l.quoting, i)
	for _, at := range c.l.quoting[from:] {
		if at >= c.slice.nodes[i].end {
			break
		}
		n := &c.slice.nodes[at]
		c.live(n.lo, n.own)
		x.add(c.kind, at)
	}
	return true
}

// live notes that endings are alive after some tokens.
func (c *crawl) live(lo, hi int32) { c.note(c.slice.order[lo:hi]) }

// maxFew is how many tokens are kept as a list: a bit set is as large as some thousand, and slower to unite
// with than some hundred.
const maxFew = 256

func (c *crawl) note(tokens []int32) {
	if c.alive == nil {
		if len(c.few)+len(tokens) <= maxFew {
			c.few = append(c.few, tokens...)
			return
		}
		c.alive = make([]uint64, c.l.words)
		setBits(c.alive, c.few)
		c.few = nil
	}
	setBits(c.alive, tokens)
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
		for at, b := range c.slice.bytes[n.kidLo:n.kidHi] {
			if alive.has(b) {
				c.kid(c.slice.kids[int(n.kidLo)+at], lo, hi)
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
func (c *crawl) close(node int32, lo, hi int) { c.closing(lo, hi).add(c.kind, node) }

// closing is the closing after which stack[lo:hi] accept.
func (c *crawl) closing(lo, hi int) *closing {
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
	return &c.closed[i]
}

// add adds a quote.
func (x *closing) add(kind sliceKind, node int32) { x.at = append(x.at, spot{kind, node}) }

// distinct sorts a list and drops duplicates, in place.
func distinct(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}
