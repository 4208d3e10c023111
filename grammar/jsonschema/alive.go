package jsonschema

import (
	"fmt"
	"slices"

	"gcdbench/grammar"
)

// What has no instance. Two questions are asked of it, which must not be confused. While normal forms are made, a
// clause that is seen to be empty may be dropped: this saves work, and it proves that branches of oneOf are
// apart, so that "empty" must be certain and "maybe" is always a right answer (alive, inhabited). When the
// grammar is written, what derives nothing is trimmed, exactly and whatever the reason: that is a property of
// grammars (productiveSymbols), and also finds schemas without finite instances, such as one that requires itself.

// aliveDepth is how deep it is looked for a reason why two schemas have no instance in common. A
// discriminating property is at depth 1.
const aliveDepth = 3

// disjoint tells whether no value of kind k satisfies both schemas, as far as is seen: false is
// always safe, since the branches of oneOf are then told apart by negation.
func (c *compiler) disjoint(x, y ref, k jsonKind) (bool, error) {
	if x == y {
		return false, nil
	}
	before := c.truncations
	clauses, err := c.clausesOf([]ref{x, y}, k)
	if err != nil || c.truncations != before {
		return false, err
	}
	for _, cl := range clauses {
		if c.alive(c.withGiven(cl, k), k, aliveDepth) {
			return false, nil
		}
	}
	return true, nil
}

// alive is false only if the clause has no instance. Errors count as alive; they are met again where
// they matter.
func (c *compiler) alive(x clause, k jsonKind, depth int) bool {
	if depth == 0 || len(x) == 0 {
		return true
	}
	switch k {
	case kindNumber, kindString:
		if k == kindNumber && slices.ContainsFunc(x, func(l *literal) bool { return l.op == opWhole && l.not }) {
			return true // 1 and 1.0 are told apart as texts, and equal as values
		}
		l, err := c.clauseLanguage(x, k)
		return err != nil || !l.d.IsEmpty() || l.narrow && (k == kindNumber || c.mayHold(x))
	case kindArray:
		e := &arrayEmitter{c: c}
		for _, l := range x {
			if l.op == opItems {
				e.items = append(e.items, l)
			}
		}
		n, _ := limits(x)
		for i := range min(n, 8) {
			if !c.inhabited(e.values(i), depth-1) {
				return false
			}
		}
	case kindObject:
		tables := tablesOf(x)
		for _, l := range x {
			if l.op != opRequired || len(tables) == 0 || c.ctx.Err() != nil {
				continue
			}
			var values []ref
			var err error
			for _, o := range tables {
				if err == nil {
					values, err = o.props.valueOf(l.strs[0], values)
				}
			}
			if err == nil && !c.inhabited(values, depth-1) {
				return false
			}
		}
	}
	return true
}

// inhabited is false only if no value satisfies all of refs.
func (c *compiler) inhabited(refs []ref, depth int) bool {
	if depth == 0 {
		return true
	}
	key := fmt.Sprint(refs, depth)
	answer, ok := c.answers[key]
	if !ok {
		answer = c.findInstance(refs, depth)
		c.answers[key] = answer
	}
	return answer
}

func (c *compiler) findInstance(refs []ref, depth int) bool {
	defer c.elsewhere()()
	for k := range numKinds {
		before := c.truncations
		clauses, err := c.clausesOf(refs, k)
		if err != nil || c.truncations != before {
			return true
		}
		for _, x := range clauses {
			if c.alive(x, k, depth) {
				return true
			}
		}
	}
	return false
}

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

// rebuild renumbers what is left.
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

// productiveSymbols marks the nonterminals that derive something: each rule waits for its symbols.
func productiveSymbols(g *grammar.Grammar) []bool {
	productive := make([]bool, len(g.Nonterminals))
	waiting := make([]int, len(g.Rules))
	uses := make([][]int, len(g.Nonterminals))
	var queue []grammar.Nonterminal
	found := func(nt grammar.Nonterminal) {
		if !productive[nt] {
			productive[nt] = true
			queue = append(queue, nt)
		}
	}
	for i, r := range g.Rules {
		for _, s := range r.RHS {
			if !s.IsTerminal() {
				waiting[i]++
				uses[s.Nonterminal()] = append(uses[s.Nonterminal()], i)
			}
		}
		if waiting[i] == 0 {
			found(r.LHS)
		}
	}
	for len(queue) > 0 {
		nt := queue[0]
		queue = queue[1:]
		for _, i := range uses[nt] {
			if waiting[i]--; waiting[i] == 0 {
				found(g.Rules[i].LHS)
			}
		}
	}
	return productive
}
