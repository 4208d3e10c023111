package parserdwa

import (
	"slices"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// Where a string or a number is pending, the first symbol that is read, the state on top of the
// stack, says which terminals the parser takes (spanner/parts.go). So the automaton's start state
// has no node of the terminal DWA there; the arc that reads the top finds it. Its weights are the
// spanner's bit sets, and nodes made of the spanner's shared graph follow a closing quote. Tops
// that take the same terminals have one node.
//
// Where it depends on the stack below the top whether a terminal is taken, the arc has the node
// of the whole lexer state.

// A pendingString is a lexer state in which a string or a number is pending.
type pendingString struct {
	q     lexer.State
	parts []lexer.Part
	whole int32 // the node of q, noRoot if it was not needed
}

// A stringArc is the outcome of reading a top with some parts of a string.
type stringArc struct{ node, top int32 }

// takes finds out what a state does with a terminal, once.
func (c *composer) takes(terminal, top int32) spanner.Takes {
	key := lookupKey{terminal, top, noState}
	n, isNew := c.taken.number(key)
	if isNew {
		c.takings = append(c.takings, c.findTakes(terminal, top))
	}
	return c.takings[n]
}

func (c *composer) findTakes(terminal, top int32) spanner.Takes {
	if c.plain {
		switch c.templates.start(terminal, top).kind {
		case push:
			return spanner.Yes
		case pop:
			return spanner.Depends
		}
		return spanner.No
	}
	c.begin()
	c.arena = append(c.arena[:0], cell{state: top, under: bottom})
	switch found := c.closure.run(item{terminal: terminal}, []int32{0}); {
	case len(found) > 0:
		return spanner.Yes
	case len(c.pending) > 0:
		return spanner.Depends
	}
	return spanner.No
}

// narrow leaves out of some parts those that a top does not take. It is not ok if for one of them
// that depends on the stack.
func (c *composer) narrow(parts []lexer.Part, top int32) (taken []lexer.Part, ok bool) {
	return c.terminals.spanner.Narrow(nil, parts, func(t grammar.Terminal) spanner.Takes { return c.takes(int32(t), top) })
}

// enterString is what reading the top of the stack does where a string is pending.
func (c *composer) enterString(s *pendingString, top int32) outcome {
	t := c.terminals
	sure, ok := c.narrow(s.parts, top)
	if !ok {
		if s.whole == noRoot {
			s.whole, _ = t.root(s.q)
		}
		return c.enterRoot(s.whole, 0, top)
	}
	key := stringArc{t.sharedNode(t.spanner.Root(sure)), top}
	o, known := c.strings[key]
	if !known {
		o = c.enterRoot(key.node, 0, top)
		if c.strings == nil {
			c.strings = map[stringArc]outcome{}
		}
		c.strings[key] = o
	}
	return o
}

// pending is the string pending in a lexer state; nil if there is none.
func (t *terminalDWA) pending(q lexer.State) *pendingString {
	if t.spanner == nil {
		return nil
	}
	parts := t.spanner.Pending(nil, q)
	if len(parts) == 0 {
		return nil
	}
	return &pendingString{q, parts, noRoot}
}

// sharedNode is the node that stands for one of the spanner's shared graph.
func (t *terminalDWA) sharedNode(id spanner.NodeID) int32 {
	n, ok := t.byShared[id]
	if !ok {
		n = t.add(&node{shared: id, isShared: true})
		t.byShared[id] = n
	}
	return n
}

// expandShared makes the finals and edges of a node that stands for one of the shared graph.
func (t *terminalDWA) expandShared(n *node) {
	from := t.spanner.Node(n.shared)
	for _, leaf := range from.Leaves {
		n.finals = append(n.finals, int32(len(t.finals)))
		t.finals = append(t.finals, final{leaf.Reach, t.sharedWeight(leaf.ID)})
	}
	for _, kid := range from.Kids {
		n.edges = append(n.edges, edge{t.sharedLabel(kid.Symbol), t.sharedNode(kid.Node)})
		t.edges++
	}
	n.expanded = true
}

// sharedWeight is the tokens of a leaf of the shared graph.
func (t *terminalDWA) sharedWeight(id spanner.LeafID) *weight {
	w, ok := t.byLeaf[id]
	if !ok {
		if bits := t.spanner.LeafBits(id); bits != nil {
			w = &weight{words: bits} // the spanner counts it
		} else if bits := t.spanner.CloneLeaf(id); bits != nil {
			w = t.weights.own(bits)
		} else {
			t.spanner.SetLeaf(t.weights.scratch, id)
			w = t.weights.take(t.weights.scratch)
		}
		t.byLeaf[id] = w
	}
	return w
}

// sharedLabel is the label of a symbol of the shared graph.
func (t *terminalDWA) sharedLabel(x spanner.Symbol) int32 {
	if set := t.spanner.Set(x); set != lexer.NoSet {
		return t.labels.of(set, noLine)
	}
	id, ok := t.bySymbol[x]
	if !ok {
		id = int32(len(t.labels.list))
		var terms []int32
		for _, m := range t.spanner.Members(x) {
			terms = append(terms, int32(m))
		}
		t.labels.list = append(t.labels.list, label{terms: slices.Clip(terms), line: noLine})
		t.bySymbol[x] = id
	}
	return id
}
