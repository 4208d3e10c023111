package lr

import "slices"

// Merge is the union of two sets of stacks: what a parser knows that may be in either. Tops of
// equal state become one node over everything that lies under either. It is for the case where a
// lexeme may be read in two ways that move the parser differently far, such as a lexeme that is a
// terminal or ignored.
func (t *Tables) Merge(a, b Stacks) Stacks {
	switch {
	case a.top == nil:
		return b
	case b.top == nil:
		return a
	}
	tops := a.Tops()
	for i := range b.NumTops() {
		tops = mergeTop(tops, b.TopNode(i))
	}
	slices.SortFunc(tops, byContent)
	if len(tops) == 1 {
		return Stacks{top: tops[0]}
	}
	return Stacks{top: tops[0], rest: tops[1:len(tops):len(tops)]}
}

// mergeTop adds a top to tops. No two tops have the same state. It may write to the slice, but not
// to its nodes.
func mergeTop(tops []*Node, n *Node) []*Node {
	i := slices.IndexFunc(tops, func(top *Node) bool { return top.State == n.State })
	switch {
	case i < 0:
		return append(tops, n)
	case tops[i].Equal(n):
		return tops
	}
	// Neither is the bottom: the start state is on no other node than the bottom's.
	both := &Node{State: n.State, prev: n.prev, more: slices.Clone(n.more)}
	for k := range tops[i].NumUnder() {
		both.more = append(both.more, tops[i].Under(k))
	}
	both.seal()
	tops[i] = both
	return tops
}
