package cli

import (
	"context"

	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// warning is the JSON of an oddity of a grammar that does not stop it from being used: a rule that
// nothing can use, a terminal that no text is read as.
type warning struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Message string `json:"message"`
}

// warn finds the oddities of a grammar in Lark's language, and notes them on standard error.
func (a *app) warn(ctx context.Context, l *loaded) error {
	l.warnings = []warning{}
	add := func(at grammar.Position, message, hint string) {
		l.warnings = append(l.warnings, warning{at.File, at.Line, at.Column, message})
		e := grammar.Error{Pos: at, Message: "warning: " + message, Hint: hint}
		a.note("%v", e.Error())
	}
	for _, w := range l.Tables.Warnings() {
		add(w.Pos, w.Message, "")
	}
	unread, err := lexer.Unread(ctx, l.Grammar, l.Lexer)
	if err != nil {
		return err
	}
	for i := range unread {
		w := unread[i].Warning(l.Grammar)
		add(w.Pos, w.Message, w.Hint)
	}
	return nil
}
