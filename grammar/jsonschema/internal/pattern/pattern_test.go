package pattern

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

// TestPatterns compares patterns with Go's regexp, on the syntax that means the same in both.
func TestPatterns(t *testing.T) {
	d := rand.New(rand.NewPCG(seed.New(t), 6))
	pick := func(list ...string) string { return list[d.IntN(len(list))] }
	var random func(depth int) string
	random = func(depth int) string {
		if depth == 0 {
			return pick("a", "b", "[ab]", "[^a]", ".", `\d`, `\w`, `\-`, `\.`, "1", "^", "$", `\b`, `\B`, `\x61`, "é")
		}
		switch d.IntN(6) {
		case 0:
			return "(" + random(depth-1) + "|" + random(depth-1) + ")"
		case 1:
			return "(?:" + random(depth-1) + ")" + pick("*", "+", "?", "{2}", "{1,2}", "{1,}", "*?")
		case 2:
			return random(depth - 1)
		}
		return random(depth-1) + random(depth-1)
	}
	texts := []string{""}
	for _, c := range []string{"a", "b", "1", "-", "é", " "} {
		for _, s := range texts[:min(len(texts), 40)] {
			texts = append(texts, s+c, c+s)
		}
	}
	compared := 0
	for range 400 {
		pattern := random(3)
		want, err := regexp.Compile(pattern)
		if err != nil {
			continue
		}
		got, err := Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		compared++
		for _, text := range texts {
			if got.MatchString(text) != want.MatchString(text) {
				t.Errorf("%s on %q: matches is %v", pattern, text, got.MatchString(text))
				break
			}
		}
	}
	if compared < 200 {
		t.Errorf("only %d patterns were compared", compared)
	}
}

// TestPatternSyntax has what Go's regexp does not: matches and their opposites by pattern.
func TestPatternSyntax(t *testing.T) {
	for _, c := range []struct{ pattern, matches, not string }{
		{`^\s$`, "\ufeff", "\u200b"}, {`^\S$`, "a", "\u00a0"}, {`^.$`, "\u0085", "\u2028"},
		{`^\cJ$`, "\n", "J"}, {`^\0$`, "\x00", "0"}, {`^\u0061\u{1F600}$`, "a😀", "a"}, {`^\uD83D\uDE00$`, "😀", "x"},
		{`^a{,3}$`, "a{,3}", "aaa"}, {`^x{$`, "x{", "x"}, {`^[\w-]+$`, "a-b", "a b"}, {`^[a\-z]$`, "-", "b"},
		{`^[\d-x]+$`, "-", "a"}, {`(?=.*\d)(?=.*[a-z])^.{3,}$`, "ab1", "abc"}, {`^(?!.*--)[a-z-]+$`, "a-b", "a--b"}, {`a(?!b)`, "ac", "ab"},
		{`(?<=a)b`, "ab", "cb"}, {`(?<name>a)b`, "ab", "b"}, {`^\p{Script=Greek}+$`, "αβ", "ab"}, {`^\P{L}$`, "1", "a"}, {`^[^\p{L}]$`, "1", "é"},
		{`(^a)|(b$)`, "ab", "ba"}, {`^^a$$`, "a", "ba"}, {`\/`, "/", "a"}, {`^[\b]$`, "\b", "b"}, {`^[^]$`, "x", ""}, {`^(a|^b)c`, "bc", "xbc"},
	} {
		d, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if !d.MatchString(c.matches) || d.MatchString(c.not) {
			t.Errorf("%s: %q is %v, %q is %v", c.pattern, c.matches, d.MatchString(c.matches), c.not, d.MatchString(c.not))
		}
	}
}

