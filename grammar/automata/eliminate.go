package automata

import (
	"cmp"
	"slices"
)

// From an automaton back to an expression, by elimination of states (J. Brzozowski and E.
// McCluskey, Signal flow graph techniques for sequential circuit state diagrams, 1963): a state is
// taken out, and every way through it becomes an edge of its own, labelled with an expression. It
// is for automata that have no other notation: those of lazy quantifiers, of lookarounds, and of
// operations on languages.
//
// The states are those between characters, so that the labels are classes of characters. The state
// with the fewest ways through it goes first. The expression can be exponentially longer than the
// automaton; maxWritten bounds it.

// maxWritten bounds the size of an eliminated expression, in nodes as they would be written out.
// The terminals of programming languages have a few hundred.
const maxWritten = 1 << 16

// maxEliminated bounds the states of such an automaton: the work grows with their square.
const maxEliminated = 1 << 11

const hintWritten = "write the pattern without lazy quantifiers and lookarounds"

// Expr is an expression for the language of d in which only literals, classes, sequences,
// alternatives and greedy repeats occur. It fails with ErrNotText if a string of d is no UTF-8,
// with ErrContext if d has contexts, and with a *LimitError if the expression would be too large.
func (d *DFA) Expr() (*Expr, error) {
	if d.IsEmpty() {
		return noneExpr, nil
	}
	if d.HasContexts() {
		return nil, ErrContext
	}
	small := d.Within(8 * maxEliminated) // one on demand is not minimal
	if small {
		d = d.Whole()
	}
	if !small || d.NumStates() > maxEliminated {
		return nil, &LimitError{"maxEliminated", maxEliminated, "the automaton has too many states to be written as a regular expression", hintWritten}
	}
	g, err := newElimination(d)
	if err != nil {
		return nil, err
	}
	for g.left > 2 {
		if err := g.remove(g.cheapest()); err != nil {
			return nil, err
		}
	}
	return g.out[0][1].expr, nil
}

// A label is an expression with its size.
type label struct {
	expr *Expr
	size int
}

// An elimination is a graph of labelled edges. Node 0 is the entry and node 1 the exit; the others
// are the states.
type elimination struct {
	out, in []map[int32]label // by node: the labels of edges to, and from, other nodes; in is the mirror of out
	gone    []bool
	left    int
}

// newElimination makes the graph of an automaton.
func newElimination(d *DFA) (*elimination, error) {
	g := &elimination{}
	chars := newCharReader(d)
	node := map[int32]int32{}
	var order []int32
	visit := func(s int32) int32 {
		n, ok := node[s]
		if !ok {
			n = g.add()
			node[s] = n
			order = append(order, s)
		}
		return n
	}
	g.add() // the entry
	g.add() // the exit
	g.connect(0, visit(d.Start()), label{emptyExpr, 0})
	for i := 0; i < len(order); i++ {
		s := order[i]
		edges, err := chars.edges(s)
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			g.connect(node[s], visit(e.to), label{one(e.set), 1})
		}
		if d.Accepting(s) {
			g.connect(node[s], 1, label{emptyExpr, 0})
		}
	}
	return g, nil
}

// one matches one character of a set.
func one(set runeSet) *Expr {
	if len(set) == 1 && set[0].lo == set[0].hi {
		return Literal(string(set[0].lo), 0)
	}
	return class(set)
}

func (g *elimination) add() int32 {
	g.out, g.in = append(g.out, map[int32]label{}), append(g.in, map[int32]label{})
	g.gone = append(g.gone, false)
	g.left++
	return int32(len(g.out) - 1)
}

// connect adds a way from one node to another, beside those that there are.
func (g *elimination) connect(from, to int32, l label) {
	if old, ok := g.out[from][to]; ok {
		l = either(old, l)
	}
	g.out[from][to], g.in[to][from] = l, l
}

