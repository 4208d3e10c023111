package completion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gcdbench/grammar/lark"
	"gcdbench/grammar/recognizer"
	"gcdbench/grammar/recognizer/completion"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// layouts are small languages with blocks: i begins one, t and v one that an e must follow at the
// same column, d a line that another must follow. There are ways on the same line as well, a byte
// longer or shorter than the line break and the blanks; and tab stops are 3 columns apart, so that
// a tab is often the shorter way.
var layouts = map[string]string{
	"plain": `
start: _NL? statement+
statement: "a" ";"? _NL | "i" ":" (block | "aaa" _NL | "((((" _NL) | "t" ":" block "e" ":" block | "d" (_NL | "aa" | "::::") statement | "(" "a" "a" ")" _NL
 | "v" ":" (short "e" _NL | long) | "k" (":" block | "aaaaa" _NL) | "m" (":" _NL "a" | "eeee") _NL | "n" (line "a" | "eeeee") _NL
block: "a" _NL | _NL _IN statement+ _DE
line: ":" _NL
short: _NL _IN "a" ":" _NL _DE
long: _NL _IN "a" ("eeee" | ";;;;;") _NL _DE`,
	"begin": `
start: _NL statement+
statement: "a" ";"? _NL | "i" ":" (block | "aaa" _NL | "((((" _NL) | "t" ":" block "e" ":" block | "d" (_NL | "aa" | "::::") statement | "(" "a" "a" ")" _NL
 | "v" ":" (short "e" _NL | long) | "k" (":" block | "aaaaa" _NL) | "m" (":" _NL "a" | "eeee") _NL | "n" (line "a" | "eeeee") _NL
block: _NL _IN statement+ _DE
line: ":" _NL
short: _NL _IN "a" ":" _NL _DE
long: _NL _IN "a" ("eeee" | ";;;;;") _NL _DE`,
	"dedent in the middle": `
start: statement+
statement: "a" _NL | "i" ":" (_NL _IN statement+ _DE | "aaa" _NL) | "t" ":" _NL _IN statement+ _DE "e" ":" _NL _IN statement+ _DE
 | "(" "a" ")" _NL | "d" (_NL | "aa" | "::::") statement`,
	"a newline of its own": `
start: (statement | "d" (nl | "aa") statement)+
statement: "a" ";"? nl | "i" ":" (nl _IN statement+ _DE | "aaa" nl) | "t" ":" nl _IN statement+ close "e" ":" _NL _IN statement _DE | "(" "a" ")" nl
nl: _NL
close: _DE`,
	"kept conflicts": `
%conflicts keep
start: statement+
statement: "a" _NL | x "a" ";" _NL | "i" ":" (block | "aaa" _NL | "((((" _NL) | "t" ":" block "e" ":" block | "d" (_NL | "aa" | "::::") statement | "(" "a" ")" _NL
 | "v" ":" (short "e" _NL | long) | "k" (":" block | "aaaaa" _NL) | "m" (":" _NL "a" | "eeee") _NL | "n" (line "a" | "eeeee") _NL
x: | x
block: _NL _IN statement+ _DE
line: ":" _NL
short: _NL _IN "a" ":" _NL _DE
long: _NL _IN "a" ("eeee" | ";;;;;") _NL _DE`,
}

// layoutEnd ends each of them.
const layoutEnd = `
_NL: /(\n[ \t]*(#a*)?)+/
%ignore /[ \t]+/
%declare _IN _DE
%layout newline=_NL indent=_IN dedent=_DE open="(" close=")" tab=3`

const layoutLetters = "aitdevkmn:;#() \t\n"

// TestLayouts compares shortest completions with brute force where line breaks and columns count.
func TestLayouts(t *testing.T) {
	for name, text := range layouts {
		for _, onDemand := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, onDemand), func(t *testing.T) {
				end := layoutEnd
				if name == "begin" {
					end += " begin=_NL"
				}
				r := small(t, text+end, onDemand)
				c := completion.New(r, completion.Options{})
				byLength := map[int]int{}
				for n := range seed.Each(t, seed.Rounds(6, 60, 500)) {
					rng := rand.New(rand.NewPCG(n, 1))
					before, s := stroll(r, rng, layoutLetters, 30)
					got, _ := agrees(t, r, c, s, layoutLetters, 8, fmt.Sprintf("seed %d, after %q", n, before))
					byLength[len(got)]++
				}
				t.Log("completions by length: ", byLength)
			})
		}
	}
}

// TestLayoutChoices is prefixes with two ways on, of which the bound must know the shorter one.
func TestLayoutChoices(t *testing.T) {
	r := small(t, layouts["plain"]+layoutEnd, false)
	c := completion.New(r, completion.Options{})
	for _, x := range []struct{ prefix, want string }{
		{"k", ":a"},
		{"m", ":\na"},
		{"i:\n n", ":\n a"},
		{"v:\n a", ":\ne"},
		{"v:\n\ta:\n", "e"},
		{"i:\n v:\n  a", "eeee"},
		{"i:\n i:\n  a\n  m", "eeee"},
		{"t:a\n", "e:a"},
		{"i:\n   t:\n    i:\n     a\n    ", "\n\te:a"},
		{"i:\n  t:\n     a\n   ", "\n  e:a"},
		{"i:\n  t:\n     a\n #a", "\n  e:a"},
	} {
		s, ok := r.Read(r.Start(), []byte(x.prefix))
		if !ok {
			t.Fatalf("%q is refused", x.prefix)
		}
		got, err := c.Shortest(t.Context(), s)
		if err != nil || string(got.Text) != x.want || !got.Exact {
			t.Errorf("%q: %q, %v, %v; want %q", x.prefix, got.Text, got.Exact, err, x.want)
		}
		agrees(t, r, c, s, layoutLetters, 9, x.prefix)
	}
}

// small compiles a grammar in Lark's language.
func small(t *testing.T, text string, onDemand bool) *recognizer.Recognizer {
	t.Helper()
	g := must.Get(lark.Parse([]byte(text), lark.Options{File: "small.lark"}))(t)
	r := must.Get(recognizer.New(t.Context(), g, recognizer.Options{OnDemand: onDemand}))(t)
	return r
}
