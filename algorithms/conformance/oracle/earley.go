package oracle

import "gcdbench/grammar"

// earley recognises terminal strings of a context-free grammar with charts: no tables, no
// lookahead, no treatment of special cases, just the definition run to a fixed point.
type earley struct {
	g      *grammar.Grammar
	byLHS  [][]int
	charts map[string][]map[item]bool
}

// An item is a rule with a dot, and where it began. Rule -1 is "the whole sentence".
type item struct {
	rule, dot, origin int
}

func newEarley(g *grammar.Grammar) *earley {
	e := &earley{g: g, byLHS: make([][]int, len(g.Nonterminals)), charts: map[string][]map[item]bool{}}
	for i := range g.Rules {
		e.byLHS[g.Rules[i].LHS] = append(e.byLHS[g.Rules[i].LHS], i)
	}
	return e
}

func (e *earley) rhs(rule int) []grammar.Symbol {
	if rule < 0 {
		return []grammar.Symbol{grammar.N(e.g.Start)}
	}
	return e.g.Rules[rule].RHS
}

func key(w []grammar.Terminal) string {
	b := make([]byte, 0, 2*len(w))
	for _, t := range w {
		b = append(b, byte(t), byte(t>>8))
	}
	return string(b)
}

// chart is the item sets before, between and after the terminals of w. Charts of prefixes are
// remembered, since texts are tried that differ at the end only.
func (e *earley) chart(w []grammar.Terminal) []map[item]bool {
	if c, ok := e.charts[key(w)]; ok {
		return c
	}
	var sets []map[item]bool
	next := map[item]bool{}
	if len(w) == 0 {
		next[item{-1, 0, 0}] = true
	} else {
		sets = append(sets, e.chart(w[:len(w)-1])...)
		for it := range sets[len(sets)-1] {
			if rhs := e.rhs(it.rule); it.dot < len(rhs) && rhs[it.dot] == grammar.T(w[len(w)-1]) {
				next[item{it.rule, it.dot + 1, it.origin}] = true
			}
		}
	}
	sets = append(sets, next)
	for e.step(sets) {
	}
	e.charts[key(w)] = sets
	return sets
}

// step predicts and completes in the last set once; it tells whether anything was new.
func (e *earley) step(sets []map[item]bool) bool {
	at := len(sets) - 1
	var add []item
	for it := range sets[at] {
		rhs := e.rhs(it.rule)
		if it.dot == len(rhs) {
			if it.rule < 0 {
				continue
			}
			done := grammar.N(e.g.Rules[it.rule].LHS)
			for from := range sets[it.origin] {
				if r := e.rhs(from.rule); from.dot < len(r) && r[from.dot] == done {
					add = append(add, item{from.rule, from.dot + 1, from.origin})
				}
			}
		} else if s := rhs[it.dot]; !s.IsTerminal() {
			for _, r := range e.byLHS[s.Nonterminal()] {
				add = append(add, item{r, 0, at})
			}
		}
	}
	before := len(sets[at])
	for _, it := range add {
		sets[at][it] = true
	}
	return len(sets[at]) > before
}

// viable tells whether w begins a sentence (of a grammar whose nonterminals all derive something).
func (e *earley) viable(w []grammar.Terminal) bool {
	sets := e.chart(w)
	return len(sets[len(w)]) > 0
}

// accepts tells whether w is a sentence.
func (e *earley) accepts(w []grammar.Terminal) bool {
	return e.chart(w)[len(w)][item{-1, 1, 0}]
}

// unproductive finds a nonterminal that derives no terminal string.
func (e *earley) unproductive() (grammar.Nonterminal, bool) {
	productive := make([]bool, len(e.g.Nonterminals))
	for changed := true; changed; {
		changed = false
		for i := range e.g.Rules {
			r := &e.g.Rules[i]
			all := true
			for _, s := range r.RHS {
				all = all && (s.IsTerminal() || productive[s.Nonterminal()])
			}
			if all && !productive[r.LHS] {
				productive[r.LHS], changed = true, true
			}
		}
	}
	for n, ok := range productive {
		if !ok {
			return grammar.Nonterminal(n), true
		}
	}
	return 0, false
}
