package lexer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/internal/must"
)

// endsOf writes down how a lexeme can end: what it is emitted as, the bytes of an alphabet that may
// follow, and $ if the end of the text may.
func endsOf(g *grammar.Grammar, a Automaton, q State, alphabet string) string {
	var list []string
	for _, end := range a.Ends(q) {
		var names []string
		for _, t := range a.Members(end.Set) {
			names = append(names, g.Terminals[t].Name)
		}
		follows := ""
		for i := range len(alphabet) {
			if a.Next(end.Start, alphabet[i]) != None {
				follows += alphabet[i : i+1]
			}
		}
		if end.AtEnd {
			follows += "$"
		}
		list = append(list, strings.Join(names, "+")+" "+follows)
	}
	return strings.Join(list, "; ")
}

// read follows the lexing rule from a state, by the first end that a byte may follow.
func read(a Automaton, q State, text string) State {
	for i := range len(text) {
		to := a.Next(q, text[i])
		if to == None {
			for _, end := range a.Ends(q) {
				if to = a.Next(end.Start, text[i]); to != None {
					break
				}
			}
		}
		if q = to; q == None {
			return None
		}
	}
	return q
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  grammar.LexerMode
		terms string
		want  map[string]string
	}{
		{"no context", grammar.LexFirst, "A /a+/\nB \"b\"", map[string]string{"a": "A ab$", "b": "B ab$", "": ""}},
		{"one byte", grammar.LexFirst, "A /a(?!b)/\nB /b(?=a)/\nC \"c\"", map[string]string{"a": "A ac$", "b": "B a", "c": "C abc$"}},
		{"beyond the byte", grammar.LexFirst, "A /a(?!bb)/\nB \"b\"", map[string]string{"a": "A ab$", "ab": "B a$", "aba": "A ab$", "bb": "B ab$"}},
		{"the preferred one that fits", grammar.LexFirst, "A.2 /a(?=b)/\nB.1 /a(?=b|c)/\nC /[abc]/", map[string]string{
			"a": "A b; B c; C a$", "b": "C abc$"}},
		{"all that fit", grammar.LexAll, "A.2 /a(?=b)/\nB.1 /a(?=b|c)/\nC /[abc]/", map[string]string{
			"a": "C a$; A+B+C b; B+C c", "b": "C abc$"}},
		{"nothing may follow", grammar.LexFirst, "A /a(?=x)/\nB \"b\"\nC /c\\Z/", map[string]string{"a": "", "c": "C $"}},
		{"a character of two bytes", grammar.LexFirst, "A /a(?!é)/\nB /[b-ÿ]/", map[string]string{"a": "A abc\xc3$", "a\xc3": "", "a\xc3\xa8": "B abc\xc3$"}},
	} {
		g := terminals(t, c.mode, c.terms)
		for build, a := range both(t, g) {
			for text, want := range c.want {
				q := read(a, a.Start(), text)
				if q == None {
					t.Errorf("%s, %s: %q is illegal", c.name, build, text)
					continue
				}
				if got := endsOf(g, a, q, "abc\xc3"); got != want {
					t.Errorf("%s, %s: after %q: %s, want %s", c.name, build, text, got, want)
				}
				if a.Uniform() != !strings.Contains(c.terms, "(?") {
					t.Errorf("%s, %s: uniform is %v", c.name, build, a.Uniform())
				}
			}
		}
	}
}

// TestReachWithContexts says what is in reach where a context rules it out.
func TestReachWithContexts(t *testing.T) {
	const terms = "A /a(?!b)/\nB /b(?=a)/\nN /[ab]c/\nX /x(?=y)/\nE /e\\Z/"
	for _, mode := range []grammar.LexerMode{grammar.LexFirst, grammar.LexAll} {
		g := terminals(t, mode, terms)
		for build, a := range both(t, g) {
			for text, want := range map[string]string{
				"a": "A | A N", "b": "B | B N", "x": " | ", "e": "E | E", "": " | A B N E", "aa": "A | A N",
			} {
				q := read(a, a.Start(), text)
				if q == None {
					t.Fatalf("%s: %q is illegal", build, text)
				}
				if got := describeState(g, a, q); got != want {
					t.Errorf("%v, %s: after %q: %s, want %s", mode, build, text, got, want)
				}
			}
			if q := read(a, a.Start(), "ab"); q != None {
				t.Errorf("%v, %s: a breaks its own context: %s", mode, build, describeState(g, a, q))
			}
		}
	}
}

func TestModes(t *testing.T) {
	g := terminals(t, grammar.LexFirst, "OPEN \"<\"\nCLOSE />/\nGREATER \">\"\nNAME /[a-c]+/\nTEXT /[a-c ]+/\nWS! / +/")
	const text = 1
	g.Modes = []grammar.Mode{{Name: "default", Terminals: []grammar.Terminal{0, 1, 2, 3, 5}}, {Name: "text", Terminals: []grammar.Terminal{0, 4}}}
	g.Terminals[1].Next, g.Terminals[4].Next = text, text
	for build, a := range both(t, g) {
		for text, want := range map[string]string{
			"a": "NAME <>abc $", "<": "OPEN <>abc $", ">": "GREATER <>abc $; CLOSE <abc $", " ": "WS <>abc $",
		} {
			if got := endsOf(g, a, read(a, a.Start(), text), "<>abc "); got != want {
				t.Errorf("%s: after %q: %s, want %s", build, text, got, want)
			}
		}
		var inText State = None
		for _, end := range a.Ends(a.Next(a.Start(), '>')) {
			if end.Start != a.Start() {
				inText = end.Start
			}
		}
		if !a.Begins(inText) || !a.Begins(a.Start()) || a.Begins(a.Next(inText, ' ')) {
			t.Errorf("%s: start states are not known", build)
		}
		if got := describeState(g, a, read(a, inText, "a b")); got != "TEXT | TEXT" {
			t.Errorf("%s: in the text: %s", build, got)
		}
		if q := read(a, inText, ">"); q != None {
			t.Errorf("%s: a terminal of another mode: %s", build, describeState(g, a, q))
		}
		if got := fmt.Sprint(a.Alternatives()); got != "[[1 2]]" {
			t.Errorf("%s: the parser decides between %s", build, got)
		}
	}
}

// TestContextsThatDisagree has two terminals of LexAll mode ask for different text beyond a byte.
func TestContextsThatDisagree(t *testing.T) {
	g := terminals(t, grammar.LexAll, "A /a(?!bb)/\nB /a(?!bc)/\nC /[bc]/")
	_, err := Build(context.Background(), g, Limits{})
	var wrong *grammar.Error
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "terminals A and B match the same text and ask for different text") {
		t.Errorf("got %v", err)
	}
	a := must.Get(NewOnDemand(context.Background(), g, Limits{}))(t)
	if q := read(a, a.Start(), "ab"); q != None || !errors.As(a.Err(), &wrong) {
		t.Errorf("on demand: %v, %v", q, a.Err())
	}
}
