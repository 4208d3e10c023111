package spanner_test

import (
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/bitset"
	"gcdbench/internal/seed"
)

// TestFlatten: groups that are laid out, or kept as bits, have the tokens of their blocks; those
// that are made later are neither.
func TestFlatten(t *testing.T) {
	for _, lang := range seed.Some(t, []string{"json", "java"}, 2, 1, 1) {
		t.Run(lang, func(t *testing.T) {
			amended := testFlatten(t, realtext.Need(t, lang, []string{"r50k_base", "o200k_base"}[seed.Rounds(0, 1, 1)], 1).Problem)
			if lang != "json" && amended == 0 {
				t.Error("no group is kept as the bits of another")
			}
		})
	}
}

// testFlatten counts the groups that are kept as the bits of another.
func testFlatten(t *testing.T, p *algorithms.Problem) (amended int) {
	s := spanner.New(p.Recognizer, p.Vocabulary, spanner.Options{Prune: true})
	n := p.Lexer.NumStates()
	for q := range n / 2 {
		s.Shared(lexer.State(q))
	}
	n = s.NumLeaves()
	wants := make([][]int32, n)
	for i := range wants {
		wants[i] = s.AppendLeaf(nil, spanner.LeafID(i))
		slices.Sort(wants[i])
	}
	s.Flatten()
	for q := range p.Lexer.NumStates() {
		s.Shared(lexer.State(q))
	}
	r := s.Reader()
	words := algorithms.MaskWords(p.Vocabulary.Len())
	for i := range spanner.LeafID(s.NumLeaves()) {
		want := s.AppendLeaf(nil, i)
		slices.Sort(want)
		if int(i) < n && !slices.Equal(want, wants[i]) {
			t.Fatalf("group %d has %d tokens, want %d", i, len(want), len(wants[i]))
		}
		few, all := make([]uint64, words), make([]uint64, words)
		for k := range all {
			few[k] = 0x5555 << (k % 40)
			all[k] = few[k]
		}
		r.SetLeaf(all, i)
		bitset.AddAll(few, want)
		if !slices.Equal(all, few) {
			t.Fatalf("group %d of %d tokens is set wrongly", i, len(want))
		}
		bits := r.CopyLeaf(all, i)
		clear(few)
		bitset.AddAll(few, want)
		if bits && !slices.Equal(all, few) {
			t.Fatalf("group %d of %d tokens is copied wrongly", i, len(want))
		}
		nearlyAll := len(want)+512 >= len(p.Vocabulary.Trie().Order())
		if bits != (int(i) < n && len(want) >= 1024 || nearlyAll) {
			t.Fatalf("group %d of %d tokens is kept as bits: %v", i, len(want), bits)
		}
		if bits && r.LeafBits(i) == nil {
			amended++
		}
	}
	if n == s.NumLeaves() {
		t.Error("no groups were made later")
	}
	return amended
}
