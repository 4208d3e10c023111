package recognizer

import (
	"fmt"
	"strings"

	"gcdbench/grammar"
	"gcdbench/grammar/lr"
)

// Where the lexer has modes, a lexeme may match terminals that lead to different modes, and the
// parser decides which it is. It must not take two of them: what follows would be read in two ways.
// Whether it ever does is found out here, once for a grammar, so that every engine may rely on it.

// checkModes refuses a grammar whose parser takes two such terminals at one place.
func (r *Recognizer) checkModes() error {
	pairs := r.Lexer.Alternatives()
	if len(pairs) > 0 && !r.Tables.Deterministic() {
		a, b := &r.Grammar.Terminals[pairs[0][0]], &r.Grammar.Terminals[pairs[0][1]]
		return &grammar.Error{Pos: b.Pos, Message: fmt.Sprintf("terminals %s and %s match the same text and lead to different modes, and the parser follows several ways, which may disagree",
			a.Name, b.Name), Hint: "let the tables have no conflicts that are kept: %conflicts resolve"}
	}
	asked := make([]lr.TerminalPair, len(pairs))
	for i, pair := range pairs {
		asked[i] = lr.TerminalPair{A: pair[0], B: pair[1], AlwaysA: r.dropped(pair[0]), AlwaysB: r.dropped(pair[1])}
	}
	found, after, err := r.Tables.TakeBoth(asked)
	if err != nil {
		return err
	}
	if found >= 0 {
		return r.undecided(pairs[found], after)
	}
	return nil
}

// dropped tells whether a terminal may be dropped before the parser sees it.
func (r *Recognizer) dropped(t grammar.Terminal) bool {
	return r.Grammar.Terminals[t].Ignored || r.Layout.IsNewline(t)
}

// undecided is the error of a pair of terminals that the parser both takes after some symbols.
func (r *Recognizer) undecided(pair [2]grammar.Terminal, after []grammar.Symbol) error {
	a, b := &r.Grammar.Terminals[pair[0]], &r.Grammar.Terminals[pair[1]]
	names := make([]string, len(after))
	for i, x := range after {
		names[i] = r.Grammar.SymbolName(x)
	}
	place := "at the start"
	if len(names) > 0 {
		place = "after " + strings.Join(names, " ")
	}
	return &grammar.Error{Pos: b.Pos, Message: fmt.Sprintf("terminals %s and %s match the same text and lead to modes %s and %s, and the parser takes both %s",
		a.Name, b.Name, r.Grammar.Modes[a.Next].Name, r.Grammar.Modes[b.Next].Name, place),
		Hint: "change the rules so that at most one of them may stand there"}
}
