package cli

import (
	"errors"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/recognizer"
	"gcdbench/internal/must"
)

// TestExpectedText: literals and keys as they are, an example of anything else.
func TestExpectedText(t *testing.T) {
	for schema, want := range map[string]string{`{"type": "integer"}`: "a number like 0", `{"type": "integer", "minimum": 9, "maximum": 11}`: "a number like 9", `{"type": "integer", "maximum": -3}`: "a number like -3", `{"type": "null"}`: "null", `{"type": "boolean"}`: "false", `{"type": "array"}`: "["} {
		r := gcdbench(t, "", "schema", "check", write(t, "s.json", schema), write(t, "i.json", `"x"`), "--json")
		list, _ := object(t, lines(r.out)[0])["error"].(map[string]any)["expected"].([]any)
		if !contains(list, want) {
			t.Errorf("%s: expected %v, want %q in it", schema, list, want)
		}
	}
}

// TestWithExamples: only terminals of schemas that nobody named get an example, and not in long
// lists.
func TestWithExamples(t *testing.T) {
	result := must.Get(jsonschema.Compile(t.Context(), []byte(`{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}}, "additionalProperties": false}`), jsonschema.Options{}))(t)
	g := result.Grammar
	var names []string
	for _, term := range g.Terminals {
		names = append(names, term.Name)
	}
	if len(names) > maxExpected {
		t.Fatalf("%d terminals", len(names))
	}
	for i, got := range withExamples(names, g) {
		term := g.Terminals[i]
		switch {
		case strings.HasPrefix(term.Name, "string") && !strings.HasPrefix(got, term.Name+" (like \""):
			t.Errorf("%s: %q", term.Name, got)
		case (term.Literal || strings.HasPrefix(term.Name, "key")) && got != term.Name:
			t.Errorf("%s: %q", term.Name, got)
		}
	}
	long := make([]string, maxExpected+1)
	for i := range long {
		long[i] = names[i%len(names)]
	}
	if got := withExamples(long, g); strings.Join(got, " ") != strings.Join(long, " ") {
		t.Errorf("a long list: %q", got)
	}
	plain := *g
	plain.Lexer = grammar.LexFirst
	if got := withExamples(names, &plain); strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("no schema: %q", got)
	}
}

