package jsontokens

import (
	"bytes"
	"unicode/utf8"

	"gcdbench/tokenizers"
)

// A Slice is a prefix tree of some tokens, node 0 the empty prefix, in depth-first order.
type Slice struct {
	order []int32 // the tokens, in the order of the trie
	nodes []sliceNode
	kids  []int32 // the children of a node side by side, by ascending byte
	bytes []byte  // of kids, where a search finds them without a look at the nodes
	ranks []int32 // see sliceNode.quote
}

// A sliceNode is a prefix.
type sliceNode struct {
	// order[lo:hi] are the tokens with this prefix, order[lo:own] those that are it.
	lo, own, hi  int32
	kidLo, kidHi int32
	end          int32 // the nodes below this one are those up to end
	// quote is meaningful if byte is a quote: ranks[quote:] are the ranks of the rests of
	// order[own:hi].
	quote int32
	// height is the most characters that a token has after this prefix. The characters of escapes
	// and after a quote count as well. It is -1 inside a character.
	height int16
	byte   byte
	quoted bool  // whether a quote is in this prefix, in the quotes slice
	below  kinds // the kinds of characters after this prefix, in the plain slice
}

// grow makes the tree of tokens whose texts are ascending.
func (s *Slice) grow(order []int32, text func(int32) []byte) {
	s.order = order
	s.nodes = append(s.nodes, sliceNode{hi: int32(len(order))})
	s.branch(0, 0, text)
}

// branch makes the children of a node, all of whose tokens share their first depth bytes.
func (s *Slice) branch(node int32, depth int, text func(int32) []byte) (height int16) {
	n := s.nodes[node]
	i := n.lo
	for i < n.hi && len(text(s.order[i])) == depth {
		i++
	}
	n.own = i
	var kids []int32
	for i < n.hi {
		from, b := i, text(s.order[i])[depth]
		for i < n.hi && text(s.order[i])[depth] == b {
			i++
		}
		kid := int32(len(s.nodes))
		kids = append(kids, kid)
		s.nodes = append(s.nodes, sliceNode{lo: from, hi: i, byte: b})
		h := s.branch(kid, depth+1, text)
		if first := s.order[from]; len(text(first)) > depth+1 && !utf8.RuneStart(text(first)[depth+1]) {
			s.nodes[kid].height = -1 // inside a character
		} else {
			h++
		}
		height = max(height, h)
	}
	n.kidLo = int32(len(s.kids))
	for _, kid := range kids {
		s.kids, s.bytes = append(s.kids, kid), append(s.bytes, s.nodes[kid].byte)
	}
	n.kidHi = int32(len(s.kids))
	n.end = int32(len(s.nodes))
	n.height = height
	s.nodes[node] = n
	return height
}

// child is the child of node i by byte b, -1 if there is none.
func (s *Slice) child(i int32, b byte) int32 {
	n := &s.nodes[i]
	if k := bytes.IndexByte(s.bytes[n.kidLo:n.kidHi], b); k >= 0 {
		return s.kids[int(n.kidLo)+k]
	}
	return -1
}

// Node is the places of the tokens that are a node itself, and its children.
func (s *Slice) Node(i int32) (own tokenizers.Range, kids []int32) {
	n := &s.nodes[i]
	return tokenizers.Range{Lo: n.lo, Hi: n.own}, s.kids[n.kidLo:n.kidHi]
}

// Byte is the last byte of a node's prefix.
func (s *Slice) Byte(i int32) byte { return s.nodes[i].byte }
