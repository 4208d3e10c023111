package automata

import (
	"errors"
	"gcdbench/internal/seed"
	"slices"
	"strings"
	"testing"
)

// matchesBefore reports whether d accepts word with rest after it, up to the end of the text.
func matchesBefore(d *DFA, word, rest string) bool {
	s := d.Start()
	for i := range len(word) {
		s = d.Next(s, word[i])
	}
	c := d.Context(s)
	for i := range len(rest) {
		c = d.NextContext(c, rest[i])
	}
	return d.ContextAtEnd(c)
}

// TestContexts has a match, and what may follow it and what may not.
func TestContexts(t *testing.T) {
	for _, c := range seed.Some(t, []struct {
		pattern, flags, word string
		yes, no              []string
	}{
		{`a(?=b)`, "", "a", []string{"b", "bc"}, []string{"", "a", "ab"}},
		{`a(?!b)`, "", "a", []string{"", "a", "\n", "\xff"}, []string{"b", "bb"}},
		{`""(?!")`, "", `""`, []string{"", " ", `x"`}, []string{`"`}},
		{`""(?!"")`, "", `""`, []string{"", `"`, `"x`}, []string{`""`, `"""`}},
		{`\$(?!\$?\{)`, "", "$", []string{"", "$", "$$", "$x", "x{"}, []string{"{", "${", "{}"}},
		{`0(?![a-z_])|0x[0-9]+`, "", "0", []string{"", "1", "X"}, []string{"a", "x1"}},
		{`0(?![a-z_])|0x[0-9]+`, "", "0x1", []string{"", "1", "a"}, nil},
		{`a(?=b)|a(?=c)`, "", "a", []string{"b", "c"}, []string{"", "a"}},
		{`a(?=b)|a(?!b)`, "", "a", []string{"b", "c", ""}, nil},
		{`a(?=b)(?!bc)`, "", "a", []string{"b", "bb"}, []string{"", "bc", "c"}},
		{`a(?=b)(?!b)|c`, "", "a", nil, []string{"", "b", "c"}},
		{`a(?=bcd)bc`, "", "abc", []string{"d"}, []string{"", "c"}},
		{`(?=ab)a`, "", "a", []string{"b"}, []string{"", "a"}},
		{`x(?:(?!yz).)*`, "", "xy", []string{"", "y", "a"}, []string{"z"}},
		{`(?:ab(?=c|d))+`, "", "ab", []string{"c", "d"}, []string{"", "ab"}},
		{`a(?=b(?!c))`, "", "a", []string{"b", "bb", "b\n"}, []string{"bc", "", "c"}},
		{`a(?!b(?=c))`, "", "a", []string{"b", "bb", ""}, []string{"bc"}},
		{`a(?!é)`, "", "a", []string{"", "è", "\xc3", "e"}, []string{"é", "éa"}},
		{`a(?=.)`, "", "a", []string{"é", "b", "😀"}, []string{"", "\n", "\xc3", "\x80"}},
		{`a(?!b)`, "i", "A", []string{"c", ""}, []string{"b", "B"}},
		{`a$`, "", "a", []string{"", "\n"}, []string{"\n\n", "\nb", "b", "\r\n"}},
		{`a$`, "m", "a", []string{"", "\n", "\n\n", "\nb"}, []string{"b", "\r\n"}},
		{`a\Z`, "", "a", []string{""}, []string{"\n", "b"}},
		{`a\Z`, "m", "a", []string{""}, []string{"\n", "b"}},
		{`a$|a(?=b)`, "", "a", []string{"", "\n", "b", "bb"}, []string{"\n\n", "a"}},
		{`a$\n`, "", "a\n", []string{""}, []string{"b", "\n"}},
		{`a\b`, "", "a", []string{"", " ", "-a", "\n", "€"}, []string{"a", "é", "1", "_"}},
		{`a\b`, "a", "a", []string{"", " ", "é"}, []string{"a", "1", "_"}},
		{`a\B`, "", "a", []string{"a", "é1"}, []string{"", " ", "€"}},
		{`\+\b`, "", "+", []string{"a"}, []string{"", "+", " "}},
		{`\+\B`, "", "+", []string{"", "+", " "}, []string{"a"}},
		{`[a+]\b`, "", "a", []string{"", "+"}, []string{"a"}},
		{`[a+]\b`, "", "+", []string{"a"}, []string{"", "+"}},
		{`é\b`, "", "é", []string{"", " "}, []string{"é", "a"}},
		{`a\b(?!\()`, "", "a", []string{"", " "}, []string{"(", "b"}},
		{`(?!if\b)[a-z]+`, "", "if", []string{"x", "é"}, []string{"", " ", "("}},
		{`(?!if\b)[a-z]+`, "", "ifs", []string{"", " "}, nil},
		{`a(?=)`, "", "a", []string{"", "b"}, nil},
		{`(?:a|b(?=c))(?=c|d)`, "", "b", []string{"c"}, []string{"", "d"}},
		{`(?:a|b(?=c))(?=c|d)`, "", "a", []string{"c", "d"}, []string{"", "a"}},
	}, 4, 1, 1) {

		d, err := compilePattern(c.pattern, c.flags)
		if err != nil {
			t.Errorf("/%s/%s: %v", c.pattern, c.flags, err)
			continue
		}
		checkCanonical(t, d)
		for i, rest := range slices.Concat(c.yes, c.no) {
			if want := i < len(c.yes); matchesBefore(d, c.word, rest) != want {
				t.Errorf("/%s/%s on %q before %q: %v", c.pattern, c.flags, c.word, rest, !want)
			}
		}
	}
}

