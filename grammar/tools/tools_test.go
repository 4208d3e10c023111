package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"gcdbench/grammar"
	"gcdbench/grammar/automata"
	"gcdbench/grammar/jsonschema"
	"gcdbench/grammar/tools"
	"gcdbench/internal/must"
)

const request = `{
  "choice": {"one": "get_time"}, "parallel": false,
  "tools": [
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"place": {"type": "string"}, "days": {"type": "integer"}}, "required": ["place"]}},
    {"type": "function", "function": {"name": "get_time", "description": "<&>", "strict": true}}
  ]
}`

// TestRead: a request in JSON and the same in YAML are equal, defaults included, and JSON writes it
// so that it is read again.
func TestRead(t *testing.T) {
	r := must.Get(tools.Read("r.json", []byte(request)))(t)
	inYAML := `
choice: {one: get_time}
parallel: no
tools:
  - name: get_weather
    parameters: {type: object, properties: {place: {type: string}, days: {type: integer}}, required: [place]}
  - {name: get_time, description: "<&>"}
`
	inYAML = strings.Replace(inYAML, "parallel: no", "parallel: false", 1)
	again := must.Get(tools.Read("r.yaml", []byte(inYAML)))(t)
	third := must.Get(tools.Read("again", r.JSON()))(t)
	if string(r.JSON()) != string(again.JSON()) || string(r.JSON()) != string(third.JSON()) {
		t.Errorf("%s\n%s\n%s", r.JSON(), again.JSON(), third.JSON())
	}
	if r.Format != "hermes" || r.Text != tools.TextAround || r.Parallel || r.One != "get_time" || string(r.Tools[1].Parameters) != `{"type": "object"}` {
		t.Errorf("%+v", r)
	}
}

// TestMistakes: each is one error, with its place in JSON.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"tools": []}`, "r.json:1:11: tools: a request needs at least one tool"},
		{`{"tool": []}`, `r.json:1:10: tool: a request has no key "tool"`},
		{"{\n \"tools\": [{\"name\": \"a b\"}]}", `r.json:2:21: tools[0].name: "a b" has ' '`},
		{`{"tools": [{"name": "a"}, {"name": "a"}]}`, `r.json:1:36: tools[1].name: tools[0] is called "a" as well`},
		{`{"tools": [{"name": "a", "parameters": true}]}`, "r.json:1:40: tools[0].parameters: expected a JSON schema that is an object"},
		{`{"tools": [{"name": "a", "parameters": {"type": ["string"]}}]}`, "r.json:1:40: tools[0].parameters: arguments are an object, and by the type these are none"},
		{`{"tools": [{"name": "a", "parameters": {"type": "string"}}]}`, "tools[0].parameters: arguments are an object, and by the type these are none"},
		{`{"tools": [{"name": "a", "parameters": {"$ref": "#/definitions/a", "$schema": "http://json-schema.org/draft-07/schema#"}}]}`, "tools[0].parameters: the $ref leads to a schema that may be no object"},
		{`{"tools": [{"name": "a"}], "format": "gpt"}`, `format: "gpt" is none of the formats hermes`},
		{`{"tools": [{"name": "a"}], "choice": {"one": "b"}}`, `choice: there is no tool "b"`},
		{`{"tools": [{"name": "a"}], "parallel": 1}`, "parallel: expected true or false, found a value of type number"},
		{`{"tools": [{}]}`, "tools[0].name: a tool needs a name"},
		{`{"tools": `, "r.json:1:11"},
		{"tools: [{name: a}]\nformat: [b]", "r.json:2:9: format: expected a string"},
		{"a: *b", "unknown anchor"},
		{"", "r.json:1:1: the request is empty"},
		{"\xff", "not UTF-8"},
		{"tools: [{name: a}]\ntools: [{name: b}]", `r.json:2:1: the key "tools" stood already at line 1`},
		{"tools:\n- name: a\n  parameters: {type: object, properties: {p: {}, p: {}}}", `r.json:3:50: the key "p" stood already at line 3`},
		{"tools: [{name: a}]\n---\ntools: [{name: b}]", "r.json:2:1: a second document starts here: a request is one document"},
		{"tools:\n- name: a\n- name: a\n", `r.json:3:9: tools[1].name: tools[0] is called "a" as well`},
		{"tools:\n- &a {name: a}\n- *a\n", "r.json:3:3: anchors and aliases are not read"},
		{"{\"tools\": [{\"name\": \"a\", \"x\\\"\": [{}],\n \"name\": \"b\"}]}", `r.json:2:2: the key "name" stood already`},
		{`{"tools": [{"name": "a", "parameters": {"type": "object", "properties": {"é": {}, "\u00e9": {}}}}]}`, `r.json:1:83: the key "é" stood already`},
		{`{"tools": [{"type": "foo", "function": {"name": "a"}}]}`, `r.json:1:21: tools[0].type: the type of a tool is "function"`},
		{`{"tools": [{"type": "function", "foo": 3, "function": {"name": "a"}}]}`, `r.json:1:40: tools[0].foo: a tool has no key "foo"`},
		{`{"tools": [{"name": "a"}], "markers": [1]}`, "r.json:1:39: markers: expected a list of markers, each a string"},
		{`{"tools": [{"name": "a"}], "choice": "one"}`, `r.json:1:38: choice: the choice one names its tool: {"one": NAME}`},
		{`[]`, "r.json:1:1: a request is an object, not a value of type array"},
	} {
		_, err := tools.Read("r.json", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestUnsupported: a tool that a format cannot write is an error that names it.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ parameters, want string }{
		{`{"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}}`, "pattern is not expressed"},
		{`{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}`, "not told apart"},
		{`{"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}}`, "anyOf is not expressed"},
		{`{"type": "object", "oneOf": [{"required": ["a"]}]}`, "keyword oneOf"},
		{`{"type": "object", "required": ["a"], "properties": {"b": {}}}`, "required and not declared"},
		{`{"type": "object", "required": ["a"]}`, "required and not declared"},
		{`{"type": "object", "enum": [{}]}`, "keyword enum"},
		{`{"type": "object", "const": {}}`, "keyword const"},
		{`{"type": "object", "propertyNames": {"maxLength": 1}}`, "keyword propertyNames"},
		{`{"type": "object", "properties": {"a": {}}, "dependencies": {"a": ["b"]}}`, "keyword dependencies"},
		{`{"type": "object", "properties": {"a": {"const": "x", "enum": ["y"]}}}`, "const beside enum"},
		{`{"type": "object", "properties": {"a": {"enum": ["x\n</parameter>\ny"]}}}`, "a value with the text that ends an argument"},
		{`{"type": "object", "$id": "a#b", "properties": {"a": {"type": "array", "items": {"$ref": "#"}}}}`, "$id names no document"},
	} {
		r := must.Get(tools.Read("r.json", []byte(`{"format": "qwen3-coder", "tools": [{"name": "t", "parameters": `+c.parameters+`}]}`)))(t)
		var unsupported *tools.UnsupportedError
		for _, write := range []func() ([]byte, error){r.LLGuidance, r.StructuralTag, r.Lark} {
			if _, err := write(); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), c.want) || unsupported.Tool != "t" {
				t.Errorf("%s: %v, want %q", c.parameters, err, c.want)
			}
		}
		if r.Format = "hermes"; tools.Supports("hermes", r.Tools[0]) != nil {
			t.Errorf("%s: hermes writes it", c.parameters)
		}
	}
}

