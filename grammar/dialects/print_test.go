package dialects

import (
	"math/rand/v2"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/languages"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func TestPrint(t *testing.T) {
	for _, c := range []struct{ pattern, regexp, ebnf string }{
		{`abc`, `abc`, `"abc"`},
		{`a|bc`, `a|bc`, `"a" | "bc"`},
		{`(?:a|bc)d`, `(?:a|bc)d`, `("a" | "bc") "d"`},
		{`(?:ab)+`, `(?:ab)+`, `"ab"+`},
		{`a*b?c{2}d{2,}e{2,3}`, `a*b?c{2}d{2,}e{2,3}`, `"a"* "b"? "c"{2} "d"{2,} "e"{2,3}`},
		{`(?:a*)?`, `(?:a*)?`, `("a"*)?`},
		{`a(?:|b)`, `a(?:|b)`, `"a" ("" | "b")`},
		{`[a-cx]`, `[a-cx]`, `[a-cx]`},
		{`[ab]`, `[ab]`, `[ab]`},
		{`[^"\\]`, `[^"\\]`, `[^"\\]`},
		{`[\s\S]`, `[\s\S]`, `[^]`},
		{`[\]\[^\-&~/]`, `[\&\-\/\[\]\^\~]`, `[&\u002d/\[\]\u005e~]`},
		{`\.\*\+\?\(\)\[\]\{\}\|\^\$/`, `\.\*\+\?\(\)\[\]\{\}\|\^\$\/`, `".*+?()[]{}|^$/"`},
		{`\\"`, `\\\u0022`, `"\\\""`},
		{"\t\n\r\x00\x7f", `\t\n\r\u0000\u007f`, `"\t\n\r\u0000\u007f"`},
		{`é€😀`, `\u00e9\u20ac\U0001f600`, `"\u00e9\u20ac\U0001f600"`},
		{`[é-ü😀]`, `[\u00e9-\u00fc\U0001f600]`, `[\u00e9-\u00fc\U0001f600]`},
		{`(?i)k`, `[Kk\u212a]`, `[Kk\u212a]`},
	} {
		e := must.Get(automata.Parse(c.pattern, 0))(t)
		if got := regexps().print(e, asChoice); got != c.regexp {
			t.Errorf("%s as a regexp: got %s, want %s", c.pattern, got, c.regexp)
		}
		if got := ebnfNotation().print(e, asChoice); got != c.ebnf {
			t.Errorf("%s in ebnf: got %s, want %s", c.pattern, got, c.ebnf)
		}
	}
}

// checkRegexp checks that an expression means the same when it is read from its text.
func checkRegexp(t *testing.T, name string, e *automata.Expr, want *automata.DFA) {
	t.Helper()
	text := regexps().print(e, asChoice)
	back, err := automata.Parse(text, 0)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	got := must.Get(automata.Compile(back, automata.Limits{}))(t)
	if !got.Equal(want) {
		t.Errorf("%s: /%s/ has another language", name, text)
	}
}

func TestTerminalsOfGrammars(t *testing.T) {
	for _, name := range languages.Names() {
		g := must.Get(languages.Load(t.Context(), name))(t)
		bare := *g
		bare.Layout, bare.Modes = nil, nil // what concerns the terminals is the same
		s := sourceOf(t, &bare)
		for i, d := range s.dfas {
			if d == nil {
				continue
			}
			e := must.Get(s.pattern(grammar.Terminal(i)))(t)
			checkRegexp(t, name+" "+g.Terminals[i].Name, e, d)
		}
	}
}

// Sources that a grammar file has written read back as they were.
func TestEncodeRegexp(t *testing.T) {
	for _, source := range []string{`a/b`, `\/\/[^\n]*`[:4], `"\\x"`, "\n\r\t\x01", `\\"`, `[\\"]`, `é\d\.`, `/`} {
		written, ok := encodeRegexp(source)
		if !ok {
			t.Errorf("%q cannot be written", source)
			continue
		}
		g := parse(t, "start: A\nA: /"+written+"/")
		if got := g.Terminals[0].Source; got != source {
			t.Errorf("%q is written /%s/ and read %q", source, written, got)
		}
	}
	for _, source := range []string{`a\n`, `\x41`, `\"`, `a\`} {
		if written, ok := encodeRegexp(source); ok {
			t.Errorf("%q is written /%s/, which Lark would read in another way", source, written)
		}
	}
}

func TestComplement(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 200 {
		var parts []*automata.Expr
		for range 1 + r.IntN(4) {
			lo := rune(r.IntN(0x11000))
			parts = append(parts, automata.Range(lo, lo+rune(r.IntN(0x900))))
		}
		d := must.Get(automata.Compile(automata.Alternate(parts...), automata.Limits{}))(t)
		e := must.Get(d.Expr())(t)
		checkRegexp(t, "a class", e, d)
	}
	everything := []automata.RuneRange{{Lo: 0, Hi: 0xD7FF}, {Lo: 0xE000, Hi: 0x10FFFF}}
	if got := complement(everything); len(got) != 0 {
		t.Errorf("the complement of everything is %v", got)
	}
}
