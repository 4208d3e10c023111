package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/jsontext"
)

// Read reads a request in JSON, or in YAML if its text does not begin with a brace:
//
//	{"format": "hermes", "choice": "auto", "parallel": true, "text": "around", "reasoning": false,
//	 "markers": [], "tools": [{"name": "get_weather", "description": "...", "parameters": {...}}]}
//
// All keys but tools may be left out; these are their defaults, and parameters allows any object.
// Arguments are an object: parameters that leave open whether they are get a type that says so.
// choice is auto, required or {"one": NAME}. A tool may stand in {"type": "function", "function":
// {...}}, as in the requests of servers. The error names the file, and the place in it where there
// is one.
func Read(file string, text []byte) (*Request, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: the request is not UTF-8", file)
	}
	isJSON := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	if !isJSON {
		var err error
		if text, err = fromYAML(text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	v, err := jsontext.Parse(file, text)
	if err != nil {
		return nil, err
	}
	r := reader{text: text, request: Request{Format: "hermes", Choice: ChoiceAuto, Parallel: true, Text: TextAround}}
	wrong := r.read(v)
	if wrong == nil {
		wrong = r.request.check()
	}
	switch {
	case wrong == nil:
		return &r.request, nil
	case isJSON:
		line, column := r.place(v, wrong.path)
		return nil, fmt.Errorf("%s:%d:%d: %w", file, line, column, wrong)
	}
	return nil, fmt.Errorf("%s: %w", file, wrong)
}

// reader reads a request from a value of a text.
type reader struct {
	text    []byte
	request Request
}

// read reads the keys of a request.
func (r *reader) read(v *jsontext.Value) *problem {
	q := &r.request
	return fields(v, "request", "", map[string]func(*jsontext.Value, string) *problem{
		"format":    func(x *jsontext.Value, at string) *problem { return word(x, at, &q.Format) },
		"choice":    r.choice,
		"parallel":  func(x *jsontext.Value, at string) *problem { return truth(x, at, &q.Parallel) },
		"text":      func(x *jsontext.Value, at string) *problem { return word(x, at, &q.Text) },
		"reasoning": func(x *jsontext.Value, at string) *problem { return truth(x, at, &q.Reasoning) },
		"tools":     r.tools,
		"markers": func(x *jsontext.Value, at string) *problem {
			if x.Kind != jsontext.Array {
				return &problem{at, fmt.Sprintf("expected a list of markers, found a value of type %s", x.Kind)}
			}
			q.Markers = texts(x)
			return nil
		},
	})
}

// fields reads the keys of an object, and refuses others.
func fields(v *jsontext.Value, what, path string, read map[string]func(*jsontext.Value, string) *problem) *problem {
	if v.Kind != jsontext.Object {
		return &problem{path, fmt.Sprintf("a %s is an object, not a value of type %s", what, v.Kind)}
	}
	for i, key := range v.Keys {
		at := strings.TrimPrefix(path+"."+key, ".")
		one := read[key]
		if one == nil {
			return &problem{at, fmt.Sprintf("a %s has no key %q", what, key)}
		}
		if wrong := one(v.Items[i], at); wrong != nil {
			return wrong
		}
	}
	return nil
}

// word reads a string.
func word(v *jsontext.Value, path string, to *string) *problem {
	if v.Kind != jsontext.String {
		return &problem{path, fmt.Sprintf("expected a string, found a value of type %s", v.Kind)}
	}
	*to = v.Text
	return nil
}

// truth reads true or false.
func truth(v *jsontext.Value, path string, to *bool) *problem {
	if v.Kind != jsontext.Bool {
		return &problem{path, fmt.Sprintf("expected true or false, found a value of type %s", v.Kind)}
	}
	*to = v.Truth
	return nil
}

// choice reads which tools have to be called: a word, or {"one": NAME}.
func (r *reader) choice(v *jsontext.Value, path string) *problem {
	if v.Kind != jsontext.Object {
		return word(v, path, &r.request.Choice)
	}
	r.request.Choice = ChoiceOne
	return fields(v, "choice", path, map[string]func(*jsontext.Value, string) *problem{
		"one": func(x *jsontext.Value, at string) *problem { return word(x, at, &r.request.One) },
	})
}

// tools reads the list of tools.
func (r *reader) tools(v *jsontext.Value, path string) *problem {
	if v.Kind != jsontext.Array {
		return &problem{path, fmt.Sprintf("expected a list of tools, found a value of type %s", v.Kind)}
	}
	for i, x := range v.Items {
		t, wrong := r.tool(x, fmt.Sprintf("%s[%d]", path, i))
		if wrong != nil {
			return wrong
		}
		r.request.Tools = append(r.request.Tools, t)
	}
	return nil
}

// tool reads a tool, or one in the wrapping of servers.
func (r *reader) tool(v *jsontext.Value, path string) (t Tool, wrong *problem) {
	if inner := v.Get("function"); inner != nil && v.Get("name") == nil {
		return r.tool(inner, path+".function")
	}
	t.Parameters = []byte(`{"type": "object"}`)
	wrong = fields(v, "tool", path, map[string]func(*jsontext.Value, string) *problem{
		"name":        func(x *jsontext.Value, at string) *problem { return word(x, at, &t.Name) },
		"description": func(x *jsontext.Value, at string) *problem { return word(x, at, &t.Description) },
		"parameters": func(x *jsontext.Value, at string) *problem {
			if x.Kind != jsontext.Object {
				return &problem{at, fmt.Sprintf("expected a JSON schema that is an object, found a value of type %s", x.Kind)}
			}
			t.Parameters = OneLine(r.text[x.From:x.To])
			if x.Get("$ref") == nil && isObject(x.Get("type")) {
				return nil
			}
			var reason string
			if t.Parameters, reason = objectOnly(t.Parameters); reason != "" {
				return &problem{at, reason}
			}
			return nil
		},
		"strict": func(*jsontext.Value, string) *problem { return nil }, // of servers: it changes nothing here
	})
	return t, wrong
}

// place is the line and column of a path, or of the last part of it that is there.
func (r *reader) place(v *jsontext.Value, path string) (line, column int) {
	for _, step := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		var at int
		if _, err := fmt.Sscanf(step, "%d", &at); err == nil && v.Kind == jsontext.Array && at < len(v.Items) {
			v = v.Items[at]
		} else if x := v.Get(step); x != nil {
			v = x
		}
	}
	before := r.text[:v.From]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):])
}

