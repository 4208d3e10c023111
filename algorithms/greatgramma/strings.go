package greatgramma

import (
	"math"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
)

// Where a string or a number is pending, a pair (q, p) has the sequences of those terminals alone
// that p takes, whatever lies below (spanner/parts.go; proposition 3.4). A sequence that begins
// with another terminal is never accepted (proposition 3.5), so A and what the sequences of D
// accept are the same. Pairs in which the same terminals are at the same characters share one
// root.
//
// Where it depends on the stack below p what p takes, a pair has the root of its lexer state, as
// all others have.

// sureReach is the reach of tokens that end inside a string, if only terminals that the parser
// takes are followed in it.
const sureReach lexer.ReachID = math.MaxInt32

// pending is a lexer state in which a string or a number is pending.
type pending struct {
	parts []lexer.Part
	roots []*root // by class of LR states; nil: not made
}

// noString stands for a lexer state that is no pending.
var noString = &pending{}

// stringAt is the string or number pending in lexer state q; noString if there is none.
func (e *engine) stringAt(q lexer.State) *pending {
	for len(e.strings) <= int(q) {
		e.strings = append(e.strings, nil)
	}
	if e.strings[q] == nil {
		e.strings[q] = noString
		if parts := e.spanner.Pending(nil, q); len(parts) > 0 {
			e.strings[q] = &pending{parts, make([]*root, e.maxTops)}
			e.rootBytes += 8 * int64(len(parts)+e.maxTops)
		}
	}
	return e.strings[q]
}

// stringRoot is the root of the terminals that an LR state takes of what is pending. Where that
// depends on the rest of the stack it is the root of the lexer state.
func (e *engine) stringRoot(s *pending, q lexer.State, top int32) *root {
	if s.roots[top] == nil {
		if sure, ok := e.narrow(s.parts, top); ok {
			s.roots[top] = e.quotedRoot(e.spanner.Root(sure))
		} else {
			s.roots[top] = e.lexerRoot(q)
		}
	}
	return s.roots[top]
}

// narrow leaves out the parts that an LR state does not take. It is not ok if for one of them that
// depends on the stack.
func (e *engine) narrow(parts []lexer.Part, top int32) (sure []lexer.Part, ok bool) {
	can := e.symbolic.canTake(e.symbolic.start(e.tops[top]))
	e.sure, ok = e.spanner.Narrow(e.sure[:0], parts, func(t grammar.Terminal) spanner.Takes {
		switch {
		case bitset.Has(can.surely, t):
			return spanner.Yes
		case bitset.Has(can.perhaps, t):
			return spanner.Depends
		}
		return spanner.No
	})
	return e.sure, ok
}

// quotedRoot is the root of a node of the spanner's shared graph.
func (e *engine) quotedRoot(id spanner.NodeID) *root {
	r := e.quoted[id]
	if r == nil {
		r = e.flat.quoted(id)
		e.quoted[id] = r
		e.view.groups = e.groups.list
	}
	return r
}

// quoted is the root of a node of the shared graph.
func (f *flattener) quoted(id spanner.NodeID) *root {
	f.begin()
	f.shared(id, 0, ^config(f.e.symbolic.anyTop))
	return f.finish()
}

// shared appends what lies below a node of the shared graph, as node does for one of a tree.
func (f *flattener) shared(id spanner.NodeID, depth int, c config) {
	e := f.e
	n := e.spanner.Node(id)
	for _, l := range n.Leaves {
		r := l.Reach
		if r == spanner.Sure {
			r = sureReach
		}
		if !f.refused(c, r) {
			f.leaf(r, e.sharedGroup(l.ID), depth)
		}
	}
	for _, k := range n.Kids {
		f.kid(k.Symbol, depth, c, func(to config) { f.shared(k.Node, depth+1, to) })
	}
}

// sharedGroup is the group of a leaf of the shared graph.
func (e *engine) sharedGroup(id spanner.LeafID) int32 {
	g, ok := e.leafGroup[id]
	if !ok {
		words := e.spanner.LeafBits(id)
		if words == nil {
			words = e.spanner.CloneLeaf(id)
		}
		if words != nil {
			g = e.groups.addBits(words, int32(id))
		} else {
			e.flat.buffer = e.spanner.AppendLeaf(e.flat.buffer[:0], id)
			g = e.groups.add(e.flat.buffer)
		}
		e.leafGroup[id] = g
	}
	return g
}

// addBits is add for a bit set, which is not copied and must not change, the only one with this
// number. It is not compared with others: the number stands for its tokens where masks are
// interned.
func (g *groups) addBits(words []uint64, number int32) int32 {
	made := group{words: words, size: bitset.Count(words), sum: sumOf(-1 - number)} // no token has a negative number
	g.list = append(g.list, made)
	g.bytes += groupBytes + 8*int64(len(words))
	return int32(len(g.list) - 1)
}

// shiftSet gives a lexeme that is emitted as terms, which no set of the lexer has, to the parser.
func (p *path) shiftSet(d int, terms []grammar.Terminal) bool {
	to := p.places[d].State
	to.Lexer = p.engine.problem.Lexer.Start()
	var ok bool
	if to.Stacks, ok = p.engine.problem.Tables.Shift(to.Stacks, terms...); ok {
		p.places = append(p.places[:d+1], place{to, -1, -1})
	}
	return ok
}