// TestKept: requests with what they have in common kept have the grammars that they have alone. The
// automata of their free texts are made once, but not if reading is broken off.
func TestKept(t *testing.T) {
	r := must.Get(tools.Read("r.json", []byte(request)))(t)
	r.Choice = tools.ChoiceAuto
	text := must.Get(r.Lark())(t)
	kept := jsonschema.NewKept()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := tools.ParseLark(stopped, "stopped", text, kept); err == nil {
		t.Error("reading does not end with its context")
	}
	var dfas []*automata.DFA
	for _, k := range []*jsonschema.Kept{nil, kept, kept} {
		g := must.Get(tools.ParseLark(t.Context(), "r", text, k))(t)
		i := slices.IndexFunc(g.Terminals, func(t grammar.TerminalDef) bool { return strings.HasPrefix(t.Name, "%until") })
		dfas = append(dfas, must.Get(automata.Compile(g.Terminals[i].Expr, automata.Limits{}))(t))
	}
	if !dfas[0].Equal(dfas[1]) || dfas[0] == dfas[1] || dfas[1] != dfas[2] {
		t.Errorf("the automata of free texts: %p, %p and %p", dfas[0], dfas[1], dfas[2])
	}
}

// TestStructuralTag: the tag is JSON and holds schemas as they were given, in the order of their
// keys.
func TestStructuralTag(t *testing.T) {
	r := must.Get(tools.Read("r.json", []byte(request)))(t)
	r.Choice = tools.ChoiceAuto
	for _, format := range tools.Formats() {
		r.Format = format
		text, err := r.StructuralTag()
		if err != nil || !json.Valid(text) || !strings.Contains(string(text), `{"place":{"type":"string"},"days":{"type":"integer"}}`) {
			t.Errorf("%s: %v\n%s", format, err, text)
		}
		models, source := tools.About(format)
		if models == "" || !strings.Contains(source, ".") {
			t.Errorf("%s: models %q, source %q", format, models, source)
		}
	}
}
