package greatgramma

import (
	"slices"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/index"
	"gcdbench/internal/intern"
)

// A shape is the sequences that tokens realize from a lexer state, without the tokens, as a tree;
// many lexer states have the same.
//
// The tree is flat and depth first, so that a walk goes on with i+1 and skips a subtree with
// i+size. The leaves of a node come before its children.
type shape struct {
	entries []entry
	depths  []uint8
	leaves  int
	roots   int // lexer states that have it

	rows    []row                // by LR state, as numbered by tables.top
	always  intern.Lists[uint64] // sets of entries, which rows refer to
	context intern.Lists[uint64]
	// lines are the rows of what follows a newline lexeme, by the entry that emits it.
	lines map[int32][]row
}

// An entry is a symbol, an inner node: what lies in its subtree has emitted it; or a reach, a leaf:
// tokens end here with a pending lexeme that can still become any terminal of the reach.
type entry struct {
	what int32 // a spanner.Symbol, or ^lexer.ReachID
	link int32 // of a symbol the size of its subtree, of a reach its place among the leaves
}

func (e entry) isReach() bool { return e.what < 0 }

func (e entry) reach() lexer.ReachID { return lexer.ReachID(^e.what) }

// A root is one lexer state: a shape, and the token group of each of its leaves. masks are the
// always-accepted tokens, by index of shape.always; -1 if not made.
type root struct {
	shape  *shape
	groups []int32
	masks  []int32
	// lexerState is whether the root is that of a lexer state, not of some strings in one.
	lexerState bool
	// context has counts of the context-dependent leaves, by number in shape.context.
	context []contextUse
}

// flattener turns the trees of a spanner into roots.
type flattener struct {
	e      *engine
	tree   *spanner.Tree
	buffer []int32
	s      shape
	groups []int32
}

// root is the root of lexer state q.
func (f *flattener) root(q lexer.State) *root {
	f.tree = f.e.spanner.Tree(q)
	f.begin()
	f.node(0, 0, ^config(f.e.symbolic.anyTop))
	r := f.finish()
	r.lexerState = true
	return r
}

// begin prepares for a root of what the spanner has built.
func (f *flattener) begin() {
	f.s, f.groups = shape{}, nil
	f.e.learn()
}

// finish is the root of the entries that were appended.
func (f *flattener) finish() *root {
	f.s.leaves = len(f.groups)
	known := len(f.e.shapes)
	r := &root{shape: f.e.internShape(f.s), groups: f.groups}
	r.shape.roots++
	f.e.countRoot(r, len(f.e.shapes) > known)
	return r
}

// node appends the subtree of node i of the tree, reached with configuration c of the
// stack-free automaton, without the parts that the automaton refuses.
func (f *flattener) node(i int32, depth int, c config) {
	e, n := f.e, &f.tree.Nodes[i]
	for l := n.LeafLo; l < n.LeafHi; l++ {
		if r := f.tree.Leaves[l].Reach; !f.refused(c, r) {
			f.buffer = e.spanner.AppendTokens(f.buffer[:0], f.tree, l)
			f.leaf(r, e.groups.add(f.buffer), depth)
		}
	}
	for k := n.KidLo; k < n.KidHi; k++ {
		f.kid(f.tree.Nodes[k].Symbol, depth, c, func(to config) { f.node(k, depth+1, to) })
	}
}

// refused tells whether the stack-free automaton refuses a reach, which then is pruned.
func (f *flattener) refused(c config, r lexer.ReachID) bool {
	return f.e.prune && f.e.symbolic.judge(c, r) == never
}

// leaf appends a leaf.
func (f *flattener) leaf(r lexer.ReachID, group int32, depth int) {
	f.s.append(entry{^int32(r), int32(len(f.groups))}, depth)
	f.groups = append(f.groups, group)
}

// kid appends a symbol, and its subtree by a call of below with the configuration after the
// symbol. A symbol without a subtree is left out.
func (f *flattener) kid(sym spanner.Symbol, depth int, c config, below func(config)) {
	to := c
	if f.e.prune {
		if to = f.e.symbolic.step(c, f.e.class[sym]); to == dead {
			return
		}
	}
	at := len(f.s.entries)
	f.s.append(entry{what: int32(sym)}, depth)
	below(to)
	if len(f.s.entries) == at+1 {
		f.s.entries, f.s.depths = f.s.entries[:at], f.s.depths[:at]
		return
	}
	f.s.entries[at].link = int32(len(f.s.entries) - at)
}

func (s *shape) append(e entry, depth int) {
	s.entries, s.depths = append(s.entries, e), append(s.depths, uint8(depth))
}

// internShape finds the shape with the same entries, or makes it one.
func (e *engine) internShape(s shape) *shape {
	hash := uint64(0)
	for _, x := range s.entries {
		hash = index.Mix(hash ^ uint64(uint32(x.what))<<32 ^ uint64(uint32(x.link)))
	}
	known := e.shapeOf.Find(hash, func(i int32) bool {
		return slices.Equal(e.shapes[i].entries, s.entries) && slices.Equal(e.shapes[i].depths, s.depths)
	})
	if known >= 0 {
		return e.shapes[known]
	}
	made := &s
	made.rows = e.newRows()
	made.entries, made.depths = slices.Clip(s.entries), slices.Clip(s.depths)
	e.shapeOf.Add(hash)
	e.shapes = append(e.shapes, made)
	for i, x := range made.entries {
		if e.set.lines && !x.isReach() && int(x.link) >= e.set.minLine && e.view.emits[x.what].newline {
			if made.lines == nil {
				made.lines = map[int32][]row{}
			}
			made.lines[int32(i)] = e.newRows()
		}
	}
	return made
}

// newRows are rows for all LR states, not made yet.
func (e *engine) newRows() []row {
	rows := make([]row, e.maxTops)
	for i := range rows {
		rows[i] = row{unmade, unmade}
	}
	return rows
}
