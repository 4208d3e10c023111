package lr

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/late"
)

// openLate is a grammar's tables on demand: the latest of them.
func openLate(t *testing.T, g *grammar.Grammar) **Tables {
	t.Helper()
	var latest *Tables
	made, err := Open(late.Of(g), func(grown *Tables) { latest = grown })
	if err != nil {
		t.Fatal(err)
	}
	latest = made
	return &latest
}

// Tables on demand accept what tables built ahead accept, terminal by terminal.
func TestGrowing(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := usefulGrammar(rng)
		if g == nil {
			continue
		}
		g, err := late.Of(g).Demand.WriteAll(t.Context()) // which numbers terminals in another way
		if err != nil {
			t.Fatal(err)
		}
		mode := grammar.KeepConflicts
		whole, err := Build(t.Context(), g, Options{Conflicts: &mode})
		if err != nil {
			t.Fatal(err)
		}
		latest := openLate(t, g)
		walkBoth(t, seed, rng, whole, latest)
	}
}

// walkBoth follows random texts by both tables. Terminals that the late ones do not know yet are
// asked of the latest.
func walkBoth(t *testing.T, seed uint64, rng *rand.Rand, whole *Tables, latest **Tables) {
	t.Helper()
	for range 8 {
		a, b := whole.Start(), (*latest).Start()
		for range 12 {
			all := whole.Acceptable(a, nil)
			var late []grammar.Terminal
			for { // looking may bring terminals
				now := *latest
				late = now.Acceptable(b, nil)
				if now == *latest {
					break
				}
			}
			for i, x := range late {
				if x == (*latest).End() {
					late[i] = whole.End()
				}
			}
			if !slices.Equal(all, late) {
				t.Fatalf("seed %d: %v built ahead, %v on demand", seed, all, late)
			}
			all = slices.DeleteFunc(all, func(x grammar.Terminal) bool { return x == whole.End() })
			if len(all) == 0 {
				break
			}
			x := all[rng.IntN(len(all))]
			a, _ = whole.Shift(a, x)
			var ok bool
			if b, ok = (*latest).Shift(b, x); !ok {
				t.Fatalf("seed %d: %v is not shifted", seed, x)
			}
		}
	}
}

// usefulGrammar is a random grammar in which every rule can be completed and is reached from the
// start; nil if the random one has no sentence. Terminals are in the order in which rules have
// them.
func usefulGrammar(rng *rand.Rand) *grammar.Grammar {
	nts, terms := 2+rng.IntN(5), 2+rng.IntN(5)
	g := &grammar.Grammar{Name: "random", Conflicts: grammar.KeepConflicts, Start: 0}
	for n := range nts {
		for range 1 + rng.IntN(3) {
			var rhs []grammar.Symbol
			for range 1 + rng.IntN(4) {
				if rng.IntN(2) == 0 {
					rhs = append(rhs, grammar.T(grammar.Terminal(rng.IntN(terms))))
				} else {
					rhs = append(rhs, grammar.N(grammar.Nonterminal(rng.IntN(nts))))
				}
			}
			g.Rules = append(g.Rules, grammar.Rule{LHS: grammar.Nonterminal(n), RHS: rhs})
		}
		g.Nonterminals = append(g.Nonterminals, grammar.NonterminalDef{Name: string(rune('a' + n))})
	}
	for n := range terms {
		g.Terminals = append(g.Terminals, grammar.TerminalDef{Name: string(rune('A' + n))})
	}
	c, err := newCFG(context.Background(), g)
	if err != nil {
		return nil
	}
	kept := g.Rules[:0]
	for i, r := range slices.Clone(g.Rules) {
		if slices.Contains(c.rulesOf[c.nonterminal(r.LHS)], int32(i)) {
			kept = append(kept, r)
		}
	}
	g.Rules = kept
	return g
}
