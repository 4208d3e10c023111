package tokenizers

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"gcdbench/internal/bitset"
)

// Trie is the prefix tree of a vocabulary's Legal tokens, laid out flat in depth-first
// order: a node, then its first child with all below it, then the second child and so on,
// children by ascending byte. There is no node for the root (the empty prefix).
//
// The layout makes a walk a single forward scan. At node i the reader tries its byte: if it is
// accepted, the next node is i+1 (its first child, or whatever follows a leaf); if it is
// refused, the whole subtree is, and the next node is i+Size. What a reader needs besides is
// its state at each depth, since a later sibling starts from its parent's state:
//
//	for i := 0; i < len(nodes); {
//		n := nodes[i]
//		d := depth[i]
//		next := step(states[d], n.Byte())
//		if next == dead {
//			i += n.Size()
//			continue
//		}
//		states[d+1] = next
//		if t := n.Token(); t >= 0 {
//			mask.Set(t)
//		}
//		i++
//	}
//	for _, ids := range trie.Equal() {
//		if mask.Has(ids[0]) { mask.Set(ids[1:]...) }
//	}
//
// The depth is kept apart (Depths, one byte each) as not every reader wants it: one that keeps
// the end i+Size of each open subtree on a stack does without.
//
// Tokens with equal bytes share a node. The node carries the smallest id; the others are in Equal,
// one short pass after the walk, so that the walk itself does not look for them.
type Trie struct {
	// Nodes is read-only.
	Nodes  []TrieNode
	depths []uint8
	equal  [][]int32
	order  []int32
	all    []uint64
	first  []int32
	below  []ByteKinds
	formed []uint8
	roots  []TrieRoot
}

// MaxTokenLength is the most bytes a legal token may have. Depths are kept in one byte, and a
// walk keeps a state for each depth on its stack; the longest tokens in use are runs of 128
// spaces (Llama 3, o200k_base).
const MaxTokenLength = 255

// MaxTrieNodes is the number of nodes that TrieNode's 24 bits of subtree size can hold.
const MaxTrieNodes = 1<<24 - 1

// TrieNode is one node: the byte that leads to it, the token that ends at it, and the
// number of nodes in its subtree, itself included. Byte and size share a word, so that a node
// is eight bytes and a cache line holds eight.
type TrieNode struct {
	token int32
	link  uint32 // size<<8 | byte
}

// Byte is the byte on the edge from the parent to this node.
func (n TrieNode) Byte() byte { return byte(n.link) }

// Token is the smallest id whose bytes end at this node, or -1 if the node is only a prefix.
func (n TrieNode) Token() int32 { return n.token }

// Size is the number of nodes in the subtree, this one included: at node i the subtree
// ends at i+Size.
func (n TrieNode) Size() int { return int(n.link >> 8) }

// Depth is the number of bytes read before node i's own: 0 for a first byte.
func (t *Trie) Depth(i int) int { return int(t.depths[i]) }

// A TrieRoot is the node of a first byte.
type TrieRoot struct {
	Node int32
	Byte byte
}

// Roots are the nodes of the first bytes, ascending. They are far apart in Nodes, and a walk from
// one to the next by its size waits for memory at each. Read-only.
func (t *Trie) Roots() []TrieRoot { return t.roots }

// Depths is Depth for all nodes; read-only.
func (t *Trie) Depths() []uint8 { return t.depths }

// MaxDepth is the length in bytes of the longest token.
func (t *Trie) MaxDepth() int {
	if len(t.depths) == 0 {
		return 0
	}
	return int(slices.Max(t.depths)) + 1
}

// Equal lists the groups of two or more legal ids that have the same bytes, ids ascending: the
// first is the one in the trie. Read-only.
func (t *Trie) Equal() [][]int32 { return t.equal }

// Same returns the other legal ids with the bytes of token, where token is the id a node
// carries; nil for most tokens. Read-only. It is a binary search over Equal.
func (t *Trie) Same(token int32) []int32 {
	i, ok := slices.BinarySearchFunc(t.equal, token, func(g []int32, id int32) int { return cmp.Compare(g[0], id) })
	if !ok {
		return nil
	}
	return t.equal[i][1:]
}

