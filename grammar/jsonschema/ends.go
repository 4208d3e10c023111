package jsonschema

// The ends of a pattern that may match anywhere. What stands last may end as soon as it can, since any text may
// follow: e{3,39} means e{3} there, e+ means e, and e* and e? mean nothing. The same holds for what stands
// first. That spares automata that count where nothing depends on the count, which people write all the time:
// [a-z][a-z0-9-]{3,39} without anchors.

// shortened is n without what need not match at its open ends.
func (n *re) shortened(left, right bool) *re {
	if right {
		n = n.cutEnd(true)
	}
	if left {
		n = n.cutEnd(false)
	}
	return n
}

// cutEnd is n as it may end (or begin, if not last) beside any text.
func (n *re) cutEnd(last bool) *re {
	switch n.op {
	case reAlt:
		alt := &re{op: reAlt}
		for _, sub := range n.subs {
			alt.subs = append(alt.subs, sub.cutEnd(last))
		}
		return alt
	case reCat:
		return n.cutCat(last)
	case reRepeat:
		switch {
		case n.min == 0:
			return &re{op: reCat}
		case n.min == 1:
			return n.subs[0].cutEnd(last)
		}
		return &re{op: reRepeat, subs: n.subs, min: n.min, max: n.min}
	}
	return n
}

// cutCat cuts the parts of a sequence, from its end on, until one is left.
func (n *re) cutCat(last bool) *re {
	subs := n.subs
	for len(subs) > 0 {
		at := 0
		if last {
			at = len(subs) - 1
		}
		end := subs[at].cutEnd(last)
		if !end.isEmpty() {
			cut := &re{op: reCat, subs: append([]*re{}, subs...)}
			cut.subs[at] = end
			return cut
		}
		if last {
			subs = subs[:at]
		} else {
			subs = subs[1:]
		}
	}
	return &re{op: reCat}
}

// isEmpty tells whether n is the empty sequence.
func (n *re) isEmpty() bool { return n.op == reCat && len(n.subs) == 0 }
