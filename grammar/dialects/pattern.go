package dialects

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// pattern is terminal t as an expression of literals, classes, sequences, alternatives and greedy
// repeats alone: its own if it is one, or else that of its automaton.
func (s *source) pattern(t grammar.Terminal) (*automata.Expr, error) {
	def := &s.g.Terminals[t]
	if e := def.Expr; !e.HasLazy() && isPlain(e) {
		return e, nil
	}
	return s.patternOf(s.dfas[t], def)
}

// patternOf is the expression of an automaton, made for a terminal.
func (s *source) patternOf(d *automata.DFA, def *grammar.TerminalDef) (*automata.Expr, error) {
	e, err := d.Expr()
	if errors.Is(err, automata.ErrNotText) {
		return nil, s.unsupported(def.Pos, "byte strings that are no UTF-8 text, as terminal %s has", def.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("grammar %s: terminal %s in %s: %w", s.g.Name, def.Name, s.dialect, err)
	}
	return e, nil
}

// isPlain tells whether an expression has only the forms that every dialect has.
func isPlain(e *automata.Expr) bool {
	n := e.Node()
	switch n.Form {
	case automata.FormLiteral:
		return utf8.ValidString(n.Text)
	case automata.FormClass:
		return len(n.Ranges) > 0
	case automata.FormOther:
		return false
	case automata.FormRepeat:
		if sub := n.Subs[0].Node(); sub.Form == automata.FormLiteral && sub.Text == "" {
			return false
		}
	}
	for _, sub := range n.Subs {
		if !isPlain(sub) {
			return false
		}
	}
	return true
}

// literalText is the text of an expression that matches nothing else.
func literalText(e *automata.Expr) (string, bool) {
	n := e.Node()
	switch n.Form {
	case automata.FormLiteral:
		return n.Text, true
	case automata.FormConcat:
		if subs := joined(n.Subs); len(subs) == 1 {
			return literalText(subs[0])
		}
	}
	return "", false
}
