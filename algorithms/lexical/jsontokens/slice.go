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

// grow makes the tree of tokens whose texts are ascending. Each text is read once: what it has in
// common with the one before it has its nodes already.
func (s *Slice) grow(order []int32, text func(int32) []byte) {
	s.order = order
	n := 5*len(order)/2 + 1 // as a vocabulary's plain tokens have
	s.nodes, s.kids, s.bytes = make([]sliceNode, 0, n), make([]int32, 0, n), make([]byte, 0, n)
	var path []openNode // the nodes of the prefixes of a text, by length
	open := func(n sliceNode) {
		if len(path) == cap(path) {
			path = append(path, openNode{})[:len(path)]
		}
		path = path[:len(path)+1]
		last := &path[len(path)-1]
		last.node, last.height, last.kids = int32(len(s.nodes)), 0, last.kids[:0]
		s.nodes = append(s.nodes, n)
	}
	open(sliceNode{})
	var before []byte
	for i, id := range order {
		t, depth := text(id), 0
		for depth < min(len(t), len(before)) && t[depth] == before[depth] {
			depth++
		}
		path = s.finish(path, depth+1, int32(i))
		for ; depth < len(t); depth++ {
			n := sliceNode{lo: int32(i), own: int32(i), byte: t[depth]}
			if depth+1 < len(t) && !utf8.RuneStart(t[depth+1]) {
				n.height = -1 // inside a character
			}
			open(n)
		}
		s.nodes[path[depth].node].own = int32(i + 1)
		before = t
	}
	s.finish(path, 0, int32(len(order)))
}

// An openNode is a node to which more may be added: its children so far, and the height of these.
type openNode struct {
	node   int32
	height int16
	kids   []int32
}

// finish ends the last nodes of a path, which have the tokens up to one, until it has so many.
func (s *Slice) finish(path []openNode, left int, hi int32) []openNode {
	for ; len(path) > left; path = path[:len(path)-1] {
		last := path[len(path)-1]
		n := &s.nodes[last.node]
		n.hi, n.end, n.kidLo = hi, int32(len(s.nodes)), int32(len(s.kids))
		for _, kid := range last.kids {
			s.kids, s.bytes = append(s.kids, kid), append(s.bytes, s.nodes[kid].byte)
		}
		n.kidHi = int32(len(s.kids))
		if n.height == 0 {
			n.height = last.height
			last.height++
		}
		if len(path) > 1 {
			above := &path[len(path)-2]
			above.kids, above.height = append(above.kids, last.node), max(above.height, last.height)
		}
	}
	return path
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
