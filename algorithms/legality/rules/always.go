package rules

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/internal/bitset"
	"gcdbench/internal/intern"
)

// Bounds limit an exploration. Zero values mean the defaults.
type Bounds struct {
	// Stack is the most stack symbols that a trajectory may hold (section 4.3, step 1).
	Stack int
	// Nodes is the most nodes of the debt automaton. Where rules are left recursive the
	// trajectories multiply with every symbol that the stack may hold, so a bound on the stack
	// alone bounds nothing that is affordable.
	Nodes int
	// Circles lets a proof go round in a circle of debts, as closing one bracket after another
	// does. The paper's definition of an ε-coaccessible node is recursive, and its least solution
	// has no circles. A circle with a debt in it is no obstacle, though: each time round pops a
	// symbol of a finite stack, so that it is left after finitely many.
	Circles bool
}

// DefaultBounds are the bounds of a program: a stack symbol is pushed for each nonterminal on the
// way down to a terminal, 15 to 20 for an operand in the expressions of a programming language.
// 20,000 nodes take some milliseconds.
var DefaultBounds = Bounds{Stack: 24, Nodes: 20_000}

func (b Bounds) filled() Bounds {
	if b.Stack <= 0 {
		b.Stack = DefaultBounds.Stack
	}
	if b.Nodes <= 0 {
		b.Nodes = DefaultBounds.Nodes
	}
	return b
}

// IsAlwaysLegal is the paper's unlimited_credit_exploration (section 4.3, algorithm 2): true is a
// proof that every text after which x was legal may go on with s, by the rules of the grammar;
// false means that it is not known. (A parser whose conflicts were resolved may still refuse it.)
//
// The paper describes it for an s of one terminal and says that it extends to sequences; here a
// node knows how much of s was read as well.
func (d *DFT) IsAlwaysLegal(x grammar.Terminal, s Sequence, b Bounds) bool {
	return len(s) == 0 || d.explore(x, s, b).proved()
}

// ProveAlways is IsAlwaysLegal without circles and with them (Bounds.Circles), by one exploration.
func (d *DFT) ProveAlways(x grammar.Terminal, s Sequence, b Bounds) (plain, circles bool) {
	n := d.explore(x, s, b)
	n.bounds.Circles = false
	plain = n.proved()
	n.bounds.Circles = true
	return plain, n.proved()
}

// A debtNode is a node of the debt NFA: a state of the automaton, a stack, and how many steps of s
// were read.
type debtNode struct {
	state DFTState
	read  int32
	stack int32 // an index in debts.stacks; 0 is the empty stack
}

// A debtEdge is a transition between nodes, with the stack symbol that was owed for it, or
// NoSymbol.
type debtEdge struct {
	to   int32
	owed StackSymbol
}

// A stackCell is a stack symbol on a stack.
type stackCell struct {
	symbol StackSymbol
	under  int32
	height int32
}

// debts is the debt NFA: all trajectories from x with an empty stack, on credit.
type debts struct {
	d       *DFT
	s       Sequence
	bounds  Bounds
	nodes   intern.Keys[debtNode]
	edges   [][]debtEdge
	stacks  intern.Keys[stackCell]
	first   []map[grammar.Nonterminal]bool // by steps read: nonterminals that may begin with the next step
	cutoffs int
}

// explore is the breadth-first search (steps 1 to 3). Trajectories that would hold too much are
// dropped; that can only lose a proof.
func (d *DFT) explore(x grammar.Terminal, s Sequence, b Bounds) *debts {
	n := &debts{d: d, s: s, bounds: b.filled()}
	n.stacks.ID(stackCell{}) // the empty stack
	n.first = make([]map[grammar.Nonterminal]bool, len(s))
	n.nodes.ID(debtNode{DFTState(x), 0, 0})
	for i := 0; i < n.nodes.Len(); i++ {
		if n.nodes.Len() > n.bounds.Nodes {
			n.cutoffs++
			n.edges = append(n.edges, nil)
			continue
		}
		n.edges = append(n.edges, n.expand(n.nodes.At(int32(i))))
	}
	return n
}

