package koo

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// reads notes how much of a plain stack is looked at while a mask is made: the part that the
// mask depends on. The parser of package lr does not tell, so reads follows its reductions once
// more, on the same nodes, without building anything. It may note more than lr looks at, and
// never less: it follows every action, on every way down.
type reads struct {
	t      *lr.Tables
	base   []*lr.Node // the stack, by depth: what lies above in the walk has other nodes
	lowest int32      // depth of the lowest node of base looked at; len(base) if none was
	lost   bool       // it became too much to follow; nothing is known then
	steps  int
}

// maxFollowed bounds the reductions followed for one terminal; a run that ends takes some tens.
const maxFollowed = 1 << 10

// begin prepares for a stack; it is not ok if that is a graph.
func (r *reads) begin(t *lr.Tables, s lr.Stacks) (ok bool) {
	r.t, r.lost = t, false
	r.base = r.base[:0]
	if s.NumTops() != 1 {
		return false
	}
	for n := s.TopNode(0); ; n = n.Under(0) {
		r.base = append(r.base, n)
		if n.NumUnder() == 0 {
			break
		}
		if n.NumUnder() > 1 {
			return false
		}
	}
	slices.Reverse(r.base)
	r.lowest = int32(len(r.base))
	return true
}

// bytes is about what a tree path of the states looked at takes.
func (r *reads) bytes() int { return 96 * (1 + len(r.base) - int(r.lowest)) }

// node notes that the state of a node was looked at.
func (r *reads) node(n *lr.Node) {
	if d := int(n.Depth); d < len(r.base) && r.base[d] == n {
		r.lowest = min(r.lowest, n.Depth)
	}
}

// tops notes that the top states of some stacks were looked at.
func (r *reads) tops(s lr.Stacks) {
	if r == nil {
		return
	}
	for i := range s.NumTops() {
		r.node(s.TopNode(i))
	}
}

// terminal notes the states that reducing for a terminal looks at.
func (r *reads) terminal(s lr.Stacks, t grammar.Terminal) {
	if r == nil || r.lost {
		return
	}
	r.steps = 0
	for i := range s.NumTops() {
		n := s.TopNode(i)
		r.node(n)
		r.follow(n, n.State, nil, t)
	}
}

// follow makes the reductions with a state on top. Above n lie the pushed states, of which the last
// is that state, or none and it is n's own.
func (r *reads) follow(n *lr.Node, state int32, pushed []int32, t grammar.Terminal) {
	for _, a := range r.t.Actions(state, t) {
		if a.Kind() != lr.KindReduce {
			continue
		}
		if r.steps++; r.steps > maxFollowed {
			r.lost = true
			return
		}
		lhs, length := r.t.Rule(a.Target())
		if length < len(pushed) {
			rest := pushed[:len(pushed)-length]
			r.push(n, rest[len(rest)-1], rest, lhs, t)
			continue
		}
		for _, u := range r.below(n, length-len(pushed)) {
			r.node(u)
			r.push(u, u.State, nil, lhs, t)
		}
	}
}

// push goes to the state after a reduction to lhs above under.
func (r *reads) push(n *lr.Node, under int32, pushed []int32, lhs grammar.Nonterminal, t grammar.Terminal) {
	if to := r.t.GotoBefore(under, lhs, t); to >= 0 {
		r.follow(n, to, append(slices.Clip(pushed), to), t)
	}
}

// below is the nodes that many links down.
func (r *reads) below(n *lr.Node, links int) []*lr.Node {
	for ; links > 0 && n.NumUnder() == 1; links-- {
		n = n.Under(0)
	}
	nodes := []*lr.Node{n}
	for ; links > 0; links-- {
		var next []*lr.Node
		for _, n := range nodes {
			for i := range n.NumUnder() {
				if u := n.Under(i); !slices.Contains(next, u) {
					next = append(next, u)
				}
			}
		}
		nodes = next
	}
	return nodes
}
