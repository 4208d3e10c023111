package jsonschema

import (
	"errors"
	"strings"
	"testing"
)

// TestSyntax is a table of documents that are not JSON: where, and why.
func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		src          string
		line, column int
		want         string
	}{
		{"", 1, 1, "the document ends where a JSON value is expected"},
		{"  \n ", 2, 2, "the document ends where a JSON value is expected"},
		{"\xef\xbb\xbf{}", 1, 1, "byte order mark"},
		{"\xff\xfe{\x00", 1, 1, "byte order mark"},
		{"{} {}", 1, 4, "there is more text after the JSON value"},
		{"{,}", 1, 2, "expected a key in quotes"},
		{"{\"a\": 1,\n}", 2, 1, "expected a key in quotes"},
		{`{"a" 1}`, 1, 6, `expected : after the key "a"`},
		{`{"a": 1 "b"}`, 1, 9, "expected , or } in an object"},
		{`{"é": [1 2]}`, 1, 10, "expected , or ] in an array"},
		{`[1,]`, 1, 4, "no JSON value can begin with ']'"},
		{`{"a": tru}`, 1, 7, "no JSON value can begin with 't'"},
		{`{"a": 'x'}`, 1, 7, `no JSON value can begin with '\''`},
		{`{"a": "x}`, 1, 10, "a string does not end"},
		{"{\"a\": \"x\ny\"}", 1, 9, `a string holds the control character 0x0a; write it as \u000a`},
		{"{\"a\": \"\xff\"}", 1, 8, "a string is not UTF-8"},
		{`{"a": "\x"}`, 1, 8, "a string has an escape that JSON does not know"},
		{`{"a": "\u12"}`, 1, 8, "a string has an escape that JSON does not know"},
		{`{"a": 1.}`, 1, 9, "a number is not complete"},
		{`{"a": -}`, 1, 8, "a number is not complete"},
		{`{"a": 1e+}`, 1, 10, "a number is not complete"},
		{`{"a": 01}`, 1, 8, "expected , or } in an object"},
		{strings.Repeat(`[`, 10_001), 1, 10_001, "nested more than 10000 deep"},
		{`[1` + strings.Repeat("0", 10_000) + `]`, 1, 2, "a number has more than 10000 characters"},
	} {
		_, err := Compile(t.Context(), []byte(c.src), Options{Name: "file.json"})
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != c.line || syntax.Column != c.column || !contained(syntax.Message, c.want) || syntax.File != "file.json" {
			t.Errorf("%.40q: the error is %v, want %d:%d: %s", c.src, err, c.line, c.column, c.want)
		}
	}
	for _, src := range []string{`1`, `"x"`, `[]`, `null`} {
		var bad *SchemaError
		if _, err := Compile(t.Context(), []byte(src), Options{}); !errors.As(err, &bad) {
			t.Errorf("%s is a schema: %v", src, err)
		}
	}
}

// TestValues reads values, and writes them so that equal values are equal.
func TestValues(t *testing.T) {
	for _, c := range [][]string{
		{`1`, `1.0`, ` 10e-1 `, `0.1E1`},
		{`0`, `-0`, `0.0e7`},
		{`"a"`, `"\u0061"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"\ud83d"`, `"\ufffd"`, `"\ude00"`}, // lone surrogates
		{`"\ud83d\u0061"`, `"\ufffda"`},
		{`"\"\\\/\b\f\n\r\t"`, `"\u0022\u005c/\u0008\u000c\u000a\u000d\u0009"`},
		{`[1, [], {}]`, "[\n1.0 ,[ ],{\t} ]"},
		{`{"a": 1, "b": [true]}`, `{"b": [true], "a": 1}`, `{"a": 7, "b": [true], "a": 1.0}`}, // the last one counts
		{`null`}, {`true`}, {`false`}, {`"null"`}, {`{}`}, {`[]`}, {`""`}, {`[null]`}, {`{"": null}`}, {`"1"`}, {`[[1], 2]`}, {`[1, [2]]`}, {`[1, 2]`},
	} {
		first, err := parseJSON("x", []byte(c[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c {
			v, err := parseJSON("x", []byte(text))
			if err != nil || v.key() != first.key() {
				t.Errorf("%s and %s differ (%v)", text, c[0], err)
			}
		}
	}
}

// TestReferences is about how schemas are found.
func TestReferences(t *testing.T) {
	holds(t, []row{
		{"by pointer", `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}`, []string{`null`}, []string{`1`}},
		{"by an escaped pointer", `{"$ref": "#/$defs/a~1b~0c%25", "$defs": {"a/b~c%": {"type": "null"}}}`, []string{`null`}, []string{`1`}},
		{"into an array", `{"$ref": "#/anyOf/1", "anyOf": [true, {"type": "null"}]}`, []string{`null`}, []string{`1`}},
		{"by anchor", `{"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "null"}}}`, []string{`null`}, []string{`1`}},
		{"by identifier", `{"$id": "http://x.y/z", "$ref": "other", "$defs": {"a": {"$id": "other", "type": "null"}}}`, []string{`null`}, []string{`1`}},
		{"by identifier and anchor", `{"$id": "http://x.y/z", "$ref": "other#b", "$defs": {"a": {"$id": "other", "$defs": {"b": {"$anchor": "b", "type": "null"}}}}}`, []string{`null`}, []string{`1`}},
		{"to itself", `{"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false}`, []string{`{}`, `{"a": {"a": {}}}`}, []string{`{"a": 1}`, `{"a": {"b": {}}}`}},
		{"to each other", `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/b"}}, "b": {"type": "object", "additionalProperties": {"$ref": "#/$defs/a"}}}}`, []string{`[]`, `[{"x": []}]`}, []string{`{}`, `[[]]`, `[{"x": {}}]`}},
		{"beside others since 2019-09", `{"$ref": "#/$defs/a", "minimum": 3, "$defs": {"a": {"type": "integer"}}}`, []string{`3`}, []string{`2`, `3.5`}},
		{"alone before", `{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": {"type": "integer"}}}`, []string{`2`}, []string{`3.5`}},
		{"id in draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://x.y/z", "allOf": [{"$ref": "other"}], "definitions": {"a": {"id": "other", "type": "null"}}}`, []string{`null`}, []string{`1`}},
	})
	for _, c := range []struct{ schema, want string }{
		{`{"$ref": "#/$defs/b", "$defs": {}}`, `/$ref: cannot resolve the reference "#/$defs/b": there is nothing at that place`},
		{`{"$ref": "#/title", "title": "x"}`, "what is there is no schema"},
		{`{"$ref": "#/anyOf/2", "anyOf": [true]}`, "there is nothing at that place"},
		{`{"$ref": "#nowhere"}`, "there is no such anchor"},
		{`{"$ref": "http://elsewhere/x"}`, "the document has no schema of that name, and nothing is fetched"},
		{`{"$ref": ":"}`, "it is not a URI reference"},
		{`{"$ref": "https://json-schema.org/draft/2020-12/schema"}`, "meta-schemas are not enforced"},
		{`{"$ref": "#"}`, "the schema refers to itself without reading anything of the instance"},
		{`{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}`, "the schema refers to itself"},
		{`{"$dynamicRef": "#a", "$defs": {"x": {"$id": "http://x/", "$dynamicAnchor": "a"}, "y": {"$id": "http://y/"}, "z": {"$dynamicAnchor": "a"}}}`, "dynamic references"},
	} {
		if _, _, err := acceptance(c.schema, Options{}); err == nil || !contained(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", c.schema, err, c.want)
		}
	}
}
