package spanner

import (
	"cmp"
	"slices"
	"unsafe"

	"gcdbench/grammar/lexer"
	"gcdbench/internal/index"
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
	node   NodeID   // 1 + the node that is this piece alone; 0 if not made
}

// pieces are all pieces, and the nodes that are unions of some.
type pieces struct {
	list    []piece
	byPiece index.Index
	byRoot  map[root]int32 // the piece of a first byte
	unions  []union
	byUnion index.Index
	bytes   int64

	tails  []uint64 // scratch, a stack: of the nodes above the one that is made, too
	key    []int32  // scratch of united
	blocks []int32  // scratch of unite
}

// A union is a node by its pieces, which are two at least, ascending.
type union struct {
	pieces []int32
	node   NodeID
}

// indexBytes is what a thing takes in an index.Index, roughly.
const indexBytes = 30

// both packs two numbers; they come back as int32(x>>32) and int32(x).
func both(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// pieceOf is the piece of a first byte.
func (s *Spanner) pieceOf(r root) int32 {
	h := &s.shared
	if p, ok := h.pieces.byRoot[r]; ok {
		return p
	}
	p := h.piece(&s.walk, s.walk.read(r))
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
	x := &h.pieces
	from, n := len(x.tails), 0
	for ; n < len(groups) && groups[n].seq == empty; n++ {
		x.tails = append(x.tails, both(int32(groups[n].reach), groups[n].block))
	}
	for i := n; i < len(groups); {
		symbol, lo := w.firsts[groups[i].seq], i
		for ; i < len(groups) && w.firsts[groups[i].seq] == symbol; i++ {
			groups[i].seq = w.rests[groups[i].seq]
		}
		kid := h.piece(w, groups[lo:i])
		x.tails = append(x.tails, both(int32(symbol), kid))
	}
	id := x.intern(x.tails[from:from+n], x.tails[from+n:])
	x.tails = x.tails[:from]
	return id
}

// intern is the number of a piece with this content, which it does not keep.
func (h *pieces) intern(leaves, kids []uint64) int32 {
	hash := index.Hash(leaves) ^ index.Mix(index.Hash(kids))
	id := h.byPiece.Find(hash, func(i int32) bool {
		return slices.Equal(h.list[i].leaves, leaves) && slices.Equal(h.list[i].kids, kids)
	})
	if id < 0 {
		id = h.byPiece.Add(hash)
		n, kept := len(leaves), slices.Concat(leaves, kids)
		h.list = append(h.list, piece{leaves: kept[:n:n], kids: kept[n:]})
		h.bytes += int64(unsafe.Sizeof(piece{})) + 8*int64(len(kept)) + indexBytes
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
		x.blocks = x.blocks[:0]
		for ; i < len(x.tails) && lexer.ReachID(x.tails[i]>>32) == reach; i++ {
			x.blocks = append(x.blocks, int32(x.tails[i]))
		}
		n.Leaves = append(n.Leaves, SharedLeaf{reach, h.leaf(x.blocks)})
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
	if len(x.key) == 1 {
		p := x.key[0]
		if x.list[p].node == 0 {
			node := h.intern(h.unite([]int32{p}))
			x.list[p].node = node + 1
		}
		return x.list[p].node - 1
	}
	hash := index.Hash(x.key)
	if i := x.byUnion.Find(hash, func(i int32) bool { return slices.Equal(x.unions[i].pieces, x.key) }); i >= 0 {
		return x.unions[i].node
	}
	list := slices.Clone(x.key)
	node := h.intern(h.unite(list))
	x.byUnion.Add(hash)
	x.unions = append(x.unions, union{list, node})
	x.bytes += int64(unsafe.Sizeof(union{})) + 4*int64(len(list)) + indexBytes
	return node
}
