package lark

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	path := write("main.lark", "start: x NUM\n%import .sub.types.x\n%import shared.NUM")
	write("sub/types.lark", "x: A\n%import .more.A")
	write("sub/more.lark", "A: \"a\"")
	shared := filepath.Dir(write("paths/shared.lark", "NUM: /[0-9]+/"))

	g := must.Get(Load(path, Options{ImportPaths: []string{filepath.Join(dir, "nowhere"), shared}}))(t)
	if g.Name != "main" || len(g.Terminals) != 2 {
		t.Errorf("name %q, terminals %v", g.Name, g.Terminals)
	}
	if pos := g.Terminals[0].Pos; pos.File != filepath.Join(dir, "sub", "more.lark") || pos.Line != 1 {
		t.Errorf("terminal %s is at %s", g.Terminals[0].Name, pos)
	}

	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "cannot find the grammar shared") {
		t.Errorf("without the import path: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "none.lark"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(dir, Options{}); err == nil {
		t.Errorf("a folder is taken")
	}
}

func TestLoadFromFS(t *testing.T) {
	files := fstest.MapFS{
		"g/main.lark":  {Data: []byte("program: x\n%import .types.x")},
		"g/types.lark": {Data: []byte("x: \"x\"")},
		"types.lark":   {Data: []byte("x: \"wrong\"")},
	}
	g, err := Load("g/main.lark", Options{FS: files, Start: "program", Name: "mine"})
	must.OK(t, err)
	if g.Name != "mine" || g.Terminals[0].Source != "x" {
		t.Errorf("name %q, terminal %q", g.Name, g.Terminals[0].Source)
	}
	g, err = Parse([]byte("start: x\n%import .types.x"), Options{FS: files, Dir: "g"})
	if err != nil || g.Terminals[0].Source != "x" {
		t.Errorf("Dir: %v, %v", g, err)
	}
	if g.Name != "grammar" {
		t.Errorf("a text without a name is called %q", g.Name)
	}
}

func TestModes(t *testing.T) {
	text := []byte("%lexer all\nstart: \"a\"")
	first, keep := grammar.LexFirst, grammar.KeepConflicts
	for _, test := range []struct {
		opt       Options
		lexer     grammar.LexerMode
		conflicts grammar.ConflictMode
	}{
		{Options{}, grammar.LexAll, grammar.ResolveConflicts},
		{Options{Lexer: &first}, grammar.LexFirst, grammar.ResolveConflicts},
		{Options{Conflicts: &keep}, grammar.LexAll, grammar.KeepConflicts},
	} {
		g, err := Parse(text, test.opt)
		if err != nil || g.Lexer != test.lexer || g.Conflicts != test.conflicts {
			t.Errorf("%+v: lexer %v, conflicts %v, %v", test.opt, g.Lexer, g.Conflicts, err)
		}
	}
}

