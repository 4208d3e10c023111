package lr

import (
	"strings"
	"testing"

	"gcdbench/grammar"
)

// spell makes a grammar of any bytes: each stands for a terminal, a nonterminal, the end of an
// alternative or the end of a rule.
func spell(data []byte) *grammar.Grammar {
	words := []string{"a", "b", "c", "A", "B", "C", "|", ";"}
	bodies := []string{""}
	for _, d := range data {
		w := words[int(d)%len(words)]
		switch {
		case w != ";":
			bodies[len(bodies)-1] += " " + w
		case len(bodies) < 3:
			bodies = append(bodies, "")
		}
	}
	for len(bodies) < 3 {
		bodies = append(bodies, " a")
	}
	var rules []string
	for i, b := range bodies {
		rules = append(rules, string(rune('A'+i))+" ->"+b)
	}
	return compact(strings.Join(rules, ";"))
}

// The parser agrees with Earley's recogniser on all prefixes of a text, over any grammar.
func FuzzAgainstEarley(f *testing.F) {
	f.Add([]byte{0, 3, 1, 6}, []byte{0, 0, 1, 1})             // A -> a A b |
	f.Add([]byte{3, 6, 0}, []byte{0})                         // A -> A | a
	f.Add([]byte{4, 3, 1, 6, 0, 7}, []byte{0, 1})             // A -> B A b | a; B ->
	f.Add([]byte{3, 3, 6, 3, 3, 3, 6, 0}, []byte{0, 0, 0, 0}) // A -> A A | A A A | a
	f.Fuzz(func(t *testing.T, rules, text []byte) {
		if len(rules) > 60 || len(text) > 12 {
			return
		}
		g := spell(rules)
		for _, mode := range []grammar.ConflictMode{grammar.ResolveConflicts, grammar.KeepConflicts} {
			tables, fault := build(g, mode)
			if fault != "" {
				t.Fatalf("%s: %s", notation(g), fault)
			}
			if tables != nil {
				follow(t, tables, newEarley(g), text)
			}
		}
	})
}

// follow reads a text with parser and oracle, comparing all there is to ask on the way.
func follow(t *testing.T, tables *Tables, oracle *earley, text []byte) {
	x := &explorer{tables: tables, oracle: oracle, exact: tables.Mode() == grammar.KeepConflicts || len(tables.clashes) == 0}
	s := tables.Start()
	for _, d := range text {
		x.explore(s, nil, 0)
		if x.fault != "" {
			t.Fatalf("%s: %s: %s", tables.Mode(), notation(tables.Grammar()), x.fault)
		}
		if tables.NumTerminals() == 0 {
			return
		}
		term := grammar.Terminal(int(d) % tables.NumTerminals())
		next, ok := tables.Shift(s, term)
		if read := oracle.push(term); !ok || !read {
			return
		}
		s = next
		x.budget = 0
	}
}
