package recognizer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/internal/bitset"
)

// A grammar that embeds others (grammar.Embedded) becomes one grammar, in which nothing is special
// but that the inner rules are written on demand.
//
// The outer grammar says where an inner text begins and where it is over: its LALR(1) tables are
// built with a terminal in the place of each inner text. A state that takes such a terminal reads
// lexemes in the inner mode; every other state reads in a mode of its own, as with a contextual
// lexer. So a lexeme belongs to the inner text exactly if the parser stands in one.
//
// What mode comes after a terminal depends on the state that it leads to, so rules have to say it.
// A nonterminal gets a copy for each state that it is predicted in (the transitions of the LALR(1)
// automaton), and the rules of a copy name copies of terminals, one for each mode that a terminal
// leads to. An inner nonterminal has a copy for its place inside a text, and one for the end of a
// text for each mode that can come after it: in that one the last terminal of each rule leads to
// the mode after. In JSON all readings of a text agree where a value ends, so the parser takes one
// copy of its last lexeme at most.

// fewModes is how many sets of terminals are modes of their own; more of them are gathered in as
// few as possible (lexer.Modes).
const fewModes = 16

// embed makes one grammar of g and those that it embeds.
func embed(ctx context.Context, g *grammar.Grammar, opt Options) (*grammar.Grammar, error) {
	e, err := newEmbedding(ctx, g, opt)
	if err != nil {
		return nil, err
	}
	return e.grammar(), nil
}

func newEmbedding(ctx context.Context, g *grammar.Grammar, opt Options) (*embedding, error) {
	resolve := grammar.ResolveConflicts // check refuses conflicts, so that there is nothing to keep
	t, err := lr.Build(ctx, g, lr.Options{Conflicts: &resolve})
	if err != nil {
		return nil, err
	}
	inner, err := g.Embedded.Take(ctx)
	if err != nil {
		return nil, err
	}
	e := &embedding{splitting: splitting{Grammar: *g, ignored: map[grammar.Terminal][]grammar.Terminal{}}, ctx: ctx, opt: opt, tables: t, inner: inner,
		rulesOf: map[grammar.Nonterminal][]int{}, lasts: map[lastTerminal]grammar.Terminal{}}
	if err := e.check(g); err != nil {
		return nil, err
	}
	if err := e.findModes(opt.Lexer); err != nil {
		return nil, err
	}
	e.takeTerminals()
	e.outer(g)
	e.endings()
	return e, e.withoutEmpty(g)
}

// An embedding is a grammar that is written on demand: the outer rules at once, inner ones when
// they are asked for.
type embedding struct {
	splitting
	ctx    context.Context
	opt    Options
	tables *lr.Tables // of the outer grammar
	modeOf []int      // by its states
	within int        // the inner mode

	inner   *grammar.Grammar
	indexed int                // inner rules that rulesOf has
	insides []grammar.Terminal // by inner terminal: its copy inside
	lasts   map[lastTerminal]grammar.Terminal
	ends    []lastTerminal                // in order of their numbers
	rulesOf map[grammar.Nonterminal][]int // inner rules by left-hand side

	byInner [][]grammar.Nonterminal // by mode after a text, from -1 on, and inner nonterminal: -1 for none
	innerOf []innerPlace            // by nonterminal
}

// A place is a nonterminal of the outer grammar that is predicted in a state.
type place struct {
	state int32
	of    grammar.Nonterminal
}

// An innerPlace is an inner nonterminal with the mode after it, -1 inside of a text, and whether
// its rules are written.
type innerPlace struct {
	of      grammar.Nonterminal
	after   int
	written bool
}

// outermost stands for a nonterminal that is no inner one, whose rules are written at once.
var outermost = innerPlace{of: -1, written: true}

// A lastTerminal is an inner terminal with which a text ends, and the mode after it.
type lastTerminal struct {
	of    grammar.Terminal
	after int
}

// check refuses what does not go together with grammars inside.
func (e *embedding) check(g *grammar.Grammar) error {
	at := g.Terminals[slices.IndexFunc(g.Terminals, func(t grammar.TerminalDef) bool { return t.Embeds > 0 })].Pos
	switch {
	case g.Layout != nil:
		return &grammar.Error{Pos: g.Layout.Pos, Message: "a grammar with %layout cannot embed another one"}
	case g.Modes != nil:
		return &grammar.Error{Pos: g.Modes[0].Pos, Message: "a grammar with %mode cannot embed another one", Hint: "with %lexer contextual the place decides what is read"}
	case g.Lexer == grammar.LexAll:
		return &grammar.Error{Pos: at, Message: "a grammar with %lexer all cannot embed another one", Hint: "an embedded schema is read with all matches anyway; use %lexer contextual for the rest"}
	}
	if list := e.tables.Conflicts(); len(list) > 0 {
		return &grammar.Error{Pos: at, Message: "a grammar that embeds another one must have no conflicts, and has one at " + list[0].Items[0].Text, Hint: "gcdbench grammar check shows all of them"}
	}
	return nil
}

