package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"gcdbench/grammar/jsonschema/internal/number"
	"gcdbench/internal/jsontext"
)

// Schemas as references: which schemas are the same, and schemas that are in no document.

// simple is the reference to a schema, with the trivial ones recognised.
func (d *document) simple(n *node) ref {
	switch {
	case n.v.Kind == jsontext.Bool && n.v.Truth || n.v.Kind == jsontext.Object && len(n.v.Keys) == 0:
		return trueRef
	case n.v.Kind == jsontext.Bool:
		return falseRef
	}
	return d.representative(n).ref()
}

// maxAlike bounds the size, in values, of schemas that are compared with others.
const maxAlike = 40

// representative is the first schema that says the same as n, if n is small; else n. That equal
// schemas are one matters to oneOf: a value that satisfies one and not the other is then seen to be
// impossible.
func (d *document) representative(n *node) *node {
	if first := d.alike[n]; first != nil {
		return first
	}
	first := n
	if n.v.Size(maxAlike) < maxAlike && n.get("$id") == nil && n.get("id") == nil && n.ptr != syntheticPointer {
		key := n.base.String() + " " + strconv.Itoa(int(n.draft)) + " " + keyOf(n.v)
		if old := d.byText[key]; old != nil {
			first = old
		} else {
			d.byText[key] = n
		}
	}
	d.alike[n] = first
	return first
}

// syntheticPointer is the place of schemas that are in no document.
const syntheticPointer = "(value)"

// synthetic registers a schema that is in no document, and has nothing that walk can refuse. It
// comes from a keyword, if that is not zero.
func (d *document) synthetic(s *jsontext.Value, from origin) ref {
	first := len(d.nodes)
	_ = d.walk(s, syntheticPointer, d.nodes[0].base, draft2020)
	for _, n := range d.nodes[first:] {
		n.ptr, n.from = syntheticPointer, from
	}
	return d.nodes[first].ref()
}

// Values of synthetic schemas.

func stringValue(s string) *jsontext.Value { return &jsontext.Value{Kind: jsontext.String, Text: s} }

func objectValue(key string, v *jsontext.Value) *jsontext.Value {
	return &jsontext.Value{Kind: jsontext.Object, Keys: []string{key}, Items: []*jsontext.Value{v}}
}

// constant is a schema that an array or object is the only instance of.
func (d *document) constant(v *jsontext.Value, from origin) ref {
	if r, ok := d.constants[v]; ok {
		return r
	}
	s := objectValue("type", stringValue(v.Kind.String()))
	list := &jsontext.Value{Kind: jsontext.Array}
	if v.Kind == jsontext.Array {
		for _, x := range v.Items {
			list.Items = append(list.Items, objectValue("const", x))
		}
		s.Set("prefixItems", list)
		s.Set("items", &jsontext.Value{Kind: jsontext.Bool})
		s.Set("minItems", &jsontext.Value{Kind: jsontext.Number, Text: strconv.Itoa(len(v.Items))})
	} else {
		props := &jsontext.Value{Kind: jsontext.Object}
		for i, key := range v.Keys {
			props.Set(key, objectValue("const", v.Items[i]))
			list.Items = append(list.Items, stringValue(key))
		}
		s.Set("properties", props)
		s.Set("required", list)
		s.Set("additionalProperties", &jsontext.Value{Kind: jsontext.Bool})
	}
	r := d.synthetic(s, from)
	d.constants[v] = r
	return r
}

// keyOf is a text that two values share exactly if they are equal as JSON Schema sees it: numbers
// by value, objects without order.
func keyOf(v *jsontext.Value) string {
	var b strings.Builder
	canonical(&b, v)
	return b.String()
}

func canonical(b *strings.Builder, v *jsontext.Value) {
	switch v.Kind {
	case jsontext.Null:
		b.WriteString("null")
	case jsontext.Bool:
		b.WriteString(strconv.FormatBool(v.Truth))
	case jsontext.Number:
		b.WriteString(number.Parse(v.Text).String())
	case jsontext.String:
		b.WriteString(strconv.Quote(v.Text))
	case jsontext.Array:
		b.WriteByte('[')
		for _, x := range v.Items {
			canonical(b, x)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		b.WriteByte('{')
		for _, key := range slices.Sorted(slices.Values(v.Keys)) {
			b.WriteString(strconv.Quote(key))
			b.WriteByte(':')
			canonical(b, v.Get(key))
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}
