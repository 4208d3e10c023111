package grammar

import (
	"fmt"
	"strings"
)

// Validate checks what every consumer relies on: symbols in range, no empty or duplicate terminal
// names, patterns present, layout terminals sound. Front ends call it last; a failure there is a
// mistake in the front end unless the error has a position.
func (g *Grammar) Validate() error {
	if int(g.Start) < 0 || int(g.Start) >= len(g.Nonterminals) {
		return fmt.Errorf("grammar %s: start symbol %d is out of range", g.Name, g.Start)
	}
	if err := g.validateTerminals(); err != nil {
		return err
	}
	if err := g.validateRules(); err != nil {
		return err
	}
	if err := g.validateModes(); err != nil {
		return err
	}
	if len(g.Scopes) > 0 && (g.Lexer == LexAll || g.Modes != nil || g.Layout != nil || g.Conflicts != ResolveConflicts) {
		return fmt.Errorf("grammar %s: one with another in a rule has neither %%layout, %%mode, %%conflicts keep nor %%lexer all", g.Name)
	}
	return g.validateLayout()
}

func (g *Grammar) validateModes() error {
	if g.Modes == nil {
		return nil
	}
	has := make([]bool, len(g.Terminals))
	for i := range g.Modes {
		m := &g.Modes[i]
		for _, t := range m.Terminals {
			if int(t) < 0 || int(t) >= len(g.Terminals) || g.Terminals[t].Declared {
				return &Error{Pos: m.Pos, Message: fmt.Sprintf("mode %s has terminal %d, which no lexeme is", m.Name, t)}
			}
			has[t] = true
		}
	}
	for i := range g.Terminals {
		t := &g.Terminals[i]
		if t.Next < 0 || t.Next >= len(g.Modes) || !has[i] && !t.Declared {
			return &Error{Pos: t.Pos, Message: fmt.Sprintf("terminal %s is in no mode, or no mode is after it", t.Name)}
		}
	}
	if g.Lexer != LexFirst {
		return &Error{Pos: g.Modes[len(g.Modes)-1].Pos, Message: "%mode needs the lexer's first mode: one terminal says which mode is next"}
	}
	return nil
}

func (g *Grammar) validateTerminals() error {
	seen := make(map[string]bool, len(g.Terminals))
	for i := range g.Terminals {
		t := &g.Terminals[i]
		switch {
		case t.Name == "":
			return &Error{Pos: t.Pos, Message: fmt.Sprintf("terminal %d has no name", i)}
		case seen[t.Name]:
			return &Error{Pos: t.Pos, Message: fmt.Sprintf("terminal %s is defined twice", t.Name)}
		case t.Expr == nil && !t.Declared:
			return &Error{Pos: t.Pos, Message: fmt.Sprintf("terminal %s has no pattern", t.Name)}
		case t.Expr != nil && t.Declared:
			return &Error{Pos: t.Pos, Message: fmt.Sprintf("terminal %s is declared and has a pattern", t.Name)}
		}
		seen[t.Name] = true
	}
	return nil
}

func (g *Grammar) validateRules() error {
	for i := range g.Rules {
		r := &g.Rules[i]
		if int(r.LHS) < 0 || int(r.LHS) >= len(g.Nonterminals) {
			return &Error{Pos: r.Pos, Message: fmt.Sprintf("rule %d has no left-hand side", i)}
		}
		for _, s := range r.RHS {
			if s.IsTerminal() && int(s) >= len(g.Terminals) || !s.IsTerminal() && int(s.Nonterminal()) >= len(g.Nonterminals) {
				return &Error{Pos: r.Pos, Message: fmt.Sprintf("rule %d has a symbol out of range", i)}
			}
		}
	}
	return nil
}

func (g *Grammar) validateLayout() error {
	l := g.Layout
	if l == nil {
		return nil
	}
	fail := func(format string, args ...any) error {
		return &Error{Pos: l.Pos, Message: "%layout: " + fmt.Sprintf(format, args...)}
	}
	for _, t := range append([]Terminal{l.Newline, l.Indent, l.Dedent}, append(l.Open, l.Close...)...) {
		if int(t) < 0 || int(t) >= len(g.Terminals) {
			return fail("terminal %d is out of range", t)
		}
		if g.Terminals[t].Ignored {
			return fail("terminal %s is ignored", g.Terminals[t].Name)
		}
	}
	switch {
	case l.Tab < 1:
		return fail("tab must be at least 1, is %d", l.Tab)
	case l.Alternate < 0:
		return fail("alternate must be at least 1, is %d", l.Alternate)
	case len(l.Join) > 1 || strings.ContainsAny(l.Join, " \t\f\r\n"):
		return fail("join must be one byte that is no white space, is %q", l.Join)
	case g.Lexer == LexAll:
		return fail("needs the lexer's first mode: a lexeme must be one terminal to have one column")
	case g.Terminals[l.Newline].Declared:
		return fail("newline terminal %s needs a pattern", g.Terminals[l.Newline].Name)
	case !g.Terminals[l.Indent].Declared || !g.Terminals[l.Dedent].Declared:
		return fail("indent and dedent terminals must come by %%declare")
	}
	return nil
}