// Order lists the legal ids in the order of the nodes, ids with equal bytes adjacent. Read-only.
func (t *Trie) Order() []int32 { return t.order }

// All is the set of the legal ids: bit i%64 of word i/64 is id i. Read-only.
func (t *Trie) All() []uint64 { return t.all }

// First is by node the place in Order of the node's first token, and one entry more: the tokens of
// the subtree at node i are Order()[First()[i]:First()[i+Size]]. Read-only.
func (t *Trie) First() []int32 { return t.first }

// A Range is the tokens Order()[Lo:Hi].
type Range struct{ Lo, Hi int32 }

// trieKey orders tokens by bytes: most comparisons are decided by the first eight bytes,
// which the key holds as a big-endian number.
type trieKey struct {
	head uint64
	id   int32
}

// sortedTokens returns the legal ids by bytes, then by id.
func sortedTokens(v *Vocabulary) []trieKey {
	keys := make([]trieKey, 0, v.Len())
	for id := range v.Len() {
		if !v.Legal(id) {
			continue
		}
		var head [8]byte
		copy(head[:], v.Token(id))
		keys = append(keys, trieKey{binary.BigEndian.Uint64(head[:]), int32(id)})
	}
	slices.SortFunc(keys, func(a, b trieKey) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		if c := bytes.Compare(v.Token(int(a.id)), v.Token(int(b.id))); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
	return keys
}

// buildTrie lays the tree out in one pass over the sorted tokens. open is the path of nodes from
// the root to the last token; a new token shares a prefix with it, closes the rest, and
// appends one node per byte of its own.
func buildTrie(v *Vocabulary) *Trie {
	keys := sortedTokens(v)
	t := &Trie{Nodes: make([]TrieNode, 0, 2*len(keys)+len(keys)/4), order: make([]int32, len(keys)), all: bitset.New(v.Len())}
	var open []int
	var last []byte
	closeTo := func(depth int) {
		for len(open) > depth {
			i := open[len(open)-1]
			t.Nodes[i].link |= uint32(len(t.Nodes)-i) << 8
			open = open[:len(open)-1]
		}
	}
	for i, k := range keys {
		t.order[i] = k.id
		bitset.Add(t.all, k.id)
		token := v.Token(int(k.id))
		if last != nil && bytes.Equal(token, last) {
			t.addEqual(t.Nodes[len(t.Nodes)-1].token, k.id)
			continue
		}
		shared := commonPrefix(last, token)
		closeTo(shared)
		if shared == 0 {
			t.roots = append(t.roots, TrieRoot{int32(len(t.Nodes)), token[0]})
		}
		for d := shared; d < len(token); d++ {
			open = append(open, len(t.Nodes))
			t.Nodes = append(t.Nodes, TrieNode{token: -1, link: uint32(token[d])})
			t.depths = append(t.depths, uint8(d))
			t.first = append(t.first, int32(i))
		}
		t.Nodes[len(t.Nodes)-1].token = k.id
		last = token
	}
	closeTo(0)
	t.findBelow()
	t.findFormed()
	t.first = append(t.first, int32(len(keys)))
	slices.SortFunc(t.equal, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return t
}

// addEqual notes that id has the bytes of first. Equal tokens come one after the other, so the
// group, if there is one, is the last.
func (t *Trie) addEqual(first, id int32) {
	if n := len(t.equal); n > 0 && t.equal[n-1][0] == first {
		t.equal[n-1] = append(t.equal[n-1], id)
		return
	}
	t.equal = append(t.equal, []int32{first, id})
}

// commonPrefix is the number of leading bytes that a and b share.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// checkTrieLimits refuses a vocabulary that a Trie could not hold, with the token that is to
// blame.
func checkTrieLimits(v *Vocabulary) error {
	total := 0
	for id := range v.Len() {
		if !v.Legal(id) {
			continue
		}
		n := len(v.Token(id))
		if n > MaxTokenLength {
			return fmt.Errorf("vocabulary %s: token %d has %d bytes, above the limit of %d", v.name, id, n, MaxTokenLength)
		}
		total += n
	}
	if total > MaxTrieNodes {
		return fmt.Errorf("vocabulary %s: %d bytes of tokens, above the limit of %d", v.name, total, MaxTrieNodes)
	}
	return nil
}
