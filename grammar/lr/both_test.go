package lr

import (
	"fmt"
	"testing"

	"gcdbench/grammar"
)

// TestTakeBoth compares what is proved about all stacks with what the parser does on those that
// short texts lead to: where one takes both terminals, TakeBoth has to say so. Cyclic grammars and
// hidden left recursion are among them, with conflicts resolved and kept.
func TestTakeBoth(t *testing.T) {
	asked, taken, gaveUp := 0, 0, 0
	for _, mode := range []grammar.ConflictMode{grammar.ResolveConflicts, grammar.KeepConflicts} {
		overGrammars(t, 400, func(g *grammar.Grammar) string {
			tables, fault := build(g, mode)
			if tables == nil {
				return fault
			}
			stacks := shortStacks(tables, 4)
			for a := range grammar.Terminal(tables.NumTerminals()) {
				for b := range a {
					_, both, err := tables.TakeBoth(TerminalPair{A: a, B: b})
					if asked++; err != nil {
						gaveUp++
						return ""
					}
					for _, s := range stacks {
						if tables.Accepts(s, a) && tables.Accepts(s, b) {
							if taken++; !both {
								return fmt.Sprintf("a short text leads to a stack that takes terminals %d and %d, and no stack is said to", a, b)
							}
							break
						}
					}
				}
			}
			return ""
		})
	}
	if gaveUp > asked/10 {
		t.Errorf("of %d questions %d were given up", asked, gaveUp)
	}
	t.Logf("%d pairs of terminals, of which short texts show %d to be taken both; %d given up", asked, taken, gaveUp)
}

// shortStacks are those that texts of so many terminals at most lead to.
func shortStacks(t *Tables, length int) []Stacks {
	all := []Stacks{t.Start()}
	for i, from := 0, 0; i < length; i++ {
		to := len(all)
		for _, s := range all[from:to] {
			for x := range grammar.Terminal(t.NumTerminals()) {
				if next, ok := t.Shift(s, x); ok && len(all) < 150 {
					all = append(all, next)
				}
			}
		}
		from = to
	}
	return all
}

// TestTakeBothByHand says of some grammars whether a stack takes both terminals.
func TestTakeBothByHand(t *testing.T) {
	for _, c := range []struct {
		about, rules string
		conflicts    grammar.ConflictMode
		both         bool
	}{
		{"alternatives side by side", "A -> a | b", grammar.ResolveConflicts, true},
		{"one after the other", "A -> a b", grammar.ResolveConflicts, false},
		{"what is below decides", "A -> c B a | d B b; B -> e | e B", grammar.ResolveConflicts, false},
		{"what is below does not decide", "A -> c B a | c B b; B -> e | e B", grammar.ResolveConflicts, true},
		{"a circle of reductions", "A -> B a | B b; B -> C | e; C -> B", grammar.KeepConflicts, true},
		{"a circle that leads to one of them", "A -> c B a | d B b; B -> C | e; C -> B", grammar.KeepConflicts, false},
		{"states that derive nothing, piled up", "A -> N A a | b; N -> ", grammar.KeepConflicts, false},
	} {
		g := compact(c.rules)
		tables, fault := build(g, c.conflicts)
		if tables == nil {
			t.Fatal(c.about, fault)
		}
		find := func(name string) grammar.Terminal {
			for i := range g.Terminals {
				if g.Terminals[i].Name == name {
					return grammar.Terminal(i)
				}
			}
			t.Fatalf("%s: no terminal %s", c.about, name)
			return 0
		}
		if _, both, err := tables.TakeBoth(TerminalPair{A: find("a"), B: find("b")}); err != nil || both != c.both {
			t.Errorf("%s: both are taken: %v, %v; want %v", c.about, both, err, c.both)
		}
	}
}
