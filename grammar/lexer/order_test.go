package lexer

import (
	"fmt"
	"slices"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/bitset"
)

// Each case lists terminals in the order in which they win.
func TestPreference(t *testing.T) {
	for about, want := range map[string][]grammar.TerminalDef{
		"priority before all else": {
			{Name: "Z", Source: "a", Priority: 1, MaxWidth: 1},
			{Name: "A", Source: "aaaa", Literal: true, MaxWidth: 4},
			{Name: "B", Source: "aaaaaa", Priority: -1, MaxWidth: 6},
		},
		"a literal before a wider regex": {
			{Name: "Z", Source: "a", Literal: true, MaxWidth: 1},
			{Name: "A", Source: "[a-z]+", MaxWidth: 1 << 32},
		},
		"the wider before the longer": {
			{Name: "Z", Source: "a+", MaxWidth: 1 << 32},
			{Name: "A", Source: "(select|insert)", MaxWidth: 6},
			{Name: "B", Source: "(a|b|c|d|e|f|g)", MaxWidth: 1},
		},
		"length is in characters": {
			{Name: "Z", Source: "aaa", MaxWidth: 3},
			{Name: "A", Source: "éé", MaxWidth: 3},
		},
		"the name by code points": {
			{Name: "A", Source: "[ab]", MaxWidth: 1},
			{Name: "A_", Source: "[ba]", MaxWidth: 1},
			{Name: "B", Source: "[ac]", MaxWidth: 1},
			{Name: "_A", Source: "[bc]", MaxWidth: 1},
		},
	} {
		for range len(want) { // whatever the order of definition is
			g := &grammar.Grammar{Terminals: want}
			for i, r := range Preference(g) {
				for j, s := range Preference(g) {
					x, y := g.Terminals[i].Name, g.Terminals[j].Name
					if (r < s) != (position(want, x) < position(want, y)) {
						t.Errorf("%s: %s and %s have ranks %d and %d", about, x, y, r, s)
					}
				}
			}
			g.Terminals = append(slices.Clone(g.Terminals[1:]), g.Terminals[0])
		}
	}
}

func position(list []grammar.TerminalDef, name string) int {
	return slices.IndexFunc(list, func(d grammar.TerminalDef) bool { return d.Name == name })
}

// TestMeet: automata have a text in common; one of a declared terminal, which is nil, has none.
func TestMeet(t *testing.T) {
	a, b, empty := automata.MustCompile(`ab?`, 0), automata.MustCompile(`b|ab`, 0), automata.MustCompile(`a(?=b)c`, 0)
	for _, c := range []struct {
		x, y *automata.DFA
		want bool
	}{{a, b, true}, {a, automata.MustCompile(`b`, 0), false}, {a, nil, false}, {nil, a, false}, {a, empty, false}, {empty, a, false}} {
		if meet(c.x, c.y) != c.want {
			t.Errorf("%v and %v: not %v", c.x, c.y, c.want)
		}
	}
}

// TestInTheWay: what is preferred to the first match of a set, and nothing behind it.
func TestInTheWay(t *testing.T) {
	p := &product{generation: &generation{g: &grammar.Grammar{Terminals: make([]grammar.TerminalDef, 4)}}, dfas: make([]*automata.DFA, 4)}
	all := []match{{terminals: []grammar.Terminal{2, 0, 1}, asks: make([]bool, 3)}}
	for set, want := range map[int]string{0: "[2]", 1: "[2 0]", 2: "[]", 3: "[]"} {
		only := make([]uint64, 1)
		bitset.Add(only, set)
		var got []grammar.Terminal
		for _, x := range all[0].terminals {
			if bitset.Has(p.inTheWayOf(only, all), x) {
				got = append(got, x)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("terminal %d: %v are in its way, want %s", set, got, want)
		}
	}
}