// findModes makes the modes, with the copies of the outer terminals.
func (e *embedding) findModes(limits lexer.Limits) error {
	t, g := e.tables, e.tables.Grammar()
	set, inner, everywhere := t.NewSet(), t.NewSet(), readEverywhere(g, t)
	for x := range e.Terminals {
		if e.Terminals[x].Embeds > 0 {
			bitset.Add(inner, x)
		}
	}
	begins := int32(-1) // a state in which an inner text begins
	modeOf, modes, err := modesOf(e.ctx, g, t, limits, fewModes, func(state int32) ([]uint64, error) {
		if live := t.Live(state); bitset.Intersect(live, inner) {
			begins = state
			return inner, e.alone(live, inner)
		}
		return readIn(set, g, t, state, everywhere), nil
	})
	if err != nil {
		return err
	}
	if e.modeOf, e.within = modeOf, -1; begins >= 0 {
		e.within = modeOf[begins]
	}
	of := &e.splitting
	of.Split = &grammar.Split{Of: g, InRules: true}
	of.Lexer, of.Conflicts, of.Embedded = grammar.LexFirst, grammar.KeepConflicts, nil
	of.copy(t, modeOf, modes)
	of.mode(t, modeOf, modes)
	return nil
}

// alone checks that a state takes inner texts only. What would be read otherwise depends on both
// grammars.
func (e *embedding) alone(set, inner []uint64) error {
	for x := range bitset.All[grammar.Terminal](set) {
		if x != e.tables.End() && !bitset.Has(inner, x) {
			return &grammar.Error{Pos: e.Terminals[x].Pos, Message: fmt.Sprintf("terminal %s may stand where an embedded schema begins", e.TerminalName(x)),
				Hint: "put something in front of the embedded grammar that decides which of them comes"}
		}
	}
	return nil
}

// outer writes the outer rules, for every place of a nonterminal that the start leads to.
func (e *embedding) outer(g *grammar.Grammar) {
	rules := make([][]*grammar.Rule, len(g.Nonterminals))
	for i := range g.Rules {
		rules[g.Rules[i].LHS] = append(rules[g.Rules[i].LHS], &g.Rules[i])
	}
	e.Nonterminals, e.Rules = nil, make([]grammar.Rule, 0, len(g.Rules))
	byPlace := map[place]grammar.Nonterminal{}
	var todo []place
	at := func(p place) grammar.Nonterminal {
		n, ok := byPlace[p]
		if !ok {
			n = e.nonterminal(g.Nonterminals[p.of], outermost)
			byPlace[p] = n
			todo = append(todo, p)
		}
		return n
	}
	e.Start = at(place{0, g.Start})
	for ; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		for _, r := range rules[p.of] {
			q, rhs := p.state, make([]grammar.Symbol, 0, len(r.RHS))
			for _, x := range r.RHS {
				if !x.IsTerminal() {
					rhs = append(rhs, grammar.N(at(place{q, x.Nonterminal()})))
					q = e.tables.Goto(q, x.Nonterminal())
					continue
				}
				q = e.tables.Action(q, x.Terminal()).Target()
				rhs = append(rhs, e.outerTerminal(x.Terminal(), e.modeOf[q]))
			}
			e.Rules = append(e.Rules, grammar.Rule{LHS: byPlace[p], RHS: rhs, Alias: r.Alias, Priority: r.Priority, Pos: r.Pos})
		}
	}
}

// maxEmptyParts bounds how many parts of an alternative may be empty: each doubles its rules.
const maxEmptyParts = 12