// final tells whether a node has read all of s.
func (n *debts) final(k debtNode) bool { return int(k.read) == len(n.s) }

// expand lists the edges of a node.
func (n *debts) expand(k debtNode) []debtEdge {
	if n.final(k) {
		return nil
	}
	var edges []debtEdge
	for _, t := range n.d.transitions[k.state] {
		next, owed := debtNode{t.To, k.read, k.stack}, NoSymbol
		if t.Read != NoTerminal {
			if !slices.Contains(n.s[k.read], t.Read) {
				continue
			}
			next.read++
		}
		if t.Pop != NoSymbol {
			if k.stack == 0 {
				owed = t.Pop
			} else if top := n.stacks.At(k.stack); top.symbol != t.Pop {
				continue
			} else {
				next.stack = top.under
			}
		}
		if t.Push != NoSymbol {
			if int(n.stacks.At(next.stack).height) >= n.bounds.Stack {
				n.cutoffs++
				continue
			}
			next.stack = n.push(t.Push, next.stack)
		}
		if n.hopeless(next) {
			continue
		}
		to, _ := n.nodes.ID(next)
		edges = append(edges, debtEdge{to, owed})
	}
	return edges
}

func (n *debts) push(y StackSymbol, under int32) int32 {
	id, _ := n.stacks.ID(stackCell{y, under, n.stacks.At(under).height + 1})
	return id
}

// hopeless tells whether a node is the start of a nonterminal that neither begins with the next
// step of s nor derives nothing: no final node lies after it.
func (n *debts) hopeless(k debtNode) bool {
	i := int(k.state) - len(n.d.g.Terminals)
	if i < 0 || i%2 == 1 || k.state == n.d.End() || n.final(k) {
		return false
	}
	a := grammar.Nonterminal(i / 2)
	if n.d.sets.Nullable(a) {
		return false
	}
	known := n.first[k.read]
	if known == nil {
		known = map[grammar.Nonterminal]bool{}
		n.first[k.read] = known
	}
	begins, ok := known[a]
	if !ok {
		first := n.d.sets.First(a)
		for _, t := range n.s[k.read] {
			begins = begins || bitset.Has(first, t)
		}
		known[a] = begins
	}
	return !begins
}

// proved tells whether the first node is ε-coaccessible (step 4): a final node is; a node is if an
// edge without debt leads to one that is; and a node is, if for each stack symbol that can be
// popped in its state an edge that owes it leads to one that is.
//
// The least such set is found by iteration, backwards, as edges lead from earlier nodes to later
// ones for the most part. With circles it is instead the largest set in which debts may lead round:
// those of the last attempt are taken as paid, until an attempt finds all that it took for paid.
func (n *debts) proved() bool {
	if !n.bounds.Circles {
		good := make([]bool, n.nodes.Len())
		n.saturate(good, good)
		return good[0]
	}
	paid := make([]bool, n.nodes.Len())
	for i := range paid {
		paid[i] = true
	}
	for {
		good := make([]bool, n.nodes.Len())
		n.saturate(good, paid)
		if !good[0] || slices.Equal(good, paid) {
			return good[0]
		}
		paid = good
	}
}

// saturate adds to good all nodes that follow from it and, over debts, from paid.
func (n *debts) saturate(good, paid []bool) {
	for changed := true; changed; {
		changed = false
		for i := n.nodes.Len() - 1; i >= 0; i-- {
			if !good[i] && n.good(i, good, paid) {
				good[i], changed = true, true
			}
		}
	}
}

func (n *debts) good(i int, good, paid []bool) bool {
	k := n.nodes.At(int32(i))
	if n.final(k) {
		return i != 0
	}
	var symbols []StackSymbol
	for _, e := range n.edges[i] {
		switch {
		case e.owed == NoSymbol && good[e.to]:
			return true
		case e.owed != NoSymbol && paid[e.to]:
			symbols = append(symbols, e.owed)
		}
	}
	pops := n.d.pops[k.state]
	if k.stack != 0 || len(pops) == 0 {
		return false
	}
	for _, y := range pops {
		if !slices.Contains(symbols, y) {
			return false
		}
	}
	return true
}
