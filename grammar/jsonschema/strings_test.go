package jsonschema

import (
	"fmt"
	"strings"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/must"
	"gcdbench/internal/seed"
)

func contained(text, part string) bool { return strings.Contains(text, part) }

// TestStrings is about lengths, patterns and lists of strings together.
func TestStrings(t *testing.T) {
	holds(t, []row{
		{"characters", `{"type": "string", "minLength": 2, "maxLength": 3}`, []string{`"ab"`, `"é😀漢"`, `"\u0061\n"`, `"\ud83d\ude00x"`}, []string{`""`, `"a"`, `"abcd"`, `"😀"`}},
		{"a length of none", `{"type": "string", "maxLength": 0}`, []string{`""`}, []string{`"a"`, `"\n"`}},
		{"a pattern and a length", `{"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "minLength": 3, "maxLength": 5}`, []string{`"abc"`, `"a-b"`, `"ab-cd"`}, []string{`"ab"`, `"a--b"`, `"abc-de"`}},
		{"a pattern that counts itself", `{"type": "string", "pattern": "^[0-9]{4}$", "minLength": 2, "maxLength": 9}`, []string{`"1234"`}, []string{`"12"`, `"12345"`}},
		{"two patterns", `{"type": "string", "pattern": "a", "allOf": [{"pattern": "b"}, {"pattern": "^.{2,3}$"}]}`, []string{`"ab"`, `"bxa"`}, []string{`"a"`, `"aa"`, `"abxx"`}},
		{"not a pattern", `{"type": "string", "pattern": "^a", "not": {"pattern": "b$"}}`, []string{`"a"`, `"aba"`}, []string{`"b"`, `"ab"`}},
		{"a list and a pattern", `{"type": "string", "enum": ["ab", "abc", "b"], "pattern": "^a", "maxLength": 2}`, []string{`"ab"`, `"\u0061b"`}, []string{`"abc"`, `"b"`, `"a"`}},
		{"not a list", `{"type": "string", "maxLength": 1, "not": {"enum": ["a", ""]}}`, []string{`"b"`, `"é"`}, []string{`"a"`, `"\u0061"`, `""`, `"bb"`}},
		{"two lists", `{"enum": ["a", "b", 1], "allOf": [{"enum": ["b", "c", 1.0]}]}`, []string{`"b"`, `1`, `1.0`}, []string{`"a"`, `"c"`}},
		{"a format and a pattern", `{"type": "string", "format": "ipv4", "pattern": "^10\\."}`, []string{`"10.0.0.1"`}, []string{`"11.0.0.1"`, `"10.0.0"`}},
		{"not a format", `{"type": "string", "not": {"format": "uuid"}}`, []string{`""`, `"x"`}, []string{`"2eb8aa08-aa98-11ea-b4aa-73b441d16380"`}},
		{"strings or not", `{"minLength": 2}`, []string{`"ab"`, `1`, `null`, `[]`}, []string{`"a"`}},
		{"a negated maximum", `{"type": "string", "not": {"maxLength": 2}}`, []string{`"abc"`}, []string{`"ab"`, `""`}},
		{"a negated minimum", `{"type": "string", "not": {"minLength": 2}}`, []string{`"a"`, `""`}, []string{`"ab"`}},
	})
}

