package lr

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"gcdbench/grammar"
)

// compact makes a grammar from rules like "S -> a S b | ; A -> b {2} | c". What stands left of an
// arrow is a nonterminal, all else are terminals (shown in messages as they are written), the first
// rule is the start rule, and {n} is the priority of an alternative. Each rule is on a line of its
// own as far as positions go, each alternative in a column of its own.
func compact(text string) *grammar.Grammar {
	g := &grammar.Grammar{Name: "test"}
	nonterminals := map[string]grammar.Nonterminal{}
	terminals := map[string]grammar.Terminal{}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' })
	var bodies []string
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lhs, body, ok := strings.Cut(line, "->")
		if !ok {
			panic("no arrow in " + line)
		}
		name := strings.TrimSpace(lhs)
		if _, seen := nonterminals[name]; seen {
			panic(name + " is defined twice")
		}
		pos := grammar.Position{File: "g", Line: len(g.Nonterminals) + 1, Column: 1}
		nonterminals[name] = grammar.Nonterminal(len(g.Nonterminals))
		g.Nonterminals = append(g.Nonterminals, grammar.NonterminalDef{Name: name, Pos: pos})
		bodies = append(bodies, body)
	}
	symbol := func(word string) grammar.Symbol {
		if n, ok := nonterminals[word]; ok {
			return grammar.N(n)
		}
		t, ok := terminals[word]
		if !ok {
			t = grammar.Terminal(len(g.Terminals))
			terminals[word] = t
			g.Terminals = append(g.Terminals, grammar.TerminalDef{Name: word, Source: word, Declared: true})
		}
		return grammar.T(t)
	}
	for i, body := range bodies {
		for k, alternative := range strings.Split(body, "|") {
			r := grammar.Rule{LHS: grammar.Nonterminal(i), Pos: grammar.Position{File: "g", Line: i + 1, Column: k + 1}}
			for _, word := range strings.Fields(alternative) {
				if strings.HasPrefix(word, "{") {
					r.Priority, _ = strconv.Atoi(strings.Trim(word, "{}"))
					continue
				}
				r.RHS = append(r.RHS, symbol(word))
			}
			g.Rules = append(g.Rules, r)
		}
	}
	return g
}

// notation writes g as compact reads it.
func notation(g *grammar.Grammar) string {
	bodies := make([][]string, len(g.Nonterminals))
	for _, r := range g.Rules {
		var words []string
		for _, s := range r.RHS {
			words = append(words, g.SymbolName(s))
		}
		if r.Priority != 0 {
			words = append(words, "{"+strconv.Itoa(r.Priority)+"}")
		}
		bodies[r.LHS] = append(bodies[r.LHS], strings.Join(words, " "))
	}
	var rules []string
	for i, b := range bodies {
		rules = append(rules, g.Nonterminals[i].Name+" -> "+strings.Join(b, " | "))
	}
	return strings.Join(rules, "; ")
}

// tablesOf builds tables, conflicts kept or resolved, and fails the test if that fails.
func tablesOf(t testing.TB, text string, mode grammar.ConflictMode) *Tables {
	t.Helper()
	tables, err := Build(context.Background(), compact(text), Options{Conflicts: &mode})
	if err != nil {
		t.Fatalf("Build(%s): %v", text, err)
	}
	return tables
}

// words are the terminals that a text of terminal names stands for.
func words(t testing.TB, g *grammar.Grammar, text string) []grammar.Terminal {
	t.Helper()
	var terms []grammar.Terminal
	for _, w := range strings.Fields(text) {
		x, ok := g.Lookup(w)
		if !ok {
			t.Fatalf("no terminal %s", w)
		}
		terms = append(terms, x)
	}
	return terms
}

// read shifts terms from the start; it returns how many were read.
func read(t *Tables, terms []grammar.Terminal) (Stacks, int) {
	s := t.Start()
	for i, x := range terms {
		next, ok := t.Shift(s, x)
		if !ok {
			return s, i
		}
		s = next
	}
	return s, len(terms)
}
