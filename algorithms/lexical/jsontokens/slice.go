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
	// and after a quote count as well.
	height int16
	byte   byte
	inside bool  // a character
	quoted bool  // whether a quote is in this prefix, in the quotes slice
	below  kinds // the kinds of characters after this prefix, in the plain slice
}

// grow makes the tree of tokens whose texts are ascending. Each text is read once: what it has in
// common with the one before it has its nodes already.
func (s *Slice) grow(order []int32, text func(int32) []byte) {
	s.order = order
	n := 5*len(order)/2 + 1 // as a vocabulary's plain tokens have
	s.nodes, s.kids, s.bytes = append(make([]sliceNode, 0, n), sliceNode{}), make([]int32, 0, n), make([]byte, 0, n)
	path := []int32{0} // the nodes of the prefixes of a text, by length
	var before []byte
	for i, id := range order {
		t, depth := text(id), 0
		for depth < min(len(t), len(before)) && t[depth] == before[depth] {
			depth++
		}
		for ; len(path) > depth+1; path = path[:len(path)-1] {
			s.finish(path[len(path)-1], int32(i))
		}
		for ; depth < len(t); depth++ {
			path = append(path, int32(len(s.nodes)))
			inside := depth+1 < len(t) && !utf8.RuneStart(t[depth+1])
			s.nodes = append(s.nodes, sliceNode{lo: int32(i), own: int32(i), byte: t[depth], inside: inside})
		}
		s.nodes[path[depth]].own = int32(i + 1)
		before = t
	}
	for ; len(path) > 0; path = path[:len(path)-1] {
		s.finish(path[len(path)-1], int32(len(order)))
	}
}

// finish ends a node whose tokens end before one, and all below which are finished.
func (s *Slice) finish(i, hi int32) {
	n := &s.nodes[i]
	n.hi, n.end, n.kidLo = hi, int32(len(s.nodes)), int32(len(s.kids))
	for kid := i + 1; kid < n.end; kid = s.nodes[kid].end {
		k := &s.nodes[kid]
		s.kids, s.bytes = append(s.kids, kid), append(s.bytes, k.byte)
		height := k.height
		if !k.inside {
			height++
		}
		n.height = max(n.height, height)
	}
	n.kidHi = int32(len(s.kids))
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
