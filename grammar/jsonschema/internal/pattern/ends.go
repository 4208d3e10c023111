package pattern

// The ends of a pattern that may match anywhere. The last part may end as soon as it can, since any
// text may follow: e{3,39} means e{3} there, e+ means e, and e* and e? mean nothing. The same holds
// for the first part. That spares automata that count where nothing depends on the count, which
// people write all the time: [a-z][a-z0-9-]{3,39} without anchors.

// shortened is n without the parts that need not match at its open ends.
func (n *Node) shortened(left, right bool) *Node {
	if right {
		n = n.cutEnd(true)
	}
	if left {
		n = n.cutEnd(false)
	}
	return n
}

// cutEnd is n as it may end (or begin, if not last) beside any text.
func (n *Node) cutEnd(last bool) *Node {
	switch n.op {
	case opAlt:
		alt := &Node{op: opAlt}
		for _, sub := range n.subs {
			alt.subs = append(alt.subs, sub.cutEnd(last))
		}
		return alt
	case opCat:
		return n.cutCat(last)
	case opRepeat:
		switch {
		case n.min == 0:
			return &Node{op: opCat}
		case n.min == 1:
			return n.subs[0].cutEnd(last)
		}
		return &Node{op: opRepeat, subs: n.subs, min: n.min, max: n.min}
	}
	return n
}

// cutCat cuts the parts of a sequence, from its end on, until one is left.
func (n *Node) cutCat(last bool) *Node {
	subs := n.subs
	for len(subs) > 0 {
		at := 0
		if last {
			at = len(subs) - 1
		}
		end := subs[at].cutEnd(last)
		if !end.isEmpty() {
			cut := &Node{op: opCat, subs: append([]*Node{}, subs...)}
			cut.subs[at] = end
			return cut
		}
		if last {
			subs = subs[:at]
		} else {
			subs = subs[1:]
		}
	}
	return &Node{op: opCat}
}

// isEmpty tells whether n is the empty sequence.
func (n *Node) isEmpty() bool { return n.op == opCat && len(n.subs) == 0 }
