package dialects

import (
	"context"
	"fmt"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
)

// A source is a grammar as a dialect is given it: with the automata of its terminals, and without
// the rules and terminals that no text of the language uses, which some engines refuse. A terminal
// that is ignored, declared without a pattern or matches nothing never reaches the parser, so that
// a rule with one is of no use.
type source struct {
	ctx     context.Context
	g       *grammar.Grammar
	dialect string
	dfas    []*automata.DFA       // by terminal; nil if it is declared
	rank    []int                 // by terminal: the lower one wins
	rules   [][]*grammar.Rule     // by nonterminal, in the order of the grammar
	order   []grammar.Nonterminal // the start, then the others that are used, in the order of the grammar
	used    []grammar.Terminal    // in the order of the grammar
	ignored []grammar.Terminal    // in the order of the grammar
}

// newSource compiles the terminals of a grammar and checks what no dialect has.
func newSource(ctx context.Context, g *grammar.Grammar, dialect string) (*source, error) {
	g = g.Unsplit()
	s := &source{ctx: ctx, g: g, dialect: dialect, rank: lexer.Preference(g)}
	for i := range g.Terminals {
		switch def := &g.Terminals[i]; {
		case def.Name[0] == '%':
			return nil, s.unsupported(def.Pos, "directive in a rule, as %s is", def.Name)
		case def.Lazy:
			return nil, s.unsupported(def.Pos, "terminal that ends the lexemes of others ([lazy])")
		case def.Ignored && g.SkipsLate:
			return nil, s.unsupported(def.Pos, "rule that no ignored text begins a text (allow_initial_skip)")
		}
	}
	if len(g.Scopes) > 0 {
		return nil, s.unsupported(grammar.Position{}, "grammar in a rule (%%lark or @name)")
	}
	if g.Lexer == grammar.LexDynamic && strings.HasSuffix(dialect, "lark") {
		return nil, s.unsupported(grammar.Position{}, "way to read a text without a lexer (%%lexer dynamic)")
	}
	if g.Layout != nil {
		return nil, s.unsupported(g.Layout.Pos, "layout (indentation that counts)")
	}
	if len(g.Modes) > 1 {
		return nil, s.unsupported(g.Modes[1].Pos, "modes (terminals that are read in some places only)")
	}
	if g.ComparesItems() {
		return nil, s.unsupported(grammar.Position{}, "comparison of the items of arrays (%%items, uniqueItems)")
	}
	limits := automata.DefaultLimits
	limits.Context = ctx
	s.dfas = make([]*automata.DFA, len(g.Terminals))
	for i := range g.Terminals {
		def := &g.Terminals[i]
		if def.Declared {
			continue
		}
		d, err := automata.Compile(def.Expr, limits)
		if err != nil {
			return nil, fmt.Errorf("grammar %s: terminal %s: %w", g.Name, def.Name, err)
		}
		if d.HasContexts() {
			return nil, s.unsupported(def.Pos, "terminal that asks what follows it, as %s does", def.Name)
		}
		if d.MatchesEmpty() {
			return nil, s.unsupported(def.Pos, "terminal that matches the empty string, as %s does", def.Name)
		}
		s.dfas[i] = d
	}
	return s, s.reduce()
}

// reduce finds what takes part in a text of the language.
func (s *source) reduce() error {
	useful := s.productive()
	s.rules = make([][]*grammar.Rule, len(s.g.Nonterminals))
	for i := range s.g.Rules {
		if r := &s.g.Rules[i]; s.derives(r, useful) {
			s.rules[r.LHS] = append(s.rules[r.LHS], r)
		}
	}
	if !useful[s.g.Start] {
		return s.unsupported(s.g.Nonterminals[s.g.Start].Pos, "grammar without any text, such as this one")
	}
	s.order, s.used, s.ignored = nil, nil, nil
	nonterminals, terminals := s.reachable()
	s.order = append(s.order, s.g.Start)
	for n, reached := range nonterminals {
		if reached && grammar.Nonterminal(n) != s.g.Start {
			s.order = append(s.order, grammar.Nonterminal(n))
		}
	}
	for t := range s.g.Terminals {
		switch {
		case terminals[t]:
			s.used = append(s.used, grammar.Terminal(t))
		case s.g.Terminals[t].Ignored && !s.dfas[t].IsEmpty():
			s.ignored = append(s.ignored, grammar.Terminal(t))
		}
	}
	return nil
}

// productive tells which nonterminals derive a sequence of terminals that the lexer can deliver.
func (s *source) productive() []bool {
	useful := make([]bool, len(s.g.Nonterminals))
	for changed := true; changed; {
		changed = false
		for i := range s.g.Rules {
			if r := &s.g.Rules[i]; !useful[r.LHS] && s.derives(r, useful) {
				useful[r.LHS], changed = true, true
			}
		}
	}
	return useful
}

// derives tells whether every symbol of a rule can be had.
func (s *source) derives(r *grammar.Rule, useful []bool) bool {
	for _, sym := range r.RHS {
		if sym.IsTerminal() {
			t := sym.Terminal()
			if s.dfas[t] == nil || s.dfas[t].IsEmpty() || s.g.Terminals[t].Ignored {
				return false
			}
		} else if !useful[sym.Nonterminal()] {
			return false
		}
	}
	return true
}

// reachable tells which symbols the start rule uses.
func (s *source) reachable() (nonterminals, terminals []bool) {
	nonterminals, terminals = make([]bool, len(s.g.Nonterminals)), make([]bool, len(s.g.Terminals))
	nonterminals[s.g.Start] = true
	for queue := []grammar.Nonterminal{s.g.Start}; len(queue) > 0; {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, r := range s.rules[n] {
			for _, sym := range r.RHS {
				if sym.IsTerminal() {
					terminals[sym.Terminal()] = true
				} else if m := sym.Nonterminal(); !nonterminals[m] {
					nonterminals[m] = true
					queue = append(queue, m)
				}
			}
		}
	}
	return nonterminals, terminals
}

// nullable tells which nonterminals derive the empty sequence.
func (s *source) nullable() []bool {
	null := make([]bool, len(s.g.Nonterminals))
	for changed := true; changed; {
		changed = false
		for n, rules := range s.rules {
			for _, r := range rules {
				if !null[n] && allNullable(r.RHS, null) {
					null[n], changed = true, true
				}
			}
		}
	}
	return null
}

func allNullable(symbols []grammar.Symbol, null []bool) bool {
	for _, sym := range symbols {
		if sym.IsTerminal() || !null[sym.Nonterminal()] {
			return false
		}
	}
	return true
}
