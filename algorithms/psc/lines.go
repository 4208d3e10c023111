package psc

import (
	"encoding/binary"
	"math"
	"slices"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/layout"
)

// With a layout step, what a newline lexeme inside a token becomes depends on the registers as
// well as on the stack. In brackets it is dropped. Else its column decides: a newline and an
// indent, a newline alone, dedents, or an error. The registers hold unbounded numbers and stacks,
// but the tokens of one lexer state can tell little about them: whether the bracket depth is
// above the few brackets that a token closes, and what each of the few columns at which a token
// can end a line would be (indent, same, dedent by k, or illegal). Registers that agree on these
// answers are one class, and the first registers seen of a class stand for all of it. The
// automaton has a start for each lexer state and class. Inside it a place knows the class that
// holds there, so items stay finite in number and states are shared.

// A need is what the tokens below a node can tell about the registers before it.
type need struct {
	// depth is the least bracket depth from which on all depths are alike.
	depth int32
	// chained is whether a newline follows another: then the columns themselves matter too.
	chained bool
	// columns are those that newline lexemes in the subtree end at.
	columns []spanner.Column
}

// lineTable interns classes of registers; class 0 is the one of all registers, where nothing
// matters.
type lineTable struct {
	a     *automaton
	needs []need // by node
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

// need is what the subtree of a node can tell. Nodes have greater numbers than their children, so
// that needs are found in order of the numbers.
func (l *lineTable) need(node spanner.NodeID) *need {
	for len(l.needs) <= int(node) {
		l.needs = append(l.needs, l.compute(l.a.spans.Node(spanner.NodeID(len(l.needs)))))
	}
	return &l.needs[node]
}

// compute is the need of a node whose children's are known.
func (l *lineTable) compute(n *spanner.SharedNode) need {
	a := l.a
	lay, spans := a.problem.Layout, a.spans
	var out need
	for _, leaf := range n.Leaves {
		if reach := a.problem.Lexer.ReachSet(leaf.Reach); !reach.Ignored && reach.Has(lay.Newline()) {
			out.depth = 1
		}
	}
	for _, k := range n.Kids {
		below := &l.needs[k.Node]
		out.chained = out.chained || below.chained
		out.columns = union(out.columns, below.columns)
		if spans.Newline(k.Symbol) {
			out.depth = max(out.depth, 1, below.depth)
			out.chained = out.chained || len(below.columns) > 0
			out.columns = union(out.columns, []spanner.Column{spans.Column(k.Symbol)})
		} else if below.depth > 0 {
			out.depth = max(out.depth, below.depth-int32(lay.Depth(spans.Members(k.Symbol)[0])))
		}
	}
	l.held += 40 + 16*int64(len(out.columns))
	return out
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

// appendKey appends the answers that n asks of registers.
func (n *need) appendKey(dst []byte, lay *layout.Layout, r layout.Registers) []byte {
	depth := min(int32(r.Depth()), n.depth)
	dst = append(dst, byte(depth), byte(depth>>8), byte(r.Mode()), byte(r.Mode()>>8))
	if depth == n.depth || len(n.columns) == 0 {
		return dst
	}
	for _, c := range n.columns {
		if depth > 0 && c.OfPending() {
			continue // a newline lexeme in brackets is dropped, whatever its column
		}
		column := c.At(lay, r)
		levels, ok := r.Action(column)
		if !ok {
			levels = illegal
		}
		dst = append(dst, byte(levels), byte(levels>>8))
		if n.chained {
			dst = binary.AppendVarint(dst, int64(column.Stops))
			dst = binary.AppendVarint(dst, int64(column.Alternate))
		}
	}
	return dst
}

// class is the class of registers at a node.
func (l *lineTable) class(node spanner.NodeID, r layout.Registers) int32 {
	n := l.need(node)
	if n.depth == 0 {
		return 0
	}
	l.key = binary.LittleEndian.AppendUint32(l.key[:0], uint32(node))
	l.key = n.appendKey(l.key, l.a.problem.Layout, r)
	id, ok := l.byKey[string(l.key)]
	if !ok {
		id = int32(len(l.regs))
		l.regs = append(l.regs, r)
		l.byKey[string(l.key)] = id
	}
	return id
}

func (l *lineTable) bytes() int64 { return l.held + int64(len(l.regs))*150 }

// expandLine goes on to a child of a node through the layout step.
func (a *automaton) expandLine(c int32, k spanner.SharedKid, class int32) {
	lay, r := a.problem.Layout, a.lines.regs[class]
	t := a.spans.Members(k.Symbol)[0]
	if a.spans.Newline(k.Symbol) {
		r = r.At(a.spans.Column(k.Symbol).At(lay, r))
	}
	out, r, ok := lay.Lexeme(r, t)
	if !ok {
		return
	}
	r = lay.Begin(r)
	p := place{node: k.Node, lines: a.lines.class(k.Node, r), blocks: out.Then}
	if !out.HasFirst {
		a.arrive(c, a.placeOf(p))
		return
	}
	a.take(a.sym.Shift(c, out.First), a.placeOf(p))
}

// block shifts the next of the indents or dedents that a place waits for.
func (a *automaton) block(c int32, p place) {
	var t grammar.Terminal
	t, p.blocks = a.problem.Layout.Next(p.blocks)
	a.take(a.sym.Shift(c, t), a.placeOf(p))
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
