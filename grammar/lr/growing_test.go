package lr

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// openLate is a grammar's tables on demand: the latest of them.
func openLate(t *testing.T, g *grammar.Grammar) **Tables {
	t.Helper()
	var latest *Tables
	made := must.Get(Open(late(g), func(grown *Tables) { latest = grown }))(t)
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
		g, err := late(g).Demand.WriteAll(t.Context()) // which numbers terminals in another way
		must.OK(t, err)
		mode := grammar.KeepConflicts
		whole := must.Get(Build(t.Context(), g, Options{Conflicts: &mode}))(t)
		walkBoth(t, seed, rng, whole, openLate(t, g))
		visited, err := Build(t.Context(), g, Options{Conflicts: &mode, OnDemand: true})
		if err != nil || !visited.visited {
			t.Fatalf("seed %d: %v, or not made on demand", seed, err)
		}
		walkBoth(t, seed, rng, whole, &visited)
		for s := range int32(visited.NumStates()) {
			checkRow(t, visited, s)
		}
	}
}

// Nonterminals that are the same become one where all states of tables on demand are made, so that
// they are in no conflict, and one that is a symbol becomes that.
func TestVisitedFolds(t *testing.T) {
	keep := grammar.KeepConflicts
	for _, c := range []struct {
		grammar          string
		before, conflict int // one on demand is also before the end, where any rule is reduced by
	}{
		{"S -> A x | B y; A -> a | b; B -> a | b", 0, 0},
		{"S -> A x | B x; A -> a | b; B -> a | b", 2, 0},
		{"S -> A x | B x; A -> a | b; B -> a | c", 1, 2},
		{"S -> P | Q; P -> o A z | o z; Q -> o B z | o z; A -> v; B -> v", 2, 0},
	} {
		for onDemand, want := range map[bool]int{false: c.before, true: c.conflict} {
			tables := must.Get(Build(t.Context(), compact(c.grammar), Options{Conflicts: &keep, OnDemand: onDemand}))(t)
			_, got := tables.CountConflicts()
			if told := tables.Conflicts(); got != want || len(told) != want || tables.Deterministic() != (want == 0) {
				t.Errorf("%s, on demand %t: %d conflicts, %d described, want %d", c.grammar, onDemand, got, len(told), want)
			}
		}
	}
}

// Grammars that tables on demand do not take are built as others.
func TestNotVisited(t *testing.T) {
	keep := grammar.KeepConflicts
	for _, text := range []string{"S -> A b; A -> | a", "S -> a | S b |", "S -> a | B; B -> B b"} {
		tables, err := Build(t.Context(), compact(text), Options{Conflicts: &keep, OnDemand: true})
		if err != nil || tables.visited {
			t.Errorf("%s: %v, or made on demand", text, err)
		}
	}
}

// A deep grammar takes time linear in its size, whichever way its rules are written.
func TestVisitedDeep(t *testing.T) {
	keep := grammar.KeepConflicts
	for _, form := range []string{"r%d -> a r%[2]d | b r%[2]d", "r%d -> r%d a | c", "r%d -> ( r%d r%[2]d )"} {
		g := chained(form, 8000)
		tables, err := Build(t.Context(), g, Options{Conflicts: &keep, OnDemand: true})
		if err != nil || tables.NumStates() > 50_000 {
			t.Errorf("%s: %v", form, err)
		}
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
