package layout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/layout"
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

func newLayout(tab int) *layout.Layout { return newLayoutOf(grammar.Layout{Tab: tab}) }

// newLayoutOf is the layout of a directive, whose terminals are those of the tests.
func newLayoutOf(d grammar.Layout) *layout.Layout {
	d.Newline, d.Indent, d.Dedent = newline, indent, dedent
	d.Open, d.Close = []grammar.Terminal{open}, []grammar.Terminal{shut}
	g := &grammar.Grammar{Layout: &d}
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
		for b := o.Then; b != 0; {
			var t grammar.Terminal
			t, b = l.Next(b)
			out = append(out, names[t])
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

// TestAlternate has the cases that CPython decides with tab stops of 8 and of 1.
func TestAlternate(t *testing.T) {
	cases := []struct{ about, lexemes, want string }{
		{"tabs only", "a|\n\t|b|\n\t\t|c|\n\t|d", "word NL IN word NL IN word NL OUT word NL OUT"},
		{"level with a tab and with blanks", "a|\n\t|b|\n        |c", "word NL IN word NL illegal"},
		{"level with blanks and with a tab", "a|\n        |b|\n\t|c", "word NL IN word NL illegal"},
		{"deeper with one width only", "a|\n    |b|\n\t|c", "word NL IN word NL IN illegal"},
		{"deeper with both", "a|\n\t|b|\n\t        |c", "word NL IN word NL IN word NL OUT OUT"},
		{"back to a block that blanks opened", "a|\n        |b|\n         |c|\n\t|d", "word NL IN word NL IN word NL OUT illegal"},
		{"not inside brackets", "(|\n\t|a|\n        |)|\n|b", "( word ) NL word NL"},
		{"a form feed clears both counts", "a|\n\t\f  |b|\n  |c", "word NL IN word NL word NL OUT"},
	}
	for _, c := range cases {
		if got := feed(newLayoutOf(grammar.Layout{Tab: 8, Alternate: 1}), c.lexemes); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.about, c.lexemes, got, c.want)
		}
	}
}

// TestJoin has the cases that CPython decides by the first backslash of a line.
func TestJoin(t *testing.T) {
	cases := []struct{ about, lexemes, want string }{
		{"the column before the first one counts", "a|\n  \\\n      |b|\n  |c", "word NL IN word NL word NL OUT"},
		{"unless it is 0", "a|\n\\\n  |b|\n  |c", "word NL IN word NL word NL OUT"},
		{"the first that is not 0", "a|\n\\\n  \\\n    \\\n|b|\n  |c", "word NL IN word NL word NL OUT"},
		{"both counts are the first one's", "a|\n\t\\\n |b|\n        |c", "word NL IN word NL word NL OUT"},
		{"so that a tab does not agree", "a|\n\t\\\n |b|\n\t|c", "word NL IN word NL illegal"},
		{"a form feed before it", "a|\n  \f\\\n  |b|\n  |c", "word NL IN word NL word NL OUT"},
		{"a blank line behind it", "a|\n  |b|\n\\\n\n  |c", "word NL IN word NL word NL OUT"},
		{"a comment behind it", "a|\n  |b|\n\\\n# c\n  |c", "word NL IN word NL word NL OUT"},
		{"none in a comment", "a|\n  |b|\n# c\\\n  |c", "word NL IN word NL word NL OUT"},
		{"none behind a join character that is text", "a|\n  |b|\n# c\r\\ \\\n  |c", "word NL IN word NL word NL OUT"},
		{"nor blanks", "a|\n  |b|\n# c\r\\\t \\\n|c", "word NL IN word NL OUT word NL"},
		{"with a carriage return", "a|\r\n  \\\r\n    |b|\r\n  |c", "word NL IN word NL word NL OUT"},
	}
	for _, c := range cases {
		if got := feed(newLayoutOf(grammar.Layout{Tab: 8, Alternate: 1, Join: "\\"}), c.lexemes); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.about, c.lexemes, got, c.want)
		}
	}
}

func TestNoLayout(t *testing.T) {
	l := layout.New(&grammar.Grammar{})
	if l != nil {
		t.Fatal("a grammar without %layout has a layout")
	}
	out, r, ok := l.Lexeme(l.Read(layout.Registers{}, '\n'), word)
	if !ok || !out.HasFirst || out.First != word || out.Then != 0 || r.NeedsNewline() || l.Dropped(r, word) || l.End(r).HasFirst {
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
	if got := fmt.Sprint(r.Columns()); got != "[{2 2} {4 4} {8 8}]" {
		t.Fatalf("open blocks %s", got)
	}
	for column := range 12 {
		levels, ok := r.Action(layout.Column{Stops: int32(column), Alternate: int32(column)})
		out, _, legal := l.Lexeme(at(l, r, column), newline)
		want := int(out.Then)
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
	two, four, six := layout.Column{Stops: 2, Alternate: 2}, layout.Column{Stops: 4, Alternate: 4}, layout.Column{Stops: 6, Alternate: 6}
	if !slices.Equal(a.Columns(), []layout.Column{two}) || !slices.Equal(b.Columns(), []layout.Column{two, four}) || !slices.Equal(c.Columns(), []layout.Column{two, six}) {
		t.Errorf("registers share what they should not: %v %v %v", a.Columns(), b.Columns(), c.Columns())
	}
	again, _ := line(t, l, a, 4)
	if !b.Equal(again) || b.Equal(c) || b.Equal(a) || !a.Equal(a) {
		t.Error("Equal is not about the contents")
	}
}
