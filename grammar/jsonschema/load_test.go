package jsonschema

import (
	"errors"
	"testing"

	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema/internal/pattern"
	"gcdbench/internal/jsontext"
	"gcdbench/internal/must"
)

// TestRoots: a document that is JSON and no schema is an error.
func TestRoots(t *testing.T) {
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
		first := must.Get(jsontext.Parse("x", []byte(c[0])))(t)
		for _, text := range c {
			v, err := jsontext.Parse("x", []byte(text))
			if err != nil || keyOf(v) != keyOf(first) {
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
		{`{"$ref": "http://elsewhere/x"}`, "there is no schema of that name, and nothing is fetched"},
		{`{"$ref": ":"}`, "it is not a URI reference"},
		{`{"$ref": "#"}`, "the schema refers to itself without reading anything of the instance"},
		{`{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}`, "the schema refers to itself"},
	} {
		if _, _, err := acceptance(c.schema, Options{}); err == nil || !contained(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", c.schema, err, c.want)
		}
	}
}

// TestDrafts is a table of $schema.
func TestDrafts(t *testing.T) {
	for uri, want := range map[string]draft{
		"http://json-schema.org/draft-03/schema#": draft4, "http://json-schema.org/draft-04/schema#": draft4, "http://json-schema.org/draft-06/schema": draft6,
		"https://json-schema.org/draft-07/schema#": draft7, "https://json-schema.org/draft/2019-09/schema": draft2019, "https://json-schema.org/draft/2020-12/schema": draft2020,
		"http://json-schema.org/schema#": draft2020, "x": draft2020, "": draft2020,
	} {
		if got := draftOf(uri); got != want {
			t.Errorf("%s: draft %d", uri, got)
		}
	}
}

// TestRefusals is a table of errors, and what is said of them.
func TestRefusals(t *testing.T) {
	parent := &node{ptr: "/properties/a"}
	synthetic := &node{ptr: syntheticPointer, from: origin{parent, "enum"}}
	for _, c := range []struct {
		err  *UnsupportedError
		want string
	}{
		{refusal("too large", "it has %d", 7).at(parent, "pattern"), "/properties/a/pattern: unsupported: too large; it has 7"},
		{refusal("too large", "").at(parent, "x/y"), "/properties/a/x~1y: unsupported: too large"},
		{refusal("too large", "").at(nil, ""), "/: unsupported: too large"},
		{refusal("too large", "").at(synthetic, "const"), "/properties/a/enum: unsupported: too large"}, // of the keyword that it stands for
		{refusalOf(&automata.LimitError{What: "states", Name: "MaxStates", Limit: 3, Hint: "use fewer"}).at(parent, "pattern"), "/properties/a/pattern: unsupported: the automaton is too large; states (limit MaxStates = 3); use fewer"},
		{refusalOf(&automata.LimitError{}).at(parent, "enum"), "/properties/a/enum: unsupported: the automaton is too large; its values have too many characters in all; give fewer, or shorter ones"},
		{refusalOf(errors.New("odd")), "/: unsupported: not expressible; odd"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	_, err := pattern.Compile(`(a)\1`)
	if got := refusalOf(err).Error(); got != "/: unsupported: the pattern has what is not regular; back references are not regular" {
		t.Error(got)
	}
}
