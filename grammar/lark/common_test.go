package lark

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// load parses a grammar that has no mistakes.
func load(t testing.TB, text string) *grammar.Grammar {
	t.Helper()
	g := must.Get(Parse([]byte(text), Options{File: "test.lark"}))(t)
	return g
}

// dfaOf compiles a terminal.
func dfaOf(t testing.TB, g *grammar.Grammar, name string) *automata.DFA {
	t.Helper()
	id, ok := g.Lookup(name)
	if !ok {
		t.Fatalf("no terminal %s", name)
	}
	d := must.Get(automata.Compile(g.Terminals[id].Expr, automata.DefaultLimits))(t)
	return d
}

// matchLength is the length of the longest match at the start of text, or -1.
func matchLength(d *automata.DFA, text string) int {
	length, state := -1, d.Start()
	for i := range len(text) + 1 {
		if d.Accepting(state) {
			length = i
		}
		if i == len(text) {
			break
		}
		if state = d.Next(state, text[i]); state == automata.Dead {
			break
		}
	}
	return length
}

// commonMatches has, for each terminal of the library common, texts and how much of each it matches
// from the start.
var commonMatches = map[string]map[string]int{
	"DIGIT":          {"7": 1, "77": 1, "a": -1, "": -1},
	"HEXDIGIT":       {"f": 1, "F": 1, "9": 1, "g": -1},
	"INT":            {"0": 1, "007": 3, "7a": 1, "-7": -1},
	"SIGNED_INT":     {"0": 1, "-12": 3, "+12": 3, "--1": -1},
	"DECIMAL":        {"1.": 2, "1.5": 3, ".5": 2, "1": -1, ".": -1},
	"_EXP":           {"e5": 2, "E-10": 4, "e": -1},
	"FLOAT":          {"1e5": 3, "1.": 2, "1.e3": 4, ".5E+2x": 5, "1": -1, "e5": -1},
	"SIGNED_FLOAT":   {"-1e5": 4, "+.5": 3, "-1": -1},
	"NUMBER":         {"1": 1, "1.5": 3, "1e": 1, "1e5": 3, "-1": -1},
	"SIGNED_NUMBER":  {"-1": 2, "+1.5e3": 6, "1": 1, "-": -1},
	"LCASE_LETTER":   {"a": 1, "A": -1, "é": -1},
	"UCASE_LETTER":   {"A": 1, "a": -1},
	"LETTER":         {"A": 1, "a": 1, "_": -1},
	"WORD":           {"Word1": 4, "1": -1},
	"CNAME":          {"_a1 b": 3, "a": 1, "1a": -1, "__": 2},
	"ESCAPED_STRING": {`"a"b"`: 3, `"a\"b"`: 6, `"a\\"b"`: 5, `""`: 2, `"a`: -1, "\"a\nb\"": -1, `"é"`: 4, "\"\\\n\"": -1},
	"WS":             {" \t\r\n\f x": 6, "x": -1, "\u00a0": -1},
	"WS_INLINE":      {" \t \n": 3, "\n": -1},
	"CR":             {"\r\n": 1, "\n": -1},
	"LF":             {"\n\n": 1, "\r": -1},
	"NEWLINE":        {"\n": 1, "\r\n\n\r": 3, "\r": -1},
	"SH_COMMENT":     {"#": 1, "# a # b\n": 7, "//": -1},
	"CPP_COMMENT":    {"// a\n": 4, "/": -1},
	"SQL_COMMENT":    {"-- a\n": 4, "-": -1},
	"C_COMMENT":      {"/**/": 4, "/* a\n*/ */": 7, "/***/": 5, "/*": -1, "/*/": -1},
}

func TestCommon(t *testing.T) {
	var b strings.Builder
	b.WriteString("start:")
	for name := range commonMatches {
		fmt.Fprintf(&b, " %s", name)
	}
	for name := range commonMatches {
		fmt.Fprintf(&b, "\n%%import common.%s", name)
	}
	g := load(t, b.String())
	for name, texts := range commonMatches {
		d := dfaOf(t, g, name)
		for text, want := range texts {
			if got := matchLength(d, text); got != want {
				t.Errorf("%s matches %d bytes of %q, want %d", name, got, text, want)
			}
		}
	}
}

// TestCommonIsComplete compares the list of names with Lark's, through their use.
func TestCommonIsComplete(t *testing.T) {
	o := newOracle(t)
	for name := range commonMatches {
		q := question{Grammar: "start: " + name + "\n%import common." + name}
		g, err := q.parse()
		if diff := compare(g, err, o.ask(t, q)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestStrings compares the terminals for which Lark looks behind, or that are lazy, with Python's
// matches of Lark's regexps, on random texts of the characters that matter.
func TestStrings(t *testing.T) {
	o := newOracle(t)
	seed := seed.New(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, terminal := range []string{
		`S: ESCAPED_STRING`, `S: "'" _STRING_ESC_INNER "'"`, `S: "'" _STRING_INNER "'"`, `S: C_COMMENT`,
		`S: ESCAPED_STRING "/"`, `S: "f" _STRING_ESC_INNER "\""`,
	} {
		text := "start: S\n" + terminal + "\n%import common (ESCAPED_STRING, _STRING_ESC_INNER, _STRING_INNER, C_COMMENT)"
		d := dfaOf(t, load(t, text), "S")
		texts := make([]string, 2000)
		for i := range texts {
			var b strings.Builder
			b.WriteString([]string{`"`, `'`, `f`, `/*`}[r.IntN(4)])
			for range r.IntN(12) {
				b.WriteByte("\\\\\\\"\"''af*/\n"[r.IntN(12)])
			}
			texts[i] = b.String()
		}
		a := o.ask(t, question{Grammar: text})
		for i, want := range o.lengths(t, a.Terminals[0].Value, texts) {
			if got := matchLength(d, texts[i]); got != want {
				t.Errorf("seed %d: %s matches %d bytes of %q, Lark's %s matches %d", seed, terminal, got, texts[i], a.Terminals[0].Value, want)
			}
		}
	}
}

// munch is the length of what is read of a text as long as an automaton goes on, -1 if that is no
// match.
func munch(d *automata.DFA, text string) int {
	state := d.Start()
	for i := range len(text) {
		next := d.Next(state, text[i])
		if next == automata.Dead {
			if d.Accepting(state) {
				return i
			}
			return -1
		}
		state = next
	}
	if d.Accepting(state) {
		return len(text)
	}
	return -1
}