// TestUncounted is about large lengths, and those that are too large to be counted: what is
// refused, and what is said.
func TestUncounted(t *testing.T) {
	text := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	for _, c := range []struct {
		schema  string
		in, out []string
		pointer string // of an entry of the coverage
		status  Status
		err     string
	}{
		{schema: `{"type": "string", "maxLength": 5000}`, in: []string{text(5000)}, out: []string{text(5001)}, pointer: "/maxLength", status: Enforced},
		{schema: `{"type": "string", "maxLength": 70000}`, in: []string{text(70_000)}, out: []string{text(70_001)}, pointer: "/maxLength", status: Enforced},
		{schema: `{"type": "string", "maxLength": 33554431}`, in: []string{text(70_000)}, pointer: "/maxLength", status: Enforced},
		{schema: `{"type": "string", "maxLength": 33554432}`, in: []string{text(70_000)}, pointer: "/maxLength", status: Narrower},
		{schema: `{"type": "string", "minLength": 33554432}`, err: "/minLength: unsupported: a minimum this large is not counted"},
		{schema: `{"type": "string", "minLength": 70000}`, out: []string{`"a"`, text(69_999)}, in: []string{text(70_000), text(70_001)}, pointer: "/minLength", status: Enforced},
		{schema: `{"anyOf": [{"type": "string", "minLength": 33554432}, {"type": "null"}]}`, in: []string{`null`}, out: []string{text(3)}, pointer: "/anyOf/0/minLength", status: Narrower},
		{schema: `{"anyOf": [{"type": "null"}, {"type": "string", "not": {"maxLength": 33554432}}]}`, in: []string{`null`}, out: []string{`"a"`}, pointer: "/anyOf/1/not/maxLength", status: Narrower},
		{schema: `{"type": "string", "pattern": "^(ab?c|d)*e{3}$", "maxLength": 100000000}`, in: []string{`"acdeee"`}, out: []string{`"ac"`}, pointer: "/maxLength", status: Narrower},
		{schema: `{"type": "string", "pattern": "^(abc)*$", "minLength": 29998, "maxLength": 30000}`, in: []string{`"` + strings.Repeat("abc", 10_000) + `"`}, out: []string{`"` + strings.Repeat("abc", 9_999) + `"`, `"` + strings.Repeat("abc", 10_001) + `"`}, pointer: "/maxLength", status: Enforced},
		{schema: `{"type": "string", "pattern": "^a{3}$", "maxLength": 100000}`, in: []string{`"aaa"`}, out: []string{`"aa"`}, pointer: "/maxLength", status: Enforced},
	} {
		accepts, result, err := acceptance(c.schema, Options{})
		if c.err != "" {
			if err == nil || !contained(err.Error(), c.err) {
				t.Errorf("%s: the error is %v, want %q", c.schema, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		for text, want := range (row{in: c.in, out: c.out}).texts() {
			if accepts(text) != want {
				t.Errorf("%s: %.20s is accepted: %v", c.schema, text, !want)
			}
		}
		if got := status(result, c.pointer); got != c.status {
			t.Errorf("%s: %s is %s", c.schema, c.pointer, got)
		}
	}
}

// TestLargePatterns is about patterns whose automata are too large to be written down, alone and
// beside other constraints.
func TestLargePatterns(t *testing.T) {
	long := strings.Repeat("a", 70_000)
	holds(t, seed.Some(t, []row{
		{"a repeat", `{"type": "string", "pattern": "^[a-z]{1,100000}$"}`, []string{`"a"`, `"` + long + `"`, `"\u0061"`}, []string{`""`, `"A"`, `"` + long + long + `"`}},
		{"a repeat and a length", `{"type": "string", "pattern": "^[a-z]{1,100000}$", "minLength": 2, "maxLength": 5}`, []string{`"ab"`, `"abcde"`}, []string{`"a"`, `"abcdef"`}},
		{"words and a length", `{"type": "string", "pattern": "^(\\S+\\s+){0,99}\\S+$", "maxLength": 5000}`, []string{`"a b"`, `"` + strings.Repeat("a ", 99) + strings.Repeat("b", 4802) + `"`},
			[]string{`"` + strings.Repeat("a ", 100) + `b"`, `"` + strings.Repeat("a ", 99) + strings.Repeat("b", 4803) + `"`}},
		{"an email", `{"type": "string", "format": "email", "maxLength": 1024}`, []string{`"a@b.example"`}, []string{`"a"`}},
		{"a lookahead before an open start", `{"type": "string", "pattern": "(?=.{1,64}$)(https)://([^/]+)/(.+)"}`,
			[]string{`"https://a/b"`, `"` + long + `https://a.example/bc"`, `"see https://a/b, https://a/` + strings.Repeat("x", 54) + `"`},
			[]string{`"https://a/"`, `"https://a/` + strings.Repeat("x", 55) + `"`, `"http://a/b"`, `"https://a/b\n"`}},
		{"what explodes", `{"type": "string", "pattern": "(a|b)*a(a|b){30}c"}`, []string{`"a` + strings.Repeat("b", 30) + `c"`, `"xa` + strings.Repeat("ab", 15) + `cx"`}, []string{`"c"`, `"a` + strings.Repeat("b", 31) + `c"`}},
		{"not what explodes", `{"type": "string", "not": {"pattern": "^(a|b)*a(a|b){30}c$"}, "maxLength": 40}`, []string{`"c"`, `"a` + strings.Repeat("b", 31) + `c"`}, []string{`"a` + strings.Repeat("b", 30) + `c"`, `"` + long + `"`}},
		{"two that explode", `{"type": "string", "allOf": [{"pattern": "^(a|b)*a(a|b){30}c$"}, {"pattern": "^(a|b)*b(a|b){28}c$"}]}`, []string{`"aab` + strings.Repeat("a", 28) + `c"`}, []string{`"a` + strings.Repeat("a", 30) + `c"`}},
		{"keys", `{"type": "object", "patternProperties": {"^(a|b)*a(a|b){30}c$": {"type": "null"}}, "additionalProperties": {"type": "boolean"}}`,
			[]string{`{"a` + strings.Repeat("b", 30) + `c": null}`, `{"c": true}`}, []string{`{"a` + strings.Repeat("b", 30) + `c": true}`, `{"c": null}`}},
	}, 4, 1, 1))
}

// TestLanguages is about strings outside of others: with an automaton and without one.
func TestLanguages(t *testing.T) {
	c := newEmitter(t.Context(), nil, Options{Kept: NewKept()})
	a, b := c.patternLanguage("^a"), c.patternLanguage("b$")
	outside := c.outsideLanguage([]string{"x", "yy"}, []*language{a, b})
	nested := c.outsideLanguage(nil, []*language{outside})
	for text, want := range map[string]bool{"": true, "x": false, "y": true, "yy": false, "a": false, "ax": false, "xb": false, "ba": true} {
		for l, want := range map[*language]bool{outside: want, nested: !want} {
			d, err := l.automaton()
			must.OK(t, err)
			has, err := l.has(text)
			if err != nil || has != want || d.MatchString(text) != want {
				t.Errorf("%q: %v, by automaton %v (%v)", text, has, d.MatchString(text), err)
			}
		}
	}
	if c.patternLanguage("^a") != a || a.key == b.key || c.outsideLanguage([]string{"x"}, nil).key == c.outsideLanguage([]string{"x", ""}, nil).key {
		t.Error("languages are told apart by their keys")
	}
	broken := c.outsideLanguage(nil, []*language{c.patternLanguage("(")})
	if _, err := broken.has("x"); err == nil {
		t.Error("a language that is none has strings outside of it")
	}
	if _, err := broken.automaton(); err == nil {
		t.Error("a language that is none has an automaton of strings outside of it")
	}
}

// TestFinite lists the values of clauses.
func TestFinite(t *testing.T) {
	compare := func(rel number.Relation, num string) *literal {
		return &literal{op: opCompare, rel: rel, num: number.Parse(num)}
	}
	multiple := func(num string) *literal { return &literal{op: opMultiple, num: number.Parse(num)} }
	for _, c := range []struct {
		x    clause
		want string // "" if they are not seen to be few
	}{
		{clause{compare(number.GreaterEqual, "-1"), compare(number.LessEqual, "2"), multiple("1")}, "-1 0 1 2"},
		{clause{compare(number.Greater, "-1"), compare(number.Less, "2"), multiple("1")}, "0 1"},
		{clause{compare(number.Greater, "0"), compare(number.LessEqual, "1"), multiple("0.25")}, "0.25 0.5 0.75 1"},
		{clause{compare(number.GreaterEqual, "3"), compare(number.GreaterEqual, "5"), compare(number.Less, "7"), {op: opWhole}}, "5 6"},
		{clause{compare(number.GreaterEqual, "1"), compare(number.LessEqual, "0"), multiple("1")}, "none"},
		{clause{compare(number.GreaterEqual, "1"), multiple("1")}, ""},
		{clause{compare(number.GreaterEqual, "1"), compare(number.LessEqual, "2")}, ""},
		{clause{compare(number.GreaterEqual, "0"), compare(number.LessEqual, "1e9"), multiple("1")}, ""},
	} {
		list, ok := multiplesBetween(c.x)
		got := ""
		if ok {
			got = "none"
		}
		for i, d := range list {
			f, _ := d.Rat().Float64()
			got = strings.TrimPrefix(fmt.Sprint(strings.Repeat(got, min(i, 1)), " ", f), " ")
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		pattern string
		most    int
		want    string
	}{{"a|bc|é", 3, "a bc é"}, {"a|bc|é", 2, ""}, {"", 1, ""}, {"ab*", 10, ""}, {"[a-c]{2}", 9, "aa ab ac ba bb bc ca cb cc"}} {
		list, ok := stringsIn(automata.MustCompile(c.pattern, 0), c.most)
		if got := strings.Join(list, " "); ok && got != c.want || !ok && c.want != "" {
			t.Errorf("%s: %s, %v", c.pattern, got, ok)
		}
	}
}
