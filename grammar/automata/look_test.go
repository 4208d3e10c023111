package automata

import (
	"strings"
	"testing"
)

// TestBlindErrors has assertions that depend on what is in front of the match:
// the error names the assertion, by its place, and a match for which it matters.
func TestBlindErrors(t *testing.T) {
	for _, c := range []struct {
		pattern string
		at      int
		example string
	}{
		{`(?<=a)b`, 0, `whether "b" matches`},
		{`a?(?<=a)b`, 2, `whether "b" matches`},
		{`(?:a(?<!aa))+`, 4, `whether "a" matches`},
		{`b(?<=[ab]{2})`, 1, `whether "b" matches`},
		{`\bfoo`, 0, `whether "foo" matches`},
		{`a?\bb(?=c)`, 2, `whether "b" matches`},
		{`b(?=a(?<=ba))a`, 5, "in front of the match"}, // a lookbehind does not see through the start of a lookahead
	} {
		_, err := compilePattern(c.pattern, "")
		checkSyntaxError(t, err, patternCase{pattern: c.pattern, at: c.at, err: c.example})
	}
}

// TestDecidedInside has the counterparts that are decided in time, with the
// language that they stand for written without assertions.
func TestDecidedInside(t *testing.T) {
	for pattern, same := range map[string]string{
		`a(?=b)b`:                        `ab`,
		`a(?!b)[bc]`:                     `ac`,
		`(?=ab)a.`:                       `ab`,
		`(?:a(?!b)|b(?!a))*c`:            `(?:a*|b*)c`,
		`x(?:(?!yz).)*!`:                 `x(?:[^y\n]|y+[^yz\n])*y*!`,
		`(?=a+b)a+[bc]`:                  `a+b`,
		`a(?=b(?!c))b[cd]`:               `abd`,
		`a(?<=a)b`:                       `ab`,
		`[ab](?<!b)c`:                    `ac`,
		`[ab]{2}(?<=aa|bb)`:              `aa|bb`,
		`[ab]+c(?<=ac)`:                  `[ab]*ac`,
		`a(?:[ab](?<!bb))*c`:             `a(?:a|ba)*b?c`,
		`(?=[ab]*c)(?![ab]*bc)[abc]{3};`: `(?:[ab]ac|ac[abc]|c[abc]{2});`,
		`(?:(?=a)|(?=b))[abc]`:           `[ab]`,
		`(?:(?!a)|b)c`:                   `c|bc`,
		`(?!a)(?!b)[abc]`:                `c`,
		`(?!(?!a))[ab]`:                  `a`,
		`(?!(?=a)[ab]b)[ab]{2}`:          `aa|b[ab]`,
		`(?=(?:aa)*b)a*b`:                `(?:aa)*b`,
		`(?=[1a]*1)(?=[1a]*a)[1a]{2};`:   `(?:1a|a1);`,
	} {
		a, err := compilePattern(pattern, "")
		if err != nil {
			t.Errorf("/%s/: %v", pattern, err)
			continue
		}
		if b := MustCompile(same, 0); !a.Equal(b) {
			t.Errorf("/%s/ is not /%s/:\n%s\n%s", pattern, same, a, b)
		}
	}
}

// TestManyAssertions is a password rule: obligations multiply, and settle.
func TestManyAssertions(t *testing.T) {
	d := MustCompile(`(?=[^;]*[a-z])(?=[^;]*[A-Z])(?=[^;]*[0-9])(?![^;]*(?:aa|AA))[^;]{4,12};`, 0)
	for text, want := range map[string]bool{
		"aB3x;": true, "aB3;": false, "abcd3;": false, "aaB3;": false, "aB3" + strings.Repeat("xy", 5) + ";": false, "3Ba" + strings.Repeat("é", 9) + ";": true,
	} {
		if d.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	checkCanonical(t, d)
}

// TestHistories checks a lookbehind whose automaton has many states.
func TestHistories(t *testing.T) {
	d := MustCompile(`[ab]{6}(?:[ab](?<=a[ab]{5}))*`, 0)
	for _, text := range allStrings([]string{"a", "b"}, 9) {
		want := len(text) >= 6
		for i := 6; i < len(text); i++ {
			want = want && text[i-5] == 'a'
		}
		if d.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
