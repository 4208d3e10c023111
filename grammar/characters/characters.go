// Package characters turns a grammar over terminals into one over characters. Grammars without a
// lexer need it: those of llama.cpp and XGrammar, and those that Lark reads with its dynamic
// lexers.
//
// # What it does
//
// The terminals of the grammar that Of returns are classes of characters: two characters share one
// if no pattern tells them apart. Their lexemes are single characters, so that a lexer for them
// decides nothing. A terminal of the grammar before becomes a nonterminal, whose rules are
//
//   - its strings, if it has few (a keyword, a sign);
//   - otherwise one rule for each edge of its automaton: A_q -> A_p c, if p goes to q on characters
//     of class c. The parser's stack then stays as deep as it is, however long the text is.
//
// Conflicts are kept. So the parser follows all ways to cut a text into terminals at once, and
// whatever runs grammars with kept conflicts runs these, without knowing of them.
//
// # Ignored text
//
// Ignored text may stand before the first terminal and after each: the rules of a terminal T are
// T -> text and T -> text ignored. It is a sequence of ignored terminals, each of which goes on as
// long as its pattern can: a comment ends at the end of its line.
//
// # Context
//
// What a match may not have behind it is a restriction on what follows a rule
// (grammar.Rule.NotBefore), as far as it is one character. So is the end of ignored text. What
// stands in front of a match is known by kinds (automata.Front): a class of characters then has a
// terminal for each kind that it may be read behind, and the kind is a mode of the lexer.
//
// # What bounds it
//
// The rules are as many as the edges of the automata, times the classes on each: some thousands for
// the patterns of a programming language. The tables' own limits apply to them. A parser with a
// graph-structured stack bounds the time: linear where a text can be cut in few ways, and
// polynomial where it is ambiguous; nothing makes it endless.
package characters

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A writer makes the grammar.
type writer struct {
	g      *grammar.Grammar
	ctx    context.Context
	front  *automata.Front // nil: no terminal asks what stands in front of its match
	kinds  int             // of what may stand there
	used   []*graph        // by terminal: its automaton if rules use it, or else nil
	hidden []*graph        // by terminal: its automaton if it is ignored, or else nil
	out    grammar.Grammar
	skip   grammar.Symbol // the nonterminal of ignored text, if there is any
	skips  bool
}

// Of makes the grammar. The error is that of ctx, or a *grammar.Error about a terminal.
func Of(ctx context.Context, g *grammar.Grammar) (*grammar.Grammar, error) {
	w := &writer{g: g, ctx: ctx, used: make([]*graph, len(g.Terminals)), hidden: make([]*graph, len(g.Terminals))}
	if err := w.check(); err != nil {
		return nil, err
	}
	if err := w.read(); err != nil {
		return nil, err
	}
	w.out = grammar.Grammar{Name: g.Name, Conflicts: grammar.KeepConflicts, SHA256: g.SHA256, Start: g.Start}
	w.classes()
	w.out.Nonterminals = slices.Clone(g.Nonterminals)
	w.ignored()
	whole := w.terminals()
	for i := range g.Rules {
		r := g.Rules[i]
		r.RHS = slices.Clone(r.RHS)
		for k, x := range r.RHS {
			if x.IsTerminal() {
				r.RHS[k] = whole[x.Terminal()]
			}
		}
		w.out.Rules = append(w.out.Rules, r)
	}
	w.begin()
	w.modes()
	w.out.Split = &grammar.Split{Of: g, Copies: make([][]grammar.Terminal, len(w.out.Terminals))}
	for t := range w.out.Split.Copies {
		w.out.Split.Copies[t] = []grammar.Terminal{grammar.Terminal(t)}
	}
	return &w.out, ctx.Err()
}

// check refuses what needs lexemes. (Modes need another lexer: grammar.Grammar.Validate.)
func (w *writer) check() error {
	if l := w.g.Layout; l != nil {
		return &grammar.Error{Pos: l.Pos, Message: "a grammar that is read without a lexer has no %layout: there are no lexemes",
			Hint: "read it with the basic lexer: --lexer basic, or lexer: basic in a configuration"}
	}
	return nil
}

