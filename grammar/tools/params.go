package tools

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gcdbench/internal/jsontext"
)

// Formats in XML's manner write each argument by itself: a string as it is, without quotes, any
// other value as JSON. So a parameter has to be a string or never one.

// A param is a parameter of a tool in such a format.
type param struct {
	name     string
	required bool
	raw      bool     // a string, written as it is
	values   []string // the only values of a raw one; nil for any
	schema   []byte   // of one that is not raw
}

// An UnsupportedError is a tool that a format cannot write.
type UnsupportedError struct {
	Format, Tool, Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("unsupported: tool %s cannot be written in the format %s: %s", e.Tool, e.Format, e.Reason)
}

// The beginning and end of a parameter, and what is between them.
const (
	paramBegin  = "<parameter="
	paramMiddle = ">\n"
	paramEnd    = "\n</parameter>\n"
)

// params are the parameters of a tool in the order of its schema. No others are written, whatever
// the schema says of them.
func (t *Tool) params(format string) (list []param, err error) {
	root, err := jsontext.Parse(t.Name, t.Parameters)
	if err != nil {
		return nil, err
	}
	unsupported := func(reason string, args ...any) error {
		return &UnsupportedError{format, t.Name, fmt.Sprintf(reason, args...)}
	}
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const", "patternProperties", "propertyNames",
		"dependentRequired", "dependentSchemas", "dependencies", "minProperties", "maxProperties"} {
		if root.Get(key) != nil {
			return nil, unsupported("its parameters have the keyword %s, and are written one by one", key)
		}
	}
	properties := root.Get("properties")
	if properties == nil {
		properties = &jsontext.Value{}
	}
	for i, name := range properties.Keys {
		p := param{name: name, required: slices.Contains(texts(root.Get("required")), name)}
		if checkName(name) != nil {
			return nil, unsupported("the name of the parameter %q", name)
		}
		if reason := p.read(t.Parameters, root, properties.Items[i]); reason != "" {
			return nil, unsupported("the parameter %q %s", name, reason)
		}
		list = append(list, p)
	}
	for _, name := range texts(root.Get("required")) {
		if !slices.Contains(properties.Keys, name) {
			return nil, unsupported("the parameter %q is required and not declared", name)
		}
	}
	return list, nil
}

// texts are the strings of an array.
func texts(v *jsontext.Value) (list []string) {
	if v == nil {
		return nil
	}
	for _, x := range v.Items {
		if x.Kind == jsontext.String {
			list = append(list, x.Text)
		}
	}
	return list
}

// read reads the schema of a parameter. It says why it cannot be written, or nothing.
func (p *param) read(text []byte, root, schema *jsontext.Value) string {
	kind, values := schema.Get("type"), schema.Get("enum")
	switch {
	case schema.Kind != jsontext.Object:
		return "has a schema that is no object"
	case schema.Get("const") != nil:
		values = &jsontext.Value{Kind: jsontext.Array, Items: []*jsontext.Value{schema.Get("const")}}
	}
	if values != nil {
		p.values = texts(values)
	}
	switch {
	case kind != nil && kind.Kind == jsontext.Array && slices.Contains(texts(kind), "string"):
		return "may be a string or another value, which are not told apart"
	case kind == nil && len(p.values) == 0, kind != nil && kind.Kind == jsontext.String && kind.Text == "string":
		p.raw = true
	case kind == nil && values != nil && len(p.values) == len(values.Items):
		p.raw = true
	case kind == nil:
		return "may be a string or another value, which are not told apart"
	}
	if !p.raw {
		var reason string
		p.schema, reason = p.schemaOf(text, root, schema)
		return reason
	}
	for _, key := range []string{"pattern", "format", "minLength", "maxLength", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if"} {
		if schema.Get(key) != nil {
			return "is written without quotes, where " + key + " is not expressed"
		}
	}
	switch {
	case schema.Get("const") != nil && schema.Get("enum") != nil:
		return "is written without quotes, where const beside enum is not expressed"
	case slices.ContainsFunc(p.values, func(v string) bool { return strings.Contains(v, paramEnd) }):
		return "has a value with the text that ends an argument"
	case values != nil && len(p.values) == 0:
		return "is a string, and none of its values is"
	}
	return ""
}

