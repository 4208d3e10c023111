package lr

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar"
)

// TestFold writes out what is left of grammars.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		name, grammar, want string
	}{
		{"nothing to fold", "S -> a A | b; A -> a | b", "S: a A; S: b; A: a; A: b"},
		{"the same rules", "S -> a A | b B; A -> x | y; B -> y | x", "S: a A; S: b A; A: x; A: y"},
		{"then the same rules twice", "S -> A | B; A -> x | y; B -> x | y", "S: A; A: x; A: y"},
		{"a single symbol", "S -> A A; A -> x", "S: x x"},
		{"a chain of single symbols", "S -> A c; A -> B; B -> C; C -> x y", "S: C c; C: x y"},
		{"the same above, as below", "S -> A | B; A -> a C | b; B -> a D | b; C -> x | y; D -> x | y", "S: A; A: a C; A: b; C: x; C: y"},
		{"nothing at all is not a symbol", "S -> A x | B y; A -> ; B -> ", "S: A x; S: A y; A:"},
		{"recursion stays", "S -> A | B; A -> a A | x; B -> a B | x", "S: A; S: B; A: a A; A: x; B: a B; B: x"},
		{"mutual recursion stays", "S -> A; A -> a B | C; B -> A b | C; C -> x", "S: A; A: a B; A: x; B: A b; B: x"},
		{"what recursion refers to is folded", "S -> A; A -> C A D | x; C -> c | d; D -> c | d", "S: A; A: C A C; A: x; C: c; C: d"},
		{"the start rule stays", "S -> A; A -> x", "S: x"},
		{"useless rules are not looked at", "S -> A; A -> x y | B; B -> B b; C -> x y", "S: A; A: x y"},
	} {
		g, err := newCFG(t.Context(), compact(c.grammar))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.fold(); err != nil {
			t.Fatal(err)
		}
		var left []string
		for x, rules := range g.rulesOf {
			for _, r := range rules {
				if int32(x) != g.start {
					left = append(left, g.ruleText(r, -1))
				}
			}
		}
		if got := strings.Join(left, "; "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// Alternatives that say the same are no conflict once they are folded.
func TestFoldedConflicts(t *testing.T) {
	keep := grammar.KeepConflicts
	for _, c := range []struct {
		grammar         string
		before, conflct int
	}{
		{"S -> A x | B y; A -> a | b; B -> a | b", 0, 0},
		{"S -> A x | B x; A -> a | b; B -> a | b", 2, 0},
		{"S -> A x | B x; A -> a | b; B -> a | c", 1, 1},
		{"S -> P | Q; P -> o A z | o z; Q -> o B z | o z; A -> v; B -> v", 2, 0},
	} {
		g := compact(c.grammar)
		for quick, want := range map[bool]int{false: c.before, true: c.conflct} {
			tables, err := Build(t.Context(), g, Options{Conflicts: &keep, Quick: quick})
			if err != nil {
				t.Fatal(err)
			}
			_, got := tables.CountConflicts()
			if told := tables.Conflicts(); got != want || len(told) != want {
				t.Errorf("%s, quick %t: %d conflicts, %d described, want %d", c.grammar, quick, got, len(told), want)
			}
		}
	}
}

// A deep grammar takes time linear in its size: each of the rules refers to the next, twice.
func TestFoldDeep(t *testing.T) {
	const depth = 20_000
	g := &grammar.Grammar{Name: "deep", Terminals: []grammar.TerminalDef{{Name: "a"}, {Name: "b"}}}
	for i := range depth {
		g.Nonterminals = append(g.Nonterminals, grammar.NonterminalDef{Name: fmt.Sprint("n", i)})
		next := grammar.T(0)
		if i < depth-1 {
			next = grammar.N(grammar.Nonterminal(i + 1))
		}
		for x := range grammar.Terminal(2) {
			g.Rules = append(g.Rules, grammar.Rule{LHS: grammar.Nonterminal(i), RHS: []grammar.Symbol{grammar.T(x), next}})
		}
	}
	keep := grammar.KeepConflicts
	tables, err := Build(t.Context(), g, Options{Conflicts: &keep, Quick: true})
	if err != nil || !tables.Deterministic() || tables.NumStates() > 5*depth {
		t.Fatalf("%v, %v", tables.NumStates(), err)
	}
}
