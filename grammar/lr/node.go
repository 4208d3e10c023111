package lr

import (
	"cmp"

	"gcdbench/internal/index"
)

// A Node is a state on a stack, with what lies under it. Nodes are immutable, shared between
// stacks and safe for concurrent use.
//
// On a plain stack there is one node under each but the bottom. In a graph-structured stack there
// may be several, and a node stands for all stacks that end with it. Where a grammar has hidden
// left recursion the graph can have cycles: a: b a "x" | "y", b: | "z" may have any number of b
// on the stack. Every node has some way to the bottom.
type Node struct {
	// State is the LR state.
	State int32
	// Depth is the number of states on the shortest stack under this one. (Nodes still being made
	// have -1 - their index in their closure here.)
	Depth int32
	key   uint64
	prev  *Node   // nil at the bottom
	more  []*Node // further nodes under this one; with prev ordered by byContent
}

// NumUnder is the number of nodes directly under n; 0 only for the bottom of the stack.
func (n *Node) NumUnder() int {
	if n.prev == nil {
		return 0
	}
	return 1 + len(n.more)
}

// Under is the i-th node directly under n. Nodes have their lower neighbours in an order that
// depends on their content only.
func (n *Node) Under(i int) *Node {
	if i == 0 {
		return n.prev
	}
	return n.more[i-1]
}

// Key is a hash of all stacks that end with n: equal for nodes that are Equal.
func (n *Node) Key() uint64 { return n.key }

// Equal tells whether n and o stand for the same stacks, by structure: both have the same state
// on nodes that are pairwise equal.
func (n *Node) Equal(o *Node) bool {
	var c comparison
	return c.same(n, o)
}

// newNode puts state on prev, which is nil for the bottom.
func newNode(state int32, prev *Node) *Node {
	n := new(Node)
	n.put(state, prev)
	return n
}

func (n *Node) put(state int32, prev *Node) {
	n.State, n.prev = state, prev
	if prev == nil {
		n.key = nodeKey(state, 0)
		return
	}
	n.Depth = prev.Depth + 1
	n.key = nodeKey(state, index.Mix(prev.key))
}

// nodeKey hashes a state and the sum of the mixed keys of what is under it: a sum, so that the
// order does not matter.
func nodeKey(state int32, under uint64) uint64 {
	return index.Mix(under + uint64(state)*0xd6e8feb86659fd93)
}

// byContent orders nodes by state, then by hash.
func byContent(a, b *Node) int {
	if a.State != b.State {
		return cmp.Compare(a.State, b.State)
	}
	return cmp.Compare(a.key, b.key)
}

// A comparison compares two graphs node by node. Pairs of nodes with several lower neighbours are
// remembered: they may be met again, on many ways or on a cycle, and are equal unless something
// else differs.
type comparison struct {
	assumed map[[2]*Node]bool
}

func (c *comparison) same(a, b *Node) bool {
	for {
		switch {
		case a == b:
			return true
		case a == nil || b == nil:
			return false
		case a.key != b.key || a.State != b.State || a.Depth != b.Depth || len(a.more) != len(b.more):
			return false
		case len(a.more) > 0:
			return c.sameUnder(a, b)
		}
		a, b = a.prev, b.prev
	}
}

func (c *comparison) sameUnder(a, b *Node) bool {
	pair := [2]*Node{a, b}
	if c.assumed[pair] {
		return true
	}
	if c.assumed == nil {
		c.assumed = make(map[[2]*Node]bool)
	}
	c.assumed[pair] = true
	for i := range a.NumUnder() {
		if !c.same(a.Under(i), b.Under(i)) {
			return false
		}
	}
	return true
}