// schemaOf is the schema of a parameter as a document. One that refers to nothing stands alone.
func (p *param) schemaOf(text []byte, root, schema *jsontext.Value) (doc []byte, reason string) {
	own, dialect := text[schema.From:schema.To], root.Get("$schema")
	switch {
	case jsontext.HasKey(own, references):
		return referring(text, root, "/properties/"+strings.ReplaceAll(p.name, "/", "~1"))
	case dialect == nil || schema.Get("$schema") != nil:
		return own, ""
	}
	return with("$schema", text[dialect.From:dialect.To], own), ""
}

// referring is a document that means a place in the schema of a tool. What a reference there means
// depends on all that is around it. So the document holds the whole schema, under a name by which
// the place is referred to. Or it says why there is none.
func referring(text []byte, root *jsontext.Value, pointer string) (doc []byte, reason string) {
	key, name, whole := "$id", "gcdbench:///parameters", text
	if isOlder(root, "draft-03", "draft-04") {
		key = "id"
	}
	if id := root.Get(key); id == nil {
		whole = with(key, []byte(jsontext.Quoted(name)), text)
	} else if u, err := url.Parse(id.Text); err != nil || id.Text == "" || u.Fragment != "" {
		return nil, fmt.Sprintf("refers to other places, and %s names no document", key)
	} else {
		name = strings.TrimSuffix(id.Text, "#")
	}
	doc = fmt.Appendf(nil, `{"allOf": [{"$ref": %s}], "definitions": {"tool": %s}}`, jsontext.Quoted(name+"#"+pointer), whole)
	if dialect := root.Get("$schema"); dialect != nil {
		doc = with("$schema", text[dialect.From:dialect.To], doc)
	}
	return doc, ""
}

// isOlder is whether a schema says that it is of a draft whose name has one of these parts.
func isOlder(root *jsontext.Value, parts ...string) bool {
	dialect := root.Get("$schema")
	return dialect != nil && slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(dialect.Text, part) })
}

// objectOnly is a schema of arguments, which are an object, with that said in it: nowhere else do
// grammars and checkers learn it. Or it says why it cannot be.
func objectOnly(text []byte) (schema []byte, reason string) {
	root, err := jsontext.Parse("", text)
	if err != nil {
		return nil, err.Error()
	}
	kind := root.Get("type")
	if ref := root.Get("$ref"); ref != nil {
		if to, ok := strings.CutPrefix(ref.Text, "#/"); ok {
			if target := root.At("/" + to); target != nil && target.Get("$ref") == nil && isObject(target.Get("type")) {
				return text, ""
			}
		}
		if isOlder(root, "draft-0") {
			return nil, "the $ref leads to a schema that may be no object, and nothing counts beside it"
		}
	} else if kind != nil {
		if isObject(kind) {
			return text, ""
		}
		if !slices.Contains(texts(kind), "object") {
			return nil, "arguments are an object, and by the type these are none"
		}
	}
	if meansRoot(root) {
		if text, reason = referring(text, root, ""); reason != "" {
			return nil, reason
		}
	} else if kind != nil {
		return slices.Concat(text[:kind.From], []byte(`"object"`), text[kind.To:]), ""
	}
	return with("type", []byte(`"object"`), text), ""
}

// isObject is whether a type is that of objects.
func isObject(kind *jsontext.Value) bool { return kind != nil && kind.Text == "object" }

// meansRoot is whether a schema may refer to itself as a whole.
func meansRoot(v *jsontext.Value) bool {
	for i, key := range v.Keys {
		if slices.Contains(references, key) && (key != "$ref" || !strings.HasPrefix(v.Items[i].Text, "#/")) {
			return true
		}
	}
	return slices.ContainsFunc(v.Items, meansRoot)
}

// references are the keywords that refer to another schema.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// with is an object with one more member, the first.
func with(key string, value, object []byte) []byte {
	out := fmt.Appendf(nil, "{%s: %s", jsontext.Quoted(key), value)
	if rest := bytes.TrimSpace(object)[1:]; bytes.TrimSpace(rest)[0] != '}' {
		return append(append(out, ", "...), rest...)
	}
	return append(out, '}')
}

// Supports is why a format cannot write the calls of a tool: an *UnsupportedError, or nil.
func Supports(format string, t Tool) error {
	f := formatOf(format)
	if f == nil || !f.xml {
		return nil
	}
	_, err := t.params(format)
	return err
}
