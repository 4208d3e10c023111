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
	needed, err := cfg.layout.terminals(l)
	if err != nil {
		return nil, err
	}
	inModes, err := cfg.inModes(l)
	if err != nil {
		return nil, err
	}
	g := &grammar.Grammar{Name: name, Lexer: cfg.lexer, Conflicts: cfg.conflicts, SkipsLate: cfg.skipsLate, Scopes: l.b.loader.scopes}
	l.b.loader.files.hash.Sum(g.SHA256[:0])
	if err := l.assembleTerminals(g, slices.Concat(needed, inModes)); err != nil {
		return nil, err
	}
	l.assembleRules(g, start)
	if y := cfg.layout; y != nil {
		g.Layout = &grammar.Layout{Tab: y.tab, Alternate: y.alternate, Join: y.join, Pos: y.at.position()}
		_, g.Layout.BeginsLine = y.single["begin"]
		t := make([]grammar.Terminal, len(needed))
		for i, n := range needed {
			t[i] = n.number
		}
		open := 3 + len(y.bracket["open"]) // as layout.terminals lists them
		g.Layout.Newline, g.Layout.Indent, g.Layout.Dedent = t[0], t[1], t[2]
		g.Layout.Open, g.Layout.Close = t[3:open:open], t[open:]
	}
	if err := l.assembleModes(g); err != nil {
		return nil, err
	}
	if err := l.assembleItems(g); err != nil {
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
func (l *lowering) assembleTerminals(g *grammar.Grammar, needed []*terminal) error {
	for _, t := range needed {
		t.kept = true
	}
	for _, r := range l.rules {
		for _, s := range r.rhs {
			if t := l.expand.symbols[s].terminal; t != nil {
				t.kept = true
			}
		}
	}
	for _, ig := range l.b.loader.ignored {
		if t := l.terms.byName[ig.name]; t != nil && t.pattern != nil { // else what it stands in was not imported
			t.ignored, t.kept = true, true
		}
	}
	for _, ig := range l.b.ignored {
		t := l.terms.byName[ig.name]
		if t.pattern == nil {
			return ig.at.errorf("give it a definition", "terminal %s is only declared, and nothing in a text could be ignored for it", ig.name)
		}
		t.ignored, t.kept = true, true
	}
	compiler := patternCompiler{ctx: l.b.loader.files.ctx, mayBeEmpty: l.b.file.src.dialect}
	texts := automata.FreeText{Limits: automata.Limits{Context: compiler.ctx}}
	list := l.orderedTerminals()
	g.Terminals = make([]grammar.TerminalDef, 0, len(list))
	schemas := make([]*terminal, 0, l.terms.schemas)
	for _, t := range list {
		if !t.kept {
			continue
		}
		def := grammar.TerminalDef{Name: t.name, Priority: t.priority, Ignored: t.ignored, Declared: t.pattern == nil, Scope: t.scope, Pos: t.at.position()}
		if t.pattern != nil {
			var err error
			def.Expr, err = compiler.compile(t)
			if stopped := l.stopped(); stopped != nil {
				return stopped // whatever the compiler made of it
			}
			if err != nil {
				return err
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
				return t.at.errorf("", "%s: %v", t.name, err)
			}
			def.Expr, def.Declared, def.Source, def.MaxWidth = automata.FromDFA(d), false, t.name, unbounded
		}
		t.number = grammar.Terminal(len(g.Terminals))
		g.Terminals = append(g.Terminals, def)
	}
	return l.embedSchemas(g, schemas)
}

// orderedTerminals are all terminals, the declared ones included.
func (l *lowering) orderedTerminals() []*terminal {
	list := l.terms.list
	for _, t := range l.terms.declared {
		if t.pattern == nil { // else it is there
			list = append(list, t)
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
func (l *lowering) assembleRules(g *grammar.Grammar, start string) {
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
	g.Rules = make([]grammar.Rule, 0, len(l.rules))
	for _, r := range l.rules {
		rhs := make([]grammar.Symbol, len(r.rhs))
		for i, s := range r.rhs {
			if t := l.expand.symbols[s].terminal; t != nil {
				rhs[i] = grammar.T(t.number)
			} else {
				rhs[i] = grammar.N(ids[s])
			}
		}
		g.Rules = append(g.Rules, grammar.Rule{LHS: ids[r.lhs], RHS: rhs, Alias: r.alias, Priority: r.priority, Pos: r.at.position()})
	}
}
