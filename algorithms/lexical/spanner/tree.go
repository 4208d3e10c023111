package spanner

import (
	"cmp"
	"slices"
	"unsafe"

	"gcdbench/grammar/lexer"
	"gcdbench/internal/index"
	"gcdbench/tokenizers"
)

// A group is the tokens of one block by what they emit.
type group struct {
	seq   sequence
	reach lexer.ReachID
	block int32
}

// A root is the trie node of a first byte, and the place that the byte leads to. Its groups are
// shared between lexer states.
type root struct {
	node  int32
	place place
}

// Tree is the tree of lexer state q, built at the first call.
func (s *Spanner) Tree(q lexer.State) *Tree {
	if t := s.trees[q]; t != nil {
		return t
	}
	t := s.grow(s.groups(q))
	s.trees[q] = t
	return t
}

// Release frees the memo, which is of no use once no further tree is needed. Trees stay valid, and
// asking for another works.
func (s *Spanner) Release() {
	s.stats = s.Stats()
	w := &s.walk
	w.memos, w.roots, w.late.crosses, w.late.carried = memos{}, nil, nil, 0
	clear(w.head)
	clear(s.shared.pieces.byRoot)
}

const (
	// walkedTries is how many walks of the whole vocabulary may fill the memo before ReleaseLong
	// drops it. The lexer states of a program take two at most, all together.
	walkedTries = 8
	// minWalked is the least number of steps between two releases, so that small vocabularies
	// have none.
	minWalked = 1 << 17
)

// ReleaseLong frees the memo if its lists have become long. Each trie node has a list of the
// lexer states that the node was reached in, and a lookup searches along it. Lists are short as
// long as lexer states coincide after a byte or two. Where each state counts characters, they are
// as long as the string.
func (s *Spanner) ReleaseLong() {
	if w := &s.walk; w.steps-s.released > max(minWalked, walkedTries*int64(len(w.trie.Nodes))) {
		s.Release()
		s.released = w.steps
	}
}

// groups collects the groups of state q over all first bytes, by sequence and reach. If a byte
// ends q's own lexeme, its symbol comes first.
func (s *Spanner) groups(q lexer.State) []group {
	var all []group
	w := &s.walk
	from := w.start(q)
	for _, r := range w.trie.Roots() {
		for way, more := 0, true; more; more = way != 0 {
			to, emitted, next, ok := w.step(from, r.Byte, way)
			if !ok {
				break
			}
			all = w.putAll(all, emitted, w.turn(root{r.Node, to}))
			way = next
		}
	}
	slices.SortFunc(all, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.reach, b.reach), cmp.Compare(a.block, b.block))
	})
	return all
}

// putAll appends groups after a symbol, without those that pruning drops.
func (w *walk) putAll(dst []group, emitted Symbol, groups []group) []group {
	for _, g := range groups {
		if emitted != silent {
			if g.seq = w.put(emitted, g.seq, g.reach); g.seq == refused {
				w.pruned++
				continue
			}
		}
		dst = append(dst, g)
	}
	return dst
}

// turn is the groups of a first byte, read at the first call.
func (w *walk) turn(r root) []group {
	g, ok := w.roots[r]
	if !ok {
		g = w.read(r)
		if w.roots == nil {
			w.roots = map[root][]group{}
		}
		if !w.s.options.NoMemo {
			w.roots[r] = g
		}
	}
	return g
}

// read turns the spans of a first byte's subtree into groups: a block of tokens for each sequence
// and reach.
func (w *walk) read(r root) []group {
	spans := w.visit(w.spans[:0], int(r.node), r.place)
	w.spans = spans
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.reach, b.reach), cmp.Compare(a.lo, b.lo))
	})
	ranges := make([]tokenizers.Range, 0, len(spans))
	var groups []group
	for i := 0; i < len(spans); {
		from, sp := len(ranges), spans[i]
		for ; i < len(spans) && spans[i].seq == sp.seq && spans[i].reach == sp.reach; i++ {
			if n := len(ranges); n > from && ranges[n-1].Hi == spans[i].lo {
				ranges[n-1].Hi = spans[i].hi
			} else {
				ranges = append(ranges, tokenizers.Range{Lo: spans[i].lo, Hi: spans[i].hi})
			}
		}
		id, isNew := w.block(ranges[from:len(ranges):len(ranges)])
		if !isNew {
			ranges = ranges[:from]
		}
		groups = append(groups, group{sp.seq, sp.reach, id})
	}
	w.ranges += len(ranges)
	return groups
}

