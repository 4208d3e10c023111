package audit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gcdbench/internal/seed"
)

// cut is the lexemes of a text, as strings.
func cut(l *Language, text string) (list []string) {
	for _, s := range l.lexemes([]byte(text)) {
		list = append(list, text[s.from:s.to])
	}
	return list
}

// TestLexemes: lexemes are whole, comments and white space are none.
func TestLexemes(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"go", "x := 0x1p-2 // c\n\ty<-`a\nb` /* d\n */ 'é'...", "x|:=|0x1p-2|\n|y|<-|`a\nb`|'é'|..."},
		{"go", "a[i:]&^=1_000.5e+3", "a|[|i|:|]|&^=|1_000.5e+3"},
		{"java", "List<A> x = \"\"\"\n \"a\\\"\"\" \"\"\"; // c\nx >>>= 'a'; A::new /* \n*/ @interface", "List|<|A|>|x|=|\"\"\"\n \"a\\\"\"\" \"\"\"|;|x|>>>=|'a'|;|A|::|new|@interface"},
		{"json", "{\"a\\\"b\": [-1.5e+3, true]}", `{|"a\"b"|:|[|-1.5e+3|,|true|]|}`},
		{"python", "if x:\n  rb'\\'' # c\n  f\"\"\"a\n'\"\"\" ** -y", "if|x|:|\n|rb'\\''|\n|f\"\"\"a\n'\"\"\"|**|-|y"},
		{"sql", "SELECT e'a\\'', 'it''s' -- c\n||\"A\"\"b\" <> $$ ; $$::text, $1", `SELECT|e'a\''|,|'it''s'||||"A""b"|<>|$$ ; $$|::|text|,|$1`},
		{"other", "a -> b", "a|->|b"},
	} {
		l, _ := LanguageOf(c.language)
		if got := strings.Join(cut(l, c.text), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.language, got, c.want)
		}
	}
}

// TestMutants: a mutant differs from its text by one change of its kind.
func TestMutants(t *testing.T) {
	python, _ := LanguageOf("python")
	text := "def f(a, b):\n    if a:\n        return f\"{a!r:>{b}} {{x}} {b}\"\n    return [b, 1]\n"
	before := cut(python, text)
	for s := range seed.Each(t, 300) {
		m := mutation{language: python, random: rand.New(rand.NewPCG(s, 0)), text: []byte(text)}
		for _, kind := range python.Kinds() {
			changed, at := m.apply(kind)
			if changed == nil || string(changed) == text {
				continue
			}
			if !bytes.HasPrefix(changed, []byte(text[:at])) {
				t.Fatalf("seed %d: %s: %q differs before byte %d", s, kind, changed, at)
			}
			if why := wrongMutant(kind, before, cut(python, string(changed)), text, string(changed)); why != "" {
				t.Errorf("seed %d: %s: %q: %s", s, kind, changed, why)
			}
		}
	}
}

// wrongMutant says why a changed text is no mutant of a kind; "" if it is one. Lexemes may grow
// together where nothing parts them, so that lists are compared as texts without blanks.
func wrongMutant(kind Kind, before, after []string, text, changed string) string {
	plain := func(list []string) string { return strings.ReplaceAll(strings.Join(list, ""), " ", "") }
	fits := func(make func(i int) []string) string {
		for i := range before {
			if plain(make(i)) == plain(after) {
				return ""
			}
		}
		return "it is none of the possible ones"
	}
	switch kind {
	case Delete:
		return fits(func(i int) []string { return slices.Concat(before[:i], before[i+1:]) })
	case Double:
		return fits(func(i int) []string { return slices.Concat(before[:i+1], before[i:]) })
	case Swap:
		return fits(func(i int) []string {
			if i+1 == len(before) {
				return nil
			}
			return slices.Concat(before[:i], []string{before[i+1], before[i]}, before[i+2:])
		})
	case Replace:
		for _, put := range before {
			if fits(func(i int) []string { return slices.Concat(before[:i], []string{put}, before[i+1:]) }) == "" {
				return ""
			}
		}
		return "no lexeme of the text was replaced by another"
	case Indent:
		if strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(changed), " ") {
			return "more than white space changed"
		}
	case FString:
		if a, b := strings.Index(text, `f"`), strings.LastIndex(text, `"`); !strings.HasPrefix(changed, text[:a]) || !strings.HasSuffix(changed, text[b:]) {
			return "something outside of the f-string changed"
		}
	}
	return ""
}

// TestAllKindsApply: each kind finds a place in a text that has one.
func TestAllKindsApply(t *testing.T) {
	python, _ := LanguageOf("python")
	text := "if a:\n    f'{b}'\n    c = 1\n"
	for _, kind := range python.Kinds() {
		different := map[string]bool{}
		for s := range seed.Each(t, 200) {
			m := mutation{language: python, random: rand.New(rand.NewPCG(s, 1)), text: []byte(text)}
			if changed, _ := m.apply(kind); changed != nil {
				different[string(changed)] = true
			}
		}
		if len(different) < 5 {
			t.Errorf("%s: only %d different mutants", kind, len(different))
		}
	}
}

// TestFields: the replacement fields of f-strings, and of nothing else.
func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		`f"{a}"`:             `{a}`,
		`rf'{a:{b}} {{c}}'`:  `{a:{b}}`,
		`F"""{a!r}{b['x']}"`: `{a!r}|{b['x']}`,
		`t"x{ y }"`:          `{ y }`,
		`"{a}"`:              ``,
		`rb"{a}"`:            ``,
		`f`:                  ``,
		`f"{a"`:              ``,
		`{f}`:                ``,
	} {
		var got []string
		for _, s := range fieldsOf([]byte(text), span{0, len(text)}) {
			got = append(got, text[s.from:s.to])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestParseKinds: kinds of the language, and no others.
func TestParseKinds(t *testing.T) {
	python, _ := LanguageOf("python")
	if kinds, err := python.ParseKinds("swap,fstring"); err != nil || !slices.Equal(kinds, []Kind{Swap, FString}) {
		t.Errorf("%v, %v", kinds, err)
	}
	golang, _ := LanguageOf("go")
	for _, list := range []string{"indent", "", "swap,", "Delete"} {
		if _, err := golang.ParseKinds(list); err == nil || !strings.Contains(err.Error(), "expected some of") {
			t.Errorf("%q: %v", list, err)
		}
	}
}