// TestNoContexts: where the match itself decides, or nothing is asked, there are none, and automata
// of one language are equal.
func TestNoContexts(t *testing.T) {
	for pattern, same := range map[string]string{
		`a(?=b)|a(?!b)`:          `a`,
		`a(?=b)(?!b)|c`:          `c`,
		`a(?=)`:                  `a`,
		`a(?!)|b`:                `b`,
		`a\bb|c`:                 `c`,
		`a\Bb`:                   `ab`,
		`a\b-`:                   `a-`,
		`a$b|c`:                  `c`,
		`(?!if\b)[a-z]{2};`:      `(?!if)[a-z]{2};`,
		`a(?=[b-z]|[^b-z])(?=b)`: `a(?=b)`,
		`a(?!b)(?!c)`:            `a(?![bc])`,
		`a(?=b)|a(?=c)`:          `a(?=[bc])`,
		`a$(?!\n)`:               `a\Z`,
		`(?m:a$)(?!\n)`:          `a\Z`,
		`(?=ab(?!c))a`:           `a(?=b(?!c))`,
		`a(?=b{2,3})`:            `a(?=bb)`,
	} {
		a, b := MustCompile(pattern, 0), MustCompile(same, 0)
		if !a.Equal(b) {
			t.Errorf("/%s/ is not /%s/:\n%s\n%s", pattern, same, a, b)
		}
		if !strings.Contains(same, "(?=") && !strings.Contains(same, "(?!") && !strings.Contains(same, `\Z`) && a.HasContexts() {
			t.Errorf("/%s/ has contexts", pattern)
		}
	}
	if MustCompile(`a(?=b)`, 0).Equal(MustCompile(`a`, 0)) || MustCompile(`a(?=b)`, 0).Equal(MustCompile(`a(?=c)`, 0)) {
		t.Error("contexts do not tell automata apart")
	}
}

// TestContextStates: two states that go on alike, but ask different things, are two.
func TestContextStates(t *testing.T) {
	d := MustCompile(`[ab](?:c(?=d))?|a|b(?=x)`, 0)
	a, b := d.Next(0, 'a'), d.Next(0, 'b')
	if a != b || d.Context(a) != 0 { // [ab] alone asks nothing, whatever the alternatives add
		t.Errorf("states %d and %d with contexts %d and %d", a, b, d.Context(a), d.Context(b))
	}
	e := MustCompile(`[ab]c(?=d)|a|b(?=x)`, 0)
	a, b = e.Next(0, 'a'), e.Next(0, 'b')
	if a == b || e.Context(a) != 0 || e.Context(b) <= 0 || e.Context(0) != Dead || e.Context(e.Next(a, 'c')) != e.Context(e.Next(b, 'c')) {
		t.Errorf("states %d and %d in\n%s", a, b, e)
	}
	if e.NumContexts() != 3 || e.NextContext(e.Context(b), 'x') != 0 || e.NextContext(e.Context(b), 'd') != Dead || e.NextContext(0, 'd') != 0 || e.NextContext(Dead, 'x') != Dead {
		t.Errorf("%d contexts in\n%s", e.NumContexts(), e)
	}
}