// OneLine lays out a JSON text as Python's json.dumps does by default: on one line, a space after
// each comma and colon. Strings and numbers stay as they are written.
func OneLine(text []byte) (out []byte) {
	for _, p := range jsontext.Pieces(text) {
		if p.IsSpace() {
			continue
		}
		if out = append(out, p...); p[0] == ',' || p[0] == ':' {
			out = append(out, ' ')
		}
	}
	return out
}

// fromYAML is the JSON of a YAML text, with the keys in their order.
func fromYAML(text []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if root.Kind != yaml.DocumentNode {
		return nil, errors.New("the file is empty; a request is an object with the key \"tools\"")
	}
	return appendYAML(nil, root.Content[0])
}

// appendYAML appends a node as JSON.
func appendYAML(out []byte, n *yaml.Node) ([]byte, error) {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		return appendNodes(out, n)
	case yaml.AliasNode:
		return nil, fmt.Errorf("line %d: anchors and aliases are not read; write the value out", n.Line)
	}
	var value any
	if n.Tag == "!!timestamp" { // YAML takes a date without quotes for one
		value = n.Value
	} else if err := n.Decode(&value); err != nil {
		return nil, fmt.Errorf("line %d: %w", n.Line, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", n.Line, err)
	}
	return append(out, text...), nil
}

// appendNodes appends a list or a mapping as JSON.
func appendNodes(out []byte, n *yaml.Node) (_ []byte, err error) {
	brackets := "[]"
	if n.Kind == yaml.MappingNode {
		brackets = "{}"
	}
	out = append(out, brackets[0])
	for i, x := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if i > 0 {
			out = append(out, map[bool]byte{true: ':', false: ','}[n.Kind == yaml.MappingNode && !isKey])
		}
		if isKey {
			key, err := json.Marshal(x.Value)
			if err != nil || x.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a key must be a word", x.Line)
			}
			out = append(out, key...)
			continue
		}
		if out, err = appendYAML(out, x); err != nil {
			return nil, err
		}
	}
	return append(out, brackets[1]), nil
}

// JSON is the request as Read reads it, every key given.
func (r *Request) JSON() []byte {
	out := fmt.Appendf(nil, `{"format": %s, "choice": %s, "parallel": %t, "text": %s, "reasoning": %t, `,
		quoted(r.Format), r.choiceJSON(), r.Parallel, quoted(r.Text), r.Reasoning)
	if len(r.Markers) > 0 {
		list := make([]string, len(r.Markers))
		for i, m := range r.Markers {
			list[i] = quoted(m)
		}
		out = fmt.Appendf(out, `"markers": [%s], `, strings.Join(list, ", "))
	}
	out = append(out, `"tools": [`...)
	for i, t := range r.Tools {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = fmt.Appendf(out, `{"name": %s, "description": %s, "parameters": %s}`, quoted(t.Name), quoted(t.Description), t.Parameters)
	}
	return append(out, "]}"...)
}

func (r *Request) choiceJSON() string {
	if r.Choice == ChoiceOne {
		return fmt.Sprintf(`{"one": %s}`, quoted(r.One))
	}
	return quoted(r.Choice)
}

// quoted is a JSON string, with < and & as they are.
func quoted(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}
