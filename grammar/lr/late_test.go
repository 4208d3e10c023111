package lr

import (
	"context"

	"gcdbench/grammar"
)

// late is a grammar with the language of g of which no rule is written yet. Each nonterminal is
// written alone, and terminals appear with the first rule that has them. No rule of g may be
// useless.
func late(g *grammar.Grammar) *grammar.Grammar {
	d := &demand{whole: *g, written: make([]bool, len(g.Nonterminals))}
	d.whole.Terminals, d.whole.Rules = nil, nil
	d.rules = make([][]grammar.Rule, len(g.Nonterminals))
	numbers := map[grammar.Symbol]grammar.Symbol{} // terminals in the order of the rules
	for _, r := range g.Rules {
		rhs := make([]grammar.Symbol, len(r.RHS))
		for i, s := range r.RHS {
			rhs[i] = s
			if !s.IsTerminal() {
				continue
			}
			if _, known := numbers[s]; !known {
				numbers[s] = grammar.T(grammar.Terminal(len(d.whole.Terminals)))
				d.whole.Terminals = append(d.whole.Terminals, g.Terminals[s.Terminal()])
			}
			rhs[i] = numbers[s]
		}
		r.RHS = rhs
		d.rules[r.LHS] = append(d.rules[r.LHS], r)
		d.whole.Rules = append(d.whole.Rules, r)
	}
	var terminals []grammar.TerminalDef
	for _, t := range g.Terminals {
		if t.Ignored || t.Items == grammar.OpensItems { // which says from the beginning that items are compared
			terminals = append(terminals, t)
		}
	}
	d.now = d.whole
	d.now.Demand, d.now.Terminals, d.now.Rules = d, terminals, nil
	d.first = len(terminals)
	return &d.now
}

// demand writes the rules of a grammar that is there. Their terminals are numbered from first on.
type demand struct {
	whole   grammar.Grammar
	rules   [][]grammar.Rule // by nonterminal
	written []bool
	now     grammar.Grammar
	first   int
	last    *grammar.Grammar
}

// Written implements grammar.Demand.
func (d *demand) Written(n grammar.Nonterminal) bool { return d.written[n] }

// Write implements grammar.Demand.
func (d *demand) Write(_ context.Context, n grammar.Nonterminal) (*grammar.Grammar, error) {
	if d.last == nil {
		d.last = &d.now
	}
	g := *d.last
	d.written[n] = true
	for _, r := range d.rules[n] {
		rhs := make([]grammar.Symbol, len(r.RHS))
		for i, s := range r.RHS {
			if rhs[i] = s; s.IsTerminal() {
				rhs[i] = grammar.T(s.Terminal() + grammar.Terminal(d.first))
				for len(g.Terminals) <= int(rhs[i]) {
					g.Terminals = append(g.Terminals, d.whole.Terminals[len(g.Terminals)-d.first])
				}
			}
		}
		r.RHS = rhs
		g.Rules = append(g.Rules, r)
	}
	d.last = &g
	return &g, nil
}

// WriteAll implements grammar.Demand.
func (d *demand) WriteAll(ctx context.Context) (*grammar.Grammar, error) {
	for n := range d.written {
		if !d.written[n] {
			if _, err := d.Write(ctx, grammar.Nonterminal(n)); err != nil {
				return nil, err
			}
		}
	}
	all := *d.last
	all.Demand = nil
	return &all, nil
}
