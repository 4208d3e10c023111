package spanner_test

import (
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/grammar"
	"gcdbench/grammar/lexer"
)

// TestPending is a table of texts and the strings or numbers that are pending after them.
func TestPending(t *testing.T) {
	v := realtext.Vocabulary(t, "a", `"`, ":")
	r := compile(t, stringGrammar, true)
	s := spanner.New(r, v, spanner.Options{})
	lex := r.Lexer
	for _, c := range []struct{ text, want string }{
		{``, ""},
		{`[`, ""},
		{`12`, "NUMBER"},
		{`"`, "STRING SHORT LOWER KEY OTHER LATE GAP"},
		{`"ab`, "STRING SHORT LOWER KEY OTHER LATE GAP"},
		{`"abc`, "STRING SHORT LOWER OTHER LATE GAP"},
		{`"ab"`, "STRING SHORT LOWER KEY LATE GAP"},
		{`"\`, "STRING"},
	} {
		q := lex.Start()
		for _, b := range []byte(c.text) {
			q = lex.Next(q, b)
		}
		parts := s.Pending([]lexer.Part{{Terminal: 99}}, q)
		if parts[0].Terminal != 99 {
			t.Errorf("%q: what was there is gone", c.text)
		}
		if got := partNames(r.Grammar, parts[1:]); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	off := spanner.New(r, v, spanner.Options{NoSlices: true})
	if parts := off.Pending(nil, lex.Next(lex.Start(), '"')); len(parts) > 0 {
		t.Errorf("without slices: %v", parts)
	}
}

func partNames(g *grammar.Grammar, parts []lexer.Part) string {
	var names []string
	for _, p := range parts {
		names = append(names, g.Terminals[p.Terminal].Name)
	}
	return strings.Join(names, " ")
}
