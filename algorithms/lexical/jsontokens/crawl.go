package jsontokens

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
)

// crawl finds the effect on some live states by a walk of the slices. Where a byte kills most of
// them, as the letters of a key do, only those children are looked up after which a state is
// alive. Where all plain text leaves a state alive, plain tokens are counted and not looked at.
type crawl struct {
	l      *Lexicon
	kind   sliceKind
	slice  *Slice
	stack  []tracked
	few    []int32  // the tokens that something is alive after, as long as they are few
	alive  []uint64 // from then on
	byKey  map[string]int32
	closed []quoteGroup
	key    []byte
	asks   int // of plain: for how many subtrees a stay may still be found out
}

// A tracked state is one of the live states with which the walk began, and the state it has come
// to.
type tracked struct {
	Live
	index int32
}

// A quoteGroup is quotes after which the same live states accept.
type quoteGroup struct {
	members []int32
	at      []spot
	all     bool // and all quotes of the quotes slice
}

// effect is the effect on some live states, which are inside a string or after a backslash.
func (l *Lexicon) effect(lives []Live) *Effect {
	if x := lives[0]; len(lives) == 1 && x.p.phase(x.state) == inside {
		if v := l.wide(x); v != nil {
			return v
		}
		if v := l.delta(x); v != nil {
			return v
		}
	}
	return l.crawl(lives)
}

// crawl is effect by a walk of everything that is alive.
func (l *Lexicon) crawl(lives []Live) *Effect {
	c := &crawl{l: l, byKey: map[string]int32{}}
	for i, t := range lives {
		c.stack = append(c.stack, tracked{t, int32(i)})
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
	v := &Effect{Few: distinct(c.few)}
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

// depth is the depth of stack[lo:hi] together, for which it is enough that one of them is alive.
func (c *crawl) depth(lo, hi int) depth {
	var all depth
	for i := lo; i < hi; i++ {
		x := &c.stack[i]
		d := x.p.depth(x.state)
		all.least, all.most = max(all.least, d.least), max(all.most, d.most)
	}
	return all
}

// strict tells whether all of stack[lo:hi] are strict.
func (c *crawl) strict(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if !c.stack[i].p.strict() {
			return false
		}
	}
	return true
}

// unite notes that a live state remains after the tokens of a bit set.
func (c *crawl) unite(words []uint64) {
	if c.alive == nil {
		c.alive = slices.Clone(words)
		bitset.AddAll(c.alive, c.few)
		c.few = nil
		return
	}
	for i, w := range words {
		c.alive[i] |= w
	}
}

// uniformNodes is the nodes that a subtree of the quotes slice has for which uniform looks at
// states.
const uniformNodes = 64

// maxTries is how many tokens are tried one by one where their length does not decide. A walk of
// shapes takes as long as some hundred tokens.
const maxTries = 400

// layer decides the plain tokens by their length and tries those that their length does not
// decide. If they are too many it does nothing and is false.
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
		if c.try(0, c.l.texts[int(lo)+i]) {
			c.note([]int32{id})
		}
	}
	return true
}

// try tells whether one of the live states from number k on remains after a text.
func (c *crawl) try(k int, text []byte) bool {
	return slices.ContainsFunc(c.stack[k:], func(x tracked) bool { return x.after(text) != automata.Dead })
}

// visit is at a node with stack[lo:hi] alive.
func (c *crawl) visit(i int32, lo, hi int) {
	n := &c.slice.nodes[i]
	c.keep(n.lo, n.own)
	if n.kidLo == n.kidHi {
		return
	}
	if first := &c.stack[lo]; first.p.phase(first.state) == closed {
		c.close(i, lo, hi)
		return
	}
	c.below(i, lo, hi)
}

// below decides the tokens below a node, with stack[lo:hi] alive there: the whole subtree at once
// if it can.
func (c *crawl) below(i int32, lo, hi int) {
	if c.kind == quoteSlice && c.uniform(i, lo, hi) {
		return
	}
	c.kids(i, lo, hi)
}

// uniform decides the tokens below a node of the quotes slice at once, if the same states of
// stack[lo:hi] accept at each of their first quotes. After a quote nothing is uniform. To find out
// how long a state stays alive takes longer than to visit a few nodes.
func (c *crawl) uniform(i int32, lo, hi int) bool {
	if n := &c.slice.nodes[i]; n.quoted || n.end-i < uniformNodes {
		return false
	}
	top := len(c.stack)
	defer func() { c.stack = c.stack[:top] }()
	for k := lo; k < hi; k++ {
		x := c.stack[k]
		if x.p.phase(x.state) != inside {
			return false
		}
		switch d := x.p.depth(x.state); {
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
		c.keep(n.lo, n.own)
		x.add(c.kind, at)
	}
	return true
}

// keep notes that a live state remains after the tokens order[lo:hi] of the slice.
func (c *crawl) keep(lo, hi int32) { c.note(c.slice.order[lo:hi]) }

// maxFew is how many tokens are kept as a list. A bit set takes the memory of some thousand
// tokens, and is slower to unite than some hundred.
const maxFew = 256

func (c *crawl) note(tokens []int32) {
	if c.alive == nil {
		if len(c.few)+len(tokens) <= maxFew {
			c.few = append(c.few, tokens...)
			return
		}
		c.alive = make([]uint64, c.l.words)
		bitset.AddAll(c.alive, c.few)
		c.few = nil
	}
	bitset.AddAll(c.alive, tokens)
}

// kids visits the children of a node after whose byte a state is alive.
func (c *crawl) kids(i int32, lo, hi int) {
	var alive byteSet
	for k := lo; k < hi; k++ {
		x := &c.stack[k]
		live := x.p.alive(x.state)
		alive.unite(&live)
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
		if x.p.alive(x.state).has(b) {
			x.state = x.p.d.Next(x.state, b)
			c.stack = append(c.stack, x)
		}
	}
	c.visit(kid, top, len(c.stack))
	c.stack = c.stack[:top]
}

// close notes a quote after which stack[lo:hi] accept.
func (c *crawl) close(node int32, lo, hi int) { c.closing(lo, hi).add(c.kind, node) }

// closing is the group of quotes after which stack[lo:hi] accept.
func (c *crawl) closing(lo, hi int) *quoteGroup {
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
		c.closed = append(c.closed, quoteGroup{members: members})
	}
	return &c.closed[i]
}

// add adds a quote.
func (x *quoteGroup) add(kind sliceKind, node int32) { x.at = append(x.at, spot{kind, node}) }

// distinct sorts a list and drops duplicates, in place.
func distinct(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}
