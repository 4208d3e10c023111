package lark

import (
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// TestLazyTerminals has terminals with lazy quantifiers as people write them, and how much of a
// text they match.
func TestLazyTerminals(t *testing.T) {
	for _, c := range []struct {
		terminal string
		texts    map[string]int
	}{
		{`T: /\/\/[^\n]*|\/\*(.|\n)*?\*\//`, map[string]int{"// a */ b\nc": 9, "/* a\n */ b */": 8, "//": 2, "/*": -1}},
		{`T: /\/\/[^\n]*/ | /\/\*(.|\n)*?\*\//`, map[string]int{"// a */ b\nc": 9, "/* a\n */ b */": 8}},
		{`T: LINE | BLOCK` + "\n" + `LINE: "//" /[^\n]*/` + "\n" + `BLOCK: "/*" /(.|\n)*?/ "*/"`, map[string]int{"// a */ b\nc": 9, "/* a\n */ b */": 8}},
		{`T: /"(\\.|.)*?"/`, map[string]int{`"a\"b" "`: 6, `"" "`: 2, `"a\\" "`: 5}},
		{`T: /\/[^\/]*?\/[imslux]*/`, map[string]int{"/a/i b": 4, "/a/ /": 3, "//x": 3}},
		{`T: /(?:[^a-c]|\\.)*?x/i`, map[string]int{"12Xx": 3, `\ax`: 3, "ax": -1}},
		// Each by its own rule; the alternative that may be longer comes first.
		{`T: /a|ab/ | /x.*?y/`, map[string]int{"ab": 2, "xyy": 2}},
		{`T: /x.*?y/ | /xyz/`, map[string]int{"xyz": 2, "xaby": 4}},
		{`T: /a{1,3}?b?/ | "aab"`, map[string]int{"aab": 1, "ab": 2}},
	} {
		d := dfaOf(t, load(t, "start: T\n"+c.terminal), "T")
		for text, want := range c.texts {
			if got := matchLength(d, text); got != want {
				t.Errorf("%s matches %d bytes of %q, want %d", c.terminal, got, text, want)
			}
		}
	}
}

// TestLazyAgainstLark compares terminals of random parts, one of which is lazy, with what Python
// takes of a text by Lark's regexp. Its parts without a lazy quantifier match one text alone, since
// the longest match, which we take, need not be Python's.
func TestLazyAgainstLark(t *testing.T) {
	o := newOracle(t)
	r := rand.New(rand.NewPCG(seed.New(t), 7))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	lazy := func() string {
		return "/" + pick("a", "(a|b)", "[ab]", `\\.`) + pick("*?", "+?", "??", "{1,3}?") + pick("b", "c", "(b|bc)", "[bc]*", "") + pick("a", "b+", "c?", "") + "x?/" + pick("", "i")
	}
	taken := 0
	for range 150 {
		part := func() string { return pick(`"ab"`, `"abc"`, `"b"i`, `"aab" "c"`, lazy()) }
		text := "start: T\nT: " + lazy() + " | " + part() + pick("", " | "+part(), " | U") + "\nU: \"ba\" | " + lazy()
		texts := make([]string, 60)
		for i := range texts {
			for range 1 + r.IntN(6) {
				texts[i] += pick("a", "b", "c", "B", "x", `\`)
			}
		}
		q := question{Grammar: text}
		g, err := q.parse()
		a := o.ask(t, q)
		if err != nil || len(a.Terminals) != 1 {
			continue // a part that may be empty
		}
		taken++
		d := dfaOf(t, g, "T")
		for i, want := range o.lengths(t, a.Terminals[0].Value, texts) {
			// Where Python would have gone on with a longer one that fails, nothing is taken.
			if got := munch(d, texts[i]); got >= 0 && got != want || got < 0 && want >= 0 && !d.MatchString(texts[i][:want]) {
				t.Errorf("%s\nmatches %d bytes of %q, Lark's %s matches %d", text, got, texts[i], a.Terminals[0].Value, want)
			}
		}
	}
	if t.Logf("%d terminals", taken); taken < 50 {
		t.Error("too few")
	}
}
