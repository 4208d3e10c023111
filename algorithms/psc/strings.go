package psc

import (
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/algorithms/psc/table"
	"gcdbench/algorithms/psc/unknown"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// Inside a JSON string the lexer of a schema follows all keys, values and patterns of the schema at
// once, while the parser, at the top of its stack, takes few of them. Which ones hardly ever
// depends on the rest of the stack: a string begins after a bracket, a comma or a colon, and the
// state on top shifts what may come. So where a string or a number is pending, the start of the
// automaton is that of the terminals alone that the top is sure to take (spanner.Root). Lexer
// states that differ in other terminals share it, and its groups need no decision.

// takes is what a state on top of the stack does with a terminal.
func (a *automaton) takes(x int32, t grammar.Terminal) spanner.Takes {
	i, bit := t>>6, uint64(1)<<(uint(t)&63)
	switch {
	case a.tables.Shiftable(x)[i]&bit != 0:
		return spanner.Yes
	case a.tables.Live(x)[i]&bit == 0:
		return spanner.No
	}
	key := table.Pair(x, int32(t))
	k := a.taken.Get(key)
	if k == table.Absent {
		k = int32(spanner.Depends)
		switch a.sym.Leaf(a.sym.BaseOf(x), a.sym.SetOf(a.tables.NewSet(t))) {
		case unknown.Accepted:
			k = int32(spanner.Yes)
		case unknown.Nothing:
			k = int32(spanner.No)
		}
		a.taken.Put(key, k)
	}
	return spanner.Takes(k)
}

// narrow leaves out the parts of a lexer state that x does not take. It is not ok if for one of
// them that depends on the stack below x. The list is valid until the next call.
func (a *automaton) narrow(x int32, parts []lexer.Part) (sure []lexer.Part, ok bool) {
	a.sure, ok = a.spans.Narrow(a.sure[:0], parts, func(t grammar.Terminal) spanner.Takes { return a.takes(x, t) })
	return a.sure, ok
}

// startParts is start for a lexer state in which the given parts are followed, with root the tree
// of them.
func (a *automaton) startParts(root spanner.NodeID, parts []lexer.Part, x int32) *state {
	key := table.Pair(int32(root), x)
	if id := a.partStarts.Get(key); id != table.Absent {
		return a.states[id]
	}
	a.starts++
	a.begin()
	c := a.sym.BaseOf(x)
	n := a.spans.Node(root)
	for i := range n.Leaves {
		a.accepts = append(a.accepts, ownLeaf+int32(i))
	}
	a.kids(c, n, 0)
	lex := a.problem.Lexer.(*lexer.OnDemand)
	for _, p := range parts {
		if lex.Terminal(p.Terminal).Accepting(p.State) {
			a.take(a.sym.Shift(c, p.Terminal), eosPlace)
		}
	}
	s := a.finish()
	a.partStarts.Put(key, s.id)
	return s
}
