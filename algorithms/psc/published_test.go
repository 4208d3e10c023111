package psc

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gcdbench/algorithms"
	"gcdbench/algorithms/conformance/realtext"
)

// asPublished are the options of the paper's own form.
var asPublished = algorithms.Options{algorithms.FormOption: algorithms.FormPublished}

// counterOf is a counter of an engine; -1 if it has none of that name.
func counterOf(e algorithms.Engine, name string) float64 {
	for _, c := range e.Stats().Counters {
		if c.Name == name {
			return c.Value
		}
	}
	return -1
}

// TestPublishedByHand: masks of a small grammar, and their number: none of the tokens, each alone,
// and both.
func TestPublishedByHand(t *testing.T) {
	p := realtext.Small(t, "A: \"a\"\nB: \"b\"\nstart: A start B |\n", false, []string{"a", "b"})
	e, err := compilePublished(t.Context(), p, limits{1000, time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, allowed string }{{"", "a"}, {"a", "ab"}, {"aa", "ab"}, {"ab", ""}, {"aab", "b"}, {"aabb", ""}} {
		s := e.Start()
		for _, b := range c.text {
			if err := s.Commit(int(b - 'a')); err != nil {
				t.Fatal(err)
			}
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
	before, after := counterOf(e, "states before minimizing"), counterOf(e, "states")
	if after < 4 || after > before {
		t.Errorf("%v states, %v before minimizing", after, before)
	}
	if masks := counterOf(e, "distinct masks"); masks != 4 {
		t.Errorf("%v distinct masks", masks)
	}
}

// TestPublishedIsMinimal: no two states of the automaton have the same mask and the same
// successors, and no further round of refinement splits a class.
func TestPublishedIsMinimal(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n", false, []string{"(", ")", "[", "]", "x", "((", "))", "x)", "])", ")]", "(x)", "[("})
	compiled, err := compilePublished(t.Context(), p, limits{10000, time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	e := compiled.(*publishedEngine)
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

// TestPublished: the paper's form gives the contract's masks.
func TestPublished(t *testing.T) { realtext.CheckPublished(t, algorithm{}, asPublished) }

// TestPublishedLimit: an automaton beyond the limit is refused, with how far it came.
func TestPublishedLimit(t *testing.T) {
	p := realtext.Small(t, "start: \"(\" start \")\" | \"[\" start \"]\" | \"x\"\n", false, []string{"(", ")", "x", "((", "))"})
	_, err := compilePublished(t.Context(), p, limits{9, time.Minute})
	var unsupported *algorithms.UnsupportedError
	if !errors.As(err, &unsupported) || !strings.Contains(unsupported.Reason, "not finished: ") || !strings.Contains(unsupported.Reason, "the limits are 9 states") {
		t.Errorf("%v", err)
	}
	if _, err := compilePublished(t.Context(), p, limits{1000, 0}); err == nil || !strings.Contains(err.Error(), "and 0s (option seconds)") {
		t.Errorf("without time: %v", err)
	}
	for _, o := range []algorithms.Options{{"form": "published", "compile": "eager"}, {"states": "0"}, {"seconds": "many"}} {
		if _, err := (algorithm{}).Compile(t.Context(), p, o); err == nil || !strings.Contains(err.Error(), "option") {
			t.Errorf("%v: %v", o, err)
		}
	}
}
