// Package recognizer is the contract: which byte strings are prefixes of a text the grammar
// accepts, decided one byte at a time, by definition rather than by speed.
//
// A State is the lexer's state, the parser's stacks and the layout registers: everything that
// decides the future of a text. Step reads one byte by the lexing rule (maximal munch with one byte
// of lookahead: stay in the lexeme while the automaton can, else emit it and start another), Legal
// is the last clause of the definition of a legal token (a terminal that the pending lexeme can
// still become is ignored, or the parser would accept it), and End is the definition of a legal
// end.
//
// The naive algorithm is this package applied to every token; the other engines are measured
// against it bit for bit. It is also what checks documents, filters corpora and explains a verdict.
package recognizer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/characters"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
	"gcdbench/grammar/recognizer/items"
)

// Options choose how a grammar is compiled. The zero value follows the grammar.
type Options struct {
	// OnDemand is for a grammar that is compiled for one use, such as that of a JSON schema: what
	// the lexer does is found out when it is first asked, and the tables are those on demand, of
	// which all states are visited (lr.Options.OnDemand). What is accepted is the same.
	OnDemand bool
	// Conflicts overrides what the grammar says about LALR conflicts. Without a lexer all are kept.
	Conflicts *grammar.ConflictMode
	// Lexer bounds the lexer; the zero value means lexer.DefaultLimits.
	Lexer lexer.Limits
}

// A Recognizer is a compiled grammar. It is immutable and safe for concurrent use.
type Recognizer struct {
	// Grammar is the grammar that was given to New, or what became of it: one with a contextual lexer,
	// or without a lexer, is made anew (grammar.Split).
	Grammar *grammar.Grammar
	Lexer   lexer.Automaton
	Tables  *lr.Tables
	Layout  *layout.Layout // nil: the grammar has none
	items   *comparing     // nil: no items are compared
	start   lexer.State    // of a text
	growth  *growth        // nil: all rules of the grammar are there
}

// New compiles a grammar. Errors are those of lexer.Build and lr.Build: mistakes in the grammar
// come as *grammar.Error or *lr.ConflictError, with positions (so does a grammar whose parser would
// take a lexeme in two modes); a grammar whose tables would be too
// large is a *lexer.LimitError or *lr.LimitError; and when ctx ends, New does within some 100 ms,
// with its error.
func New(ctx context.Context, g *grammar.Grammar, opt Options) (*Recognizer, error) {
	var tables *lr.Tables
	var err error
	if g.Split == nil || !g.Split.InRules {
		g = g.Unsplit()
	}
	if g.Embedded != nil {
		if g, err = embed(ctx, g, opt); err != nil {
			return nil, err
		}
	}
	if g.Demand != nil {
		return open(ctx, g, opt)
	}
	switch {
	case g.Lexer == grammar.LexContextual || len(g.Scopes) > 0 || g.SkipsLate && g.Lexer == grammar.LexFirst:
		g, tables, err = split(ctx, g, opt)
	case g.Lexer == grammar.LexDynamic:
		g, err = characters.Of(ctx, g)
		opt.Conflicts = nil
	}
	if err != nil {
		return nil, err
	}
	r := &Recognizer{Grammar: g, Layout: layout.New(g), Tables: tables}
	if opt.OnDemand {
		r.Lexer, err = lexer.NewOnDemand(ctx, g, opt.Lexer)
	} else {
		r.Lexer, err = lexer.Build(ctx, g, opt.Lexer)
	}
	if err != nil {
		return nil, err
	}
	if r.start, err = begin(g, r.Lexer); err != nil {
		return nil, err
	}
	if err = r.checkJoin(); err != nil {
		return nil, err
	}
	apart := r.Tables != nil || g.Split != nil // the parser's states, or rules, have told the modes apart
	if r.Tables == nil {
		if r.Tables, err = lr.Build(ctx, g, lr.Options{Conflicts: opt.Conflicts, OnDemand: opt.OnDemand}); err != nil {
			return nil, err
		}
	}
	if r.items = compares(r.Tables, g); apart {
		return r, nil
	}
	return r, r.checkModes()
}

// begin is the lexer state that a text begins in: after a line break, if the layout asks for it.
func begin(g *grammar.Grammar, lex lexer.Automaton) (lexer.State, error) {
	if g.Layout == nil || !g.Layout.BeginsLine {
		return lex.Start(), nil
	}
	q := lex.Next(lex.Start(), '\n')
	if q == lexer.None || !lex.ReachSet(lex.Reach(q)).Has(g.Layout.Newline) {
		return lexer.None, &grammar.Error{Pos: g.Layout.Pos, Message: fmt.Sprintf("%%layout: begin: terminal %s matches nothing that begins with a line feed",
			g.TerminalName(g.Layout.Newline)), Hint: "write its line breaks as \\n, with others beside it if there are any"}
	}
	return q, nil
}

