package lark

import (
	"cmp"
	"errors"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// The last step: terminals get their numbers and patterns, rules their symbols. Patterns are parsed
// and compiled only here, for the terminals that stay. Compiling is done to find what is wrong with
// them while their place in the file is known; the automata are thrown away, as the lexer makes its
// own.

// assemble makes the grammar of what lowering left.
func (l *lowering) assemble(name, start string) (*grammar.Grammar, error) {
	cfg := &l.b.config
	needed, err := cfg.layout.names(l)
	if err != nil {
		return nil, err
	}
	inModes, err := cfg.modeNames(l)
	if err != nil {
		return nil, err
	}
	g := &grammar.Grammar{Name: name, Lexer: cfg.lexer, Conflicts: cfg.conflicts, SkipsLate: cfg.skipsLate, Scopes: l.b.loader.scopes}
	l.b.loader.files.hash.Sum(g.SHA256[:0])
	ids, err := l.assembleTerminals(g, slices.Concat(needed, inModes))
	if err != nil {
		return nil, err
	}
	l.assembleRules(g, ids, start)
	if y := cfg.layout; y != nil {
		g.Layout = &grammar.Layout{Tab: y.tab, Alternate: y.alternate, Join: y.join, Pos: y.at.position()}
		_, g.Layout.BeginsLine = y.single["begin"]
		t := make([]grammar.Terminal, len(needed))
		for i, n := range needed {
			t[i] = ids[n]
		}
		open := 3 + len(y.bracket["open"]) // as layout.names lists them
		g.Layout.Newline, g.Layout.Indent, g.Layout.Dedent = t[0], t[1], t[2]
		g.Layout.Open, g.Layout.Close = t[3:open:open], t[open:]
	}
	if err := l.assembleModes(g, ids); err != nil {
		return nil, err
	}
	if err := l.assembleItems(g, ids); err != nil {
		return nil, err
	}
	if g.SkipsLate && (g.Modes != nil || g.Layout != nil || g.Lexer == grammar.LexAll) {
		return nil, cfg.seen[sOptions].errorf(`write {"allow_initial_skip": true}`, "where ignored text may not begin a text there is neither %%mode, %%layout nor %%lexer all")
	}
	return g, l.validate(g)
}

// validate runs the grammar's own checks, and shows the line that an error is about.
func (l *lowering) validate(g *grammar.Grammar) error {
	err := g.Validate()
	var e *grammar.Error
	if errors.As(err, &e) && e.Line == "" && e.Pos.File == l.b.file.src.name && e.Pos.IsValid() {
		src := l.b.file.src
		e.Line = string(src.line(src.lines[e.Pos.Line-1]))
	}
	return err
}

// assembleTerminals adds the terminals that are used, ignored or needed, named ones in the order of
// the main file and then anonymous ones in theirs.
func (l *lowering) assembleTerminals(g *grammar.Grammar, needed []string) (map[string]grammar.Terminal, error) {
	keep := map[string]bool{}
	for _, r := range l.rules {
		for _, s := range r.rhs {
			if sym := l.expand.symbols[s]; sym.terminal {
				keep[sym.name] = true
			}
		}
	}
	isIgnored := map[string]bool{}
	for _, ig := range l.b.loader.ignored {
		if l.terms.byName[ig.name] != nil { // else what it stands in was not imported
			isIgnored[ig.name], keep[ig.name] = true, true
		}
	}
	for _, ig := range l.b.ignored {
		isIgnored[ig.name], keep[ig.name] = true, true
		if l.terms.byName[ig.name] == nil {
			return nil, ig.at.errorf("give it a definition", "terminal %s is only declared, and nothing in a text could be ignored for it", ig.name)
		}
	}
	for _, n := range needed {
		keep[n] = true
	}
	ids := map[string]grammar.Terminal{}
	compiler := patternCompiler{ctx: l.b.loader.files.ctx, mayBeEmpty: l.b.file.src.dialect}
	texts := automata.FreeText{Limits: automata.Limits{Context: compiler.ctx}}
	var schemas []*terminal
	for _, t := range l.orderedTerminals() {
		if !keep[t.name] {
			continue
		}
		def := grammar.TerminalDef{Name: t.name, Priority: t.priority, Ignored: isIgnored[t.name], Declared: t.pattern == nil, Scope: t.scope, Pos: t.at.position()}
		if t.pattern != nil {
			var err error
			def.Expr, err = compiler.compile(t.pattern, t.title(), t.at)
			if stopped := l.stopped(); stopped != nil {
				return nil, stopped // whatever the compiler made of it
			}
			if err != nil {
				return nil, err
			}
			def.Special, def.Lazy = t.pattern.special, t.pattern.form == fLazy
			def.Source, def.Literal, def.MaxWidth = t.pattern.value, t.pattern.literal, t.pattern.width().max
		}
		switch {
		case t.embedded == nil:
		case t.embedded.schema != nil:
			schemas = append(schemas, t)
			def.Embeds = len(schemas)
		default:
			d, err := t.embedded.freeText(&texts, l.b.loader.files.kept)
			if err != nil {
				return nil, t.at.errorf("", "%s: %v", t.name, err)
			}
			def.Expr, def.Declared, def.Source, def.MaxWidth = automata.FromDFA(d), false, t.name, unbounded
		}
		ids[t.name] = grammar.Terminal(len(g.Terminals))
		g.Terminals = append(g.Terminals, def)
	}
	return ids, l.embedSchemas(g, schemas)
}

// orderedTerminals are all terminals, the declared ones included.
func (l *lowering) orderedTerminals() []*terminal {
	list := slices.Clone(l.terms.list)
	for _, d := range l.b.defs.order {
		// A literal that reads as the name of a declared terminal is that terminal.
		if d.isTerminal && d.body == nil && l.terms.byName[d.name] == nil {
			list = append(list, &terminal{name: d.name, at: d.at, anchor: d.anchor, scope: d.scope})
		}
	}
	slices.SortStableFunc(list, func(a, b *terminal) int {
		switch {
		case a.anonymous && b.anonymous:
			return cmp.Or(cmp.Compare(a.anchor, b.anchor), cmp.Compare(a.at.off, b.at.off))
		case a.anonymous:
			return 1
		case b.anonymous:
			return -1
		}
		return cmp.Compare(a.anchor, b.anchor)
	})
	return list
}

// assembleRules adds the rules and their nonterminals, which are numbered in the order of their
// rules. Helpers have no definition; they are placed at the repeat that made them.
func (l *lowering) assembleRules(g *grammar.Grammar, terms map[string]grammar.Terminal, start string) {
	places := map[string]place{}
	for _, d := range l.defs {
		places[d.name] = d.at
	}
	ids := make([]grammar.Nonterminal, len(l.expand.symbols))
	known := make([]bool, len(l.expand.symbols))
	for _, r := range l.rules {
		if known[r.lhs] {
			continue
		}
		known[r.lhs], ids[r.lhs] = true, grammar.Nonterminal(len(g.Nonterminals))
		name := l.expand.symbols[r.lhs].name
		at, ok := places[name]
		if !ok {
			at = r.at // a helper
		}
		g.Nonterminals = append(g.Nonterminals, grammar.NonterminalDef{Name: name, Pos: at.position()})
		if name == start {
			g.Start = ids[r.lhs]
		}
	}
	for _, r := range l.rules {
		rhs := make([]grammar.Symbol, len(r.rhs))
		for i, s := range r.rhs {
			if sym := l.expand.symbols[s]; sym.terminal {
				rhs[i] = grammar.T(terms[sym.name])
			} else {
				rhs[i] = grammar.N(ids[s])
			}
		}
		g.Rules = append(g.Rules, grammar.Rule{LHS: ids[r.lhs], RHS: rhs, Alias: r.alias, Priority: r.priority, Pos: r.at.position()})
	}
}
