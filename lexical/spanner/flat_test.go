package spanner_test

import (
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/conformance/realtext"
	"gcdbench/internal/bitset"
	"gcdbench/lexer"
	"gcdbench/lexical/spanner"
)

// TestFlatten: groups that are laid out have the tokens of their blocks, and others are not laid
// out, nor are those that are made later.
func TestFlatten(t *testing.T) {
	p := realtext.Need(t, "json", "o200k_base", 1).Problem
	s := spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{Prune: true})
	n := p.Lexer.NumStates()
	for q := range n / 2 {
		s.Shared(lexer.State(q))
	}
	s.Flatten()
	flat, out := s.NumLeaves(), 0
	for q := n / 2; q < n; q++ {
		s.Shared(lexer.State(q))
	}
	r := s.Reader()
	for i := range spanner.LeafID(s.NumLeaves()) {
		want := s.AppendLeaf(nil, i)
		slices.Sort(want)
		few, all := make([]uint64, algorithms.MaskWords(p.Vocabulary.Len())), make([]uint64, algorithms.MaskWords(p.Vocabulary.Len()))
		if r.SetLeaf(all, i); !slices.Equal(slices.Collect(bitset.All[int32](all)), want) || r.LeafLen(i) != len(want) {
			t.Fatalf("group %d has %d tokens, want %d", i, r.LeafLen(i), len(want))
		}
		if is := r.SetFew(few, i); is != (int(i) < flat && len(want) < 256) || is && !slices.Equal(few, all) {
			t.Fatalf("group %d of %d tokens is laid out: %v", i, len(want), is)
		} else if is {
			out++
		}
	}
	if out == 0 || out == flat || flat == s.NumLeaves() {
		t.Errorf("%d of %d groups are laid out, %d were made later", out, flat, s.NumLeaves()-flat)
	}
}