// checkJoin checks that only a line break may follow a join character that begins a line, in
// whatever mode the line break is read. The lexer state then tells whether a line break in the next
// token can stand behind one.
func (r *Recognizer) checkJoin() error {
	d := r.Grammar.Layout
	if d == nil || d.Join == "" {
		return nil
	}
	goesOn := func(q lexer.State, text string) bool {
		for i := 0; i < len(text) && q != lexer.None; i++ {
			q = r.Lexer.Next(q, text[i])
		}
		return q != lexer.None
	}
	for q := range lexer.State(r.Lexer.NumStates()) {
		line := lexer.None
		if r.Lexer.Begins(q) {
			line = r.Lexer.Next(q, '\n')
		}
		if line == lexer.None || !slices.ContainsFunc(r.Lexer.ReachSet(r.Lexer.Reach(line)).Terminals(), r.Layout.IsNewline) {
			continue
		}
		if goesOn(line, d.Join+" ") || goesOn(line, d.Join+"\r ") {
			return &grammar.Error{Pos: d.Pos, Message: fmt.Sprintf("%%layout: join: behind a line feed and %q, a lexeme goes on with other text than a line feed, or a carriage return and a line feed", d.Join),
				Hint: fmt.Sprintf("write the join as \\\\\\r?\\n in terminal %s, and let no other terminal match more where it is read", r.Grammar.TerminalName(d.Newline))}
		}
	}
	return nil
}

// A State is where a text has led to. It is an immutable value: keep as many as you like.
type State struct {
	Lexer  lexer.State
	Stacks lr.Stacks
	Layout layout.Registers
	// Items is what is known of the items of open arrays that are compared; nil outside of those. What
	// it refers to is not changed.
	Items *items.Register
}

// Pending tells whether a lexeme is pending in s: false only before the first byte, and not even
// there if the layout has the text begin as after a line break.
func (r *Recognizer) Pending(s State) bool { return !r.Lexer.Begins(s.Lexer) }

// Start is the state of the empty text.
func (r *Recognizer) Start() State {
	r = r.Current()
	return State{Lexer: r.start, Stacks: r.Tables.Start()}
}

// Step reads one byte. ok is false if the text with that byte is illegal because of what was lexed
// or emitted; whether the lexeme now pending can become something the parser accepts is Legal's
// question.
func (r *Recognizer) Step(s State, b byte) (next State, ok bool) {
	s.own()
	if r.goOn(&s, b) {
		return s, true
	}
	return r.begin(s, b)
}

// goOn reads a byte that the pending lexeme goes on with, into a state that owns its register. It
// is not ok, and changes nothing, if it does not.
func (r *Recognizer) goOn(s *State, b byte) (ok bool) {
	q := r.Lexer.Next(s.Lexer, b)
	if q == lexer.None {
		return false
	}
	if r.items != nil && !r.Pending(*s) { // a lexeme begins that has none before it
		s.Items = r.readItem(*s, s.Items, b)
	} else if s.Items != nil {
		s.Items.Read(b, false)
	}
	s.Lexer = q
	if r.Layout != nil {
		s.Layout = r.Layout.Read(s.Layout, b)
	}
	return true
}

// begin reads a byte that begins a lexeme, after the end of the pending one. The state owns its
// register.
func (r *Recognizer) begin(s State, b byte) (next State, ok bool) {
	if r.growth != nil {
		return r.Current().beginLate(s, b)
	}
	for _, end := range r.Lexer.Ends(s.Lexer) {
		q := r.Lexer.Next(end.Start, b)
		if q == lexer.None {
			continue
		}
		if next, ok = r.EmitSet(s, end.Set); ok {
			next.Lexer = q
			next.Layout = r.Layout.Read(next.Layout, b)
			if r.items != nil {
				next.Items = r.readItem(next, s.Items, b)
			}
			return next, true
		}
	}
	return State{}, false
}

// Emit ends the pending lexeme in one of its ways and gives what it is emitted as to the layout
// step and the parser. The result has no lexeme pending. ok is false if it is not accepted.
func (r *Recognizer) Emit(s State, end lexer.End) (next State, ok bool) {
	if r.growth != nil {
		return r.Current().emitLate(s, end)
	}
	next, ok = r.EmitSet(s, end.Set)
	next.Lexer = end.Start
	return next, ok
}

// EmitAny is Emit for the first way to end that is accepted. ok is false if there is none: the
// lexeme is not complete, or not accepted.
func (r *Recognizer) EmitAny(s State) (next State, ok bool) {
	r = r.Current()
	for _, end := range r.Lexer.Ends(s.Lexer) {
		if next, ok = r.Emit(s, end); ok {
			return next, true
		}
	}
	return State{}, false
}

// EmitSet is Emit for a lexeme that is emitted as the given set, whatever lexeme is pending in s.
// The next lexeme begins in the lexer's Start. What the text does to the items of arrays is known
// by its bytes: the result has no Items, and goes on as if none were compared.
func (r *Recognizer) EmitSet(s State, set lexer.Set) (next State, ok bool) {
	if r.growth != nil {
		return r.Current().makeAfter(s, set)
	}
	return r.emitSet(s, set)
}

