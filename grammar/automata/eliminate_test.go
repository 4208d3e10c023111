package automata

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gcdbench/internal/seed"
)

// checkExpr checks that an automaton's expression has its language, and none of the forms that it
// promises to be without.
func checkExpr(t *testing.T, d *DFA) {
	t.Helper()
	e, err := d.Expr()
	if err != nil {
		t.Fatal(err)
	}
	checkPlain(t, e)
	back, err := Compile(e, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	if !back.Equal(d) {
		t.Errorf("the expression %s has another language than\n%s", e, d)
	}
}

func checkPlain(t *testing.T, e *Expr) {
	t.Helper()
	n := e.Node()
	if n.Form == FormOther || e.HasLazy() {
		t.Fatalf("%s is no plain expression", e)
	}
	for _, s := range n.Subs {
		checkPlain(t, s)
	}
}

func TestExprOfDFA(t *testing.T) {
	for _, pattern := range []string{
		"", "a", "abc", "a|b", "ab|ac", "[a-z]+", "[a-z]*", "(ab)*", "(a|b)*abb", "a?b?c?", "a{2,5}", "(?:ab|a){3}",
		`"(\\.|[^"\\])*"`, `/\*.*?\*/`, `/\*[\s\S]*?\*/`, `//[^\n]*|/\*(.|\n)*?\*/`, `(?s)'''.*?'''`, `(?!ifx)[a-z]{2}(?=x)x`,
		`\w+`, `[^a]`, `[\u0080-\u07ff]`, `[\u0800-\uffff]x`, `[\U00010000-\U0010ffff]`, `[é-ü😀]+`, "[߿-ࠀ]|[\uffff-\U00010000]",
		`(?i)select`, `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`, `((a|b)(c|d))*e?`, `(?:a|b(?!b))*c`,
	} {
		t.Run(pattern, func(t *testing.T) { checkExpr(t, MustCompile(pattern, 0)) })
	}
	checkExpr(t, emptyDFA())
}

// Simple loops are to be read as a person would write them.
func TestExprIsReadable(t *testing.T) {
	for pattern, want := range map[string]string{
		`[ \t]+`:         `['\t'' ']{1,}`,
		`[ \t]*`:         `['\t'' ']{0,}`,
		`#[^\n]*`:        `("#" ['\x00'-'\t''\v'-'\ud7ff''\ue000'-'\U0010ffff']{0,})`,
		`a?`:             `"a"{0,1}`,
		`[a-z][a-z0-9]*`: `(['a'-'z'] ['0'-'9''a'-'z']{0,})`,
	} {
		e, err := MustCompile(pattern, 0).Expr()
		if err != nil {
			t.Fatal(err)
		}
		if got := e.String(); got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
	}
}

func TestExprOfRandomPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 5))
	for range seed.Rounds(37, 75, 1500) {
		e := randomPlain(rng.IntN, 4)
		d, err := Compile(e, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkExpr(t, d)
		if d, err = d.Difference(MustCompile("a+|[é-ü]b*", 0), Limits{}); err != nil {
			t.Fatal(err)
		}
		checkExpr(t, d)
	}
}

// randomPlain is a random expression over a few characters of one to four bytes.
func randomPlain(intn func(int) int, depth int) *Expr {
	kind := intn(6)
	if depth == 0 {
		kind = intn(2)
	}
	sub := func() *Expr { return randomPlain(intn, depth-1) }
	switch kind {
	case 0:
		return Literal([]string{"a", "b", "é", "ab", "€", "😀"}[intn(6)], 0)
	case 1:
		lo := rune(0x60 + intn(0x200))
		return Range(lo, lo+rune(intn(0x1000)))
	case 2, 3:
		return Concat(sub(), sub())
	case 4:
		return Alternate(sub(), sub())
	}
	return Repeat(sub(), intn(2), intn(4)-1)
}

func TestExprOfWhatIsNoText(t *testing.T) {
	for name, text := range map[string]string{
		"a lone continuation": "\x80", "half a character": "\xc3", "an overlong form": "\xc0\x80", "a surrogate": "\xed\xa0\x80",
		"five bytes": "\xf8\x88\x80\x80\x80", "beyond the last character": "\xf4\x90\x80\x80", "a byte after a character": "é\xff",
	} {
		d, err := Compile(Literal(text, 0), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := d.Expr(); !errors.Is(err, ErrNotText) {
			t.Errorf("%s: got %v and %v", name, e, err)
		}
	}
}

func TestExprTooLarge(t *testing.T) {
	seed.Usual(t)
	var limit *LimitError
	if _, err := MustCompile(`(?:a|b){3000}`, 0).Expr(); !errors.As(err, &limit) {
		t.Errorf("3000 states: got %v", err)
	}
	// "the 13th character from the end is an a": 2^13 states in a heap of loops
	if _, err := MustCompile(`[ab]*a[ab]{9}`, 0).Expr(); !errors.As(err, &limit) {
		t.Errorf("a tangle: got %v", err)
	}
}

func TestNode(t *testing.T) {
	e, err := Parse(`x[b-da](?:y|zz){2,}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := e.Node()
	if n.Form != FormConcat || len(n.Subs) != 3 {
		t.Fatalf("got %+v", n)
	}
	if x := n.Subs[0].Node(); x.Form != FormLiteral || x.Text != "x" {
		t.Errorf("literal: %+v", x)
	}
	if c := n.Subs[1].Node(); c.Form != FormClass || len(c.Ranges) != 1 || c.Ranges[0] != (RuneRange{'a', 'd'}) {
		t.Errorf("class: %+v", c)
	}
	r := n.Subs[2].Node()
	if r.Form != FormRepeat || r.Min != 2 || r.Max >= 0 || r.Subs[0].Node().Form != FormAlternate {
		t.Errorf("repeat: %+v", r)
	}
	if o := FromDFA(MustCompile("a", 0)).Node(); o.Form != FormOther {
		t.Errorf("automaton: %+v", o)
	}
}