// TestUnboundedContexts: the error names the assertion, by its place, and a match.
func TestUnboundedContexts(t *testing.T) {
	for _, c := range []struct {
		pattern string
		at      int
		example string
	}{
		{`a(?=.*b)`, 1, `whether "a" matches`},
		{`a(?!b*c)`, 1, `whether "a" matches`},
		{`(?=a+b)a+`, 0, `whether "a" matches`},
		{`[ab](?=(?:ab)*c)d?`, 4, `whether "a" matches`},
		{`a(?=b)(?=.\s*c)`, 6, `whether "a" matches`},
		{`a(?=b)|c(?!\s*$)`, 8, `whether "c" matches`},
	} {
		_, err := compilePattern(c.pattern, "")
		checkSyntaxError(t, err, patternCase{pattern: c.pattern, at: c.at, err: c.example})
		if err == nil || !strings.Contains(err.Error(), "without bound") {
			t.Errorf("/%s/: %v", c.pattern, err)
		}
	}
	for _, pattern := range []string{`a(?=b{0,40}c)`, `a(?=.*)`, `a(?!.*)|b`, `a(?=b*)`, `a(?=(?:b|.)*)`} {
		if _, err := compilePattern(pattern, ""); err != nil {
			t.Errorf("/%s/: %v", pattern, err)
		}
	}
}

// TestContextLimits: many contexts end at a limit.
func TestContextLimits(t *testing.T) {
	e, err := Parse(`(?:a(?=[ab]{0,12}c[ab]{12}d))+`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := Compile(e, Limits{MaxStates: 100}); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// TestContextsInOperations: what becomes of contexts when automata are put together.
func TestContextsInOperations(t *testing.T) {
	a, b := MustCompile(`a(?!b)`, 0), MustCompile(`b+$|c`, 0)
	equal := func(name string, d *DFA, pattern string) {
		t.Helper()
		checkCanonical(t, d)
		if want := MustCompile(pattern, 0); !d.Equal(want) {
			t.Errorf("%s is not /%s/:\n%s", name, pattern, d)
		}
	}
	equal("a union", must(a.Union(b, Limits{})), `a(?!b)|b+$|c`)
	equal("a union of three", must(UnionAll(Limits{}, a, b, MustCompile(`a(?=b)`, 0))), `a|b+$|c`)
	equal("a row", must(a.Concat(b, Limits{})), `ac`)
	equal("a row the other way", must(b.Concat(a, Limits{})), `ca(?!b)`)
	equal("shortest matches", b.Lazy(), `b|c`)
	for name, f := range map[string]func() (*DFA, error){
		"Intersect":  func() (*DFA, error) { return a.Intersect(b, Limits{}) },
		"Difference": func() (*DFA, error) { return AnyText().Difference(a, Limits{}) },
		"WithLength": func() (*DFA, error) { return a.WithLength(0, 3) },
		"Expr":       func() (*DFA, error) { _, err := a.Expr(); return nil, err },
	} {
		if _, err := f(); !errors.Is(err, ErrContext) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSplits compares random patterns with the oracle: for every word, and every text after it, a
// pattern matches or not whatever stands in front. One that is refused has a match for which that
// decides.
func TestSplits(t *testing.T) {
	g := &generator{Rand: newRand(t), looks: true, anchors: true, chars: []string{"a", "b", "[ab]", "[^a]", "-", "ab", "", "\\n"}}
	letters := []string{"a", "b", "-", "\n"}
	words, afters := allStrings(letters, 2), allStrings(letters, 2)
	befores := []string{"", "a", "b", "c", "-", "ca", "ba", "ab", "ac", "cc"}
	taken, refused, needless := 0, 0, 0
	for range seed.Rounds(37, 75, 1500) {
		pattern := g.pattern(2 + g.IntN(4))
		e, err := Parse(pattern, g.flags())
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		d, err := compileGreedy(e)
		var blind *SyntaxError
		if err != nil && !errors.As(err, &blind) {
			t.Fatalf("%s: %v", pattern, err)
		}
		if err == nil {
			checkCanonical(t, d)
		}
		differs := false
		for _, word := range slices.Concat(words, g.words(letters, 20), exampleOf(err)) {
			for _, after := range afters {
				yes, no := verdicts(e, word, befores, after)
				differs = differs || yes && no
				if err == nil && (yes && no || matchesBefore(d, word, after) != yes) {
					t.Fatalf("/%s/ on %q before %q: matches %v; after some text: %v, after some not: %v", pattern, word, after, !yes, yes, no)
				}
			}
		}
		switch {
		case err == nil:
			taken++
		case !differs:
			needless++
			t.Logf("/%s/ is refused without need: %v", pattern, err)
		default:
			refused++
		}
	}
	t.Logf("%d taken, %d refused, %d refused without need", taken, refused, needless)
	if needless > (taken+refused)/8 {
		t.Errorf("%d patterns refused without need", needless)
	}
}