func (r *Recognizer) emitSet(s State, set lexer.Set) (next State, ok bool) {
	members := r.allowed(s.Items, r.Lexer.Members(set))
	s.Lexer, s.Items = r.Lexer.Start(), nil
	if len(members) == 0 {
		return State{}, false
	}
	if r.Layout != nil {
		return r.emitLayout(s, members[0])
	}
	if !r.Lexer.Ignored(set) {
		s.Stacks, ok = r.Tables.Shift(s.Stacks, members...)
		return s, ok
	}
	// An ignored member leaves the parser as it is; the others, if any, are further ways to go on.
	var parsed []grammar.Terminal
	for _, t := range members {
		if !r.Grammar.Terminals[t].Ignored {
			parsed = append(parsed, t)
		}
	}
	if len(parsed) > 0 {
		if shifted, ok := r.Tables.Shift(s.Stacks, parsed...); ok {
			s.Stacks = r.Tables.Merge(s.Stacks, shifted)
		}
	}
	return s, true
}

// emitLayout emits one terminal through the layout step. (A grammar with a layout lexes in "first"
// mode, so a set has one member.)
func (r *Recognizer) emitLayout(s State, t grammar.Terminal) (next State, ok bool) {
	if r.Grammar.Terminals[t].Ignored {
		s.Layout = r.Layout.Begin(s.Layout)
		return s, true
	}
	out, regs, ok := r.Layout.Lexeme(s.Layout, t)
	if !ok {
		return State{}, false
	}
	s.Layout = r.Layout.Begin(regs)
	s.Stacks, ok = r.feed(s.Stacks, out)
	return s, ok
}

// feed gives the output of the layout step to the parser.
func (r *Recognizer) feed(stacks lr.Stacks, out layout.Output) (_ lr.Stacks, ok bool) {
	if out.HasFirst && !r.accept(&stacks, out.First) {
		return stacks, false
	}
	for b := out.Then; b != 0; {
		var t grammar.Terminal
		if t, b = r.Layout.Next(b); !r.accept(&stacks, t) {
			return stacks, false
		}
	}
	return stacks, true
}

// accept shifts a terminal, if the parser takes it.
func (r *Recognizer) accept(stacks *lr.Stacks, t grammar.Terminal) (ok bool) {
	*stacks, ok = r.Tables.Shift(*stacks, t)
	return ok
}

// Legal tells whether the lexeme pending in s can still become a terminal that is ignored, dropped
// by the layout step, or accepted by the parser. A text all of whose bytes Step read is a legal
// prefix exactly if this holds.
func (r *Recognizer) Legal(s State) bool {
	r = r.Current()
	return r.legal(s) || r.Current() != r && r.Legal(s) // the lexeme may become more if the tables grew
}

func (r *Recognizer) legal(s State) bool {
	reach := r.Lexer.ReachSet(r.Lexer.Reach(s.Lexer))
	if reach.Ignored && (s.Items == nil || !s.Items.Again()) {
		return true
	}
	if s.Items != nil {
		return r.legalItem(s, reach.Parser)
	}
	if l := r.Layout; l != nil && reach.Has(l.Newline()) && l.Dropped(s.Layout, l.Newline()) {
		return true
	}
	return r.Tables.AcceptsAny(s.Stacks, reach.Parser)
}

// Read steps through text and then asks Legal: whether text may follow s. For a token this is the
// contract's definition of "legal". The empty text is not a token and may always follow.
func (r *Recognizer) Read(s State, text []byte) (next State, ok bool) {
	if s, ok = r.Follow(s, text); !ok {
		return State{}, false
	}
	return s, len(text) == 0 || r.Legal(s)
}

// Follow steps through text. Of a text that is known to be legal it is all there is to do.
func (r *Recognizer) Follow(s State, text []byte) (next State, ok bool) {
	s.own()
	for _, b := range text {
		if r.goOn(&s, b) {
			continue
		}
		if s, ok = r.begin(s, b); !ok {
			return State{}, false
		}
	}
	return s, true
}

// End tells whether the text may end in s: the pending lexeme, if any, is complete, the parser
// accepts it, and then accepts the end of input.
func (r *Recognizer) End(s State) bool {
	if r = r.Current(); !r.Pending(s) {
		return r.acceptsEnd(s)
	}
	for _, end := range r.Lexer.Ends(s.Lexer) {
		if !end.AtEnd {
			continue
		}
		if next, ok := r.emitLast(s, end.Set); ok && r.acceptsEnd(next) {
			return true
		}
	}
	return false
}

// emitLast is EmitSet for the last lexeme of a text.
func (r *Recognizer) emitLast(s State, set lexer.Set) (next State, ok bool) {
	if !r.Layout.IsNewline(r.Lexer.Members(set)[0]) {
		return r.EmitSet(s, set)
	}
	var out layout.Output
	out, s.Layout = r.Layout.EndNewline(s.Layout)
	s.Stacks, ok = r.feed(s.Stacks, out)
	return s, ok
}

// acceptsEnd tells whether the text may end in s, where no lexeme is pending.
func (r *Recognizer) acceptsEnd(s State) bool {
	r = r.Current()
	if r.Layout == nil {
		return r.Tables.AcceptsEnd(s.Stacks)
	}
	stacks, ok := r.feed(s.Stacks, r.Layout.End(s.Layout))
	return ok && r.Tables.AcceptsEnd(stacks)
}
