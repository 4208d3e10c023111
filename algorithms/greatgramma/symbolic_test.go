package greatgramma

import (
	"testing"

	"gcdbench/algorithms/lexical/spanner"
	"gcdbench/internal/must"
)

func TestSymbolOfLayout(t *testing.T) {
	p := problemOf(t, "start: \"p\" NL\nNL: /\\n */\n%declare INDENT DEDENT\n%layout newline=NL indent=INDENT dedent=DEDENT open=\"(\" close=\")\" tab=8\nx: \"(\" \")\" INDENT DEDENT\n", false, "p\n", "\n", " ", "p\n p")
	e := newEngine(p, settings{memo: true, slices: true, maxBytes: MaxBytes, maxHeld: MaxHeld})
	b := e.builder
	must.OK(t, e.buildAll(t.Context()))
	var columns []spanner.Column
	for x, em := range e.view.emits {
		if em.newline {
			columns = append(columns, em.column)
			if b.class[x] != b.lineOf {
				t.Error("newline lexemes of several columns are several symbols to the parser")
			}
		}
	}
	if len(columns) == 0 {
		t.Error("no newline lexeme was met")
	}
}