// read reads the automata of the terminals that occur in texts.
func (w *writer) read() error {
	if err := w.lookInFront(); err != nil {
		return err
	}
	for i := range w.g.Rules {
		for _, x := range w.g.Rules[i].RHS {
			if !x.IsTerminal() || w.used[x.Terminal()] != nil {
				continue
			}
			var err error
			if w.used[x.Terminal()], err = w.graph(x.Terminal()); err != nil {
				return err
			}
		}
	}
	for t := range w.g.Terminals {
		if !w.g.Terminals[t].Ignored {
			continue
		}
		x, err := w.graph(grammar.Terminal(t))
		if err != nil {
			return err
		}
		x.holdOn()
		w.hidden[t] = x
	}
	return nil
}

// lookInFront finds what terminals ask of the text in front of their matches.
func (w *writer) lookInFront() (err error) {
	w.kinds = 1
	var asking []*automata.Expr
	for i := range w.g.Terminals {
		if e := w.g.Terminals[i].Expr; e != nil && e.HasLookbehind() {
			asking = append(asking, e)
		}
	}
	if asking == nil {
		return nil
	}
	if w.front, err = automata.NewFront(asking, automata.Limits{Context: w.ctx}); err == nil {
		w.kinds = w.front.Kinds()
	}
	return err
}

// graph reads the automaton of a terminal. That of a declared one matches nothing.
func (w *writer) graph(t grammar.Terminal) (*graph, error) {
	def := &w.g.Terminals[t]
	if def.Declared {
		return &graph{}, nil
	}
	if def.Special != "" {
		return w.letter(t)
	}
	x, err := newGraph(def.Expr, w.front, automata.Limits{Context: w.ctx})
	if err != nil && w.ctx.Err() == nil {
		err = &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s: %v", def.Name, err)}
	}
	return x, err
}

// nonterminal adds a nonterminal.
func (w *writer) nonterminal(name string, pos grammar.Position) grammar.Symbol {
	n := grammar.N(grammar.Nonterminal(len(w.out.Nonterminals)))
	w.out.Nonterminals = append(w.out.Nonterminals, grammar.NonterminalDef{Name: name, Pos: pos})
	return n
}

func (w *writer) rule(lhs grammar.Symbol, pos grammar.Position, not []grammar.Terminal, rhs ...grammar.Symbol) {
	w.out.Rules = append(w.out.Rules, grammar.Rule{LHS: lhs.Nonterminal(), RHS: rhs, NotBefore: not, Pos: pos})
}

// ignored writes the rules of ignored text.
func (w *writer) ignored() {
	for t, x := range w.hidden {
		if x == nil {
			continue
		}
		def := &w.g.Terminals[t]
		if !w.skips {
			w.skip, w.skips = w.nonterminal("ignored text", def.Pos), true
		}
		one := w.text(x, def)
		w.rule(w.skip, def.Pos, nil, one)
		w.rule(w.skip, def.Pos, nil, w.skip, one)
	}
}

// terminals writes the rules of the terminals that rules use, and returns the nonterminal of each.
func (w *writer) terminals() []grammar.Symbol {
	whole := make([]grammar.Symbol, len(w.used))
	for t, x := range w.used {
		if x == nil {
			continue
		}
		def := &w.g.Terminals[t]
		whole[t] = w.text(x, def)
		if text := whole[t]; w.skips {
			whole[t] = w.nonterminal(def.Name, def.Pos)
			w.rule(whole[t], def.Pos, nil, text)
			w.rule(whole[t], def.Pos, nil, text, w.skip)
		}
	}
	return whole
}

// begin lets a text begin with ignored text.
func (w *writer) begin() {
	if !w.skips {
		return
	}
	start := w.nonterminal("text", w.g.Nonterminals[w.g.Start].Pos)
	w.rule(start, w.g.Nonterminals[w.g.Start].Pos, nil, grammar.N(w.g.Start))
	if !w.g.SkipsLate {
		w.rule(start, w.g.Nonterminals[w.g.Start].Pos, nil, w.skip, grammar.N(w.g.Start))
	}
	w.out.Start = start.Nonterminal()
}
