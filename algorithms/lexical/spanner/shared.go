package spanner

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/tokenizers"
)

// The trees of different lexer states have most of their branches in common: from wherever a
// lexeme ends, the rest of a token is a walk from the start state. Shared is the trees of all
// states as one graph, in which equal branches with equal tokens are one node. An algorithm whose
// work is per branch then does it once for all lexer states.
//
// To make branches equal as often as possible, tokens whose first byte ends the pending lexeme
// are separate from tokens whose first byte goes on with it. The branches of the former depend on
// the lexer state only by the set of first bytes that end the lexeme.

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

// A SharedLeaf is a group of tokens. Groups of a whole tree overlap only as Leaf says.
type SharedLeaf struct {
	Reach lexer.ReachID
	ID    LeafID
}

// shared is the graph.
type shared struct {
	spanner  *Spanner
	nodes    []SharedNode
	leaves   []tokens // by LeafID
	byNode   map[string]NodeID
	byBlocks map[string]LeafID
	byBits   map[*uint64]LeafID
	roots    map[lexer.State]NodeID
	// after are the nodes of the tokens whose first byte ends a lexeme. Their key is the set of
	// bytes that do not end it, and what pruning asks about the symbol; that of unpruned, the
	// content before pruning, is the set alone.
	after    map[string]NodeID
	unpruned map[string]SharedNode
	starts   map[lexer.State][]firstByte // by start state
	pieces   pieces
	flat     flat
	key      []byte
	bytes    int64
}

// tokens is a list of tokens: blocks, or a bit set without some of its tokens and with others.
type tokens struct {
	blocks []int32
	*amended
}

// amended is a bit set without some of its tokens and with others. It never changes.
type amended struct {
	bits        []uint64
	minus, plus []int32
}

// listed is the bit set of tokens that are a list.
var listed = &amended{}

// A firstByte is where the tokens with the same first byte are read from.
type firstByte struct {
	byte byte
	root root
}

func newShared(s *Spanner) shared {
	return shared{spanner: s, byNode: map[string]NodeID{}, byBlocks: map[string]LeafID{}, byBits: map[*uint64]LeafID{}, roots: map[lexer.State]NodeID{}, starts: map[lexer.State][]firstByte{}, pieces: pieces{byRoot: map[root]int32{}}, after: map[string]NodeID{}, unpruned: map[string]SharedNode{}}
}

// Shared is the root of the tree of lexer state q in the shared graph, built at the first call.
func (s *Spanner) Shared(q lexer.State) NodeID {
	h := &s.shared
	if id, ok := h.roots[q]; ok {
		return id
	}
	id := s.read(q, nil)
	h.roots[q] = id
	return id
}

// Beginning is Shared for a state in which no lexeme is pending, of the tokens alone that begin
// with one of a set of terminals, or with one that is ignored.
func (s *Spanner) Beginning(q lexer.State, terminals []uint64) NodeID { return s.read(q, terminals) }

// read makes the root of the tree of lexer state q, of all tokens or those that Beginning says.
func (s *Spanner) read(q lexer.State, terminals []uint64) NodeID {
	h := &s.shared
	within, continuing := s.within(q, terminals)
	root := h.unite(within)
	w := &s.walk
	for _, end := range w.lex.Ends(q) {
		x := s.symbols.of(end.Set, w.places[w.start(q)].column)
		if rest := s.after(x, end.Start, continuing); x != silent {
			if n := s.Node(rest); len(n.Kids)+len(n.Leaves) > 0 {
				root.Kids = append(root.Kids, SharedKid{x, rest})
			}
		} else {
			root.Kids = append(root.Kids, s.Node(rest).Kids...)
			root.Leaves = append(root.Leaves, s.Node(rest).Leaves...)
		}
	}
	return h.intern(root)
}

// Node is a node of the shared graph; read only.
func (s *Spanner) Node(id NodeID) *SharedNode { return &s.shared.nodes[id] }

// NumNodes and NumLeaves are the sizes of the shared graph so far.
func (s *Spanner) NumNodes() int { return len(s.shared.nodes) }

// NumLeaves counts the distinct groups of the shared graph so far.
func (s *Spanner) NumLeaves() int { return len(s.shared.leaves) }

// SetLeaf sets the bits of a group's ids in words (bit i%64 of word i/64 is id i).
func (s *Spanner) SetLeaf(words []uint64, leaf LeafID) {
	r := s.Reader()
	r.SetLeaf(words, leaf)
}

