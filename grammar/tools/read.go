package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"gcdbench/internal/jsontext"
	"gcdbench/internal/words"
	"gcdbench/internal/yamltext"
)

// Read reads a request in JSON, or in YAML if its text does not begin with a brace:
//
//	{"format": "hermes", "choice": "auto", "parallel": true, "text": "around", "reasoning": false,
//	 "markers": [], "tools": [{"name": "get_weather", "description": "...", "parameters": {...}}]}
//
// All keys but tools may be left out; these are their defaults, and parameters allows any object.
// Arguments are an object: parameters that leave open whether they are get a type that says so.
// choice is auto, required or {"one": NAME}. A tool may stand in {"type": "function", "function":
// {...}}, as in the requests of servers. The error names the file, and the place in it.
func Read(file string, text []byte) (*Request, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: the request is not UTF-8", file)
	}
	d, err := open(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	r := reader{text: d.text, request: Request{Format: "hermes", Choice: ChoiceAuto, Parallel: true, Text: TextAround}}
	wrong := r.read(d.root)
	if wrong == nil {
		wrong = r.request.check()
	}
	if wrong != nil {
		line, column := d.where(d.valueAt(wrong.path))
		return nil, fmt.Errorf("%s:%d:%d: %w", file, line, column, wrong)
	}
	return &r.request, nil
}

// Place is where in the text of a request, which can be read, a JSON pointer into the parameters of
// a tool leads, or the longest part of it that leads somewhere. Tools count from 0; the line and
// the column from 1.
func Place(text []byte, tool int, pointer string) (line, column int) {
	d, err := open(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if err != nil {
		return 1, 1
	}
	at := d.valueAt(fmt.Sprintf("tools[%d]", tool))
	for inner := at; inner != nil; inner = at.Get("function") {
		at = inner
	}
	if schema := at.Get("parameters"); schema != nil {
		for at = schema.At(pointer); at == nil; at = schema.At(pointer) {
			pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		}
	}
	return d.where(at)
}

// A document is the text of a request as JSON.
type document struct {
	text  []byte
	root  *jsontext.Value
	marks []mark // where the values of a YAML text stand; nil for a text that is JSON
}

// A mark is the place of a value in a YAML text, and where it begins in the JSON of it.
type mark struct{ at, line, column int }

// open reads a text in JSON or YAML. The error is an *yamltext.Error.
func open(text []byte) (*document, error) {
	d := &document{text: text}
	isJSON := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	if !isJSON {
		root, err := yamltext.Parse("request", text)
		if err != nil {
			return nil, err
		}
		d.text = nil
		if err := d.add(root); err != nil {
			return nil, err
		}
	}
	var err error
	d.root, err = jsontext.ParseUnique("", d.text)
	if syntax := (*jsontext.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, &yamltext.Error{Line: syntax.Line, Column: syntax.Column, Message: syntax.Message}
	}
	return d, nil
}

// where is the line and column of a value.
func (d *document) where(v *jsontext.Value) (line, column int) {
	if d.marks == nil {
		return words.LineColumn(d.text, v.From)
	}
	i, _ := slices.BinarySearchFunc(d.marks, v.From, func(m mark, at int) int { return m.at - at })
	return d.marks[i].line, d.marks[i].column
}

// valueAt is the value at a path, or at the last part of it that is there.
func (d *document) valueAt(path string) *jsontext.Value {
	v := d.root
	for _, step := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		if x := v.At("/" + step); x != nil {
			v = x
		}
	}
	return v
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
			if q.Markers = texts(x); len(q.Markers) < len(x.Items) {
				return &problem{at, "expected a list of markers, each a string"}
			}
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
	strict := func(*jsontext.Value, string) *problem { return nil } // of servers: it changes nothing here
	if v.Get("function") != nil && v.Get("name") == nil {
		wrong = fields(v, "tool", path, map[string]func(*jsontext.Value, string) *problem{
			"type": func(x *jsontext.Value, at string) *problem {
				if x.Text != "function" {
					return &problem{at, `the type of a tool is "function"`}
				}
				return nil
			},
			"function": func(x *jsontext.Value, at string) (wrong *problem) {
				t, wrong = r.tool(x, at)
				return wrong
			},
			"strict": strict,
		})
		return t, wrong
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
		"strict": strict,
	})
	return t, wrong
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

// add appends a node of YAML as JSON, with the keys in their order.
func (d *document) add(n *yaml.Node) error {
	d.marks = append(d.marks, mark{len(d.text), n.Line, n.Column})
	fail := func(message string) error { return &yamltext.Error{Line: n.Line, Column: n.Column, Message: message} }
	comma := ""
	switch n.Kind {
	case yaml.AliasNode:
		return fail("anchors and aliases are not read; write the value out")
	case yaml.MappingNode:
		d.text = append(d.text, '{')
		var wrong error
		yamltext.EachKey(n, func(key *yaml.Node, why string) {
			wrong = cmp.Or(wrong, error(&yamltext.Error{Line: key.Line, Column: key.Column, Message: why}))
		}, func(key, value *yaml.Node) {
			if wrong == nil {
				d.text = fmt.Appendf(d.text, "%s%s:", comma, jsontext.Quoted(key.Value))
				comma, wrong = ",", d.add(value)
			}
		})
		d.text = append(d.text, '}')
		return wrong
	case yaml.SequenceNode:
		d.text = append(d.text, '[')
		for _, x := range n.Content {
			d.text = append(d.text, comma...)
			comma = ","
			if err := d.add(x); err != nil {
				return err
			}
		}
		d.text = append(d.text, ']')
		return nil
	}
	var value any
	if n.Tag == "!!timestamp" { // YAML takes a date without quotes for one
		value = n.Value
	} else if err := n.Decode(&value); err != nil {
		return fail(err.Error())
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fail(err.Error())
	}
	d.text = append(d.text, text...)
	return nil
}

// JSON is the request as Read reads it, every key given.
func (r *Request) JSON() []byte {
	out := fmt.Appendf(nil, `{"format": %s, "choice": %s, "parallel": %t, "text": %s, "reasoning": %t, `,
		jsontext.Quoted(r.Format), r.choiceJSON(), r.Parallel, jsontext.Quoted(r.Text), r.Reasoning)
	if len(r.Markers) > 0 {
		list := make([]string, len(r.Markers))
		for i, m := range r.Markers {
			list[i] = jsontext.Quoted(m)
		}
		out = fmt.Appendf(out, `"markers": [%s], `, strings.Join(list, ", "))
	}
	out = append(out, `"tools": [`...)
	for i, t := range r.Tools {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = fmt.Appendf(out, `{"name": %s, "description": %s, "parameters": %s}`, jsontext.Quoted(t.Name), jsontext.Quoted(t.Description), t.Parameters)
	}
	return append(out, "]}"...)
}

func (r *Request) choiceJSON() string {
	if r.Choice == ChoiceOne {
		return fmt.Sprintf(`{"one": %s}`, jsontext.Quoted(r.One))
	}
	return jsontext.Quoted(r.Choice)
}
