package jsonschema

import (
	"encoding/binary"
	"slices"
	"strconv"

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

// start is the reference to the schema of the document.
func (d *document) start() ref { return d.simple(d.within(d.byValue[d.root], 0)) }

// maxAlike bounds the size, in values, of schemas that are compared with others.
const maxAlike = 40

// representative is the first schema that says the same as n, if n is small; else n. That equal
// schemas are one matters to oneOf: a value that satisfies one and not the other is then seen to be
// impossible.
func (d *document) representative(n *node) *node {
	if n.first != nil {
		return n.first
	}
	n.first = n
	if n.v.Size(maxAlike) < maxAlike && n.get("$id") == nil && n.get("id") == nil && n.ptr != syntheticPointer {
		d.key = binary.AppendUvarint(binary.AppendUvarint(d.key[:0], uint64(n.draft)), uint64(n.scope))
		d.key = appendText(d.key, n.base.String())
		d.key = appendKey(d.key, n.v)
		if old := d.byText[string(d.key)]; old != nil {
			n.first = old
		} else {
			d.byText[string(d.key)] = n
		}
	}
	return n.first
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

// anyOf is a schema whose instances are those of some schemas.
func (d *document) anyOf(list []ref) ref {
	var union []ref
	for _, r := range list {
		if r == trueRef {
			return r
		}
		if r != falseRef && !slices.Contains(union, r) {
			union = append(union, r)
		}
	}
	switch len(union) {
	case 0:
		return falseRef
	case 1:
		return union[0]
	}
	n := &node{id: len(d.nodes), v: &jsontext.Value{Kind: jsontext.Object}, ptr: syntheticPointer, base: d.nodes[0].base, draft: draft2020, union: union}
	d.nodes = append(d.nodes, n)
	return n.ref()
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
func keyOf(v *jsontext.Value) string { return string(appendKey(nil, v)) }

// appendKey appends keyOf. No such text is the beginning of another one.
func appendKey(b []byte, v *jsontext.Value) []byte {
	b = append(b, byte(v.Kind))
	switch v.Kind {
	case jsontext.Null:
	case jsontext.Bool:
		b = append(b, byte(btoi(v.Truth)))
	case jsontext.Number:
		b = appendText(b, number.Parse(v.Text).String())
	case jsontext.String:
		b = appendText(b, v.Text)
	case jsontext.Array:
		b = binary.AppendUvarint(b, uint64(len(v.Items)))
		for _, x := range v.Items {
			b = appendKey(b, x)
		}
	default:
		var some [16]string
		keys := append(some[:0], v.Keys...)
		slices.Sort(keys)
		b = binary.AppendUvarint(b, uint64(len(keys)))
		for _, key := range keys {
			b = appendKey(appendText(b, key), v.Get(key))
		}
	}
	return b
}

// appendText appends a text to a key, with its length before it.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendRefs appends a list of references to a key, with its length before it.
func appendRefs(b []byte, list []ref) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, r := range list {
		b = binary.AppendVarint(b, int64(r))
	}
	return b
}
