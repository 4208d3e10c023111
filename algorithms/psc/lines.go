package psc

import (
	"encoding/binary"
	"math"
	"slices"

	"gcdbench/algorithms/spanner"
	"gcdbench/layout"
)

// With a layout step, what a newline lexeme inside a token becomes depends on the registers as well as
// on the stack: dropped in brackets, else a newline and an indent, nothing, or dedents by its column,
// or illegal. The registers hold unbounded numbers and stacks, but what the tokens of one lexer state
// can tell about them is little: whether the bracket depth is above the few brackets a token closes,
// and what each of the few columns that a token can end a line at would be, indent, same, dedent by k
// or illegal. Registers that agree on that are one class, and the first registers seen of a class
// stand for all of it. The automaton has a start for each lexer state and class; inside it, a place
// knows the class that holds there, so that items stay finite in number and states are shared.

// A need is what the subtree of a node can tell about the registers before it.
type need struct {
	// depth is the least bracket depth from which on all depths are alike.
	depth int32
	// chained is whether a newline follows another: then the columns themselves matter too.
	chained bool
	// columns are those that newline lexemes in the subtree end at.
	columns []spanner.Column
}

// lineTable interns classes of registers; class 0 is the one of all registers, where nothing matters.
type lineTable struct {
	a     *automaton
	needs [][]need // by tree, by node
	regs  []layout.Registers
	byKey map[string]int32
	key   []byte
	held  int64
}

func (l *lineTable) init(a *automaton) {
	l.a, l.byKey = a, map[string]int32{}
	l.regs = append(l.regs, layout.Registers{})
}

// dropped tells whether newline lexemes are dropped in a class.
func (l *lineTable) dropped(class int32) bool {
	return l.a.problem.Layout != nil && l.regs[class].Depth() > 0
}

// need is what the subtree of a node can tell.
func (l *lineTable) need(tree, node int32) *need {
	for len(l.needs) <= int(tree) {
		l.needs = append(l.needs, nil)
	}
	if l.needs[tree] == nil {
		l.needs[tree] = l.compute(l.a.trees[tree])
	}
	return &l.needs[tree][node]
}

// compute finds the needs of all nodes, children before parents.
func (l *lineTable) compute(t *spanner.Tree) []need {
	a := l.a
	lay, spans := a.problem.Layout, a.spans
	all := make([]need, len(t.Nodes))
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n, out := &t.Nodes[i], &all[i]
		for k := n.LeafLo; k < n.LeafHi; k++ {
			if reach := a.problem.Lexer.ReachSet(t.Leaves[k].Reach); !reach.Ignored && reach.Has(lay.Newline()) {
				out.depth = 1
			}
		}
		for k := n.KidLo; k < n.KidHi; k++ {
			below, x := &all[k], t.Nodes[k].Symbol
			out.chained = out.chained || below.chained
			out.columns = union(out.columns, below.columns)
			if spans.Newline(x) {
				out.depth = max(out.depth, 1, below.depth)
				out.chained = out.chained || len(below.columns) > 0
				out.columns = union(out.columns, []spanner.Column{spans.Column(x)})
			} else if below.depth > 0 {
				out.depth = max(out.depth, below.depth-int32(lay.Depth(spans.Members(x)[0])))
			}
		}
		l.held += 40 + 16*int64(len(out.columns))
	}
	return all
}

// union is the union of two lists without duplicates; it may share memory with one of them.
func union(a, b []spanner.Column) []spanner.Column {
	if len(a) == 0 {
		return b
	}
	out := a[:len(a):len(a)]
	for _, c := range b {
		if !slices.Contains(a, c) {
			out = append(out, c)
		}
	}
	return out
}

// illegal is the number of levels of a column that dedents to no open block, in a class's key.
const illegal = math.MinInt16

// appendKey appends what n tells about registers.
func (n *need) appendKey(dst []byte, spans *spanner.Spanner, r layout.Registers) []byte {
	depth := min(int32(r.Depth()), n.depth)
	dst = append(dst, byte(depth), byte(depth>>8))
	if depth == n.depth || len(n.columns) == 0 {
		return dst
	}
	text, tab := spans.Text(r), spans.Tab()
	for _, c := range n.columns {
		column := c.At(r.Column(), text, tab)
		levels, ok := r.Action(column)
		if !ok {
			levels = illegal
		}
		dst = append(dst, byte(levels), byte(levels>>8))
		if n.chained {
			dst = binary.AppendVarint(dst, int64(column))
		}
	}
	return dst
}

// class is the class of registers at a node.
func (l *lineTable) class(tree, node int32, r layout.Registers) int32 {
	n := l.need(tree, node)
	if n.depth == 0 {
		return 0
	}
	l.key = binary.LittleEndian.AppendUint32(l.key[:0], uint32(l.a.trees[tree].NodeBase+node))
	l.key = n.appendKey(l.key, l.a.spans, r)
	id, ok := l.byKey[string(l.key)]
	if !ok {
		id = int32(len(l.regs))
		l.regs = append(l.regs, r)
		l.byKey[string(l.key)] = id
	}
	return id
}

func (l *lineTable) bytes() int64 { return l.held + int64(len(l.regs))*150 }

// expandLine goes on to child k of a node by its symbol x, through the layout step.
func (a *automaton) expandLine(c, tree, k, class int32, x spanner.Symbol) {
	lay, r := a.problem.Layout, a.lines.regs[class]
	t := a.spans.Members(x)[0]
	if a.spans.Newline(x) {
		column := a.spans.AtRegisters(a.spans.Column(x), r)
		r = lay.Begin(r)
		for range column {
			r = lay.Read(r, ' ')
		}
	}
	out, r, ok := lay.Lexeme(r, t)
	if !ok {
		return
	}
	r = lay.Begin(r)
	p := place{node: a.trees[tree].NodeBase + k, lines: a.lines.class(tree, k, r)}
	switch {
	case out.Count == 0:
	case out.Then == lay.Indent():
		p.levels = int32(out.Count)
	default:
		p.levels = -int32(out.Count)
	}
	if !out.HasFirst {
		a.arrive(c, a.placeOf(p))
		return
	}
	a.take(a.sym.shift(c, out.First), a.placeOf(p))
}

// block shifts the next of the indents or dedents that a place waits for.
func (a *automaton) block(c int32, p place) {
	t := a.problem.Layout.Indent()
	if p.levels < 0 {
		t = a.problem.Layout.Dedent()
		p.levels++
	} else {
		p.levels--
	}
	a.take(a.sym.shift(c, t), a.placeOf(p))
}

// placeOf interns a place.
func (a *automaton) placeOf(p place) int32 {
	id, ok := a.byPlace[p]
	if !ok {
		id = int32(len(a.places))
		a.places = append(a.places, p)
		a.byPlace[p] = id
	}
	return id
}
