package pattern

// ^ inside of a lookahead. At the start of the text it is true, and after the first character it is
// false. Which of the two holds is known for each place of a pattern, once the match is known to
// begin at the start, or not there. So ^(?!^0)x is ^(?!0)x; and (?!^0)x, whose match may begin
// anywhere, is either ^(?!0)x, or x after one character at least. Then no lookahead asks what came
// before it, which it could not find out.

// A startState is what is known of a place in a pattern: whether it is the start of the text.
type startState uint8

const (
	startUnknown startState = iota
	atTheStart
	pastStart
)

// nothing matches no text.
var nothing = &Node{}

// asksStart tells whether ^ occurs inside of a lookahead.
func (n *Node) asksStart(inLook bool) bool {
	if n.op == opStart {
		return inLook
	}
	for _, sub := range n.subs {
		if sub.asksStart(inLook || n.op == opLook && n.ahead()) {
			return true
		}
	}
	return false
}

func (n *Node) ahead() bool { return n.open == "(?=" || n.open == "(?!" }

// resolved is n with each ^ inside of lookaheads replaced by its truth, for a match that begins in
// a state; and the state after n.
func (n *Node) resolved(at startState, inLook bool) (*Node, startState) {
	switch n.op {
	case opClass:
		return n, pastStart
	case opStart:
		switch {
		case !inLook:
			return n, atTheStart
		case at == atTheStart:
			return &Node{op: opCat}, at
		case at == pastStart:
			return nothing, at
		}
		return n, atTheStart
	case opLook:
		if !n.ahead() {
			return n, at
		}
		sub, _ := n.subs[0].resolved(at, true)
		return &Node{op: opLook, open: n.open, subs: []*Node{sub}}, at
	case opRepeat:
		return n.resolvedRepeat(at, inLook)
	case opCat, opAlt:
		return n.resolvedSubs(at, inLook)
	}
	return n, at
}

func (n *Node) resolvedRepeat(at startState, inLook bool) (*Node, startState) {
	inner := at
	if n.max != 1 && at != pastStart {
		inner = startUnknown // the first time, or a later one
	}
	sub, after := n.subs[0].resolved(inner, inLook)
	if n.min == 0 && after != at {
		after = startUnknown
	}
	return &Node{op: opRepeat, subs: []*Node{sub}, min: n.min, max: n.max}, after
}

func (n *Node) resolvedSubs(at startState, inLook bool) (*Node, startState) {
	all := &Node{op: n.op}
	after := at
	for i, sub := range n.subs {
		from := at
		if n.op == opCat {
			from = after
		}
		x, reached := sub.resolved(from, inLook)
		if n.op == opAlt && i > 0 && reached != after {
			reached = startUnknown
		}
		after = reached
		all.subs = append(all.subs, x)
	}
	return all, after
}