// withoutEmpty rewrites the outer rules so that none is empty, which tables on demand ask for. If
// the whole text may be, one start rule is.
func (e *embedding) withoutEmpty(g *grammar.Grammar) error {
	empty := make([]bool, len(e.Nonterminals))
	isEmpty := func(x grammar.Symbol) bool { return !x.IsTerminal() && empty[x.Nonterminal()] }
	for changed := true; changed; {
		changed = false
		for i := range e.Rules {
			r := &e.Rules[i]
			if !empty[r.LHS] && !slices.ContainsFunc(r.RHS, func(x grammar.Symbol) bool { return !isEmpty(x) }) {
				empty[r.LHS], changed = true, true
			}
		}
	}
	if !slices.Contains(empty, true) {
		return nil
	}
	rules := make([]grammar.Rule, 0, len(e.Rules))
	for _, r := range e.Rules {
		if !slices.ContainsFunc(r.RHS, isEmpty) && len(r.RHS) > 0 {
			if len(r.RHS) > 1 || r.RHS[0] != grammar.N(r.LHS) {
				rules = append(rules, r)
			}
			continue
		}
		variants := [][]grammar.Symbol{nil}
		parts := 0
		for _, x := range r.RHS {
			var longer [][]grammar.Symbol
			for _, v := range variants {
				longer = append(longer, append(slices.Clip(v), x))
				if isEmpty(x) {
					longer = append(longer, v)
				}
			}
			if variants = longer; isEmpty(x) {
				parts++
			}
			if parts > maxEmptyParts {
				return &grammar.Error{Pos: r.Pos, Message: fmt.Sprintf("more than %d parts of this alternative may be empty", maxEmptyParts), Hint: "make rules of some of them"}
			}
		}
		for _, v := range variants {
			same := len(v) == 1 && v[0] == grammar.N(r.LHS)
			if len(v) > 0 && !same {
				r.RHS = v
				rules = append(rules, r)
			}
		}
	}
	if e.Rules = rules; empty[e.Start] {
		start := e.nonterminal(grammar.NonterminalDef{Name: g.Nonterminals[g.Start].Name}, outermost)
		e.Rules = append(e.Rules, grammar.Rule{LHS: start, RHS: []grammar.Symbol{grammar.N(e.Start)}}, grammar.Rule{LHS: start})
		e.Start = start
	}
	e.trim()
	return nil
}

// trim drops the outer rules that derive nothing any more.
func (e *embedding) trim() {
	derives := make([]bool, len(e.Nonterminals))
	for n, p := range e.innerOf {
		derives[n] = p.of >= 0
	}
	all := func(rhs []grammar.Symbol) bool {
		return !slices.ContainsFunc(rhs, func(x grammar.Symbol) bool { return !x.IsTerminal() && !derives[x.Nonterminal()] })
	}
	for changed := true; changed; {
		changed = false
		for _, r := range e.Rules {
			if !derives[r.LHS] && all(r.RHS) {
				derives[r.LHS], changed = true, true
			}
		}
	}
	e.Rules = slices.DeleteFunc(e.Rules, func(r grammar.Rule) bool { return !all(r.RHS) })
}

// endings adds the copies at the end of a text of the inner terminals that are there at once, which
// match whatever a lexeme can be. So every token is read in all ways there are, whatever is still
// to be written.
func (e *embedding) endings() {
	for i := range e.byInner {
		for x := range e.inner.Terminals {
			if after := i - 1; e.byInner[i] != nil && !e.inner.Terminals[x].Ignored {
				e.innerSymbol(grammar.T(grammar.Terminal(x)), after)
			}
		}
	}
}

// nonterminal adds a nonterminal.
func (e *embedding) nonterminal(def grammar.NonterminalDef, p innerPlace) grammar.Nonterminal {
	e.Nonterminals, e.innerOf = append(e.Nonterminals, def), append(e.innerOf, p)
	return grammar.Nonterminal(len(e.Nonterminals) - 1)
}

// outerTerminal is the symbol of an outer terminal after which lexemes are read in a mode.
func (e *embedding) outerTerminal(x grammar.Terminal, after int) grammar.Symbol {
	if i := e.Terminals[x].Embeds; i > 0 {
		return grammar.N(e.innerAt(e.tables.Grammar().Embedded.Starts[i-1], after))
	}
	copies := e.Split.Copies[x]
	return grammar.T(copies[slices.IndexFunc(copies, func(c grammar.Terminal) bool { return e.Terminals[c].Next == after })])
}

// innerAt is the copy of an inner nonterminal.
func (e *embedding) innerAt(of grammar.Nonterminal, after int) grammar.Nonterminal {
	for len(e.byInner) <= after+1 {
		e.byInner = append(e.byInner, nil)
	}
	list := e.byInner[after+1]
	if n := len(e.inner.Nonterminals); len(list) < n {
		list = append(list, slices.Repeat([]grammar.Nonterminal{-1}, n-len(list))...)
		e.byInner[after+1] = list
	}
	if list[of] < 0 {
		list[of] = e.nonterminal(e.inner.Nonterminals[of], innerPlace{of: of, after: after})
	}
	return list[of]
}

// Written implements grammar.Demand.
func (e *embedding) Written(n grammar.Nonterminal) bool { return e.innerOf[n].written }