// LeafBits is the bits of a group's ids if they are kept as such, else nil; read only.
func (s *Spanner) LeafBits(leaf LeafID) []uint64 {
	r := s.Reader()
	return r.LeafBits(leaf)
}

// CloneLeaf is a copy of the bits of a group's ids, if the group is kept as bits or as a
// difference to some; else nil. It is faster than setting them.
func (s *Spanner) CloneLeaf(leaf LeafID) []uint64 {
	t := &s.shared.leaves[leaf]
	words := slices.Clone(t.bits)
	if words != nil {
		t.amend(words)
	}
	return words
}

// amend makes words, which are t's bits, its tokens.
func (t *tokens) amend(words []uint64) {
	bitset.RemoveAll(words, t.minus)
	bitset.AddAll(words, t.plus)
}

// AppendLeaf appends the ids of a group to dst.
func (s *Spanner) AppendLeaf(dst []int32, leaf LeafID) []int32 {
	for i, w := range s.CloneLeaf(leaf) {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, int32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return s.appendBlocks(dst, s.shared.leaves[leaf].blocks)
}

// within is the pieces of the tokens whose first byte goes on with the lexeme pending in q, and the
// set of these bytes.
func (s *Spanner) within(q lexer.State, terminals []uint64) (list []int32, continuing *byteSet) {
	w := &s.walk
	continuing = &byteSet{}
	from := w.start(q)
	for _, r := range w.trie.Roots() {
		next := w.lex.Next(q, r.Byte)
		if next == lexer.None {
			continue
		}
		if terminals != nil {
			if reach := w.lex.ReachSet(w.lex.Reach(next)); !reach.Ignored && !bitset.Intersect(terminals, reach.Parser) {
				continue
			}
		}
		continuing.add(r.Byte)
		to, _, _, _ := w.step(from, r.Byte, 0)
		list = append(list, s.pieceOf(root{r.Node, to}))
	}
	return list, continuing
}

// after is the node of the tokens that are read from a start state after symbol x was emitted.
// Tokens whose first byte is in without are left out. Symbols that pruning treats alike have one
// node.
func (s *Spanner) after(x Symbol, start lexer.State, without *byteSet) NodeID {
	h := &s.shared
	without = s.mattering(x, start, without)
	h.key = binary.LittleEndian.AppendUint32(h.key[:0], uint32(start))
	for _, b := range without {
		h.key = binary.LittleEndian.AppendUint64(h.key, b)
	}
	n := len(h.key)
	if x != silent && s.follow != nil {
		h.key = s.follow.appendKey(h.key, s, x)
	}
	if id, ok := h.after[string(h.key)]; ok {
		return id
	}
	key := string(h.key)
	all, ok := h.unpruned[key[:n]]
	if !ok {
		all = h.unite(s.fromStart(start, without))
		h.unpruned[key[:n]] = all
		h.bytes += int64(n) + nodeBytes(all)
	}
	id := h.intern(s.prune(x, all))
	h.after[key] = id
	return id
}

// mattering is the bytes of without that are the first byte of a token that may stand after
// symbol x, and those that plainly cannot stand there. Leaving out the other bytes makes no
// difference: a number is not followed by digits, say.
func (s *Spanner) mattering(x Symbol, start lexer.State, without *byteSet) *byteSet {
	some := &byteSet{}
	for _, f := range s.firstBytes(start) {
		if s.follow.begins(s, x, f.byte) && !without.has(f.byte) {
			continue
		}
		if !s.follow.begins(s, x, f.byte) || s.mayFollow(x, s.pieceOf(f.root)) {
			some.add(f.byte)
		}
	}
	return some
}

// mayFollow tells whether pruning lets some group of a piece stand after symbol x.
func (s *Spanner) mayFollow(x Symbol, number int32) bool {
	p := &s.shared.pieces.list[number]
	if x == silent || s.follow == nil {
		return len(p.leaves)+len(p.kids) > 0
	}
	return slices.ContainsFunc(p.leaves, func(l uint64) bool { return s.follow.end(s, x, lexer.ReachID(l>>32)) }) ||
		slices.ContainsFunc(p.kids, func(k uint64) bool { return s.follow.next(s, x, Symbol(k>>32)) })
}

// fromStart are the pieces of the tokens that are read from a start state, without tokens whose
// first byte is in without.
func (s *Spanner) fromStart(start lexer.State, without *byteSet) (list []int32) {
	for _, f := range s.firstBytes(start) {
		if !without.has(f.byte) {
			list = append(list, s.pieceOf(f.root))
		}
	}
	return list
}

// firstBytes are the bytes that lexemes begin with in a start state.
func (s *Spanner) firstBytes(start lexer.State) []firstByte {
	h, w := &s.shared, &s.walk
	firsts, ok := h.starts[start]
	if ok {
		return firsts
	}
	from := w.fresh(start)
	for _, r := range w.trie.Roots() {
		if to, _, _, ok := w.step(from, r.Byte, 0); ok {
			firsts = append(firsts, firstByte{r.Byte, root{r.Node, to}})
		}
	}
	h.starts[start] = firsts
	return firsts
}

// prune is a node without the branches that pruning does not let stand after symbol x. It asks
// about the first symbol of each branch, or about the reach of groups without one.
func (s *Spanner) prune(x Symbol, n SharedNode) SharedNode {
	if x == silent || s.follow == nil {
		return n
	}
	var kept SharedNode
	for _, l := range n.Leaves {
		if s.follow.end(s, x, l.Reach) {
			kept.Leaves = append(kept.Leaves, l)
		}
	}
	for _, k := range n.Kids {
		if s.follow.next(s, x, k.Symbol) {
			kept.Kids = append(kept.Kids, k)
		}
	}
	s.walk.pruned += int64(len(n.Leaves) + len(n.Kids) - len(kept.Leaves) - len(kept.Kids))
	return kept
}

// leaf interns a list of blocks, which it does not keep.
func (h *shared) leaf(blocks []int32) LeafID {
	h.key = h.key[:0]
	for _, b := range blocks {
		h.key = binary.AppendUvarint(h.key, uint64(b))
	}
	id, ok := h.byBlocks[string(h.key)]
	if !ok {
		id = h.add(h.spanner.tokensOf(slices.Clone(blocks)), len(h.key)+4*len(blocks))
		h.byBlocks[string(h.key)] = id
	}
	return id
}

// leftOut is the share of a vocabulary that a group may lack to be kept as bits.
const leftOut = 8

// tokensOf is the tokens of some blocks. Nearly all of a vocabulary, as inside of a free text, are
// bits that requests share: to set these one by one takes longer than anything else in a mask.
func (s *Spanner) tokensOf(blocks []int32) tokens {
	trie, list := s.walk.trie, tokens{blocks, listed}
	order, n := trie.Order(), 0
	for _, b := range blocks {
		for _, r := range s.blocks[b].ranges {
			n += int(r.Hi - r.Lo)
		}
	}
	most := mostAmended
	if _, ahead := s.rec.Lexer.(*lexer.DFA); !ahead { // else Flatten finds a better base
		most = max(most, len(order)/leftOut)
	}
	if n+most < len(order) {
		return list
	}
	var ranges []tokenizers.Range
	for _, b := range blocks {
		if &s.blocks[b].order[0] != &order[0] {
			return list
		}
		ranges = append(ranges, s.blocks[b].ranges...)
	}
	slices.SortFunc(ranges, func(a, b tokenizers.Range) int { return int(a.Lo - b.Lo) })
	var others []int32
	end := int32(0)
	for _, r := range append(ranges, tokenizers.Range{Lo: int32(len(order))}) {
		if r.Lo > end {
			others = append(others, order[end:r.Lo]...)
		}
		end = max(end, r.Hi)
	}
	if len(others) > most {
		return list
	}
	return tokens{nil, &amended{bits: s.lexicon.AllBut(others)}}
}

// bitLeaf is a bit set, interned by its address; without some of its tokens and with others it is
// a new leaf, as two that are equal are rare.
func (h *shared) bitLeaf(words []uint64, minus, plus []int32) LeafID {
	if len(minus)+len(plus) > 0 {
		return h.add(tokens{nil, &amended{words, minus, plus}}, 4*len(minus)+4*len(plus))
	}
	id, ok := h.byBits[&words[0]]
	if !ok {
		id = h.add(tokens{nil, &amended{bits: words}}, 8*len(words))
		h.byBits[&words[0]] = id
	}
	return id
}

// add numbers some tokens that take so many bytes.
func (h *shared) add(t tokens, size int) LeafID {
	h.leaves = append(h.leaves, t)
	h.bytes += int64(size) + int64(unsafe.Sizeof(t)) + 40
	if t.amended != listed {
		h.bytes += int64(unsafe.Sizeof(*t.amended))
	}
	return LeafID(len(h.leaves) - 1)
}

// nodeBytes is the memory of a node and of its entry in a map, roughly.
func nodeBytes(n SharedNode) int64 { return 8*int64(len(n.Kids)+len(n.Leaves)) + 48 + 40 }

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
		h.bytes += int64(len(h.key)) + nodeBytes(n)
	}
	return id
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
