package published

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/internal/must"
)

// TestByHand: masks of a small grammar, and their number: none of the tokens, each alone,
// and both.
func TestByHand(t *testing.T) {
	p := realtext.Small(t, "A: \"a\"\nB: \"b\"\nstart: A start B |\n", false, []string{"a", "b"})
	e := must.Get(Compile(t.Context(), p, Limits{1000, time.Minute}))(t)
	for _, c := range []struct{ text, allowed string }{{"", "a"}, {"a", "ab"}, {"aa", "ab"}, {"ab", ""}, {"aab", "b"}, {"aabb", ""}} {
		s := e.Start()
		for _, b := range c.text {
			must.OK(t, s.Commit(int(b-'a')))
		}
		got := ""
		for id := range 2 {
			if s.Mask().Has(id) {
				got += string(p.Vocabulary.Token(id))
			}
		}
		if got != c.allowed {
			t.Errorf("after %q: %q is allowed, want %q", c.text, got, c.allowed)
		}
	}
	before, after := realtext.Counter(e, "states before minimizing"), realtext.Counter(e, "states")
	if after < 4 || after > before {
		t.Errorf("%v states, %v before minimizing", after, before)
	}
	if masks := realtext.Counter(e, "distinct masks"); masks != 4 {
		t.Errorf("%v distinct masks", masks)
	}
}

// TestMinimal: no two states of the automaton have the same mask and the same
// successors, and no further round of refinement splits a class.
func TestMinimal(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n", false, []string{"(", ")", "[", "]", "x", "((", "))", "x)", "])", ")]", "(x)", "[("})
	compiled := must.Get(Compile(t.Context(), p, Limits{10000, time.Minute}))(t)
	e := compiled.(*engine)
	// Two states are told apart by some stack; a table of pairs is filled until nothing changes.
	n := len(e.mask)
	apart := make([][]bool, n)
	for a := range apart {
		apart[a] = make([]bool, n)
		for b := range apart {
			apart[a][b] = e.mask[a] != e.mask[b]
		}
	}
	for changed := true; changed; {
		changed = false
		for a := range n {
			for b := range n {
				for y := 0; !apart[a][b] && y < e.symbols; y++ {
					if apart[e.next[a*e.symbols+y]][e.next[b*e.symbols+y]] {
						apart[a][b], changed = true, true
					}
				}
			}
		}
	}
	for a := range n {
		for b := range a {
			if !apart[a][b] {
				t.Errorf("states %d and %d are the same", a, b)
			}
		}
	}
	if e.before <= n {
		t.Errorf("%d states before minimizing, %d after: nothing was merged", e.before, n)
	}
}

// TestLimits: an automaton beyond the limits is refused, with how far it came.
func TestLimits(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n", false, []string{"(", ")", "x", "((", "))"})
	_, err := Compile(t.Context(), p, Limits{9, time.Minute})
	var unsupported *algorithms.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(unsupported.Reason, "not finished: ") || !strings.Contains(unsupported.Reason, "the limits are 9 states") {
		t.Errorf("%v", err)
	}
	if _, err := Compile(t.Context(), p, Limits{1000, 0}); err == nil || !strings.Contains(err.Error(), "and 0s (option seconds)") {
		t.Errorf("without time: %v", err)
	}
}
