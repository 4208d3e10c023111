package dialects

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/languages"
	"gcdbench/grammar/lark"
	"gcdbench/internal/must"
)

var update = flag.Bool("update", false, "write the translations of testdata anew")

// parse reads a grammar in Lark's language.
func parse(t *testing.T, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{Name: "test"}))(t)
	return g
}

// translate writes a grammar in a dialect.
func translate(t *testing.T, g *grammar.Grammar, name string) *Translation {
	t.Helper()
	tr := must.Get(Translate(t.Context(), g, name))(t)
	return tr
}

// sourceOf is a grammar as a dialect of characters is given it.
func sourceOf(t *testing.T, g *grammar.Grammar) *source {
	t.Helper()
	s := must.Get(newSource(t.Context(), g, "ebnf"))(t)
	return s
}

// The grammar with every construct is kept in every dialect, with the notes as comments would be.
func TestTranslations(t *testing.T) {
	g := must.Get(lark.Load(filepath.Join("testdata", "small.lark"), lark.Options{}))(t)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			tr := translate(t, g, name)
			got := tr.Text
			for _, n := range tr.Notes {
				got += fmt.Sprintf("\nnote: %s\n", n)
			}
			file := filepath.Join("testdata", "small."+name+".txt")
			if *update {
				must.OK(t, os.WriteFile(file, []byte(got), 0o666))
			}
			want := must.Get(os.ReadFile(file))(t)
			checkSameLines(t, got, string(want))
			if again := translate(t, g, name); again.Text != tr.Text {
				t.Error("the second translation differs from the first")
			}
		})
	}
}

// checkSameLines compares two texts and shows the first line that differs.
func checkSameLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("line %d: got\n%s\nwant\n%s", i+1, g[i], w[i])
			return
		}
	}
	if len(g) != len(w) {
		t.Errorf("got %d lines, want %d", len(g), len(w))
	}
}

func TestUnsupported(t *testing.T) {
	python := must.Get(languages.Load(t.Context(), "python"))(t)
	for _, name := range Names() {
		checkUnsupported(t, python, name, "layout (indentation")
	}
	all := parse(t, "%lexer all\nstart: \"a\" | B\nB: /[ab]/")
	checkUnsupported(t, all, "lark", "%lexer all")
	translate(t, all, "llguidance-lark") // every match is what its parser is given
	contextual := translate(t, parse(t, "%lexer contextual\nstart: \"ab\" A | A \"=\"\nA: /[a-z]+/"), "llguidance-lark")
	if strings.Contains(contextual.Text, "~") {
		t.Errorf("a keyword is excluded where it cannot come:\n%s", contextual.Text)
	}
	keep := parse(t, "%conflicts keep\nstart: start start | \"a\"")
	checkUnsupported(t, keep, "lark", "%conflicts keep")
	translate(t, keep, "ebnf")
	endless := parse(t, "start: start \"a\"")
	for _, name := range Names()[1:] {
		checkUnsupported(t, endless, name, "grammar without any text")
	}
	context := parse(t, "start: A\nA: /a(?!b)/")
	modes := parse(t, "start: \"<\" TEXT \">\"\nTEXT: /[a-z]+/\n%mode text in=TEXT,\">\" after=\"<\"")
	for _, name := range Names() {
		checkUnsupported(t, context, name, "terminal that asks what follows it, as A does")
		checkUnsupported(t, modes, name, "modes")
	}
	checkUnsupported(t, parse(t, "%conflicts keep\nstart: a\na: b | \"x\"\nb: a | \"y\""), "gbnf", "rule that derives nothing but itself")
}

func checkUnsupported(t *testing.T, g *grammar.Grammar, name, feature string) {
	t.Helper()
	tr, err := Translate(t.Context(), g, name)
	var u *UnsupportedError
	if !errors.As(err, &u) {
		t.Errorf("%s in %s: got %v and %v", g.Name, name, tr, err)
		return
	}
	if !strings.Contains(u.Feature, feature) || u.Dialect != name || !strings.Contains(err.Error(), u.Feature) {
		t.Errorf("%s in %s: %v", g.Name, name, err)
	}
}

func TestBadCalls(t *testing.T) {
	g := parse(t, `start: "a"`)
	if _, err := Translate(t.Context(), g, "bnf"); err == nil || !strings.Contains(err.Error(), "llguidance-lark") {
		t.Errorf("a dialect that there is not: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	big := parse(t, `start: /(?:[ab]{1,200}c){50}/`)
	if _, err := Translate(ctx, big, "ebnf"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		grammar, dialect string
		want, not        []string
	}{
		{"start: A\nA: /a+/", "llguidance-lark", []string{"may stand at its place"}, []string{"priority", "conflict"}},
		{"start: \"ab\" A\nA: /[a-z]+/", "llguidance-lark", nil, []string{"priority"}},
		{"%lexer contextual\nstart: \"ab\" A\nA: /[a-z]+/", "llguidance-lark", []string{"no priority"}, []string{"may stand at its place"}},
		{"%lexer contextual\nstart: \"ab\" A\nA: /[a-z]+/", "ebnf", []string{"no priority", "no lexer"}, nil},
		{"%lexer contextual\nstart: \"ab\" A\nA: /[0-9]+/", "llguidance-lark", nil, []string{""}},
		{"start: \"ab\" A\nA: /[a-z]+/", "glrmask-lark", []string{"no priority"}, nil},
		{"start: \"ab\" A\nA: /[a-z]+/", "ebnf", []string{"no priority", "no lexer"}, nil},
		{"start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"", "kbnf", []string{"1 LALR conflict", "U+0004"}, []string{"no priority"}},
		{"start: \"ab\" A\nA: /[a-z]+/", "lark", nil, []string{""}},
	} {
		notes := strings.Join(translate(t, parse(t, c.grammar), c.dialect).Notes, "\n")
		for _, want := range c.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%q in %s: the notes lack %q:\n%s", c.grammar, c.dialect, want, notes)
			}
		}
		for _, not := range c.not {
			if not == "" && notes != "" || not != "" && strings.Contains(notes, not) {
				t.Errorf("%q in %s: the notes have %q:\n%s", c.grammar, c.dialect, not, notes)
			}
		}
	}
}

func TestReader(t *testing.T) {
	for _, name := range Names() {
		if Reader(name) == "" {
			t.Errorf("nobody reads %s", name)
		}
	}
	if r := Reader("bnf"); r != "" {
		t.Errorf("bnf is read by %s", r)
	}
}
