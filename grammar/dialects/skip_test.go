package dialects

import (
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

const commented = `start: WORD+
WORD: /[a-z]+/
%ignore / +/
%ignore /\n/
%ignore /\/\/[^\n]*/
%ignore /\/\*([^*]|\*+[^*\/])*\*+\//
`

func TestSkip(t *testing.T) {
	s := sourceOf(t, parse(t, commented))
	run := must.Get(s.skipping())(t)
	for _, c := range []struct {
		text         string
		between, end bool
	}{
		{"", true, false},
		{"  \n ", true, false},
		{"// a\n", true, false},
		{" // a\n  // b\n", true, false},
		{"/* a */", true, false},
		{"/* // */ \n", true, false},
		{"// a", false, true}, // no word can follow by maximal munch
		{"//", false, true},
		{" // a", false, false}, // the blank is what is skipped before the end
		{"a", false, false},
		{"/* a ", false, false},
		{"/", false, false},
	} {
		if got := run.between.MatchString(c.text); got != c.between {
			t.Errorf("%q between terminals: %v", c.text, got)
		}
		if got := run.end.MatchString(c.text); got != c.end {
			t.Errorf("%q at the end: %v", c.text, got)
		}
	}
}

func TestSkipOfNothing(t *testing.T) {
	s := sourceOf(t, parse(t, `start: "a"`))
	if run, err := s.skipping(); err != nil || run.between != nil || run.end != nil {
		t.Errorf("got %v and %v", run, err)
	}
	if text := translate(t, s.g, "ebnf").Text; text != "root ::= start\nstart ::= A\n\nA ::= \"a\"\n" {
		t.Errorf("got %s", text)
	}
}

const lines = `start: (WORD _NL)* WORD _NL?
WORD: /[a-z]+/
_NL: (/\/\/[^\n]*/? /\n/)+ (/\/\/[^\n]*/)? | /\/\/[^\n]*/
%ignore / /
`

// A terminal is split into what something can follow and what nothing can: no text is lost, and
// none is new.
func TestSplitEnds(t *testing.T) {
	g := parse(t, lines)
	split, atEnd, err := sourceOf(t, g).splitEnds()
	must.OK(t, err)
	if len(split.rules[atEnd]) == 0 {
		t.Fatal("no text ends in a terminal that nothing can follow")
	}
	name := map[string]string{}
	for _, u := range split.used {
		text, _ := split.dfas[u].Shortest()
		name[split.g.Terminals[u].Name] = string(text)
	}
	if name["_NL"] != "\n" || name["_NL_END"] != "//" {
		t.Errorf("the terminals begin with %q", name)
	}
	before, after := compile(t, g), compile(t, kept(split.g))
	checkSame(t, before, after, "a\nb", "a // b", "a // b\nc", "a //b\n//c", "a\n\n//\n", "// a", "a //", "a b", "a\nb // c\n")
	whole, _, err := sourceOf(t, parse(t, `start: "a" "b"?`)).splitEnds()
	must.OK(t, err)
	if len(whole.order) != 2 || len(whole.used) != 2 {
		t.Errorf("a grammar without such terminals has %d nonterminals and %d terminals", len(whole.order), len(whole.used))
	}
}

// kept is a grammar that keeps its conflicts, so that every way through its rules counts, and whose
// lexer emits all terminals that match, so that the order of terminals does not.
func kept(g *grammar.Grammar) *grammar.Grammar {
	c := *g
	c.Conflicts, c.Lexer = grammar.KeepConflicts, grammar.LexAll
	return &c
}

func checkSame(t *testing.T, before, after *recognizer.Recognizer, texts ...string) {
	t.Helper()
	accepted := 0
	for _, text := range texts {
		a, b := before.Check([]byte(text)), after.Check([]byte(text))
		if (a == nil) != (b == nil) {
			t.Errorf("%q: %v before, %v after", text, a, b)
		}
		if a == nil {
			accepted++
		}
	}
	if accepted == 0 || accepted == len(texts) {
		t.Errorf("%d of %d texts are accepted: they say nothing", accepted, len(texts))
	}
}
