package spanner

import (
	"cmp"
	"encoding/binary"
	"slices"

	"gcdbench/lexer"
)

// The trees of different lexer states have most of their branches in common: from wherever a lexeme
// ends, what follows is a walk from the start state. Shared is the trees of all states as one graph in
// which equal branches, with equal tokens, are one node. An algorithm whose work is per branch does it
// once for all lexer states that way.
//
// So that branches are equal as often as they can be, the tokens whose first byte ends the pending
// lexeme are kept apart from those whose first byte goes on with it: what is behind the former
// does not depend on the lexer state, but for which first bytes end the lexeme.

// A NodeID numbers a SharedNode; a node has a greater number than its children.
type NodeID int32

// A LeafID numbers a set of tokens with a reach.
type LeafID int32

// A SharedNode is a branch. It is immutable.
type SharedNode struct {
	Kids   []SharedKid
	Leaves []SharedLeaf
}

// A SharedKid is a child by the symbol that leads to it. A symbol can lead to two children.
type SharedKid struct {
	Symbol Symbol
	Node   NodeID
}

// A SharedLeaf is a group of tokens. Groups of a whole tree do not overlap.
type SharedLeaf struct {
	Reach lexer.ReachID
	ID    LeafID
}

// shared is the graph.
type shared struct {
	nodes  []SharedNode
	leaves [][]int32 // by LeafID: the blocks of tokens
	byNode map[string]NodeID
	byLeaf map[string]LeafID
	roots  map[lexer.State]NodeID
	key    []byte
	bytes  int64
}

// Shared is the root of the tree of lexer state q in the shared graph, built at the first call.
func (s *Spanner) Shared(q lexer.State) NodeID {
	h := &s.shared
	if h.roots == nil {
		h.byNode, h.byLeaf, h.roots = map[string]NodeID{}, map[string]LeafID{}, map[lexer.State]NodeID{}
	}
	if id, ok := h.roots[q]; ok {
		return id
	}
	within, after, emitted := s.split(q)
	root := h.content(&s.walk, within)
	if len(after) > 0 {
		if emitted == silent {
			rest := h.content(&s.walk, after)
			root.Kids, root.Leaves = append(root.Kids, rest.Kids...), append(root.Leaves, rest.Leaves...)
		} else {
			root.Kids = append(root.Kids, SharedKid{emitted, h.intern(h.content(&s.walk, after))})
		}
	}
	id := h.intern(root)
	h.roots[q] = id
	return id
}

// Node is a node of the shared graph; read only.
func (s *Spanner) Node(id NodeID) *SharedNode { return &s.shared.nodes[id] }

// NumNodes and NumLeaves are the sizes of the shared graph so far.
func (s *Spanner) NumNodes() int { return len(s.shared.nodes) }

// NumLeaves counts the distinct groups of the shared graph so far.
func (s *Spanner) NumLeaves() int { return len(s.shared.leaves) }

// SetLeaf sets the bits of a group's ids in words (bit i%64 of word i/64 is id i).
func (s *Spanner) SetLeaf(words []uint64, leaf LeafID) { s.setBlocks(words, s.shared.leaves[leaf]) }

// AppendLeaf appends the ids of a group to dst.
func (s *Spanner) AppendLeaf(dst []int32, leaf LeafID) []int32 {
	return s.appendBlocks(dst, s.shared.leaves[leaf])
}

// split is the groups of state q: those of tokens whose first byte goes on with the pending lexeme, and
// those, without the symbol emitted, of tokens whose first byte ends it.
func (s *Spanner) split(q lexer.State) (within, after []group, emitted Symbol) {
	w := &s.walk
	from := w.start(q)
	emitted = silent
	for j := 0; j < len(w.trie.Nodes); j += w.trie.Nodes[j].Size() {
		b := w.trie.Nodes[j].Byte()
		to, x, ok := w.step(from, b)
		switch {
		case !ok:
		case w.lex.Next(q, b) != lexer.None:
			within = append(within, w.turn(root{int32(j), to})...)
		default:
			emitted = x
			for _, g := range w.turn(root{int32(j), to}) {
				if x == silent || w.put(x, g.seq, g.reach) != refused {
					after = append(after, g)
				} else {
					w.pruned++
				}
			}
		}
	}
	return within, after, emitted
}

// content is the node of some groups, not yet interned.
func (h *shared) content(w *walk, groups []group) SharedNode {
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(w.firsts[a.seq], w.firsts[b.seq]), cmp.Compare(a.reach, b.reach), cmp.Compare(a.block, b.block))
	})
	var n SharedNode
	i := 0
	for i < len(groups) && groups[i].seq == empty {
		reach := groups[i].reach
		var blocks []int32
		for ; i < len(groups) && groups[i].seq == empty && groups[i].reach == reach; i++ {
			blocks = append(blocks, groups[i].block)
		}
		n.Leaves = append(n.Leaves, SharedLeaf{reach, h.leaf(blocks)})
	}
	for i < len(groups) {
		x, from := w.firsts[groups[i].seq], i
		for ; i < len(groups) && w.firsts[groups[i].seq] == x; i++ {
			groups[i].seq = w.rests[groups[i].seq]
		}
		n.Kids = append(n.Kids, SharedKid{x, h.intern(h.content(w, groups[from:i:i]))})
	}
	return n
}

// leaf interns a list of blocks.
func (h *shared) leaf(blocks []int32) LeafID {
	h.key = h.key[:0]
	for _, b := range blocks {
		h.key = binary.AppendUvarint(h.key, uint64(b))
	}
	id, ok := h.byLeaf[string(h.key)]
	if !ok {
		id = LeafID(len(h.leaves))
		h.leaves = append(h.leaves, blocks)
		h.byLeaf[string(h.key)] = id
		h.bytes += int64(len(h.key)) + 4*int64(len(blocks)) + 24 + 40
	}
	return id
}

// intern is the number of a node with this content.
func (h *shared) intern(n SharedNode) NodeID {
	h.key = binary.AppendUvarint(h.key[:0], uint64(len(n.Leaves)))
	for _, l := range n.Leaves {
		h.key = binary.AppendUvarint(binary.AppendUvarint(h.key, uint64(l.Reach)), uint64(l.ID))
	}
	for _, k := range n.Kids {
		h.key = binary.AppendUvarint(binary.AppendUvarint(h.key, uint64(k.Symbol)), uint64(k.Node))
	}
	id, ok := h.byNode[string(h.key)]
	if !ok {
		id = NodeID(len(h.nodes))
		h.nodes = append(h.nodes, n)
		h.byNode[string(h.key)] = id
		h.bytes += int64(len(h.key)) + 8*int64(len(n.Kids)+len(n.Leaves)) + 48 + 40
	}
	return id
}
