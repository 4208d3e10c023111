package judging

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gcdbench/grammar/jsonschema"
	"gcdbench/harness/judged"
	"gcdbench/internal/seed"
)

// TestDeviations: engines that deviate on purpose, each in one way, are found out: who is at fault,
// the class and the cause. A text in want has to be in the shortest witness.
func TestDeviations(t *testing.T) {
	const object = `{"type": "object", "properties": {"a": {"type": "integer", "minimum": 10, "maximum": 99}, "b": {"type": "string", "maxLength": 6}}, "required": ["a"], "additionalProperties": false}`
	const stringly = `{"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"], "additionalProperties": false}`
	const number = `{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"], "additionalProperties": false}`
	type want struct {
		whose string
		class judged.Class
		cause string
		text  string // part of the witness
	}
	for _, c := range seed.Some(t, []struct {
		name    string
		test    tested
		more    string
		deviant deviant
		want    []want
	}{
		{"narrow white space", tested{object, `{ "a" : 12 }`}, ", whitespace: any", deviant{},
			[]want{{judged.Engine, judged.Convention, "white space", "\t"}}},
		{"wide white space", tested{object, `{"a": 12, "b": "x"}`}, "", deviant{options: jsonschema.Options{WhiteSpace: jsonschema.AnySpace}},
			[]want{{judged.Reference, judged.Convention, "white space", "{"}}},
		{"any order", tested{`{"properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"], "additionalProperties": false}`, `{"a": 1, "b": 2}`}, "", deviant{options: jsonschema.Options{AnyOrder: true}},
			[]want{{judged.Reference, judged.Convention, "order of keys", `{"b`}}},
		{"no escaped slash", tested{stringly, `{"s": "a\/b"}`}, "", deviant{without: func(text, _, token string) bool {
			return strings.HasSuffix(text, `\`) && token[0] == '/' || strings.Contains(token, `\/`)
		}},
			[]want{{judged.Engine, judged.Convention, "spelling of strings", `\/`}}},
		{"no exponents", tested{number, `{"n": 12}`}, "", deviant{without: func(_, _, token string) bool { return strings.ContainsAny(token, "eE") }},
			[]want{{judged.Engine, judged.Convention, "spelling of numbers", "E"}}},
		{"no minus", tested{number, `{"n": 12}`}, "", deviant{without: func(_, _, token string) bool { return strings.Contains(token, "-") }},
			[]want{{judged.Engine, judged.ExcludesValid, "between values: -", "-"}}},
		{"no digit seven", tested{stringly, `{"s": "ab"}`}, "", deviant{without: func(_, _, token string) bool { return strings.Contains(token, "7") }},
			[]want{{judged.Engine, judged.ExcludesValid, "a character of a string", "7"}}},
		{"maximum ignored", tested{object, `{"a": 12}`}, "", deviant{source: replace(`, "maximum": 99`, "")},
			[]want{{judged.Engine, judged.AdmitsInvalid, "maximum", `{"a`}}},
		{"required ignored", tested{object, `{"a": 12}`}, "", deviant{source: replace(`"required": ["a"], `, "")},
			[]want{{judged.Engine, judged.AdmitsInvalid, "required", `{`}}},
		{"length ignored", tested{object, `{"a": 12, "b": "abcdef"}`}, "", deviant{source: replace(`, "maxLength": 6`, "")},
			[]want{{judged.Engine, judged.AdmitsInvalid, "maxLength", `"b`}}},
		{"no JSON", tested{object, `{"a": 12}`}, "", deviant{with: func(text, token string) bool { return text == `{"a": 12}` && token == "}" }},
			[]want{{judged.Engine, judged.DeadEnd, "the mask becomes empty", ""}}},
		{"ends early", tested{object, `{"a": 12}`}, "", deviant{ends: func(text string) bool { return text == `{"a": 12` }},
			[]want{{judged.Engine, judged.AdmitsInvalid, "not JSON", ""}}},
		{"tokens as the tokenizer writes them", tested{stringly, `{"s": "the other"}`}, "", deviant{without: func(_, last, token string) bool {
			return len(last) == 1 && len(token) == 1 && isLower(last) && isLower(token)
		}},
			[]want{{judged.Engine, judged.Convention, "tokenisation", ""}}},
		{"whole characters", tested{stringly, `{"s": "é"}`}, "", deviant{without: func(_, _, token string) bool { return !utf8.ValidString(token) }},
			[]want{{judged.Engine, judged.Convention, "tokens inside a character", ""}}},
	}, 4, 1, 1) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.deviant.name = "deviant"
			w := newWorld(t, []tested{c.test}, c.more, &c.deviant)
			r := w.judge(t, Options{})["deviant"]
			if r == nil || r.Differ == 0 || r.Judged != r.Differ || r.SchemasDiffer != 1 || r.Compared < r.Differ {
				t.Fatalf("result %+v", r)
			}
			leading := 0
			var list []string
			for _, f := range r.Findings {
				leading += f.Leading
				x := w.witnessOf(t, f)
				list = append(list, fmt.Sprintf("%s: %d positions, %d leading, %d tokens; after %q %s allows %q: %q, respelled %q, %+v, %s",
					f.Name(), f.Positions, f.Leading, f.Tokens, x.Prefix, x.Allows, x.TokenText, x.Witness, x.Respelled, x.Verdict, x.Why))
			}
			if leading != r.Judged {
				t.Errorf("%d positions lead, of %d", leading, r.Judged)
			}
			if len(r.Findings) != len(c.want) {
				t.Fatalf("%d findings, want %d:\n%s", len(r.Findings), len(c.want), strings.Join(list, "\n"))
			}
			for i, f := range r.Findings {
				x := c.want[i]
				if f.Whose != x.whose || f.Class != x.class || f.Cause != x.cause || f.Schemas != 1 || f.Tokens < f.Positions {
					t.Errorf("finding %d, want %+v:\n%s", i, x, list[i])
				}
				if text := w.witnessOf(t, f); !strings.Contains(text.Witness, x.text) {
					t.Errorf("the witness has no %q:\n%s", x.text, list[i])
				}
				w.replay(t, f, list[i])
			}
		})
	}
}

func isLower(s string) bool { return s[0] >= 'a' && s[0] <= 'z' }
