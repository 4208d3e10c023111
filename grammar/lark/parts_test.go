package lark

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/internal/must"
)

func TestDecode(t *testing.T) {
	for _, test := range []struct{ inside, asString, asRegexp string }{
		{`abc`, "abc", "abc"},
		{`\n\r\t\f`, "\n\r\t\f", "\n\r\t\f"},
		{`\v\a\0\N`, `\v\a\0\N`, `\v\a\0\N`},
		{`\x41\u00e9\U0001f600`, "Aé😀", "Aé😀"},
		{`\\`, `\`, `\\`},
		{`\\\\n`, `\\n`, `\\\\n`},
		{`\"`, `"`, `"`},
		{`\\"`, `\"`, `\"`},
		{`\/\d`, `\/\d`, `\/\d`},
		{`'\'`, `'\'`, `'\'`},
		{"a\r\nb\rc", "a\nb\nc", "a\nb\nc"},
		{`é\é`, `é\é`, `é\é`},
		{`\`, "!0", "!0"},
		{`a\x4`, "!1", "!1"},
		{`ab\u12g4`, "!2", "!2"},
		{`\U00110000`, "!0", "!0"},
		{"a\x00", "!1", "!1"},
		{`\ud800`, "!0", `\ud800`},
	} {
		for _, isString := range []bool{true, false} {
			want := test.asRegexp
			if isString {
				want = test.asString
			}
			got := ""
			d, bad := decode(test.inside, isString)
			if bad != nil {
				got = fmt.Sprint("!", bad.off)
			} else {
				got = string(d.text)
				if !isString && len(d.from) != len(d.text) {
					t.Errorf("%q: %d offsets for %d bytes", test.inside, len(d.from), len(d.text))
				}
			}
			if got != want {
				t.Errorf("decode(%q, %v) = %q, want %q", test.inside, isString, got, want)
			}
		}
	}
}

func TestWidth(t *testing.T) {
	const many = unbounded
	for text, want := range map[string]width{
		``: {}, `a`: {1, 1}, `é`: {1, 1}, `ab|c`: {1, 2}, `a*`: {0, many}, `a+b`: {2, many}, `(?:ab)?c`: {1, 3},
		`a{3}`: {3, 3}, `a{2,5}`: {2, 5}, `a{2,}`: {2, many}, `a{,5}`: {0, 5}, `a{x}`: {4, 4}, `a{`: {2, 2}, `{`: {1, 1},
		`[abc]`: {1, 1}, `[]a]b`: {2, 2}, `[^]a]`: {1, 1}, `[\]]x`: {2, 2}, `[[]`: {1, 1}, `\d\.`: {2, 2}, `\bx\B`: {1, 1},
		`\x41\u0041`: {2, 2}, `(?=abc)d`: {1, 1}, `(?<!abc)d`: {1, 1}, `(?P<n>ab)`: {2, 2}, `(?i:ab)`: {2, 2}, `a(?#b)c`: {2, 2},
		"(?x: a b # c\n)": {2, 2}, `a b # c`: {7, 7}, `(?x)a b`: {2, 2}, `a*?b`: {1, many}, `(a|b*|ccc)`: {0, many}, `((((a))))`: {1, 1},
		`(?:a{99999999999}){99999999999}`: {many, many}, `(?:)*`: {}, `a)b`: {}, `(a`: {}, `\`: {}, `[`: {}, `(?`: {}, `(?P<`: {},
		`a$`: {1, 1}, `\^a|$`: {0, 2}, `[$^]`: {1, 1}, `a\Z`: {1, 1}, `U(?=[ "(])`: {1, 1}, `\$(?!\$?\{)`: {1, 1}, `\é`: {1, 1}, `\0`: {1, 1}, `\012`: {1, 1}, `\08`: {2, 2}, `\1234`: {2, 2}, `\377`: {1, 1}, `\12`: {}, `\0123`: {2, 2},
		`(?x:a {2} b +)`: {3, many}, `(?x:a b(?-x: c))`: {4, 4}, `(?x:(?-x:a b) c)`: {4, 4}, `(?-i:a b)`: {3, 3},
	} {
		if got := (&pattern{value: text}).width(); got != want {
			t.Errorf("width of %s is %v, want %v", text, got, want)
		}
	}
	if got := (&pattern{value: "a b # c\n d", flags: "x"}).width(); got != (width{3, 3}) {
		t.Errorf("width with flag x is %v", got)
	}
	if got := (&pattern{value: "a+é", literal: true}).width(); got != (width{3, 3}) {
		t.Errorf("width of a literal is %v", got)
	}
}

func TestFactors(t *testing.T) {
	for n := range 20000 {
		got := 1
		for _, f := range factors(n) {
			if f.a+f.b > maxFactor {
				t.Fatalf("factors(%d) has a step of %v", n, f)
			}
			got = got*f.a + f.b
		}
		if got != n {
			t.Fatalf("factors(%d) lead to %d", n, got)
		}
	}
}

// TestCounts checks that a counted repeat matches as often as it says, by counting the ways to
// derive each length from its productions.
func TestCounts(t *testing.T) {
	for _, test := range [][2]int{{0, 50}, {50, 50}, {49, 51}, {3, 77}, {60, 150}, {1, 100}, {97, 97}, {0, 64}} {
		lo, hi := test[0], test[1]
		g := load(t, fmt.Sprintf("start: \"a\"~%d..%d", lo, hi))
		lengths := make([]map[int]int, len(g.Nonterminals))
		var ways func(n int) map[int]int
		ways = func(n int) map[int]int {
			if lengths[n] != nil {
				return lengths[n]
			}
			sum := map[int]int{}
			for _, r := range g.Rules {
				if int(r.LHS) != n {
					continue
				}
				row := map[int]int{0: 1}
				for _, s := range r.RHS {
					next, item := map[int]int{}, map[int]int{1: 1}
					if !s.IsTerminal() {
						item = ways(int(s.Nonterminal()))
					}
					for a, x := range row {
						for b, y := range item {
							next[a+b] += x * y
						}
					}
					row = next
				}
				for length, x := range row {
					sum[length] += x
				}
			}
			lengths[n] = sum
			return sum
		}
		got := ways(int(g.Start))
		for length := range hi + 5 {
			want := 0
			if lo <= length && length <= hi {
				want = 1
			}
			if got[length] != want {
				t.Errorf("%d..%d: %d ways to repeat %d times", lo, hi, got[length], length)
			}
		}
	}
}

func TestLiteralName(t *testing.T) {
	for text, want := range map[string]string{
		"if": "IF", "x1": "X1", "1x": "", "_": "UNDERSCORE", "_a": "_A", "a-b": "", "+": "PLUS", "++": "", "straße": "STRASSE", "ǆ": "Ǆ", "٣": "", "a٣": "A٣", "Ⅷ": "",
	} {
		if got := literalName(text); got != want {
			t.Errorf("the name of %q is %q, want %q", text, got, want)
		}
	}
}

// TestTokens checks the scanner's less obvious decisions.
func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		`a?b`:                 "a ?/modifiers b",
		`a? b`:                "a ?/operator b",
		`!?a ?!b !a ?_a`:      "!?/modifiers a ?!/modifiers b !/modifiers a ?/modifiers _a",
		`Ab aB A_b`:           "A b a B A_ b",
		`a~1..2`:              "a ~ 1 .. 2",
		`a -> b -1`:           "a -> b -1",
		`a+ 1 +1`:             "a + 1 +1",
		`"a"i "a"x "\"" "\\"`: `"a"i "a" x "\"" "\\"`,
		`/a\/b/i /\\/ /x/g`:   `/a\/b/i /\\/ /x/ g`,
		"a // b\n# c\n | d":   "a | d",
		"a \\ \n b":           "a b",
		`%importcommon.x`:     "%importcommon . x",
	} {
		src := must.Get(newSource("", []byte(text)))(t)
		s := &scanner{src: src}
		var got []string
		for {
			tok, err := s.next()
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if tok.kind == kEnd {
				break
			}
			word := strings.TrimSpace(string(src.text[tok.off:tok.end]))
			switch tok.kind {
			case kNewline:
				continue
			case kModifiers:
				word += "/modifiers"
			case kOperator:
				if word == "?" {
					word += "/operator"
				}
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is read as %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// TestDescribeAutomaton: a terminal that is no pattern is not shown as one; one that looks like it
// in a grammar is.
func TestDescribeAutomaton(t *testing.T) {
	e := must.Get(automata.Parse(`[0-9]+`, 0))(t)
	d := must.Get(automata.Compile(e, automata.Limits{}))(t)
	for _, c := range []struct {
		def  grammar.TerminalDef
		want string
	}{
		{grammar.TerminalDef{Expr: automata.FromDFA(d), Source: "number_8"}, fmt.Sprintf("(an automaton of %d states)", d.NumStates())},
		{grammar.TerminalDef{Expr: automata.Repeat(automata.FromDFA(d), 0, 1), Source: "n"}, "/n/"},
		{grammar.TerminalDef{Expr: e, Source: "[0-9]+"}, "/[0-9]+/"},
		{grammar.TerminalDef{Expr: automata.Literal("<automaton>", 0), Source: "<automaton>", Literal: true}, `"<automaton>"`},
	} {
		if got := describePattern(&c.def); got != c.want {
			t.Errorf("%s: %s, want %s", c.def.Source, got, c.want)
		}
	}
}
