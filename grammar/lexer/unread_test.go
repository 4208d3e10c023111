package lexer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

func TestUnread(t *testing.T) {
	for _, c := range []struct {
		about     string
		mode      grammar.LexerMode
		terminals string
		want      string // messages, with "; " between them
	}{
		{"all are read", grammar.LexFirst, "IF \"if\"\nNAME /[a-z]+/\nWS! / +/", ""},
		{"a word that a longer pattern has", grammar.LexFirst, "FEW /ab|cd/\nNAME.1 /[a-z]+/\nNUMBER /[0-9]/",
			`terminal FEW is never read: other terminals win whatever it matches, as NAME does "ab"`},
		{"two that win together", grammar.LexFirst, "AB /[ab]/\nA.1 /a/\nB.1 /b/",
			`terminal AB is never read: other terminals win whatever it matches, as A does "a"`},
		{"one text is left", grammar.LexFirst, "ABC /[abc]/\nA.1 /a/\nB.1 /b/", ""},
		{"all matches", grammar.LexAll, "FEW /ab|cd/\nNAME.1 /[a-z]+/", ""},
		{"no text", grammar.LexFirst, "NEVER /[^\\s\\S]/\nA /a/", "terminal NEVER is never read: its pattern matches no text"},
		{"no text, all matches", grammar.LexAll, "NEVER /[^\\s\\S]/\nA /a/", "terminal NEVER is never read: its pattern matches no text"},
		{"ignored ones count", grammar.LexFirst, "WS! / +/\nBLANK! / /\nTAB.1 /[ \\t]/",
			`terminal BLANK is never read: other terminals win whatever it matches, as TAB does " "`},
	} {
		g := terminals(t, c.mode, c.terminals)
		a := must.Get(Build(t.Context(), g, Limits{}))(t)
		list := must.Get(Unread(t.Context(), g, a))(t)
		var messages []string
		for _, u := range list {
			w := u.Warning(g)
			messages = append(messages, w.Message)
			if w.Hint == "" {
				t.Errorf("%s: nothing says what to do", c.about)
			}
		}
		if got := strings.Join(messages, "; "); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.about, got, c.want)
		}
	}
}

func TestUnreadInterrupted(t *testing.T) {
	g := terminals(t, grammar.LexFirst, "FEW /ab|cd/\nNAME.1 /[a-z]+/")
	a := must.Get(Build(t.Context(), g, Limits{}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Unread(ctx, g, a); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
