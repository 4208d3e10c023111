package rules

import (
	"math/rand/v2"
	"testing"

	"gcdbench/algorithms/conformance"
	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/lr"
	"gcdbench/internal/seed"
)

// TestLemma1: the DFT pushdown automaton accepts the language. The parser says what that is, where
// no conflict was resolved.
func TestLemma1(t *testing.T) {
	checked := 0
	for seed := range seed.Each(t, 40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		text := conformance.RandomCFG(rng, rng.IntN(2) == 0)
		g, err := lark.Parse([]byte(text), lark.Options{File: "random.lark"})
		if err != nil {
			continue
		}
		tables, err := lr.Build(t.Context(), g, lr.Options{})
		if err != nil || tables.Mode() != grammar.KeepConflicts && len(tables.Conflicts()) > 0 {
			continue
		}
		d := automaton(t, g)
		words([]grammar.Terminal{}, tables.NumTerminals(), 3, func(word []grammar.Terminal) {
			s, ok := tables.Start(), true
			for _, x := range word {
				if s, ok = tables.Shift(s, x); !ok {
					break
				}
			}
			want := ok && tables.AcceptsEnd(s)
			// A word of the language has a tree in which no nonterminal derives just itself; its height
			// is bounded by the nonterminals for each terminal.
			if got := d.run(word, 10); got != want {
				t.Fatalf("seed %d: %v: the automaton says %v, the parser %v\n%s", seed, word, got, want, text)
			}
			checked++
		})
	}
	t.Logf("%d words", checked)
	if checked == 0 {
		t.Error("no random grammar can be used")
	}
}

// words calls f for a word and all that go on from it with at most more of n terminals.
func words(word []grammar.Terminal, n, more int, f func([]grammar.Terminal)) {
	f(word)
	for x := 0; x < n && more > 0; x++ {
		words(append(word[:len(word):len(word)], grammar.Terminal(x)), n, more-1, f)
	}
}