// block is the block with some ranges of the trie's order. It keeps the ranges of a new one.
func (w *walk) block(ranges []tokenizers.Range) (id int32, isNew bool) {
	h := uint64(len(ranges))
	for _, r := range ranges {
		h = index.Mix(h ^ uint64(r.Lo)<<32 ^ uint64(r.Hi))
	}
	i := w.byRanges.Find(h, func(i int32) bool { return slices.Equal(w.s.blocks[w.ofRanges[i]].ranges, ranges) })
	if i >= 0 {
		return w.ofRanges[i], false
	}
	w.byRanges.Add(h)
	id = int32(len(w.s.blocks))
	w.ofRanges = append(w.ofRanges, id)
	w.s.blocks = append(w.s.blocks, block{order: w.trie.Order(), ranges: ranges})
	return id, true
}

// grower arranges the groups of a state as a tree.
type grower struct {
	w      *walk
	t      *Tree
	groups []group
}

// A pendingNode is a node whose children are still to be made, from the groups in its list.
type pendingNode struct {
	node int32
	list []tail
}

// A tail is the rest of a group's sequence below a node.
type tail struct {
	rest  sequence
	group int32
}

// grow builds the tree of a state's groups, breadth first, so that children lie side by side.
func (s *Spanner) grow(groups []group) *Tree {
	g := grower{&s.walk, new(Tree), groups}
	list := make([]tail, len(groups))
	for i := range groups {
		list[i] = tail{groups[i].seq, int32(i)}
	}
	g.t.Nodes = append(g.t.Nodes, Node{Symbol: -1, Parent: -1})
	for queue := []pendingNode{{0, list}}; len(queue) > 0; queue = queue[1:] {
		queue = g.node(queue, queue[0])
	}
	g.t.Nodes, g.t.Leaves, g.t.blocks = slices.Clip(g.t.Nodes), slices.Clip(g.t.Leaves), slices.Clip(g.t.blocks)
	s.nodes += int32(len(g.t.Nodes))
	s.leaves += int32(len(g.t.Leaves))
	return g.t
}

// node makes the leaves of a node and its children, and queues those.
func (g *grower) node(queue []pendingNode, p pendingNode) []pendingNode {
	list := p.list
	n := 0
	for n < len(list) && list[n].rest == empty {
		n++
	}
	if n < len(list) {
		// The empty tails first, then by symbol; a stable sort keeps reaches together.
		slices.SortStableFunc(list, func(a, b tail) int { return cmp.Compare(g.w.firsts[a.rest], g.w.firsts[b.rest]) })
		for n = 0; n < len(list) && list[n].rest == empty; {
			n++
		}
	}
	g.leaves(p.node, list[:n])
	kidLo := int32(len(g.t.Nodes))
	depth := g.t.Nodes[p.node].Depth + 1
	for i := n; i < len(list); {
		x, from := g.w.firsts[list[i].rest], i
		for ; i < len(list) && g.w.firsts[list[i].rest] == x; i++ {
		}
		below := list[from:i:i]
		for k := range below {
			below[k].rest = g.w.rests[below[k].rest]
		}
		queue = append(queue, pendingNode{int32(len(g.t.Nodes)), below})
		g.t.Nodes = append(g.t.Nodes, Node{Symbol: x, Parent: p.node, Depth: depth})
	}
	g.t.Nodes[p.node].KidLo, g.t.Nodes[p.node].KidHi = kidLo, int32(len(g.t.Nodes))
	return queue
}

// leaves makes the leaves of a node from the groups that end there.
func (g *grower) leaves(node int32, list []tail) {
	t := g.t
	t.Nodes[node].LeafLo = int32(len(t.Leaves))
	slices.SortStableFunc(list, func(a, b tail) int { return cmp.Compare(g.groups[a.group].reach, g.groups[b.group].reach) })
	for i := 0; i < len(list); {
		reach, lo := g.groups[list[i].group].reach, int32(len(t.blocks))
		for ; i < len(list) && g.groups[list[i].group].reach == reach; i++ {
			t.blocks = append(t.blocks, g.groups[list[i].group].block)
		}
		t.Leaves = append(t.Leaves, Leaf{Node: node, Reach: reach, blockLo: lo, blockHi: int32(len(t.blocks))})
	}
	t.Nodes[node].LeafHi = int32(len(t.Leaves))
}

// Stats counts what has been built so far.
func (s *Spanner) Stats() Stats {
	w := &s.walk
	st := Stats{Nodes: int(s.nodes), Pairs: max(w.memos.n, s.stats.Pairs), Steps: w.steps,
		Spans: max(w.memos.spans, s.stats.Spans), Sequences: len(w.firsts), Pruned: w.pruned}
	st.Bytes = w.memos.bytes() +
		8*int64(len(w.head)) + int64(len(w.firsts))*(8+24) + int64(len(s.blocks))*56 + int64(w.ranges)*8 + s.shared.bytes + s.shared.pieces.bytes
	st.Bytes += int64(s.nodes)*int64(unsafe.Sizeof(Node{})) + int64(s.leaves)*int64(unsafe.Sizeof(Leaf{})+8)
	return st
}