// cheapest is the node whose removal writes the least: every label into it once for each way out,
// and so on.
func (g *elimination) cheapest() int32 {
	best, least := int32(-1), 0
	for n := int32(2); int(n) < len(g.out); n++ {
		if g.gone[n] {
			continue
		}
		if c := g.cost(n); best < 0 || c < least {
			best, least = n, c
		}
	}
	return best
}

func (g *elimination) cost(n int32) int {
	ins, outs, loop := 0, 0, 0
	cost := 0
	for from, l := range g.in[n] {
		if from == n {
			loop = l.size
			continue
		}
		ins++
		cost += l.size * (len(g.out[n]) - 1)
	}
	for to, l := range g.out[n] {
		if to != n {
			outs++
			cost += l.size * (len(g.in[n]) - 1)
		}
	}
	return cost + ins*outs*(loop+1)
}

// remove takes a node out.
func (g *elimination) remove(n int32) error {
	loop, loops := g.out[n][n]
	for _, from := range sortedKeys(g.in[n]) {
		if from == n {
			continue
		}
		first := g.in[n][from]
		if loops {
			first = looped(first, loop)
		}
		for _, to := range sortedKeys(g.out[n]) {
			if to == n {
				continue
			}
			l := follow(first, g.out[n][to])
			g.connect(from, to, l)
			if g.out[from][to].size > maxWritten {
				return &LimitError{"maxWritten", maxWritten, "the automaton has no short regular expression", hintWritten}
			}
		}
		delete(g.out[from], n)
	}
	for to := range g.out[n] {
		delete(g.in[to], n)
	}
	g.gone[n] = true
	g.left--
	return nil
}

func sortedKeys(m map[int32]label) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[int32])
	return keys
}

// isEmpty tells whether e is the empty string's expression.
func isEmpty(e *Expr) bool { return e.op == opLiteral && e.bytes == "" }

// follow is a, then b.
func follow(a, b label) label {
	switch {
	case isEmpty(a.expr):
		return b
	case isEmpty(b.expr):
		return a
	}
	return label{Concat(a.expr, b.expr), a.size + b.size}
}

// looped is a, then any number of loops. If a is the loop, that is one or more of them.
func looped(a, loop label) label {
	inner := loop.expr
	if inner.op == opRepeat && inner.min == 0 && inner.max == 1 {
		inner = inner.subs[0]
	}
	if sameExpr(a.expr, inner) {
		return label{Repeat(inner, 1, -1), loop.size}
	}
	return follow(a, label{Repeat(inner, 0, -1), loop.size + 1})
}

// either is a or b. The longer choices come first: an empty one becomes "optional".
func either(a, b label) label {
	switch {
	case isEmpty(a.expr):
		return optional(b)
	case isEmpty(b.expr):
		return optional(a)
	case a.expr.op == opRepeat && a.expr.min == 0 && a.expr.max == 1:
		return optional(either(label{a.expr.subs[0], a.size}, b))
	}
	if x, ok := setOf(a.expr); ok {
		if y, ok := setOf(b.expr); ok {
			return label{one(x.union(y)), 1}
		}
	}
	return label{Alternate(a.expr, b.expr), a.size + b.size}
}

func optional(a label) label {
	if e := a.expr; isEmpty(e) || e.op == opRepeat && e.min == 0 {
		return a
	} else if e.op == opRepeat && e.min == 1 {
		return label{Repeat(e.subs[0], 0, e.max), a.size}
	}
	return label{Repeat(a.expr, 0, 1), a.size}
}

// setOf is the set of an expression that matches one character.
func setOf(e *Expr) (runeSet, bool) {
	switch {
	case e.op == opClass:
		return e.set, true
	case e.op == opLiteral:
		if r := []rune(e.bytes); len(r) == 1 {
			return runeSet{{r[0], r[0]}}, true
		}
	}
	return nil, false
}

// sameExpr tells whether two expressions are written alike.
func sameExpr(a, b *Expr) bool {
	if a == b {
		return true
	}
	return a.op == b.op && a.bytes == b.bytes && a.min == b.min && a.max == b.max &&
		slices.Equal(a.set, b.set) && slices.EqualFunc(a.subs, b.subs, sameExpr)
}
