package recognizer_test

import (
	"strings"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

const template = `
start: (NAME | "{" start "}" | string)*
string: BEGIN (CHARS | OPEN start CLOSE)* END
BEGIN: "'"
END: /'/
CHARS: /[^'{}]+/
OPEN: /\{/
CLOSE: /\}/
NAME: /[a-z]+/
%ignore " "
%mode default after=OPEN,END
%mode text in=CHARS,OPEN,END after=BEGIN,CLOSE
`

func TestModes(t *testing.T) {
	for _, onDemand := range []bool{false, true} {
		g := must.Get(lark.Parse([]byte(template), lark.Options{}))(t)
		r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: onDemand}))(t)
		for text, want := range map[string]string{
			"":                   "",
			"a b":                "",
			"'a  b'":             "",
			"'{a {b} c}d{}' {e}": "",
			"'{'{'{a}'}'}'":      "",
			"'a":                 "1:3: the text ends too early; expected CHARS, END, OPEN",
			"'a}":                "1:3: '}' may not follow \"a\"",
			"'{a} b'c'":          "1:10: the text ends too early; expected CHARS, END, OPEN",
			"{a}}":               "1:4: unexpected \"}\" or CLOSE \"}\"",
			"'{a}}":              "1:5: '}' may not follow \"}\"",
			"'{a:}'":             "1:4: no lexeme begins with ':'",
			"?":                  "1:1: no lexeme begins with '?'",
		} {
			got := ""
			if err := r.Check([]byte(text)); err != nil {
				got = err.Error()
			}
			if want == "" && got != "" || !strings.HasPrefix(got, want) {
				t.Errorf("%q: %s, want %s", text, got, want)
			}
		}
	}
}

func TestModesExplained(t *testing.T) {
	g, err := lark.Parse([]byte(template), lark.Options{})
	must.OK(t, err)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	e := must.Get(r.Explain([]byte("'{{a"), []byte("}} b")))(t)
	var got []string
	for _, x := range e.Emitted {
		got = append(got, strings.Join(x.Terminals, " or "))
	}
	if s := strings.Join(got, ", "); s != `NAME, "}", CLOSE` || !e.Legal {
		t.Errorf("emitted %s, legal %v", s, e.Legal)
	}
	if e, err = r.Explain([]byte("'a"), []byte("}")); err != nil || e.Legal || e.Reason != `'}' may not follow "a"` {
		t.Errorf("%+v, %v", e, err)
	}
}

// Grammars in which more than one way could be right are refused.
func TestUndecidedModes(t *testing.T) {
	const rest = "\nA: /x/\nB: /[x]/\nC: \"c\"\n%mode other in=C after=A\n"
	for text, want := range map[string]string{
		"start: A C | B" + rest:                                              "and the parser takes both at the start",
		"start: \"d\" start A C | \"d\" start B | \"e\"" + rest:              "and the parser takes both after \"d\" \"e\"",
		"start: \"d\" A C | \"e\" B" + rest:                                  "",
		"start: \"d\" A C | \"e\" C\n%ignore B" + rest:                       "and the parser takes both after \"d\"",
		"%conflicts keep\nstart: \"d\" A C | \"e\" B n n\nn: | \"d\"" + rest: "the parser follows several ways",
	} {
		g, err := lark.Parse([]byte(text), lark.Options{File: "t.lark"})
		must.OK(t, err)
		_, err = recognizer.New(t.Context(), g, recognizer.Options{})
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		case err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.lark:")):
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestContextsExplained(t *testing.T) {
	g := must.Get(lark.Parse([]byte("start: (A | B)*\nA: /a(?!bb)/\nB: \"b\"\n"), lark.Options{}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{}))(t)
	for text, want := range map[string]string{"": "", "abab": "", "bba": "", "abba": "1:3: 'b' may not follow \"b\"", "abc": "1:3: no lexeme begins with 'c'"} {
		got := ""
		if err := r.Check([]byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
