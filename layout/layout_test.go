package layout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/layout"
)

// The terminals of the tests.
const (
	word grammar.Terminal = iota
	newline
	indent
	dedent
	open
	shut
)

var names = []string{"word", "NL", "IN", "OUT", "(", ")"}

func newLayout(tab int) *layout.Layout {
	g := &grammar.Grammar{Layout: &grammar.Layout{Newline: newline, Indent: indent, Dedent: dedent,
		Open: []grammar.Terminal{open}, Close: []grammar.Terminal{shut}, Tab: tab}}
	for _, name := range names {
		g.Terminals = append(g.Terminals, grammar.TerminalDef{Name: name})
	}
	return layout.New(g)
}

// feed runs lexemes, separated by "|", through a layout step and names what comes out. A lexeme
// that begins with a line break is a newline.
func feed(l *layout.Layout, text string) string {
	var r layout.Registers
	var out []string
	give := func(o layout.Output) {
		if o.HasFirst {
			out = append(out, names[o.First])
		}
		for range o.Count {
			out = append(out, names[o.Then])
		}
	}
	lexemes := strings.Split(text, "|")
	for i, lexeme := range lexemes {
		t := word
		switch {
		case lexeme == "":
			continue
		case strings.ContainsAny(lexeme[:1], "\r\n"):
			t = newline
		case lexeme == "(":
			t = open
		case lexeme == ")":
			t = shut
		}
		r = l.Begin(r)
		for j := range len(lexeme) {
			r = l.Read(r, lexeme[j])
		}
		var o layout.Output
		ok := true
		if t == newline && i == len(lexemes)-1 {
			o, r = l.EndNewline(r)
		} else {
			o, r, ok = l.Lexeme(r, t)
		}
		give(o)
		if !ok {
			return strings.Join(append(out, "illegal"), " ")
		}
	}
	give(l.End(r))
	return strings.Join(out, " ")
}

func TestLayout(t *testing.T) {
	cases := []struct{ about, lexemes, want string }{
		{"nothing at all", "", ""},
		{"one line without its end", "a", "word NL"},
		{"one line", "a|\n", "word NL"},
		{"two lines", "a|\n|b", "word NL word NL"},
		{"a block", "a|\n  |b|\n|c", "word NL IN word NL OUT word NL"},
		{"a block open at the end", "a|\n  |b", "word NL IN word NL OUT"},
		{"a block, then blanks at the end", "a|\n  |b|\n      ", "word NL IN word NL OUT"},
		{"two blocks closed at once", "a|\n |b|\n  |c|\n|d", "word NL IN word NL IN word NL OUT OUT word NL"},
		{"two blocks closed one by one", "a|\n |b|\n  |c|\n |d|\n|e", "word NL IN word NL IN word NL OUT word NL OUT word NL"},
		{"blank and comment lines do not count", "a|\n  |b|\n\n# c\n      # d\n  |e", "word NL IN word NL word NL OUT"},
		{"only the last line counts", "a|\n        \n  |b", "word NL IN word NL OUT"},
		{"CRLF and CR", "a|\r\n  |b|\r  |c", "word NL IN word NL word NL OUT"},
		{"a dedent to no open block", "a|\n    |b|\n  |c", "word NL IN word NL OUT illegal"},
		{"no lines inside brackets", "(|\n      |a|\n|)|\n|b", "( word ) NL word NL"},
		{"brackets left open", "(|a|\n", "( word NL"},
		{"a closing bracket too many", ")|\n|a", ") NL word NL"},
		{"a tab goes to the next stop", "a|\n\t|b|\n        |c|\n    \t|d", "word NL IN word NL word NL word NL OUT"},
		{"a form feed starts the line anew", "a|\n    \f  |b|\n  |c", "word NL IN word NL word NL OUT"},
		{"a leading line break", "\n|a", "NL word NL"},
		{"blanks behind text are not its column", "a|\n  # x   |b|\n  |c", "word NL IN word NL word NL OUT"},
	}
	for _, c := range cases {
		if got := feed(newLayout(8), c.lexemes); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.about, c.lexemes, got, c.want)
		}
	}
	if got, want := feed(newLayout(4), "a|\n\t|b|\n    |c"), "word NL IN word NL word NL OUT"; got != want {
		t.Errorf("tab 4: got %s, want %s", got, want)
	}
}

func TestNoLayout(t *testing.T) {
	l := layout.New(&grammar.Grammar{})
	if l != nil {
		t.Fatal("a grammar without %layout has a layout")
	}
	out, r, ok := l.Lexeme(l.Read(layout.Registers{}, '\n'), word)
	if !ok || !out.HasFirst || out.First != word || out.Count != 0 || r.NeedsNewline() || l.Dropped(r, word) || l.End(r).HasFirst {
		t.Errorf("the nil layout changes something: %+v", out)
	}
}

// TestAction says that the classification of a column agrees with what a newline lexeme of that
// column becomes.
func TestAction(t *testing.T) {
	l := newLayout(8)
	r := layout.Registers{}
	for _, column := range []int{2, 4, 8} {
		r, _ = line(t, l, r, column)
	}
	if got := fmt.Sprint(r.Columns()); got != "[2 4 8]" {
		t.Fatalf("open blocks %s", got)
	}
	for column := range 12 {
		levels, ok := r.Action(column)
		out, _, legal := l.Lexeme(at(l, r, column), newline)
		want := out.Count
		if out.Then == dedent {
			want = -out.Count
		}
		if ok != legal || ok && levels != want {
			t.Errorf("column %d: Action says %d %v, Lexeme %d %v", column, levels, ok, want, legal)
		}
	}
}

func at(l *layout.Layout, r layout.Registers, column int) layout.Registers {
	r = l.Read(l.Begin(r), '\n')
	for range column {
		r = l.Read(r, ' ')
	}
	return r
}

func line(t *testing.T, l *layout.Layout, r layout.Registers, column int) (layout.Registers, layout.Output) {
	t.Helper()
	out, next, ok := l.Lexeme(at(l, r, column), newline)
	if !ok {
		t.Fatalf("column %d is illegal", column)
	}
	return next, out
}

func TestRegistersAreValues(t *testing.T) {
	l := newLayout(8)
	a, _ := line(t, l, layout.Registers{}, 2)
	b, _ := line(t, l, a, 4)
	c, _ := line(t, l, a, 6)
	if !slices.Equal(a.Columns(), []int{2}) || !slices.Equal(b.Columns(), []int{2, 4}) || !slices.Equal(c.Columns(), []int{2, 6}) {
		t.Errorf("registers share what they should not: %v %v %v", a.Columns(), b.Columns(), c.Columns())
	}
	again, _ := line(t, l, a, 4)
	if !b.Equal(again) || b.Equal(c) || b.Equal(a) || !a.Equal(a) {
		t.Error("Equal is not about the contents")
	}
}