// TestText checks what a file may be made of: line ends of all kinds, a byte order mark, and not
// bytes.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"start: a\r\n     | \"b\" \\\r\n \"c\"\r\n// comment\r\na: \"a\"": "",
		"\ufeffstart: \"a\"":               "",
		"start: \"a\"\fb: \"c\"":           "unexpected '\\f'",
		"start: \"a\"\n\f\v\u00a0b: \"c\"": "",
		"start: \"a\"\rb: \"c\"":           "unexpected '\\r'",
		"start: \"\xff\"":                  "1:9: byte 0xff is not UTF-8",
		"start: \"a\x00\"":                 "NUL byte",
		"start: \"a\" // \x00":             "",
		"":                                 "does not define its start rule",
		strings.Repeat(" ", maxSource+1):   "the file is too large; the limit is",
	} {
		_, err := Parse([]byte(text), Options{})
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// TestPositions checks where rules, terminals and nonterminals say that they are.
func TestPositions(t *testing.T) {
	g := load(t, "start: a\n     | \"é\" B+ // c\n\n     | \"x\"\n  a: B\nB: /b/\n")
	for i, want := range []string{"1:8", "2:8", "4:8", "5:6", "2:12", "2:12"} {
		if pos := g.Rules[i].Pos; fmt.Sprintf("%d:%d", pos.Line, pos.Column) != want {
			t.Errorf("rule %d is at %s, want %s", i, pos, want)
		}
	}
	for i, want := range []string{"6:1", "2:8", "4:8"} {
		if pos := g.Terminals[i].Pos; fmt.Sprintf("%d:%d", pos.Line, pos.Column) != want {
			t.Errorf("terminal %s is at %s, want %s", g.Terminals[i].Name, pos, want)
		}
	}
	for i, want := range []string{"1:1", "5:3", "2:12"} {
		if pos := g.Nonterminals[i].Pos; fmt.Sprintf("%d:%d", pos.Line, pos.Column) != want {
			t.Errorf("%s is at %s, want %s", g.Nonterminals[i].Name, pos, want)
		}
	}
}

// TestPositionsInLongLines compares columns with a count from the start of the line.
func TestPositionsInLongLines(t *testing.T) {
	text := "\n" + strings.Repeat("aéb😀", 1000) + "\n" + strings.Repeat("é", 2*runeStep)
	src := must.Get(newSource("", []byte(text)))(t)
	line, column := 1, 1
	for off, r := range text {
		if pos := src.at(off).position(); pos.Line != line || pos.Column != column {
			t.Fatalf("offset %d is %d:%d, want %d:%d", off, pos.Line, pos.Column, line, column)
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
}

// TestLayout checks the terminals of a layout, and that they stay although no rule uses them.
func TestLayout(t *testing.T) {
	g := load(t, "start: \"x\" \"(\" \")\"\n_NL: /\\n/\n%declare _IN _DE\n%layout newline=_NL indent=_IN dedent=_DE open=\"(\" close=RPAR tab=4")
	name := func(t grammar.Terminal) string { return g.Terminals[t].Name }
	y := g.Layout
	got := fmt.Sprint(name(y.Newline), name(y.Indent), name(y.Dedent), len(y.Open), name(y.Open[0]), len(y.Close), name(y.Close[0]), y.Tab, y.Pos.Line)
	if want := fmt.Sprint("_NL", "_IN", "_DE", 1, "LPAR", 1, "RPAR", 4, 4); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if def := g.Terminals[y.Indent]; !def.Declared || def.Expr != nil {
		t.Errorf("%s is not declared", def.Name)
	}
}

// manyRules is a grammar of n rules, with a terminal and a few repeats for each.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("start: r0\n%import common (INT, WS)\n%ignore WS\n")
	for i := range n {
		fmt.Fprintf(&b, "r%d: \"k%d\" r%d? (\",\" r%d)* [\"(\" (INT | T%d)~1..3 \")\"] -> al%d\n   | _sep{r%[1]d, \"s%[1]d\"} \";\"\nT%[1]d: \"t%[1]d\" /[a-z]+/\n",
			i, i, (i*7+1)%n, (i*13+5)%n, i, i)
	}
	b.WriteString("_sep{x, d}: x (d x)*\n")
	return b.String()
}

// TestManyRules reads a grammar of a thousand rules; the benchmark says how fast.
func TestManyRules(t *testing.T) {
	g := load(t, manyRules(1000))
	if len(g.Nonterminals) < 3000 || len(g.Terminals) < 3000 {
		t.Errorf("%d nonterminals, %d terminals", len(g.Nonterminals), len(g.Terminals))
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		text := []byte(manyRules(n))
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				must.Get(Parse(text, Options{}))(b)
			}
		})
	}
}

// TestSHA256: grammars are told apart by their texts, those of imported files, and the start rule;
// not by where a file was found.
func TestSHA256(t *testing.T) {
	const text = "%import .words.WORD\nstart: value\nvalue: WORD\n"
	hash := func(text, words string, opt Options) [32]byte {
		t.Helper()
		files := fstest.MapFS{"words.lark": {Data: []byte(words)}, "shared/words.lark": {Data: []byte(words)}}
		if opt.ImportPaths == nil {
			delete(files, "shared/words.lark")
		}
		opt.FS, opt.File = files, "main.lark"
		g := must.Get(Parse([]byte(text), opt))(t)
		return g.SHA256
	}
	base := hash(text, "WORD: /a/", Options{})
	for what, same := range map[string]bool{"start": true, "value": false} {
		if got := hash(text, "WORD: /a/", Options{Start: what}); (got == base) != same {
			t.Errorf("with the start rule %s the hash is the same: %v", what, !same)
		}
	}
	if hash(text, "WORD: /a/", Options{ImportPaths: []string{"shared"}}) != base {
		t.Error("the hash depends on the folder of an import")
	}
	if hash(text, "WORD: /a/", Options{Name: "other"}) != base {
		t.Error("the hash depends on the name")
	}
	if hash(text, "WORD: /a/", Options{Lexer: new(grammar.LexFirst)}) != base {
		t.Error("the hash depends on a lexer that is asked for twice")
	}
	if hash(text, "WORD: /a/", Options{Lexer: new(grammar.LexContextual)}) == base {
		t.Error("the hash does not depend on the lexer")
	}
	if hash("start: \"a\"", "WORD: /a/", Options{}) != hash("start: \"a\"", "", Options{}) {
		t.Error("the hash depends on a file that is not imported")
	}
	if hash(text, "WORD: /b/", Options{}) == base || hash(text+" ", "WORD: /a/", Options{}) == base {
		t.Error("the hash does not depend on the texts")
	}
}
