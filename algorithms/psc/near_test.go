package psc

import (
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/conformance/realtext"
)

// TestNear makes the masks of programs from near ones, and each again from its tokens one by one.
func TestNear(t *testing.T) {
	for _, lang := range []string{"json", "python"} {
		c := realtext.Need(t, lang, "o200k_base", 1)
		e := compile(t, c.Problem, nil)
		s := e.Start()
		for _, id := range c.Texts[0][:min(len(c.Texts[0]), 200)] {
			s.Mask()
			if err := s.Commit(int(id)); err != nil {
				t.Fatal(err)
			}
		}
		core := e.core.Load()
		want := make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len()))
		shared := 0
		for _, m := range core.groupMasks {
			if core.auto.setWords(want, m.groups); !slices.Equal(want, m.words) {
				t.Fatalf("%s: the mask of %d groups differs from their tokens", lang, len(m.groups))
			}
		}
		for _, list := range core.bases.byRoot {
			shared += len(list) - 1
		}
		if shared == 0 {
			t.Errorf("%s: no two of %d masks have a root in common", lang, len(core.groupMasks))
		}
	}
}

// TestNearOverlap has groups with tokens in common: the mask is right, and is no base.
func TestNearOverlap(t *testing.T) {
	c := realtext.Need(t, "json", "o200k_base", 1)
	core := compile(t, c.Problem, nil).core.Load()
	lex := c.Problem.Lexer
	root := core.auto.spans.Shared(lex.Start())
	core.auto.spans.Shared(lex.Next(lex.Start(), '"')) // its groups have the same tokens
	var groups []int32
	for leaf := range int32(core.auto.spans.NumLeaves()) {
		groups = append(groups, leaf)
	}
	want, got := algorithms.NewBuffer(c.Problem.Vocabulary.Len()), algorithms.NewBuffer(c.Problem.Vocabulary.Len())
	core.auto.setWords(want.Words(), groups)
	if _, apart := core.near(got.Words(), root, groups); apart {
		t.Fatal("groups of two lexer states are said to have no token in common")
	}
	if !slices.Equal(want.Words(), got.Words()) {
		t.Error("the mask of overlapping groups differs from their tokens")
	}
}

// TestDiffer finds what only one of two lists of groups has.
func TestDiffer(t *testing.T) {
	var out, in []int32
	differ([]int32{1, 3, 5, 9}, []int32{0, 3, 4, 9, 10}, func(g int32, added bool) bool {
		if added {
			in = append(in, g)
		} else {
			out = append(out, g)
		}
		return g < 10
	})
	if !slices.Equal(out, []int32{1, 5}) || !slices.Equal(in, []int32{0, 4, 10}) {
		t.Errorf("%v and %v, want [1 5] and [0 4 10]", out, in)
	}
}
