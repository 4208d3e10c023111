package lexer

import (
	"context"
	"fmt"
	"slices"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
)

// A terminal that no lexeme is emitted as is a mistake of its grammar: its pattern matches no text,
// or another terminal wins wherever it matches. Rules that need it lead into dead ends. Lark takes
// such a grammar, and so does Build; Unread says what is wrong.

// An UnreadTerminal is a terminal that no lexeme is emitted as.
type UnreadTerminal struct {
	Terminal grammar.Terminal
	// Text is a shortest lexeme that matches the terminal, and Winner the terminal that it is emitted
	// as; Text is nil if no text matches the terminal, or none can be named.
	Text   []byte
	Winner grammar.Terminal
}

// Warning says what is wrong, at the place of the terminal's definition, and what to do.
func (u *UnreadTerminal) Warning(g *grammar.Grammar) *grammar.Error {
	def := &g.Terminals[u.Terminal]
	e := &grammar.Error{Pos: def.Pos, Message: fmt.Sprintf("terminal %s is never read: its pattern matches no text", def.Name),
		Hint: "correct the pattern, or leave out what needs the terminal"}
	if u.Text != nil {
		e.Message = fmt.Sprintf("terminal %s is never read: other terminals win whatever it matches, as %s does %q",
			def.Name, g.Terminals[u.Winner].Name, u.Text)
		e.Hint = "give it a higher priority (" + def.Name + ".1: ...), or let the rules take the other terminal"
		if g.Lexer == grammar.LexFirst && g.Split == nil {
			e.Hint += "; a grammar that was written for Lark's contextual lexer, which is Lark's default, is read with --lexer contextual"
		}
	}
	return e
}

// Unread lists the terminals that no lexeme is emitted as, declared ones excepted. The automaton
// must be built ahead; of a grammar whose rules are written on demand nothing is listed. An error
// is the context's.
func Unread(ctx context.Context, g *grammar.Grammar, a Automaton) ([]UnreadTerminal, error) {
	if g.Demand != nil {
		return nil, nil
	}
	emitted := make([]bool, len(g.Terminals))
	for s := range Set(a.NumSets()) {
		for _, t := range a.Members(s) {
			emitted[t] = true
		}
	}
	if g.Split != nil {
		emitted = withCopies(g, emitted)
	}
	var list []UnreadTerminal
	for t := range g.Terminals {
		if emitted[t] || g.Terminals[t].Declared {
			continue
		}
		u, err := unread(ctx, g, a, grammar.Terminal(t))
		if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	return list, nil
}

// withCopies tells of each terminal of a split grammar whether one of its copies is emitted. The
// copies of an ignored terminal have the name in common.
func withCopies(g *grammar.Grammar, emitted []bool) []bool {
	ignored := map[string]bool{}
	for t, is := range emitted {
		if is && g.Terminals[t].Ignored {
			ignored[g.Terminals[t].Name] = true
		}
	}
	read := slices.Repeat([]bool{true}, len(emitted))
	for t, copies := range g.Split.Copies {
		read[t] = copies == nil || ignored[g.Terminals[t].Name] || slices.ContainsFunc(copies, func(c grammar.Terminal) bool { return emitted[c] })
	}
	return read
}

// unread looks for a text that a terminal matches, and for what it is emitted as.
func unread(ctx context.Context, g *grammar.Grammar, a Automaton, t grammar.Terminal) (UnreadTerminal, error) {
	u := UnreadTerminal{Terminal: t}
	if err := stopped(ctx, g); err != nil {
		return u, err
	}
	limits := automata.DefaultLimits
	limits.Context = ctx
	dfa, err := automata.Compile(g.Terminals[t].Expr, limits)
	if automata.LooksInFront(err) {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	text, ok := dfa.Shortest()
	if !ok {
		return u, nil
	}
	for q := range State(a.NumStates()) {
		if ends := endsAfter(a, q, text); len(ends) > 0 && a.Begins(q) {
			u.Text, u.Winner = text, a.Members(ends[0].Set)[0]
			return u, nil
		}
	}
	return u, nil
}

// endsAfter are the ends of a lexeme that begins in q.
func endsAfter(a Automaton, q State, text []byte) []End {
	for _, b := range text {
		if q = a.Next(q, b); q == None {
			return nil
		}
	}
	return a.Ends(q)
}
