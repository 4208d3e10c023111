package dialects

import (
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// Terminals that only the end of the text can follow. Where a line break with the comments in front
// of it is a terminal, as in Go, `// a` at the end of a text is one too: every byte continues it
// but the line's end, which belongs to it. Without maximal munch it could end anywhere, and the
// rest of the comment would be read as program.
//
// So such a terminal is split in two: what it matches and something can follow, and the rest, which
// may only be the text's last terminal. The grammar gets a second nonterminal for each that can end
// in such a one: from X -> a Y b, where b can be empty, comes X-end -> a Y-end.

// A splitter makes the grammar with split terminals of another one.
type splitter struct {
	*source
	g        grammar.Grammar
	terminal map[grammar.Terminal]grammar.Terminal       // by terminal: its matches that nothing can follow
	end      map[grammar.Nonterminal]grammar.Nonterminal // by nonterminal: what ends in such a terminal
	queue    []grammar.Nonterminal                       // those of end whose rules are not written yet
	null     []bool
}

// splitEnds makes the grammar with split terminals. Its start is a new nonterminal with one or two
// rules: the start of s, and what ends in a terminal that nothing can follow, called atEnd.
func (s *source) splitEnds() (split *source, atEnd grammar.Nonterminal, err error) {
	x := &splitter{source: s, g: *s.g, null: s.nullable(),
		terminal: map[grammar.Terminal]grammar.Terminal{}, end: map[grammar.Nonterminal]grammar.Nonterminal{}}
	x.g.Terminals = slices.Clone(s.g.Terminals)
	x.g.Nonterminals = slices.Clone(s.g.Nonterminals)
	x.g.Rules = slices.Clone(s.g.Rules)
	if err := x.splitTerminals(); err != nil {
		return nil, 0, err
	}
	root := x.nonterminal("root")
	x.rule(root, grammar.N(s.g.Start))
	atEnd = x.ending(s.g.Start)
	x.rule(root, grammar.N(atEnd))
	for len(x.queue) > 0 {
		n := x.queue[0]
		x.queue = x.queue[1:]
		x.endRules(n)
	}
	x.g.Start = root
	split, err = newSource(s.ctx, &x.g, s.dialect)
	return split, atEnd, err
}

func (x *splitter) nonterminal(name string) grammar.Nonterminal {
	x.g.Nonterminals = append(x.g.Nonterminals, grammar.NonterminalDef{Name: name})
	return grammar.Nonterminal(len(x.g.Nonterminals) - 1)
}

func (x *splitter) rule(lhs grammar.Nonterminal, rhs ...grammar.Symbol) {
	x.g.Rules = append(x.g.Rules, grammar.Rule{LHS: lhs, RHS: rhs})
}

// splitTerminals replaces the terminals of x.g that have matches which nothing can follow.
func (x *splitter) splitTerminals() error {
	first := x.firstBytes(x.defined())
	limits := automata.DefaultLimits
	limits.Context = x.ctx
	for _, t := range x.used {
		followed, last, err := split(x.dfas[t], first, limits)
		if err != nil {
			return err
		}
		if last.IsEmpty() {
			continue
		}
		def := x.g.Terminals[t]
		x.g.Terminals[t].Expr = automata.FromDFA(followed)
		def.Name, def.Expr = def.Name+"_END", automata.FromDFA(last)
		x.terminal[t] = grammar.Terminal(len(x.g.Terminals))
		x.g.Terminals = append(x.g.Terminals, def)
	}
	return nil
}

// ending is the nonterminal of what n derives and ends in a terminal that nothing can follow.
func (x *splitter) ending(n grammar.Nonterminal) grammar.Nonterminal {
	m, ok := x.end[n]
	if !ok {
		m = x.nonterminal(x.g.Nonterminals[n].Name + "_end")
		x.end[n] = m
		x.queue = append(x.queue, n)
	}
	return m
}

// endRules writes the rules of ending(n). Many derive nothing, and are left out when the grammar is
// reduced.
func (x *splitter) endRules(n grammar.Nonterminal) {
	for _, r := range x.rules[n] {
		for i := len(r.RHS) - 1; i >= 0; i-- {
			sym := r.RHS[i]
			before := slices.Clone(r.RHS[:i])
			if !sym.IsTerminal() {
				x.rule(x.end[n], append(before, grammar.N(x.ending(sym.Nonterminal())))...)
			} else if last, ok := x.terminal[sym.Terminal()]; ok {
				x.rule(x.end[n], append(before, grammar.T(last))...)
			}
			if sym.IsTerminal() || !x.null[sym.Nonterminal()] {
				break
			}
		}
	}
}

// split parts the matches of a terminal: those that one of the first bytes can follow, and the
// others.
func split(d *automata.DFA, first *[256]bool, limits automata.Limits) (followed, last *automata.DFA, err error) {
	var goes, end []int32
	var transitions []automata.Transition
	for q := range int32(d.NumStates()) {
		switch {
		case d.Accepting(q) && canFollow(d, q, first):
			goes = append(goes, q)
		case d.Accepting(q):
			end = append(end, q)
		}
		for b := range 256 {
			if to := d.Next(q, byte(b)); to != automata.Dead {
				transitions = append(transitions, automata.Transition{From: q, Lo: byte(b), Hi: byte(b), To: to})
			}
		}
	}
	if followed, err = automata.FromTransitions(d.NumStates(), goes, transitions, limits); err != nil {
		return nil, nil, err
	}
	last, err = automata.FromTransitions(d.NumStates(), end, transitions, limits)
	return followed, last, err
}
