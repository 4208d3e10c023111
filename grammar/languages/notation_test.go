package languages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
)

// TestNotation reads files by the ends of their names.
func TestNotation(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.gbnf", "b.ebnf"} {
		path := filepath.Join(folder, name)
		must.OK(t, os.WriteFile(path, []byte("root ::= x\nx ::= \"a\""), 0o600))
		for _, o := range []languages.Options{{}, {Start: "x"}, {Lexer: "dynamic"}} {
			if g, err := languages.LoadWith(t.Context(), path, o); err != nil || g.Lexer != grammar.LexDynamic || g.Name != name[:1] {
				t.Errorf("%s: %v", name, err)
			}
		}
		for want, o := range map[string]languages.Options{
			"have no lexer": {Lexer: "basic"}, "import nothing": {ImportPaths: []string{folder}}, "does not define its start rule, y": {Start: "y"},
		} {
			if _, err := languages.LoadWith(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := languages.LoadWith(t.Context(), filepath.Join(folder, "none.gbnf"), languages.Options{}); err == nil {
		t.Error("a file that is not there was read")
	}
}
