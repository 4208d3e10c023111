package automata

import (
	"strings"
	"sync"
	"testing"
)

// A terminalCase is a terminal as grammars of programming languages write it:
// lexemes, and texts that are none. The number of states is that of the minimal
// automaton, so that a change of it shows.
type terminalCase struct {
	name, pattern, flags string
	states               int
	yes, no              []string
}

var terminalCases = []terminalCase{
	{name: "JSON string", pattern: `"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`, states: 15,
		yes: []string{`""`, `"é\n\u00e9\""`, `"😀/"`}, no: []string{`"`, `"\x"`, `"\u12g4"`, "\"\n\"", `"a"b"`, "\"\xff\""}},
	{name: "JSON number", pattern: `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`, states: 9,
		yes: []string{"0", "-0.5", "10e+2", "1E5"}, no: []string{"01", ".5", "1.", "+1", "1e", "--1"}},
	{name: "Python name", pattern: `[^\W\d]\w*`, states: 380,
		yes: []string{"a", "_1", "été", "变量"}, no: []string{"1a", "", "a-b"}},
	{name: "Python string prefix and lookbehind", pattern: `(?:b|r|f|br|rb)?(?:""".*?(?<!\\)(?:\\\\)*?"""|'''.*?(?<!\\)(?:\\\\)*?''')`, flags: "is", states: 31,
		yes: []string{`""""""`, `rb"""a"b\""""`, "F'''\n\\\\'''", `"""a\\"""`}, no: []string{`""`, `"""a""""""`, `"""\"""`, `x""""""`}},
	{name: "Python comment", pattern: `#[^\n]*`, states: 9, yes: []string{"#", "# é"}, no: []string{"#\n", ""}},
	{name: "Java block comment", pattern: `/\*(?:[^*]|\*+[^*/])*\*+/`, states: 12,
		yes: []string{"/**/", "/* a * b **/", "/*\n*/"}, no: []string{"/*/", "/* */ */", "/*"}},
	{name: "Java text block", pattern: `"""[ \t\f]*\n(?:\\[\s\S]|(?!""")[^\\])*"""`, states: 16,
		yes: []string{"\"\"\"\n\"\"\"", "\"\"\"  \na\"\"b\\\"\"\"\""}, no: []string{`""""""`, "\"\"\"\n\"\"\"\"\"\"\""}},
	{name: "Java hexadecimal literal", pattern: `0[xX][0-9a-fA-F](?:[0-9a-fA-F_]*[0-9a-fA-F])?[lL]?`, states: 6,
		yes: []string{"0xF", "0Xff_ffL", "0x1__0"}, no: []string{"0x", "0x_1", "0x1_", "0x1l1"}},
	{name: "Go raw string", pattern: "`[^`]*`", states: 10, yes: []string{"``", "`a\n\\`"}, no: []string{"`", "`a`b`"}},
	{name: "SQL keyword", pattern: `select`, flags: "i", states: 8, yes: []string{"select", "SELECT", "SeLeCt", "ſelect"}, no: []string{"selects"}},
	{name: "SQL string", pattern: `'(?:[^']|'')*'`, states: 10, yes: []string{"''", "'it''s'"}, no: []string{"'", "'a'b"}},
	{name: "name that is not a keyword, up to its end", pattern: `(?!(?:if|else|while)[^a-z])[a-z]+[ (]`, states: 11,
		yes: []string{"iff ", "els(", "whiles "}, no: []string{"if ", "else(", "while "}},
	{name: "date", pattern: `\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`, flags: "a", states: 14,
		yes: []string{"2024-02-29", "1999-12-31"}, no: []string{"2024-13-01", "2024-1-01", "2024-01-32"}},
}

func TestTerminals(t *testing.T) {
	for _, c := range terminalCases {
		t.Run(c.name, func(t *testing.T) {
			d, err := compilePattern(c.pattern, c.flags)
			if err != nil {
				t.Fatal(err)
			}
			if d.NumStates() != c.states {
				t.Errorf("%d states, want %d", d.NumStates(), c.states)
			}
			for _, s := range c.yes {
				if !d.MatchString(s) {
					t.Errorf("does not match %q", s)
				}
			}
			for _, s := range c.no {
				if d.MatchString(s) {
					t.Errorf("matches %q", s)
				}
			}
			checkCanonical(t, d)
		})
	}
}

// TestConcurrentUse compiles the same expressions in several goroutines; the
// race detector has something to say if they share what they should not.
func TestConcurrentUse(t *testing.T) {
	var exprs []*Expr
	for _, c := range terminalCases {
		flags, _ := ParseFlags(c.flags)
		e, err := Parse(c.pattern, flags)
		if err != nil {
			t.Fatal(err)
		}
		exprs = append(exprs, e)
	}
	all := Alternate(exprs...)
	var wait sync.WaitGroup
	results := make([]*DFA, 4)
	for i := range results {
		wait.Go(func() { results[i], _ = Compile(all, Limits{}) })
	}
	wait.Wait()
	for _, d := range results {
		if d == nil || !d.Equal(results[0]) {
			t.Fatal("compiling in parallel gives different automata")
		}
	}
}

// TestManyLiterals is the keyword list of a large grammar, as alternatives.
func TestManyLiterals(t *testing.T) {
	rng := newRand(t)
	var texts []string
	var literals []*Expr
	for range 5000 {
		s := randomWord(rng)
		texts = append(texts, s)
		literals = append(literals, Literal(s, 0))
	}
	d := must(Compile(Alternate(literals...), Limits{}))
	if !d.Equal(must(FromStrings(texts, Limits{}))) {
		t.Error("alternatives of literals differ from FromStrings")
	}
}

// TestLongLiteral: the length of a literal is limited like everything else.
func TestLongLiteral(t *testing.T) {
	long := strings.Repeat("é", 30_000)
	d := must(Compile(Literal(long, 0), Limits{}))
	if d.NumStates() != 60_001 || !d.MatchString(long) {
		t.Errorf("%d states", d.NumStates())
	}
	if _, err := Compile(Literal(strings.Repeat(long, 100), 0), Limits{}); err == nil {
		t.Error("a literal of six million bytes is compiled")
	}
}
