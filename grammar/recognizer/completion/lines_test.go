package completion

import (
	"testing"

	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestChargesColumns says of which grammars the columns of blocks are known from stacks.
func TestChargesColumns(t *testing.T) {
	g := must.Get(languages.Load(t.Context(), "python"))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	if !New(r, Options{}).columns.charged {
		t.Error("the columns of Python's blocks are not charged")
	}
	const lines = "\nstmt: \"p\" _NL\n_NL: /(\\n *)+/\n%declare _IN _DE\n%layout newline=_NL indent=_IN dedent=_DE tab=8\n"
	for text, charged := range map[string]bool{
		"start: stmt+ block\nblock: \"b\" _NL _IN stmt+ _DE": true, "start: stmt+ block\nblock: \"b\" _IN stmt+ _DE": false,
		"start: stmt+ block\nblock: _NL _IN stmt+ _DE \"b\"": false, "start: stmt+ block\nblock: \"b\" _NL _IN stmt+": false,
	} {
		g, err := lark.Parse([]byte(text+lines), lark.Options{File: "test.lark"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := recognizer.New(t.Context(), g, recognizer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := New(r, Options{}).columns.charged; got != charged {
			t.Errorf("columns are charged: %v, of\n%s", got, text)
		}
	}
}
