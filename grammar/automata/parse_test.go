package automata

import (
	"errors"
	"strings"
	"testing"
)

// TestPatterns checks every line of patternCases.
func TestPatterns(t *testing.T) {
	for _, c := range patternCases {
		t.Run(c.pattern+"/"+c.flags, func(t *testing.T) {
			d, err := compilePattern(c.pattern, c.flags)
			if c.err != "" {
				checkSyntaxError(t, err, c)
				return
			}
			if err != nil {
				t.Fatal(err)
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

func compilePattern(pattern, letters string) (*DFA, error) {
	flags, err := ParseFlags(letters)
	if err != nil {
		return nil, err
	}
	e, err := Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	return Compile(e, Limits{})
}

func checkSyntaxError(t *testing.T, err error, c patternCase) {
	t.Helper()
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("error %v, want a SyntaxError with %q", err, c.err)
	}
	if syntax.Pattern != c.pattern || syntax.Offset != c.at || !strings.Contains(syntax.Message, c.err) {
		t.Errorf("error at %d: %s\nwant one at %d with %q", syntax.Offset, syntax.Message, c.at, c.err)
	}
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := Parse("a**", 0)
	want := "regex /a**/ at offset 2: multiple repeat: * follows *; group the first with (?:...)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	long := strings.Repeat("é", 100) + "**" + strings.Repeat("é", 100)
	_, err = Parse(long, 0)
	want = "regex /..." + strings.Repeat("é", 19) + "**" + strings.Repeat("é", 19) + ".../ at offset 201"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestParseFlags(t *testing.T) {
	for letters, want := range map[string]Flags{
		"": 0, "i": IgnoreCase, "sx": DotAll | Verbose, "iimu": IgnoreCase | Multiline | Unicode, "a": ASCII,
	} {
		if got, err := ParseFlags(letters); err != nil || got != want {
			t.Errorf("%q: %v, %v", letters, got, err)
		}
	}
	for letters, want := range map[string]string{"l": "locale", "au": "exclude", "z": `unknown flag 'z'`} {
		if _, err := ParseFlags(letters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", letters, err)
		}
	}
	if got := (IgnoreCase | DotAll | ASCII).String(); got != "isa" {
		t.Errorf("String: %q", got)
	}
	if _, err := Parse("a", Unicode|ASCII); err == nil {
		t.Error("Parse takes the flags a and u together")
	}
}

func TestHasLazy(t *testing.T) {
	for pattern, want := range map[string]bool{
		`a*`: false, `a*?`: true, `(?:b(a+?)|c)*`: true, `a??`: true, `a{2,}?`: true,
		`a{2}?`: false, `(?=a*?b)ab`: false, `(?:a*?){2}b`: true, `a{0}?`: false,
	} {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if e.HasLazy() != want {
			t.Errorf("/%s/: %v, want %v", pattern, e.HasLazy(), want)
		}
	}
}

// TestDeepNesting is about the stack: depth must be refused, not overflow.
func TestDeepNesting(t *testing.T) {
	const deep = 1_000_000
	for _, open := range []string{"(", "(?:", "(?=", "(?i:"} {
		if _, err := Parse(strings.Repeat(open, deep), 0); err == nil || !strings.Contains(err.Error(), "nested more than") {
			t.Errorf("%s: %v", open, err)
		}
	}
	e := Literal("a", 0)
	for range deep {
		e = Repeat(e, 0, 2)
	}
	var limit *LimitError
	if _, err := Compile(e, Limits{}); !errors.As(err, &limit) {
		t.Errorf("nested repeats: %v", err)
	}
}

func TestConstructors(t *testing.T) {
	a, b := Literal("a", 0), Literal("b", 0)
	dfa := MustCompile("x|yz", 0)
	for _, c := range []struct {
		name    string
		expr    *Expr
		yes, no []string
	}{
		{"Literal", Literal(`a.\d`, 0), []string{`a.\d`}, []string{"ab5"}},
		{"Literal of no text", Literal("\xff\xc3", 0), []string{"\xff\xc3"}, []string{"ÿ"}},
		{"Literal(i)", Literal("aÉ\xff", IgnoreCase), []string{"Aé\xff", "aÉ\xff"}, []string{"aÉ"}},
		{"Literal(ia)", Literal("kÉ", IgnoreCase|ASCII), []string{"KÉ"}, []string{"ké", "\u212aÉ"}},
		{"Range", Range('a', 'c'), []string{"a", "c"}, []string{"d", ""}},
		{"Range over surrogates", Range(0xD7FF, 0xE000), []string{"\uD7FF", "\uE000"}, []string{"\xED\xA0\x80"}},
		{"Range in the wrong order", Range('b', 'a'), nil, []string{"", "a", "b"}},
		{"Concat", Concat(a, b, Concat(a, b)), []string{"abab"}, []string{"ab"}},
		{"Concat of nothing", Concat(), []string{""}, []string{"a"}},
		{"Alternate", Alternate(a, Alternate(b, FromDFA(dfa))), []string{"a", "b", "x", "yz"}, []string{"", "ab"}},
		{"Alternate of nothing", Alternate(), nil, []string{""}},
		{"Repeat 2,3", Repeat(a, 2, 3), []string{"aa", "aaa"}, []string{"a", "aaaa"}},
		{"Repeat 1,-1", Repeat(a, 1, -1), []string{"a", "aaaa"}, []string{""}},
		{"Repeat -1,1", Repeat(a, -1, 1), []string{"", "a"}, []string{"aa"}},
		{"Repeat 3,2", Repeat(a, 3, 2), nil, []string{"", "aa", "aaa"}},
		{"Repeat 0,0", Repeat(a, 0, 0), []string{""}, []string{"a"}},
		{"FromDFA", Concat(Repeat(FromDFA(dfa), 0, -1), a), []string{"a", "xyzxa"}, []string{"xya"}},
		{"FromDFA of nothing", Alternate(FromDFA(emptyDFA()), a), []string{"a"}, []string{""}},
	} {
		d, err := Compile(c.expr, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range c.yes {
			if !d.MatchString(s) {
				t.Errorf("%s (%s) does not match %q", c.name, c.expr, s)
			}
		}
		for _, s := range c.no {
			if d.MatchString(s) {
				t.Errorf("%s (%s) matches %q", c.name, c.expr, s)
			}
		}
	}
}

// TestAcrossParts checks that assertions and laziness act on the whole of a
// terminal that is put together from several, as strings are in many Lark grammars.
func TestAcrossParts(t *testing.T) {
	parse := func(pattern string) *Expr {
		e, err := Parse(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	quote := Literal(`"`, 0)
	d := must(Compile(Concat(quote, parse(`.*?`), parse(`(?<!\\)(\\\\)*?`), quote), Limits{}))
	for text, want := range map[string]bool{
		`""`: true, `"a"`: true, `"\""`: true, `"\\"`: true, `"\\\""`: true, `"`: false, `"\"`: false, `"a""`: false, `"\\""`: false,
	} {
		if d.MatchString(text) != want {
			t.Errorf("the string on %s: %v", text, !want)
		}
	}
	if !d.Equal(MustCompile(`"(?:[^"\\\n]|\\.)*"`, 0)) {
		t.Errorf("the string is\n%s", d)
	}
	word := must(Compile(Concat(parse(`(?!do;)`), Repeat(Range('a', 'z'), 1, -1), Literal(";", 0)), Limits{}))
	if word.MatchString("do;") || !word.MatchString("dog;") || !word.MatchString("d;") {
		t.Errorf("an assertion in a part: %s", word)
	}
}

// TestSharedParts has an expression of 2^60 nodes that shares its parts.
func TestSharedParts(t *testing.T) {
	e := Literal("a", 0)
	for range 60 {
		e = Concat(Alternate(e, emptyExpr), Alternate(e, emptyExpr))
	}
	var limit *LimitError
	if _, err := Compile(e, Limits{}); !errors.As(err, &limit) || limit.Name != "MaxPositions" {
		t.Errorf("got %v", err)
	}
}

func TestExprString(t *testing.T) {
	e, err := Parse(`a[b-d](?:e|f)*(?!g)h{2,3}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `("a" ['b'-'d'] ("e" | "f"){0,} (?!g) "h"{2,3})`
	if e.String() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}
