package spanner

import (
	"cmp"
	"encoding/binary"
	"math/bits"
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
	leaves []tokens // by LeafID
	byNode map[string]NodeID
	byLeaf map[string]LeafID
	byBits map[*uint64]LeafID
	roots  map[lexer.State]NodeID
	// after are the nodes of the tokens whose first byte ends a lexeme, by which bytes do not and by what
	// pruning asks about the symbol; start are the groups of all tokens read from the start.
	after map[string]NodeID
	start []firstGroups
	key   []byte
	bytes int64
}

// tokens is a list of tokens: blocks, or a bit set.
type tokens struct {
	blocks []int32
	bits   []uint64
}

// firstGroups are the groups of the tokens with the same first byte.
type firstGroups struct {
	byte   byte
	groups []group
}

func newShared() shared {
	return shared{byNode: map[string]NodeID{}, byLeaf: map[string]LeafID{}, byBits: map[*uint64]LeafID{}, roots: map[lexer.State]NodeID{}, after: map[string]NodeID{}}
}

// Shared is the root of the tree of lexer state q in the shared graph, built at the first call.
func (s *Spanner) Shared(q lexer.State) NodeID {
	h := &s.shared
	if id, ok := h.roots[q]; ok {
		return id
	}
	within, continuing := s.within(q)
	root := h.content(&s.walk, within)
	w := &s.walk
	if set := w.lex.Accept(q); set != lexer.NoSet && q != w.lex.Start() {
		x := s.symbols.of(set, w.places[w.start(q)].column)
		if rest := s.behind(x, continuing); x != silent {
			if n := s.Node(rest); len(n.Kids)+len(n.Leaves) > 0 {
				root.Kids = append(root.Kids, SharedKid{x, rest})
			}
		} else {
			root.Kids = append(root.Kids, s.Node(rest).Kids...)
			root.Leaves = append(root.Leaves, s.Node(rest).Leaves...)
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
func (s *Spanner) SetLeaf(words []uint64, leaf LeafID) {
	t := &s.shared.leaves[leaf]
	for i, w := range t.bits {
		words[i] |= w
	}
	s.setBlocks(words, t.blocks)
}

// LeafBits is the bits of a group's ids if they are kept as such, else nil; read only.
func (s *Spanner) LeafBits(leaf LeafID) []uint64 { return s.shared.leaves[leaf].bits }

// AppendLeaf appends the ids of a group to dst.
func (s *Spanner) AppendLeaf(dst []int32, leaf LeafID) []int32 {
	t := &s.shared.leaves[leaf]
	for i, w := range t.bits {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return s.appendBlocks(dst, t.blocks)
}

// within is the groups of the tokens whose first byte goes on with the lexeme pending in q, and the bytes
// that do.
func (s *Spanner) within(q lexer.State) (groups []group, continuing *byteSet) {
	w := &s.walk
	continuing = &byteSet{}
	from := w.start(q)
	for j := 0; j < len(w.trie.Nodes); j += w.trie.Nodes[j].Size() {
		b := w.trie.Nodes[j].Byte()
		if w.lex.Next(q, b) == lexer.None {
			continue
		}
		continuing.add(b)
		to, _, _ := w.step(from, b)
		groups = append(groups, w.turn(root{int32(j), to})...)
	}
	return groups, continuing
}

// behind is the node of the tokens that are read from the start after symbol x was emitted, without those
// whose first byte is one of without. Symbols that pruning treats alike have one node.
func (s *Spanner) behind(x Symbol, without *byteSet) NodeID {
	h, w := &s.shared, &s.walk
	h.key = h.key[:0]
	for _, b := range without {
		h.key = binary.LittleEndian.AppendUint64(h.key, b)
	}
	if x != silent && s.follow != nil {
		h.key = s.follow.appendKey(h.key, s, x)
	}
	if id, ok := h.after[string(h.key)]; ok {
		return id
	}
	key := string(h.key)
	if h.start == nil {
		from := w.fresh()
		for j := 0; j < len(w.trie.Nodes); j += w.trie.Nodes[j].Size() {
			b := w.trie.Nodes[j].Byte()
			if to, _, ok := w.step(from, b); ok {
				h.start = append(h.start, firstGroups{b, w.turn(root{int32(j), to})})
			}
		}
	}
	var groups []group
	for i := range h.start {
		if without.has(h.start[i].byte) {
			continue
		}
		for _, g := range h.start[i].groups {
			if x == silent || w.allowed(x, g.seq, g.reach) {
				groups = append(groups, g)
			} else {
				w.pruned++
			}
		}
	}
	id := h.intern(h.content(w, groups))
	h.after[key] = id
	return id
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
		h.leaves = append(h.leaves, tokens{blocks: blocks})
		h.byLeaf[string(h.key)] = id
		h.bytes += int64(len(h.key)) + 4*int64(len(blocks)) + 24 + 40
	}
	return id
}

// bitLeaf interns a bit set by its address.
func (h *shared) bitLeaf(words []uint64) LeafID {
	id, ok := h.byBits[&words[0]]
	if !ok {
		id = LeafID(len(h.leaves))
		h.leaves = append(h.leaves, tokens{bits: words})
		h.byBits[&words[0]] = id
		h.bytes += 8*int64(len(words)) + 48 + 40
	}
	return id
}

// intern is the number of a node with this content.
func (h *shared) intern(n SharedNode) NodeID {
	h.key = binary.AppendUvarint(h.key[:0], uint64(len(n.Leaves)))
	for _, l := range n.Leaves {
		h.key = binary.AppendUvarint(binary.AppendVarint(h.key, int64(l.Reach)), uint64(l.ID))
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
