package jsonschema

// ^ inside of a lookahead. At the start of the text it is true, and behind the first character it is false;
// which of both is known for each place of a pattern, once the match begins at the start for certain or for
// certain not. So ^(?!^0)x is ^(?!0)x, and (?!^0)x, whose match may begin anywhere, is either ^(?!0)x, or x
// behind one character at least. Then no lookahead asks what came before it, which it could not find out.

// A startState is what is known of a place in a pattern: whether it is the start of the text.
type startState uint8

const (
	startUnknown startState = iota
	atTheStart
	behindStart
)

// nothing matches no text.
var nothing = &re{op: reAlt}

// asksStart tells whether ^ occurs inside of a lookahead.
func (n *re) asksStart(inLook bool) bool {
	if n.op == reStart {
		return inLook
	}
	for _, sub := range n.subs {
		if sub.asksStart(inLook || n.op == reLook && n.ahead()) {
			return true
		}
	}
	return false
}

func (n *re) ahead() bool { return n.open == "(?=" || n.open == "(?!" }

// resolved is n with each ^ inside of lookaheads replaced by what it is, for a match that begins in a
// state; and the state behind it.
func (n *re) resolved(at startState, inLook bool) (*re, startState) {
	switch n.op {
	case reClass:
		return n, behindStart
	case reStart:
		switch {
		case !inLook:
			return n, atTheStart
		case at == atTheStart:
			return &re{op: reCat}, at
		case at == behindStart:
			return nothing, at
		}
		return n, atTheStart
	case reLook:
		if !n.ahead() {
			return n, at
		}
		sub, _ := n.subs[0].resolved(at, true)
		return &re{op: reLook, open: n.open, subs: []*re{sub}}, at
	case reRepeat:
		return n.resolvedRepeat(at, inLook)
	case reCat, reAlt:
		return n.resolvedSubs(at, inLook)
	}
	return n, at
}

func (n *re) resolvedRepeat(at startState, inLook bool) (*re, startState) {
	inner := at
	if n.max != 1 && at != behindStart {
		inner = startUnknown // the first time, or a later one
	}
	sub, after := n.subs[0].resolved(inner, inLook)
	if n.min == 0 && after != at {
		after = startUnknown
	}
	return &re{op: reRepeat, subs: []*re{sub}, min: n.min, max: n.max}, after
}

func (n *re) resolvedSubs(at startState, inLook bool) (*re, startState) {
	all := &re{op: n.op}
	after := at
	for i, sub := range n.subs {
		from := at
		if n.op == reCat {
			from = after
		}
		x, behind := sub.resolved(from, inLook)
		if n.op == reAlt && i > 0 && behind != after {
			behind = startUnknown
		}
		after = behind
		all.subs = append(all.subs, x)
	}
	return all, after
}