// TestErrors is a table of patterns that are none, or that no automaton decides.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`(a`, "a group does not end at character 3"},
		{`a)`, "there is no group that ) ends at character 2"},
		{`[a`, "a class of characters does not end at character 3"},
		{`[b-a]`, "a range of characters is in the wrong order"},
		{`*a`, "a quantifier has nothing to repeat"},
		{`a**`, "a quantifier has nothing to repeat"},
		{`^*`, "a quantifier has nothing to repeat"},
		{`a{3,2}`, "the numbers of a quantifier are in the wrong order"},
		{`a\`, `a \ ends the pattern`},
		{`(?a)`, "a group begins with (? in a way that is not known"},
		{`(?<name`, "the name of a group does not end"},
		{`\c1`, `\c wants a letter`},
		{`\u{110000}`, `\u{ wants a code point`},
		{`\h`, `\h is no escape of ECMAScript`},
		{`\pL`, `\p wants the name of a property in braces`},
		{`\p{L`, "the name of a property does not end"},
		{`\p{Nothing}`, "there is no Unicode property Nothing"},
		{strings.Repeat("(", 201) + strings.Repeat(")", 201), "groups are nested too deep"},
		{`\1`, "back references are not regular"},
		{`(?<a>x)\k<a>`, "back references are not regular"},
		{`\p{Emoji}`, "the Unicode property Emoji is not supported"},
		{`\p{EBase}`, "the Unicode property EBase is not supported"},
		{`\p{scx=Greek}`, "the Unicode property scx=Greek is not supported"},
		{`a(?<=b(?=c))`, "an assertion inside of a lookbehind is not supported"},
		{strings.Repeat("é", 300) + `(`, "...\" is not a regular expression: a group does not end at character 302"},
	} {
		_, err := Compile(c.pattern)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.50s: the error is %v, want %q", c.pattern, err, c.want)
		}
	}
}

// TestMatches is a table of patterns with texts in which they match, and others.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern string
		in, out []string
	}{
		// Ends that may match anywhere are cut.
		{`[a-z][a-z0-9-]{3,39}`, []string{"xa-1z", "AB a---"}, []string{"abc", "a--", ""}},
		{`x?y*`, []string{"", "q"}, nil},
		{`(a|b+)c{2,}`, []string{"acc", "xbbccc"}, []string{"ac", "cc", "abc"}},
		{`^a{2,3}`, []string{"aa", "aaaa", "aab"}, []string{"a", "baa", ""}},
		{`a{2,3}$`, []string{"aa", "baaaa"}, []string{"a", "aab"}},
		// Anchors where an alternative begins or ends, and in the middle.
		{`^(a|b)$`, []string{"a", "b"}, []string{"", "ab", "a\n"}},
		{`^a|b$|c`, []string{"ax", "xb", "xcx"}, []string{"xa", "bx", ""}},
		{`(^|,)a(,|$)`, []string{"a", "b,a", "a,b", "x,a,y"}, []string{"ba", "ab", "xa,"}},
		{`a^b`, nil, []string{"ab", "a", "b", "a\nb"}},
		{`$^`, []string{""}, []string{"a"}},
		{`(^a)+$`, []string{"a"}, []string{"aa", ""}},
		{`^$`, []string{""}, []string{"a", "\n"}},
		{`\Aab\z`, []string{"ab"}, []string{"xab", "abx"}},
		// Lookarounds.
		{`^(?=.*\d)(?=.*[a-z]).{3,5}$`, []string{"a1x", "11111a"[1:], "zzz9"}, []string{"abc", "123", "a1", "aaaaa1"}},
		{`^(?!.*(foo|bar)).*$`, []string{"", "fo", "fobar"[:4]}, []string{"foo", "xbar", "bar"}},
		{`^(?!^0)\d+$`, []string{"10", "5"}, []string{"05", "0", ""}},
		{`(?!^0)x`, []string{"x", "0x"}, []string{"0", ""}},
		{`a(?=b)`, []string{"ab", "aab"}, []string{"a", "ac", "ba"}},
		{`(?<!a)b`, []string{"b", "cb", "abb"}, []string{"ab", "a"}},
		{`\bcat\b`, []string{"cat", "a cat.", "cat-"}, []string{"cats", "concat", "_cat"}},
		{`\Bat`, []string{"cat", "hats"}, []string{"at", "a at"}},
		// Characters.
		{`^.$`, []string{"a", "é", "😀", "\t"}, []string{"", "\n", "\u2028", "ab"}},
		{`^[^a-c]+$`, []string{"d", "é\n"}, []string{"a", "xb", ""}},
		{`^[\d\-.]$`, []string{"1", "-", "."}, []string{"a", "٧"}},
		{`^\w\W$`, []string{"a-", "_é"}, []string{"éa", "ab"}},
		{`^\s\S$`, []string{"\u00a0x", "\ufeffa"}, []string{"x ", "\u200bx"}},
		{`^\x41\u0042\u{43}$`, []string{"ABC"}, []string{"abc"}},
		{`^\x4\u00$`, []string{"x4u00"}, []string{"\x04"}},
		{`^\p{Lu}\p{Letter}\p{Script=Greek}\p{ASCII}$`, []string{"Éaαz"}, []string{"éaαz", "Éaaz"}},
		{`^\p{Alphabetic}\p{Lowercase}\p{White_Space}$`, []string{"aª "}, []string{"1a "}},
		{`^[\p{Nd}--]$`, []string{"٧", "-"}, []string{"a"}},
		{`^\p{Assigned}\P{Assigned}$`, []string{"a\u0378"}, []string{"aa", "\u0378\u0378"}},
		{`^\p{IDS}\p{ID_Continue}$`, []string{"a1", "\u2118_"}, []string{"11", "a\u2e2f", "a-"}},
		{`^\p{Cased}\p{Gr_Ext}\p{Dash_Punctuation}\p{Pat_WS}$`, []string{"A\u0301- "}, []string{"1\u0301- ", "aa- "}},
		// A class without characters matches nothing, and its complement any character.
		{`[]`, nil, []string{"", "a", "[]"}},
		{`^(a|[]|b\P{Any})$`, []string{"a"}, []string{"", "b", "ab"}},
		{`^[]a]`, nil, []string{"", "a", "]", "a]"}},
		{`^a[]*b[]{0,2}[^]$`, []string{"abx", "ab\n"}, []string{"ab", "a[]b"}},
		{`^(?![])a(?=[^])`, []string{"ab"}, []string{"a", ""}},
		{`(?=[])|\b[^]$`, []string{"a"}, []string{"", "ab"}},
		{`^a(?<![])$`, []string{"a"}, []string{""}},
		// Annex B.
		{`^{a}$`, []string{"{a}"}, []string{"a"}},
		{`^a{,2}$`, []string{"a{,2}"}, []string{"aa"}},
		{`^]$`, []string{"]"}, []string{""}},
		{`^\@\-\_$`, []string{"@-_"}, []string{`\@`}},
		// Lazy quantifiers, and groups with names.
		{`^a+?b??$`, []string{"a", "aab"}, []string{"", "b"}},
		{`^(?<x>a)(?P<y>b)(?:c)$`, []string{"abc"}, []string{"ac"}},
	} {
		d, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, text := range c.in {
			if !d.MatchString(text) {
				t.Errorf("%s does not match in %q", c.pattern, text)
			}
		}
		for _, text := range c.out {
			if d.MatchString(text) {
				t.Errorf("%s matches in %q", c.pattern, text)
			}
		}
	}
}

// TestSizes: patterns whose automata would be large without what is done to their trees.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		most    int // states
	}{
		{`[a-z][a-z0-9-]{3,39}`, 20},                                        // cut ends
		{`red|green|blue|cyan|black|white|brown|orange|purple|silver`, 120}, // shared padding
		{`^[a-z]{1,40}$`, 45},
	} {
		d := must.Get(Compile(c.pattern))(t)
		if n := d.NumStates(); n > c.most {
			t.Errorf("%s: %d states, more than %d", c.pattern, n, c.most)
		}
	}
}

// TestSets is a table of sets of characters.
func TestSets(t *testing.T) {
	a, b := Set{'a', 'f', 'x', 'x'}, Set{'d', 'h', 'y', 'z'}
	for _, c := range []struct {
		name      string
		got, want Set
	}{
		{"union", a.Union(b), Set{'a', 'h', 'x', 'z'}},
		{"union with none", a.Union(nil), a},
		{"union of neighbours", Set{1, 2, 5, 6}.Union(Set{3, 4}), Set{1, 6}},
		{"complement", a.not(), Set{0, '`', 'g', 'w', 'y', 0xd7ff, 0xe000, 0x10ffff}},
		{"complement of all", Set(nil).not().not(), nil},
		{"difference", a.without(b), Set{'a', 'c', 'x', 'x'}},
		{"ASCII digits of Unicode", FromTable(unicode.Nd).without(Set{0x80, 0x10ffff}), Set{'0', '9'}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if got, want := a.String(), `[\U00000061-\U00000066\U00000078]`; got != want {
		t.Errorf("written %s, want %s", got, want)
	}
}
