package tokenizers

import (
	"math/bits"
	"testing"

	"gcdbench/internal/must"
)

// TestBelow compares Below with the bytes of the tokens, on a vocabulary with all kinds.
func TestBelow(t *testing.T) {
	var list [][]byte
	for b := range 256 {
		list = append(list, []byte{byte(b)}, []byte{'x', byte(b), byte(b ^ 1)}, []byte{byte(b), '0', '7'})
		if n := bits.OnesCount16(uint16(KindOfByte(byte(b)))); n != 1 {
			t.Errorf("byte %d is of %d kinds", b, n)
		}
	}
	v := must.Get(NewVocabulary("kinds", list, nil, nil))(t)
	trie := v.Trie()
	want := make([]ByteKinds, len(trie.Nodes))
	var open []int // the nodes that the walk is below
	for i := range trie.Nodes {
		open = append(open[:trie.Depth(i)], i)
		for _, above := range open[:len(open)-1] {
			want[above] |= KindOfByte(trie.Nodes[i].Byte())
		}
	}
	for i := range want {
		if got := trie.Below(i); got != want[i] {
			t.Fatalf("node %d: %b, want %b", i, got, want[i])
		}
	}
}
