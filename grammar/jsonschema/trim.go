package jsonschema

import (
	"slices"

	"gcdbench/grammar"
)

// trim removes the rules that no instance uses: those with a symbol that derives nothing, and those
// that the start does not reach; then the symbols that are left without use. It reports whether the
// start derives anything.
func trim(g *grammar.Grammar, productive []bool) bool {
	if !productive[g.Start] {
		return false
	}
	byLHS := make([][]int32, len(g.Nonterminals))
	for i, r := range g.Rules {
		if derives(r.RHS, productive) {
			byLHS[r.LHS] = append(byLHS[r.LHS], int32(i))
		}
	}
	nts := slices.Repeat([]grammar.Nonterminal{-1}, len(g.Nonterminals)) // what becomes of them
	order := []grammar.Nonterminal{g.Start}
	nts[g.Start] = 0
	terms := make([]bool, len(g.Terminals))
	for i := 0; i < len(order); i++ {
		for _, r := range byLHS[order[i]] {
			for _, s := range g.Rules[r].RHS {
				if s.IsTerminal() {
					terms[s.Terminal()] = true
				} else if nts[s.Nonterminal()] < 0 {
					nts[s.Nonterminal()] = grammar.Nonterminal(len(order))
					order = append(order, s.Nonterminal())
				}
			}
		}
	}
	rebuild(g, nts, order, byLHS, terms)
	return true
}

// rebuild renumbers the symbols that are used, and drops the others.
func rebuild(g *grammar.Grammar, nts, order []grammar.Nonterminal, byLHS [][]int32, used []bool) {
	terminals := make([]grammar.Terminal, len(g.Terminals))
	var defs []grammar.TerminalDef
	for t, def := range g.Terminals {
		terminals[t] = grammar.Terminal(len(defs))
		if used[t] || def.Ignored {
			defs = append(defs, def)
		}
	}
	rules := make([]grammar.Rule, 0, len(g.Rules))
	names := make([]grammar.NonterminalDef, 0, len(order))
	for _, nt := range order {
		names = append(names, g.Nonterminals[nt])
		for _, i := range byLHS[nt] {
			r := g.Rules[i]
			for j, s := range r.RHS { // a rule has its symbols to itself
				if s.IsTerminal() {
					r.RHS[j] = grammar.T(terminals[s.Terminal()])
				} else {
					r.RHS[j] = grammar.N(nts[s.Nonterminal()])
				}
			}
			rules = append(rules, grammar.Rule{LHS: nts[nt], RHS: r.RHS})
		}
	}
	g.Terminals, g.Nonterminals, g.Rules, g.Start = defs, names, rules, 0
}

func derives(rhs []grammar.Symbol, productive []bool) bool {
	for _, s := range rhs {
		if !s.IsTerminal() && !productive[s.Nonterminal()] {
			return false
		}
	}
	return true
}

// spread marks the nonterminals that derive something by some rules, where those that are marked
// do: each rule waits for its symbols.
func spread(rules []grammar.Rule, productive []bool) {
	waiting := make([]int, len(rules))
	uses := map[grammar.Nonterminal][]int{}
	var queue []grammar.Nonterminal
	found := func(nt grammar.Nonterminal) {
		if !productive[nt] {
			productive[nt] = true
			queue = append(queue, nt)
		}
	}
	for i, r := range rules {
		for _, s := range r.RHS {
			if !s.IsTerminal() && !productive[s.Nonterminal()] {
				waiting[i]++
				uses[s.Nonterminal()] = append(uses[s.Nonterminal()], i)
			}
		}
	}
	for i, r := range rules {
		if waiting[i] == 0 {
			found(r.LHS)
		}
	}
	for len(queue) > 0 {
		nt := queue[0]
		queue = queue[1:]
		for _, i := range uses[nt] {
			if waiting[i]--; waiting[i] == 0 {
				found(rules[i].LHS)
			}
		}
	}
}
