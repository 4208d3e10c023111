package psc

import (
	"slices"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/grammar/lexer"
)

// TestLikely: every lexer state is listed once, and what texts are in comes before the prefixes of
// keywords, which they are hardly ever in.
func TestLikely(t *testing.T) {
	p := specProblem(t, conformance.Spec{Grammar: `
start: ("select" WORD | "returning" WORD)*
WORD: /[a-z]+/
COMMENT: /#[^\n]*\n/
%ignore COMMENT
%ignore " "
`, Vocabulary: []string{"a", "b", "c", "ab", "select", " select", "returning", " ", "#", "# a", "# b", "#c\n", "a b", " c", "\n"}})
	states := likely(p)
	for q := range p.Lexer.NumStates() {
		if n := len(states) - len(slices.DeleteFunc(slices.Clone(states), func(x lexer.State) bool { return int(x) == q })); n != 1 {
			t.Errorf("state %d is listed %d times", q, n)
		}
	}
	rank := func(text string) int {
		return slices.Index(states, readBytes(p.Lexer, p.Lexer.Start(), []byte(text)))
	}
	for _, often := range []string{"", "# a", "select", "a returning", "ab"} {
		for _, seldom := range []string{"selec", "returni"} {
			if rank(often) >= rank(seldom) {
				t.Errorf("the state after %q is number %d, that after %q number %d", often, rank(often), seldom, rank(seldom))
			}
		}
	}
}
