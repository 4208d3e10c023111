package lark

import (
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// TestItems is about the directive %items: the roles of terminals, how they are written again, and
// what is a mistake.
func TestItems(t *testing.T) {
	const rules = "start: OPEN A (COMMA A)* CLOSE | END\nOPEN: \"[\"\nCOMMA: \",\"\nCLOSE: \"]\"\nEND: /\\]/\nA: \"a\"\n%declare D\n"
	g := must.Get(Parse([]byte("%items open=OPEN other=COMMA,CLOSE equal=END\n"+rules), Options{}))(t)
	for name, want := range map[string]grammar.ItemRole{"OPEN": grammar.OpensItems, "COMMA": grammar.AfterOther, "CLOSE": grammar.AfterOther, "END": grammar.AfterEqual, "A": grammar.NoItems} {
		if id, ok := g.Lookup(name); !ok || g.Terminals[id].Items != want {
			t.Errorf("%s has the role %d, want %d", name, g.Terminals[id].Items, want)
		}
	}
	var text strings.Builder
	if err := Describe(&text, g); err != nil || !strings.Contains(text.String(), "%items open=OPEN other=COMMA,CLOSE equal=END\n") {
		t.Errorf("%v: %s", err, text.String())
	}
	for line, want := range map[string]string{
		"%items":                         "%items does not say open=",
		"%items open=OPEN shut=CLOSE":    "unknown setting shut",
		"%items open=OPEN open=OPEN":     "open is set twice",
		"%items open=OPEN other=OPEN":    "terminal OPEN already has a part in %items",
		"%items open=OPEN other=NONE":    "terminal NONE is not defined",
		"%items open=OPEN other=1":       "other takes terminals, not numbers",
		"%items open=A\n%items open=A":   "the directive is given twice",
		"%items open=OPEN\n%ignore OPEN": "terminal OPEN is ignored",
	} {
		if _, err := Parse([]byte(line+"\n"+rules), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
