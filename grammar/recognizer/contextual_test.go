package recognizer_test

import (
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// compiled reads and compiles a grammar.
func compiled(t *testing.T, text string) (*recognizer.Recognizer, error) {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "test.lark"}))(t)
	return recognizer.New(t.Context(), g, recognizer.Options{})
}

// TestContextual: the state of the parser says which terminals are read.
func TestContextual(t *testing.T) {
	const words = "NAME: /[a-z]+/\nREST: /[^\\n ][^\\n]*/\n%ignore \" \"\nstart: \"let\" NAME \"=\" REST | \"if\" NAME (\"in\" NAME)+\n"
	for _, c := range []struct {
		text              string
		basic, contextual bool
	}{
		{"let a = b + c", false, true},
		{"let let = let", false, true},
		{"if if in in", false, true},
		{"letx=y", false, true},
		{"if ainb", false, false},
		{"if a inb", false, true},
		{"let a =", false, false},
		{"in a", false, false},
	} {
		for _, lexer := range []string{"basic", "contextual"} {
			r := must.Get(compiled(t, "%lexer "+lexer+"\n"+words))(t)
			want := c.basic
			if lexer == "contextual" {
				want = c.contextual
			}
			if err := r.Check([]byte(c.text)); (err == nil) != want {
				t.Errorf("%s lexer, %q: %v, expected %v", lexer, c.text, err, want)
			}
		}
	}
}

// TestContextualModes: states whose terminals do not get into each other's way share a mode, and a
// grammar in which all do is as it would be with the basic lexer.
func TestContextualModes(t *testing.T) {
	for _, c := range []struct {
		name, grammar string
		modes         int // 0: the grammar was not split
	}{
		{"nothing overlaps", `start: "(" start ")" | A | "[" A "]"
A: /a+/`, 0},
		{"keywords that a name goes on with", `start: NAME "in" NAME
NAME: /[a-z]+/`, 2},
		{"a keyword that is preferred to a name", `start: "in" ":" NAME
NAME: /[a-z]+/
%ignore " "`, 2},
		{"three states, two of which read numbers and one a rest", `start: "a" N "b" N "c" REST
N: /[0-9]+/
REST: /.+/`, 2},
		{"an ignored terminal that a rule names", `start: A C? "in"
A: /[a-z]+/
C: /#[^\n]*/
%ignore C
%ignore " "`, 2},
		{"a terminal that no state takes", `start: A
A: "a"
%ignore B
B: " "`, 0},
	} {
		r := must.Get(compiled(t, "%lexer contextual\n"+c.grammar))(t)
		if len(r.Grammar.Modes) != c.modes {
			t.Errorf("%s: %d modes, expected %d", c.name, len(r.Grammar.Modes), c.modes)
		}
		if c.modes > 0 && r.Grammar.Unsplit().Lexer != grammar.LexContextual {
			t.Errorf("%s: the grammar that was split is lost", c.name)
		}
	}
}

// TestContextualRefused: what a contextual lexer cannot be exact about is an error with its place.
func TestContextualRefused(t *testing.T) {
	for _, c := range []struct{ name, grammar, want string }{
		{"two readings with different modes", `%lexer contextual
%conflicts keep
start: x "in" NAME | y NUMBER
x: A
y: A B?
A: /a+/
B: "in"
NUMBER: /[0-9a-z]+/
NAME: /[a-z]+/`, "the parser follows several ways"},
	} {
		_, err := compiled(t, c.grammar)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "test.lark:") || !strings.Contains(err.Error(), "basic") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestContextualMessages: the copies of a terminal are one in messages.
func TestContextualMessages(t *testing.T) {
	r := must.Get(compiled(t, "%lexer contextual\nstart: \"x\" W \"y\" N | \"y\" W \"x\" M\nW: /[a-z]+/\nN: /[0-9]+/\nM: /[0-9][0-9a-z]*/\n%ignore \" \"\n"))(t)
	for text, want := range map[string]string{
		"x":         "1:2: the text ends too early; expected W",
		"x 1":       "1:3: unexpected M \"1\"; expected W",
		"x y y":     "1:6: the text ends too early; expected N",
		"x y y 1a":  "1:8: no lexeme begins with 'a'",
		"y x x 1 1": "1:9: unexpected N \"1\"; expected end of input",
	} {
		if err := r.Check([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}

// TestJoin: behind a join character that begins a line only a line break comes, in every mode in
// which line breaks are read.
func TestJoin(t *testing.T) {
	const layout = "\nNL: /(\\n[ \\t]*(\\\\\\r?\\n[ \\t]*)*)+/\n%declare INDENT DEDENT\n%layout newline=NL indent=INDENT dedent=DEDENT tab=4 join=\"\\\\\"\n"
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"start: (\"p\" NL)+", true},
		{"start: (\"p\" NL)+ T\nT: /\\n\\\\ x/", false},
		{"%lexer contextual\nstart: (\"p\" NL | \"q\" \"r\" NL)+", true},
		{"%lexer contextual\nstart: (\"p\" NL | \"q\" T NL)+\nT: /\\n\\\\ x/", false},
		{"%lexer contextual\nstart: (\"p\" NL | \"q\" T NL)+\nT: /\\n\\\\\\r x/", false},
		{"start: (\"p\" NL | Q T Q2 NL)+\nQ: \"<\"\nQ2: \">\"\nT: /[^>]+/\n%mode in in=T,Q2 after=Q\n%mode default after=Q2", true},
		{"start: (\"p\" NL | Q T Q2 NL)+\nQ: \"<\"\nQ2: \">\"\nT: /[^>\\n]|\\n\\\\ x/\n%mode in in=T,Q2,NL after=Q\n%mode default after=Q2", false},
	} {
		if _, err := compiled(t, c.text+layout); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "%layout: join: behind a line feed") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