// Write implements grammar.Demand.
func (e *embedding) Write(ctx context.Context, n grammar.Nonterminal) (*grammar.Grammar, error) {
	p := e.innerOf[n]
	if !e.inner.Demand.Written(p.of) {
		g, err := e.inner.Demand.Write(ctx, p.of)
		if err != nil {
			return nil, err
		}
		e.inner = g
		e.takeTerminals()
	}
	e.take(n, e.inner.Demand.Written)
	return e.grammar(), nil
}

// WriteAll implements grammar.Demand. What it writes is not in the series.
func (e *embedding) WriteAll(ctx context.Context) (*grammar.Grammar, error) {
	g := *e.tables.Grammar()
	inner, err := g.Embedded.Grammar.Demand.WriteAll(ctx)
	if err != nil {
		return nil, err
	}
	g.Embedded = &grammar.Embedded{Grammar: inner, Starts: g.Embedded.Starts}
	all, err := newEmbedding(ctx, &g, e.opt)
	if err != nil {
		return nil, err
	}
	for n := grammar.Nonterminal(0); int(n) < len(all.Nonterminals); n++ {
		if !all.innerOf[n].written {
			all.take(n, func(grammar.Nonterminal) bool { return true })
		}
	}
	whole := all.grammar()
	whole.Demand = nil
	return whole, nil
}

// take copies the rules of a nonterminal, and of all that it leads to as far as inner rules are
// there.
func (e *embedding) take(n grammar.Nonterminal, there func(inner grammar.Nonterminal) bool) {
	for ; e.indexed < len(e.inner.Rules); e.indexed++ {
		lhs := e.inner.Rules[e.indexed].LHS
		e.rulesOf[lhs] = append(e.rulesOf[lhs], e.indexed)
	}
	e.innerOf[n].written = true
	for todo := []grammar.Nonterminal{n}; len(todo) > 0; todo = todo[1:] {
		p := e.innerOf[todo[0]]
		for _, i := range e.rulesOf[p.of] {
			r := e.inner.Rules[i]
			rhs := make([]grammar.Symbol, len(r.RHS))
			for k, x := range r.RHS {
				after := -1
				if k == len(r.RHS)-1 {
					after = p.after
				}
				rhs[k] = e.innerSymbol(x, after)
				if x.IsTerminal() {
					continue
				}
				if m := rhs[k].Nonterminal(); !e.innerOf[m].written && there(x.Nonterminal()) {
					e.innerOf[m].written = true
					todo = append(todo, m)
				}
			}
			e.Rules = append(e.Rules, grammar.Rule{LHS: todo[0], RHS: rhs, Alias: r.Alias, Priority: r.Priority, Pos: r.Pos})
		}
	}
}

// takeTerminals adds the inner terminals that are new.
func (e *embedding) takeTerminals() {
	for len(e.insides) < len(e.inner.Terminals) {
		def := e.inner.Terminals[len(e.insides)]
		e.insides = append(e.insides, e.innerCopy(def, e.within))
	}
}

// innerCopy adds a copy of an inner terminal.
func (e *embedding) innerCopy(def grammar.TerminalDef, next int) grammar.Terminal {
	x := grammar.Terminal(len(e.Terminals))
	def.Next, def.All = next, true
	e.Terminals = append(e.Terminals, def)
	return x
}

// innerSymbol is the copy of an inner symbol.
func (e *embedding) innerSymbol(x grammar.Symbol, after int) grammar.Symbol {
	if !x.IsTerminal() {
		return grammar.N(e.innerAt(x.Nonterminal(), after))
	}
	if after < 0 {
		return grammar.T(e.insides[x.Terminal()])
	}
	last := lastTerminal{x.Terminal(), after}
	c, ok := e.lasts[last]
	if !ok {
		c = e.innerCopy(e.inner.Terminals[x.Terminal()], after)
		e.lasts[last], e.ends = c, append(e.ends, last)
	}
	return grammar.T(c)
}

// grammar is what is written so far.
func (e *embedding) grammar() *grammar.Grammar {
	g := e.splitting.Grammar
	g.Terminals, g.Nonterminals, g.Rules = slices.Clip(g.Terminals), slices.Clip(g.Nonterminals), slices.Clip(g.Rules)
	g.Modes = slices.Clone(g.Modes)
	g.Modes[e.within].Terminals = e.insides[:len(e.insides):len(e.insides)]
	split := *g.Split
	split.Copies = slices.Concat(g.Split.Copies, make([][]grammar.Terminal, len(g.Terminals)-len(g.Split.Copies)))
	for _, x := range e.insides {
		split.Copies[x] = []grammar.Terminal{x}
	}
	for _, last := range e.ends {
		x := e.insides[last.of]
		split.Copies[x] = append(split.Copies[x], e.lasts[last])
	}
	g.Split = &split
	g.Demand = e
	return &g
}
