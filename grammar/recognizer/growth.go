package recognizer

import (
	"context"
	"slices"
	"sync/atomic"

	"gcdbench/grammar"
	"gcdbench/grammar/layout"
	"gcdbench/grammar/lexer"
	"gcdbench/grammar/lr"
)

// A grammar whose rules are written on demand (grammar.Demand) has a series of Recognizers, each of
// which knows more terminals than the one before. A State of one is a State of all later ones.
//
// A terminal is written at the latest when a parser's state is made that takes it. So before
// a lexeme begins, the states on top of the stacks are made: the lexeme then has all terminals that
// can come here, and others make no difference, since in these grammars the end of a lexeme
// depends on its own bytes and the next one only, not on what other terminals there are.

// growth is what the Recognizers of a series have in common.
type growth struct {
	current atomic.Pointer[Recognizer]
}

// Current is the latest Recognizer of the series that r belongs to: r itself where all rules of the
// grammar are there. An engine that asks r about lexemes or sets of terminals and then finds that
// it is not the current one any more may have been told too little, and asks again.
func (r *Recognizer) Current() *Recognizer {
	if r.growth == nil {
		return r
	}
	return r.growth.current.Load()
}

// afterReading is the Recognizer with all rules that some texts, one behind the other, come to, and
// what may stand behind the last lexeme of them that can be read.
func (r *Recognizer) afterReading(texts ...[]byte) *Recognizer {
	if r.growth == nil {
		return r
	}
	s := r.Start()
	for _, b := range slices.Concat(texts...) {
		next, ok := r.Step(s, b)
		if !ok {
			break
		}
		s = next
	}
	r.Current().EmitAny(s)
	return r.Current()
}

// open is New for a grammar whose rules are written on demand.
func open(ctx context.Context, g *grammar.Grammar, opt Options) (*Recognizer, error) {
	gr := &growth{}
	tables, err := lr.Open(g, gr.grew)
	if err != nil {
		return nil, err
	}
	g = tables.Grammar()
	lex, err := lexer.NewOnDemand(ctx, g, opt.Lexer)
	if err != nil {
		return nil, err
	}
	r := &Recognizer{Grammar: g, Lexer: lex, Tables: tables, Layout: layout.New(g), items: compares(tables, g), start: lex.Start(), growth: gr}
	gr.current.Store(r)
	return r, nil
}

// grew makes the next Recognizer of the series. If the lexer cannot have the new terminals, its Err
// says so, and no text goes on that needs them.
func (gr *growth) grew(tables *lr.Tables) {
	last := gr.current.Load()
	next := &Recognizer{Grammar: tables.Grammar(), Lexer: last.Lexer, Tables: tables, Layout: last.Layout, items: compares(tables, tables.Grammar()), start: last.start, growth: gr}
	if len(next.Grammar.Terminals) > len(last.Grammar.Terminals) {
		if more, err := last.Lexer.(*lexer.OnDemand).With(context.Background(), next.Grammar); err == nil {
			next.Lexer, next.start = more, more.Start()
		}
	}
	gr.current.Store(next)
}

// Err is why a text was refused that the grammar may have: a limit, or rules that could not be
// written. It is nil if there was no such reason.
func (r *Recognizer) Err() error {
	if err := r.Tables.Err(); err != nil {
		return err
	}
	return r.Lexer.Err()
}

// beginLate is begin for a grammar whose rules are written on demand. The lexeme that begins has
// the terminals that are known once the states are made that the parser comes to.
func (r *Recognizer) beginLate(s State, b byte) (next State, ok bool) {
	for _, end := range r.Lexer.Ends(s.Lexer) {
		if next, ok = r.emitLate(s, end); !ok {
			continue
		}
		if next.Lexer = r.Lexer.Next(next.Lexer, b); next.Lexer != lexer.None {
			if r.items != nil {
				next.Items = r.readItem(next, s.Items, b)
			}
			return next, true
		}
	}
	return State{}, false
}

// emitLate is Emit for a grammar whose rules are written on demand.
func (r *Recognizer) emitLate(s State, end lexer.End) (next State, ok bool) {
	if next, ok = r.makeAfter(s, end.Set); ok {
		next.Lexer = r.Current().startAfter(s.Lexer, end)
	}
	return next, ok
}

// makeAfter is EmitSet for a grammar whose rules are written on demand: it makes the states that
// the parser comes to.
func (r *Recognizer) makeAfter(s State, set lexer.Set) (next State, ok bool) {
	if next, ok = r.emitSet(s, set); !ok {
		return next, false
	}
	for i := range next.Stacks.NumTops() {
		r.Tables.Make(next.Stacks.TopNode(i).State)
	}
	next.Lexer = r.Current().Lexer.Start()
	return next, true
}

// startAfter is where the next lexeme begins after an End of the one pending in q that an earlier
// Recognizer of the series knew.
func (r *Recognizer) startAfter(q lexer.State, end lexer.End) lexer.State {
	if r.Lexer.Uniform() {
		return r.Lexer.Start()
	}
	emitted := r.Lexer.Members(end.Set)[0]
	for _, now := range r.Lexer.Ends(q) {
		if slices.Contains(r.Lexer.Members(now.Set), emitted) {
			return now.Start
		}
	}
	return end.Start
}

// Whole is a Recognizer of all rules, with tables that know all states; r itself where they are
// there.
func (r *Recognizer) Whole(ctx context.Context) (*Recognizer, error) {
	if r.growth == nil {
		return r, nil
	}
	g, err := r.Grammar.Demand.WriteAll(ctx)
	if err != nil {
		return nil, err
	}
	return New(ctx, g, Options{OnDemand: true})
}
