package jsonschema

import (
	"slices"
	"strconv"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A writer adds nonterminals, rules and terminals to a grammar. Equal terminals are one.
type writer struct {
	kept        *Kept
	anySpace    bool // white space is ignored, so that separators have none
	g           *grammar.Grammar
	symbols     []grammar.Symbol          // of rules, which share the block
	fixed       map[string]grammar.Symbol // terminals of texts
	roles       map[roleOf]grammar.Symbol // terminals with a part in comparing items
	keys        map[string]grammar.Symbol
	byAutomaton map[*automata.DFA]grammar.Symbol
	byExpr      map[*automata.Expr]grammar.Symbol
}

func newWriter(opt Options) *writer {
	return &writer{
		kept: opt.Kept, anySpace: opt.WhiteSpace == AnySpace,
		g:     &grammar.Grammar{Name: opt.Name, Lexer: grammar.LexAll, Conflicts: grammar.KeepConflicts},
		fixed: map[string]grammar.Symbol{}, roles: map[roleOf]grammar.Symbol{}, keys: map[string]grammar.Symbol{},
		byAutomaton: map[*automata.DFA]grammar.Symbol{}, byExpr: map[*automata.Expr]grammar.Symbol{},
	}
}

func (w *writer) nonterminal(name string) grammar.Nonterminal {
	w.g.Nonterminals = append(w.g.Nonterminals, grammar.NonterminalDef{Name: name})
	return grammar.Nonterminal(len(w.g.Nonterminals) - 1)
}

// numbered is a nonterminal with a name that ends in its number.
func (w *writer) numbered(name string) grammar.Nonterminal {
	return w.nonterminal(name + strconv.Itoa(len(w.g.Nonterminals)))
}

// firstRules is for how many rules there is room at first.
const firstRules = 32

// rule adds a rule. Its symbols are copied to a block of many, which rules of few symbols share.
func (w *writer) rule(lhs grammar.Nonterminal, rhs ...grammar.Symbol) {
	if len(w.symbols)+len(rhs) > cap(w.symbols) {
		w.symbols = make([]grammar.Symbol, 0, 256+len(rhs))
	}
	if len(w.g.Rules) == cap(w.g.Rules) { // append grows a long list by a quarter, and copies it that often
		w.g.Rules = slices.Grow(w.g.Rules, max(firstRules, len(w.g.Rules)))
	}
	first := len(w.symbols)
	w.symbols = append(w.symbols, rhs...)
	w.g.Rules = append(w.g.Rules, grammar.Rule{LHS: lhs, RHS: w.symbols[first:len(w.symbols):len(w.symbols)]})
}

func (w *writer) terminal(def grammar.TerminalDef) grammar.Symbol {
	w.g.Terminals = append(w.g.Terminals, def)
	return grammar.T(grammar.Terminal(len(w.g.Terminals) - 1))
}

// fixedTerminal is the terminal of one of texts: of a text itself if it has no name, else of a
// pattern.
func (w *writer) fixedTerminal(text, name string) grammar.Symbol {
	t, ok := w.fixed[text]
	if !ok {
		def := grammar.TerminalDef{Name: name, Expr: texts()[text], Source: text}
		if name == "" {
			def.Name, def.Literal = "lit_"+strconv.Itoa(len(w.g.Terminals)), true
		}
		t = w.terminal(def)
		w.fixed[text] = t
	}
	return t
}

// A roleOf is a terminal and a role.
type roleOf struct {
	of   grammar.Symbol
	role grammar.ItemRole
}

// withRole is a terminal of the same texts as another that has a part in comparing items; that one
// itself if it has none.
func (w *writer) withRole(of grammar.Symbol, role grammar.ItemRole) grammar.Symbol {
	if role == grammar.NoItems {
		return of
	}
	t, ok := w.roles[roleOf{of, role}]
	if !ok {
		def := w.g.Terminals[of.Terminal()]
		def.Name, def.Items = def.Name+"_"+grammar.ItemRoles[role], role
		t = w.terminal(def)
		w.roles[roleOf{of, role}] = t
	}
	return t
}

func (w *writer) literalTerminal(text string) grammar.Symbol { return w.fixedTerminal(text, "") }

func (w *writer) comma() grammar.Symbol {
	if w.anySpace {
		return w.literalTerminal(",")
	}
	return w.fixedTerminal(spacedComma, "comma")
}

func (w *writer) colon() grammar.Symbol {
	if w.anySpace {
		return w.literalTerminal(":")
	}
	return w.fixedTerminal(spacedColon, "colon")
}

// automatonTerminal is the terminal of an automaton; equal automata share one.
func (w *writer) automatonTerminal(name string, d *automata.DFA) grammar.Symbol {
	if s, ok := w.byAutomaton[d]; ok {
		return s
	}
	e := w.kept.terminalOf(d)
	s, ok := w.byExpr[e]
	if !ok {
		name += "_" + strconv.Itoa(len(w.g.Terminals))
		s = w.terminal(grammar.TerminalDef{Name: name, Expr: e, Source: name})
		w.byExpr[e] = s
	}
	w.byAutomaton[d] = s
	return s
}

// keyTerminal is the terminal of one key.
func (w *writer) keyTerminal(key string) (grammar.Symbol, error) {
	if s, ok := w.keys[key]; ok {
		return s, nil
	}
	d, err := w.kept.keyAutomaton(key)
	if err != nil {
		return 0, err
	}
	quoted := strconv.Quote(key)
	s := w.terminal(grammar.TerminalDef{Name: "key " + quoted, Expr: w.kept.terminalOf(d), Source: quoted, Key: true})
	w.keys[key] = s
	return s, nil
}
