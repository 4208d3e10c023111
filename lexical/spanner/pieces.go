package spanner

import (
	"cmp"
	"slices"
	"unsafe"

	"gcdbench/internal/index"
	"gcdbench/lexer"
)

// The node of a lexer state is the union of what its first bytes lead to, and lexer states have
// most of these in common: inside of SELECT all letters but one lead to where they lead inside of
// any name. So the groups of a first byte are arranged as a tree once, a piece, and equal branches
// of pieces are one piece. A node is the union of some pieces, and each union is made once.
// Branches that the same pieces come together in are the same node then, without a look at them.

// A piece is the groups of one list, by their sequences. A number stands for it.
type piece struct {
	leaves []uint64 // a reach and a block, ascending
	kids   []uint64 // a symbol and a piece, ascending
}

// pieces are all pieces, and the nodes that are unions of some.
type pieces struct {
	list    []piece
	byPiece hashed
	byRoot  map[root]int32 // the piece of a first byte
	unions  []union
	byUnion hashed
	bytes   int64

	tails []uint64 // scratch, a stack: of the nodes above the one that is made, too
	key   []int32  // scratch of united
}

// A union is a node by its pieces, ascending.
type union struct {
	pieces []int32
	node   NodeID
}

// hashed finds the number of a thing by a hash.
type hashed struct {
	last map[uint64]int32 // the number put last with a hash
	next []int32          // by number: the one before with that hash, -1 for none
}

// hashedBytes is what a thing takes in a hashed, roughly.
const hashedBytes = 30

// find is the number of the thing with this hash that same confirms, -1 if there is none.
func (h *hashed) find(hash uint64, same func(i int32) bool) int32 {
	i, ok := h.last[hash]
	for ok && i >= 0 {
		if same(i) {
			return i
		}
		i = h.next[i]
	}
	return -1
}

// add gives the next number to a thing with this hash.
func (h *hashed) add(hash uint64) int32 {
	if h.last == nil {
		h.last = map[uint64]int32{}
	}
	id := int32(len(h.next))
	before, ok := h.last[hash]
	if !ok {
		before = -1
	}
	h.next = append(h.next, before)
	h.last[hash] = id
	return id
}

// both packs two numbers; they come back as int32(x>>32) and int32(x).
func both(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// pieceOf is the piece of a first byte.
func (s *Spanner) pieceOf(r root) int32 {
	h := &s.shared
	if p, ok := h.pieces.byRoot[r]; ok {
		return p
	}
	p := h.piece(&s.walk, slices.Clone(s.walk.turn(r)))
	if !s.options.NoMemo {
		h.pieces.byRoot[r] = p
	}
	return p
}

// piece is the piece of some groups; it changes them.
func (h *shared) piece(w *walk, groups []group) int32 {
	if len(groups) > 1 {
		slices.SortFunc(groups, func(a, b group) int {
			return cmp.Or(cmp.Compare(w.firsts[a.seq], w.firsts[b.seq]), cmp.Compare(a.reach, b.reach), cmp.Compare(a.block, b.block))
		})
	}
	n := 0
	for n < len(groups) && groups[n].seq == empty {
		n++
	}
	var p piece
	for _, g := range groups[:n] {
		p.leaves = append(p.leaves, both(int32(g.reach), g.block))
	}
	for i := n; i < len(groups); {
		x, from := w.firsts[groups[i].seq], i
		for ; i < len(groups) && w.firsts[groups[i].seq] == x; i++ {
			groups[i].seq = w.rests[groups[i].seq]
		}
		p.kids = append(p.kids, both(int32(x), h.piece(w, groups[from:i])))
	}
	return h.pieces.intern(p)
}

// intern is the number of a piece with this content.
func (h *pieces) intern(p piece) int32 {
	hash := index.Hash(p.leaves) ^ index.Mix(index.Hash(p.kids))
	id := h.byPiece.find(hash, func(i int32) bool {
		return slices.Equal(h.list[i].leaves, p.leaves) && slices.Equal(h.list[i].kids, p.kids)
	})
	if id < 0 {
		id = h.byPiece.add(hash)
		h.list = append(h.list, p)
		h.bytes += int64(unsafe.Sizeof(p)) + 8*int64(cap(p.leaves)+cap(p.kids)) + hashedBytes
	}
	return id
}

// unite is the node of some pieces, not yet interned.
func (h *shared) unite(list []int32) SharedNode {
	x := &h.pieces
	var n SharedNode
	from := len(x.tails)
	for _, p := range list {
		x.tails = append(x.tails, x.list[p].leaves...)
	}
	slices.Sort(x.tails[from:])
	for i := from; i < len(x.tails); {
		reach := lexer.ReachID(x.tails[i] >> 32)
		var blocks []int32
		for ; i < len(x.tails) && lexer.ReachID(x.tails[i]>>32) == reach; i++ {
			blocks = append(blocks, int32(x.tails[i]))
		}
		n.Leaves = append(n.Leaves, SharedLeaf{reach, h.leaf(blocks)})
	}
	x.tails = x.tails[:from]
	for _, p := range list {
		x.tails = append(x.tails, x.list[p].kids...)
	}
	slices.Sort(x.tails[from:])
	for i, end := from, len(x.tails); i < end; {
		symbol, lo := Symbol(x.tails[i]>>32), i
		for ; i < end && Symbol(x.tails[i]>>32) == symbol; i++ {
		}
		n.Kids = append(n.Kids, SharedKid{symbol, h.united(lo, i)})
	}
	x.tails = x.tails[:from]
	return n
}

// united is the node of the pieces in x.tails[lo:hi].
func (h *shared) united(lo, hi int) NodeID {
	x := &h.pieces
	x.key = x.key[:0]
	for _, t := range x.tails[lo:hi] {
		x.key = append(x.key, int32(t))
	}
	hash := index.Hash(x.key)
	if i := x.byUnion.find(hash, func(i int32) bool { return slices.Equal(x.unions[i].pieces, x.key) }); i >= 0 {
		return x.unions[i].node
	}
	list := slices.Clone(x.key)
	node := h.intern(h.unite(list))
	x.byUnion.add(hash)
	x.unions = append(x.unions, union{list, node})
	x.bytes += int64(unsafe.Sizeof(union{})) + 4*int64(len(list)) + hashedBytes
	return node
}