// TestExplainRefusal: what stands where a schema's grammar refuses a text, and what could, without
// the names of terminals.
func TestExplainRefusal(t *testing.T) {
	const schema = `{"type": "object", "properties": {"name": {"type": "string", "minLength": 2, "maxLength": 90}, "on": {"type": "string", "format": "date"},
		"n": {"type": "integer", "minimum": 1, "maximum": 14}, "ü": {"const": "日本"}, "ok": {"type": "boolean"}}, "required": ["name"], "additionalProperties": false}`
	c := must.Get(newInstanceChecker(t.Context(), []byte(schema), jsonschema.Options{}, 0))(t)
	long := strings.Repeat("x", 91)
	for _, test := range []struct{ text, want string }{
		{"", "the text ends too early; expected {"},
		{"[", "unexpected [; expected {"},
		{`{"on`, `the text ends inside "on; expected "name"`},
		{`{"nome": 1}`, `unexpected "nome"; expected "name"`},
		{`{"on": "2024-02-28"}`, `unexpected "on"; expected "name"`},
		{`{"name": 7}`, `unexpected 7; expected a string like "aa"`},
		{`{"name": "x"}`, `unexpected "x"; expected a string like "aa"`},
		{`{"name": "` + long + `"}`, `unexpected "` + long[:59] + `...; expected a string like "aa"`},
		{`{"name": "ab`, `the text ends inside "ab; expected a string like "aa"`},
		{`{"name": "ab"`, `the text ends too early; expected , or }`},
		{`{"name": "ab", "on": "2024-13-01"}`, `unexpected "2024-13-01"; expected a string like "0000-01-01"`},
		{`{"name": "ab", "ok": tx}`, `t cannot go on with 'x'; expected false or true`},
		{"{\"name\": \"a\\\"\x01\"}", `"a\" cannot go on with '\x01'; expected a string like "aa"`},
		{`{"name": "ab", "n": 15}`, `unexpected 15; expected a number like 1`},
		{`{"name": "ab", "n": -1}`, `unexpected -1; expected a number like 1`},
		{`{"name": "ab", "n": 1.5}`, `unexpected 1.5; expected a number like 1`},
		{`{"name": "ab", "ü": "日没"}`, `unexpected "日没"; expected a string like "日本"`},
		{`{"name": "ab", "ok": no}`, `n cannot go on with 'o'; expected false or true`},
		{`{"name": "ab",  "n": 1}`, `unexpected " "; expected "n" or "ok" or "on" or "ü"`},
		{"{\n\"name\": \"ab\"}", `unexpected "\n"; expected "name"`},
		{"{\"name\": \"a\x01\"}", `"a cannot go on with '\x01'; expected a string like "aa"`},
		{"{\"name\": \"a\xff\"}", `"a cannot go on with '�'; expected a string like "aa"`},
		{`{"name": "ab"}}`, `unexpected }; expected end`},
	} {
		err := c.grammar.Check([]byte(test.text))
		var refused *recognizer.Refusal
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		f := explainRefusal(c.grammar, []byte(test.text), refused)
		if got := f.message(); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.text, got, test.want)
		}
		if f.line != refused.Line || f.column != refused.Column || f.offset != refused.Offset {
			t.Errorf("%s: the place moved from %d:%d to %d:%d", test.text, refused.Line, refused.Column, f.line, f.column)
		}
	}
}

// TestExpectedAreFew: of many keys some are listed.
func TestExpectedAreFew(t *testing.T) {
	r := gcdbench(t, "", "schema", "check", write(t, "s.json", `{"properties": {`+manyKeys(40)+`}, "additionalProperties": false}`), write(t, "i.json", `{"x": 1}`), "--json")
	list, _ := object(t, lines(r.out)[0])["error"].(map[string]any)["expected"].([]any)
	if len(list) != maxExpected+1 || list[maxExpected] != "29 more" { // 40 keys and the end of the object
		t.Errorf("%d texts: %v", len(list), list)
	}
}

// TestExplainRefusalOfBytes: whatever a text is made of, its refusal can be told, also where what
// is no UTF-8 is cut.
func TestExplainRefusalOfBytes(t *testing.T) {
	c := must.Get(newInstanceChecker(t.Context(), []byte(`{"type": "object", "properties": {"a": {"type": "string", "pattern": "^[a-f]*$"}}}`), jsonschema.Options{}, 0))(t)
	for _, begin := range []string{"", "{", `{"a`, `{"a": `, `{"a": "`, `{"a": "ab`, `{"b": "é`, `{"b": [`} {
		for _, unit := range []string{"\x80", "\xff", "\xe2\x82", "\xf0", "é", "\x00", `\ud800`, `"`} {
			for _, n := range []int{1, 57, 58, 59, 60, 61, 100} {
				text := []byte(begin + strings.Repeat(unit, n))
				var refused *recognizer.Refusal
				if !errors.As(c.grammar.Check(text), &refused) {
					t.Errorf("%q is accepted", text)
					continue
				}
				f := explainRefusal(c.grammar, text, refused)
				if message := f.message(); message == "" || len(message) > 1000 {
					t.Errorf("%q: %q", text, message)
				}
			}
		}
	}
}

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{"x": "x", `"a b"`: `"a b"`, `"\n"`: `"\n"`, " ": `" "`, "\n": `"\n"`, "\xff": `"\xff"`, "日": "日",
		strings.Repeat("é", 40): strings.Repeat("é", 30) + "...", "a" + strings.Repeat("é", 40): "a" + strings.Repeat("é", 29) + "..."} {
		if got := excerpt([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
