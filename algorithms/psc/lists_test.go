package psc

import (
	"slices"
	"testing"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// TestLists unites the masks of programs from lists of tokens, and each again from its groups
// one by one.
func TestLists(t *testing.T) {
	for _, lang := range []string{"json", "python"} {
		c := realtext.Need(t, lang, "o200k_base", 1)
		e := compile(t, c.Problem, nil)
		s := e.Start()
		for _, id := range c.Texts[0][:min(len(c.Texts[0]), 200)] {
			s.Mask()
			s.Mask() // it is kept
			if err := s.Commit(int(id)); err != nil {
				t.Fatal(err)
			}
		}
		core := e.core.Load()
		row := make([]uint64, algorithms.MaskWords(c.Problem.Vocabulary.Len()))
		for _, s := range core.saids {
			for end := range s.masks {
				got := s.masks[end].Load()
				if got == nil {
					continue
				}
				want, _ := core.view.Load().fill(core.auto, row, s, end)
				if want == nil {
					want = row
				}
				if !slices.Equal(want, *got) {
					t.Fatalf("%s: the mask of list %d differs from its tokens", lang, s.id)
				}
			}
		}
		n, l := 0, &core.lists
		for i := range l.byList.entries() {
			if p := l.byList.get(int32(i)); p.kept() {
				n++
			}
		}
		if n == 0 || l.bytes() == 0 {
			t.Errorf("%s: words of %d lists are kept, %d bytes; want some", lang, n, l.bytes())
		}
	}
}
