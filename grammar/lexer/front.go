package lexer

import (
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A terminal may ask what stands in front of its match, by a lookbehind or \b at its beginning.
// Then all terminals are compiled for each kind of text that may stand there (automata.Front), and
// a lexeme begins in a start state that knows the kind.

// frontOf is what the terminals of a grammar ask of the text in front of their matches; nil if they
// ask nothing.
func frontOf(g *grammar.Grammar, bounds automata.Limits) (*automata.Front, error) {
	var asking []*automata.Expr
	for i := range g.Terminals {
		def := &g.Terminals[i]
		if def.Expr == nil || !def.Expr.HasLookbehind() {
			continue
		}
		if asking == nil { // then one of the others need not look in front, and does no harm
			if _, err := automata.Compile(def.Expr, bounds); !automata.LooksInFront(err) {
				continue
			}
		}
		asking = append(asking, def.Expr)
	}
	if asking == nil {
		return nil, nil
	}
	return automata.NewFront(asking, bounds)
}

// dfaOf is the automaton of a terminal. One that asks for something in front begins with the kind
// of what stands there.
func (p *product) dfaOf(e *automata.Expr, bounds automata.Limits) (d *automata.DFA, err error) {
	if p.front == nil || !e.HasLookbehind() {
		return automata.Compile(e, bounds)
	}
	if d, err = p.front.Compile(e); err == nil {
		p.asking[d] = true
	}
	return d, err
}

// matchesEmpty tells whether a terminal matches the empty string, behind any text.
func (p *product) matchesEmpty(d *automata.DFA) bool {
	if !p.asking[d] {
		return d.MatchesEmpty()
	}
	for kind := range p.front.Kinds() {
		if s := d.Next(d.Start(), byte(kind)); s != automata.Dead && d.Accepting(s) {
			return true
		}
	}
	return false
}
