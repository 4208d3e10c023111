package lark_test

import (
	"strings"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/internal/must"
)

const template = `
start: (NAME | string)*
string: BEGIN (CHARS | OPEN NAME CLOSE)* END
BEGIN: "'"
END: /'/
CHARS: /[^'{}]+/
OPEN: "{"
CLOSE: /\}/
NAME: /[a-z]+/
`

func TestModes(t *testing.T) {
	g := must.Get(lark.Parse([]byte(template+"%ignore \" \"\n%mode default after=OPEN,END\n%mode text in=CHARS,\"{\",END after=BEGIN,CLOSE\n"), lark.Options{}))(t)
	in := map[string][]string{}
	for _, m := range g.Modes {
		for _, x := range m.Terminals {
			in[g.Terminals[x].Name] = append(in[g.Terminals[x].Name], m.Name)
		}
	}
	for name, want := range map[string]string{
		"BEGIN": "default, then text", "END": "text, then default", "CHARS": "text, then text", "OPEN": "text, then default",
		"CLOSE": "default, then text", "NAME": "default, then default", "__IGNORE_0": "default, then default",
	} {
		x, ok := g.Lookup(name)
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		if got := strings.Join(in[name], " and ") + ", then " + g.Modes[g.Terminals[x].Next].Name; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A terminal of the default mode that is in another one too has to be named for both.
func TestTerminalInTwoModes(t *testing.T) {
	g := must.Get(lark.Parse([]byte(template+"%mode default in=CLOSE after=OPEN,END\n%mode text in=CHARS,OPEN,END,CLOSE after=BEGIN,CLOSE\n"), lark.Options{}))(t)
	x, _ := g.Lookup("CLOSE")
	for _, m := range g.Modes {
		found := false
		for _, y := range m.Terminals {
			found = found || x == y
		}
		if !found {
			t.Errorf("CLOSE is not in mode %s", m.Name)
		}
	}
}

func TestWrongModes(t *testing.T) {
	for directives, want := range map[string]string{
		"%mode":                          "a mode's name",
		"%mode text in=CHARS":            "does not say which terminals are in= it, and after= which it begins",
		"%mode text after=CHARS":         "does not say which terminals are in= it",
		"%mode text in=CHAR after=BEGIN": "terminal CHAR is not defined (used in %mode)",
		"%mode text in=CHARS after=BEGIN\n%mode text in=END after=OPEN":      "mode text is given twice",
		"%mode text in=CHARS after=BEGIN\n%mode other in=END after=BEGIN":    "mode text is already after terminal BEGIN",
		"%mode text in=CHARS in=END after=BEGIN":                             "in is set twice",
		"%mode text in=CHARS after=BEGIN to=END":                             "the settings of a %mode are in and after",
		"%mode text in=CHARS,7 after=BEGIN":                                  "in takes terminals, not numbers",
		"%mode text in=CHARS,END after=BEGIN\n%mode other in=END after=OPEN": "terminal END is in modes text and other, and none is said to be after it",
		"%mode text in=CHARS,END after=BEGIN\n%lexer all":                    "%mode needs the lexer's first mode",
		"%declare X\n%mode text in=X after=BEGIN":                            "terminal X is only declared",
		"%mode text in=CHARS,\"?\" after=BEGIN":                              "no rule uses \"?\"",
		"%modes text in=CHARS after=BEGIN":                                   "did you mean %mode?",
		"%mode Text in=CHARS after=BEGIN":                                    "a mode's name",
	} {
		_, err := lark.Parse([]byte(template+directives+"\n"), lark.Options{File: "t.lark"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", directives, err, want)
		} else if !strings.Contains(err.Error(), "t.lark:") {
			t.Errorf("%s: no place in %v", directives, err)
		}
	}
}
