package psc

import (
	"gcdbench/grammar"
	"gcdbench/grammar/lr"
	"gcdbench/lexical/spanner"
)

// Where an object of a JSON schema closes, the members before it are reduced one after the other,
// as many as there are, and the automaton would have a state for each of these reductions, though a
// text seldom comes there twice. So the mask of a schema makes a few states on its way down the
// stack, and the parser itself is asked what the stack does with the items that are still pending:
// to reduce a member takes the parser some 10 ns, and a state of the automaton a microsecond. Where
// masks come often, states are made after all, a few each time.

const (
	// maxMade bounds the states that a schema's mask makes on its way down the stack.
	maxMade = 4
	// maxAsked bounds the items that the parser is asked about; with more of them states are made.
	maxAsked = 16
	// maxTimes is how often the parser is asked at the end of the same path before more states are
	// made there.
	maxTimes = 8
)

// asks tells whether the parser may be asked for the rest of a mask: of a schema, whose parser does
// not fork.
func (c *core) asks() bool {
	return c.engine.asking && c.sparse && c.engine.problem.Layout == nil && c.auto.sym.plain && !c.auto.sym.loops
}

// An asker has the groups that a stack was found to accept.
type asker struct {
	auto   *automaton
	groups []int32
}

// ask appends to groups those that are pending at the end of a path and that the stack below n
// accepts; n is where the path has read to. It is not ok if there is too much to ask, or the stack
// forks.
func (c *core) ask(groups []int32, p *path, n *lr.Node) (accepted []int32, ok bool) {
	items := p.state.pending.items
	if len(items) > maxAsked {
		return groups, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p.asked.Add(1)
	q := asker{c.auto, groups}
	for _, item := range items {
		if !q.item(n, int32(item>>32), int32(uint32(item))) {
			return groups, false
		}
	}
	return q.groups, true
}

// item goes on with an item on the stack below n. It is not ok if the stack forks.
func (q *asker) item(n *lr.Node, goal, at int32) (ok bool) {
	g, t := &q.auto.sym.goals[goal], q.auto.tables
	n, ok = pass(n, g.pops+1)
	if !ok || n == nil {
		return ok
	}
	s, some := t.Enter(n, grammar.Nonterminal(g.lhs))
	switch {
	case !some:
	case !g.leaf:
		q.shift(s, grammar.Terminal(g.look), at)
	case t.AcceptsAny(s, q.auto.sym.set(g.look)):
		q.groups = append(q.groups, at)
	}
	return true
}

// shift goes on to a place after a terminal, if the parser takes that.
func (q *asker) shift(s lr.Stacks, t grammar.Terminal, at int32) {
	s, ok := q.auto.tables.Shift(s, t)
	switch {
	case !ok:
	case at != eosPlace:
		q.expand(s, spanner.NodeID(at))
	case q.auto.tables.AcceptsEnd(s):
		q.groups = append(q.groups, eosLeaf)
	}
}

// expand decides the groups of a node and goes on to its children.
func (q *asker) expand(s lr.Stacks, node spanner.NodeID) {
	a := q.auto
	n := a.spans.Node(node)
	for _, l := range n.Leaves {
		if reach := a.problem.Lexer.ReachSet(l.Reach); reach.Ignored || a.tables.AcceptsAny(s, a.sym.set(a.setOf(l.Reach))) {
			q.groups = append(q.groups, int32(l.ID))
		}
	}
	for _, k := range n.Kids {
		if a.spans.Ignored(k.Symbol) {
			q.expand(s, k.Node)
		}
		for _, m := range a.spans.Members(k.Symbol) {
			if !a.problem.Grammar.Terminals[m].Ignored {
				q.shift(s, m, int32(k.Node))
			}
		}
	}
}
