package jsontokens_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/algorithms/conformance/realtext"
	"gcdbench/algorithms/lexical/jsontokens"
	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/lexer"
	"gcdbench/internal/seed"
)

// TestPlainDepth is a table of strings, and how much any plain text can go on with them.
func TestPlainDepth(t *testing.T) {
	plain := jsontokens.PlainOf(nil, realtext.Vocabulary(t, "a"))
	const any = `(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})`
	for _, c := range []struct {
		pattern, prefix string
		want            int
	}{
		{`"` + any + `*"`, `"`, jsontokens.NotPlain - 1},
		{`"` + any + `*"`, `"ab`, jsontokens.NotPlain - 1},
		{`"` + any + `*"`, ``, 0},         // not in the string yet
		{`"` + any + `*"`, `"a\`, 0},      // not between characters
		{`"` + any + `*"`, `"a\u00`, 0},   //
		{`"` + any + `*"`, "\"a\xc3", 0},  //
		{`"` + any + `*"`, `"a"`, 0},      // behind it
		{`"` + any + `{0,5}"`, `"`, 5},    // characters are counted
		{`"` + any + `{0,5}"`, `"é€`, 3},  // not bytes
		{`"` + any + `{0,5}"`, `"a\n`, 3}, //
		{`"` + any + `{0,5}"`, `"abcde`, 0},
		{`"` + any + `{0,300}"`, `"`, jsontokens.NotPlain - 1},
		{`"` + any + `{0,300}"`, `"` + strings.Repeat("x", 100), 200},
		{`"[a-z]*"`, `"`, 0}, // some end it
		{`"[^"\\\x00-\x1fz]*"`, `"`, 0},
		{`"ab` + any + `{2}"`, `"a`, 0},
		{`"ab` + any + `{2}"`, `"ab`, 2},
		{`[^"\\\x00-\x1f]*`, `a`, 0}, // no string
	} {
		d := automata.MustCompile(c.pattern, 0)
		s := d.Start()
		for _, b := range []byte(c.prefix) {
			s = d.Next(s, b)
		}
		if got := plain.Depth(d, s); got != c.want {
			t.Errorf("%s behind %q: %d, want %d", c.pattern, c.prefix, got, c.want)
		}
	}
}

// endlessRules are strings and comments of all kinds.
const endlessRules = `
start: STRING | LOWER | BARE | NUMBER | TWICE | MARK
STRING: /"([^"\\\x00-\x1f]|\\["\\])*"/
LOWER: /"[a-z]*"/
BARE: /'[^'\n]*'/
NUMBER: /[0-9]+/
TWICE: /<([^<>]<?)*>/
LINE: /#[^\n]*/
BLOCK: /\/\*[\s\S]*?\*\//
NOTE: /%[^"\\\x00-\x1f]*/
MARK: /%[^\n]*!/
%ignore LINE
%ignore BLOCK
%ignore NOTE
`

// TestEndless is a table of lexer states, and what plain text leaves in reach.
func TestEndless(t *testing.T) {
	for _, c := range []struct{ all, prefix, want string }{
		{"all", `"`, "STRING"},
		{"all", `"ab`, "STRING"}, // LOWER can be ended
		{"first", `"ab`, "STRING"},
		{"all", `"a\`, "nil"},
		{"all", "\"\xc3", "nil"},
		{"all", `"ab"`, "nil"},
		{"all", `'ab`, "nil"}, // ' is plain
		{"all", `12`, "nil"},
		{"all", `<a`, "nil"},
		{"all", `#`, "ignored"},
		{"all", `# "quoted`, "ignored"},
		{"all", `/* `, "nil"}, // * and / are plain
		{"all", `%`, "ignored MARK"},
		{"all", ``, "nil"},
	} {
		r := compile(t, "%lexer "+c.all+endlessRules)
		q := r.Lexer.Start()
		for _, b := range []byte(c.prefix) {
			q = r.Lexer.Next(q, b)
		}
		if got := reachNames(r.Grammar, jsontokens.Endless(r.Lexer, q)); got != c.want {
			t.Errorf("%s, behind %q: %s, want %s", c.all, c.prefix, got, c.want)
		}
	}
}

func reachNames(g *grammar.Grammar, r *lexer.Reach) string {
	if r == nil {
		return "nil"
	}
	var names []string
	if r.Ignored {
		names = append(names, "ignored")
	}
	for _, t := range r.Terminals() {
		names = append(names, g.Terminals[t].Name)
	}
	return strings.Join(names, " ")
}

// TestEndlessIsTrue reads random plain text from random states of a lexer: what is said to stay in
// reach does.
func TestEndlessIsTrue(t *testing.T) {
	r := compile(t, "%lexer all"+endlessRules)
	rng := rand.New(rand.NewPCG(seed.New(t), 9))
	plain := []rune(" !#'abcz09[]{}~é€漢😀")
	endless := 0
	for q := range lexer.State(r.Lexer.NumStates()) {
		always := jsontokens.Endless(r.Lexer, q)
		if always == nil {
			continue
		}
		endless++
		for range 200 {
			at := q
			for range 1 + rng.IntN(12) {
				for _, b := range []byte(string(plain[rng.IntN(len(plain))])) {
					at = r.Lexer.Next(at, b)
				}
				if at == lexer.None {
					t.Fatalf("state %d ends", q)
				}
			}
			if names := r.Lexer.ReachSet(r.Lexer.Reach(at)).Terminals(); slices.ContainsFunc(always.Terminals(), func(x grammar.Terminal) bool { return !slices.Contains(names, x) }) {
				t.Fatalf("from state %d, %v stay in reach; seen %v", q, always.Terminals(), names)
			}
		}
	}
	if endless == 0 {
		t.Error("no state is endless")
	}
}
