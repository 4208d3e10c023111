package lr

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/index"
)

// Freezing turns the fresh nodes that lie under a shifted terminal into ordinary ones. Their keys
// have to depend on content alone, so a node is frozen after those under it; nodes on a cycle are
// frozen together, with keys from as many rounds of hashing each other as there are nodes, so that
// the key of each has seen all.

// shift appends the tops for all nodes that shift the closure's terminal: one for each target.
func (c *closure) shift(tops []*Node, s Stacks) []*Node {
	c.frozen = append(c.frozen, make([]*Node, c.n)...)
	first := len(tops)
	for i := range s.NumTops() {
		tops = c.shiftNode(tops, first, s.TopNode(i), s.TopNode(i))
	}
	for i := range c.n {
		w := c.fresh[i]
		if to := c.shiftTarget(w); to > 0 {
			c.freeze(w)
			tops = c.shiftNode(tops, first, w, c.frozen[i])
		}
	}
	for _, top := range tops[first:] {
		top.seal()
	}
	return tops
}

// shiftTarget is the state n shifts to, 0 if it does not.
func (c *closure) shiftTarget(n *Node) int32 {
	if all := c.t.Actions(n.State, grammar.Terminal(c.term)); len(all) > 0 && all[0].Kind() == KindShift {
		return all[0].Target()
	}
	return 0
}

// shiftNode puts the shift of n on frozen, its final form, into tops[first:].
func (c *closure) shiftNode(tops []*Node, first int, n, frozen *Node) []*Node {
	to := c.shiftTarget(n)
	if to == 0 {
		return tops
	}
	for _, top := range tops[first:] {
		if top.State == to {
			top.more = append(top.more, frozen)
			return tops
		}
	}
	return append(tops, &Node{State: to, prev: frozen})
}

// seal orders the links of a node whose lower neighbours are final, drops equal ones, and sets
// key and depth.
func (n *Node) seal() {
	n.tidy()
	n.Depth = n.prev.Depth + 1
	sum := index.Mix(n.prev.key)
	for _, u := range n.more {
		n.Depth = min(n.Depth, u.Depth+1)
		sum += index.Mix(u.key)
	}
	n.key = nodeKey(n.State, sum)
}

// tidy orders the links of a node and drops equal ones.
func (n *Node) tidy() {
	if len(n.more) == 0 {
		n.more = nil
		return
	}
	all := append([]*Node{n.prev}, n.more...)
	slices.SortStableFunc(all, byContent)
	all = slices.CompactFunc(all, (*Node).Equal)
	n.prev, n.more = all[0], slices.Clip(all[1:])
	if len(n.more) == 0 {
		n.more = nil
	}
}

// An sccSearch is Tarjan's search for strongly connected components among fresh nodes.
type sccSearch struct {
	depth []int32 // by index: 0 unseen, doneDepth in a finished component
	stack []*Node
}

const doneDepth = 1<<31 - 1

// freeze makes the final form of fresh node w and of all fresh nodes under it.
func (c *closure) freeze(w *Node) {
	if c.frozen[-1-w.Depth] != nil {
		return
	}
	c.order.depth = append(c.order.depth[:0], make([]int32, c.n)...)
	c.order.stack = c.order.stack[:0]
	c.search(w)
}

func (c *closure) search(w *Node) int32 {
	o := &c.order
	o.stack = append(o.stack, w)
	at := -1 - w.Depth
	mine := int32(len(o.stack))
	o.depth[at] = mine
	low := mine
	loop := false
	for i := range w.NumUnder() {
		u := w.Under(i)
		if u.Depth >= 0 || c.frozen[-1-u.Depth] != nil {
			continue
		}
		loop = loop || u == w
		if d := o.depth[-1-u.Depth]; d != 0 {
			low = min(low, d)
		} else {
			low = min(low, c.search(u))
		}
	}
	if low < mine {
		return low
	}
	members := o.stack[mine-1:]
	if len(members) == 1 && !loop {
		c.freezeOne(w)
	} else {
		c.freezeCycle(members)
	}
	o.stack = o.stack[:mine-1]
	return doneDepth
}

// final is the final form of a node, if it has one by now.
func (c *closure) final(n *Node) *Node {
	if n.Depth < 0 {
		return c.frozen[-1-n.Depth]
	}
	return n
}

// copyOf is a copy of w with final links.
func (c *closure) copyOf(n, w *Node) {
	n.State, n.prev = w.State, c.final(w.prev)
	if len(w.more) > 0 {
		n.more = make([]*Node, len(w.more))
		for i, u := range w.more {
			n.more[i] = c.final(u)
		}
	}
}

func (c *closure) freezeOne(w *Node) {
	n := new(Node)
	c.copyOf(n, w)
	n.seal()
	c.frozen[-1-w.Depth] = n
}

// freezeCycle freezes the nodes of a strongly connected component. Depths are shortened until
// they are right, which takes one pass for each node at most.
func (c *closure) freezeCycle(members []*Node) {
	nodes := make([]*Node, len(members))
	for i, w := range members {
		nodes[i] = &Node{State: w.State, Depth: 1<<31 - 2, key: nodeKey(w.State, 0)}
		c.frozen[-1-w.Depth] = nodes[i]
	}
	for i, w := range members {
		c.copyOf(nodes[i], w)
	}
	for range nodes {
		for _, n := range nodes {
			for i := range n.NumUnder() {
				n.Depth = min(n.Depth, n.Under(i).Depth+1)
			}
		}
	}
	keys := make([]uint64, len(nodes))
	var under []uint64
	for range nodes {
		for i, n := range nodes {
			under = under[:0]
			for k := range n.NumUnder() {
				under = append(under, index.Mix(n.Under(k).key))
			}
			slices.Sort(under)
			sum := uint64(0)
			for _, u := range slices.Compact(under) {
				sum += u
			}
			keys[i] = nodeKey(n.State, sum)
		}
		for i, n := range nodes {
			n.key = keys[i]
		}
	}
	for _, n := range nodes {
		n.tidy()
	}
}
