package jsonschema

import "strconv"

// Schemas as references: which of them are the same, and those that are in no document.

// simple is the reference to a schema, with the trivial ones recognised.
func (d *document) simple(n *node) ref {
	switch {
	case n.v.kind == kindBool && n.v.truth || n.v.kind == kindObject && len(n.v.keys) == 0:
		return trueRef
	case n.v.kind == kindBool:
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
	if n.v.size(maxAlike) < maxAlike && n.get("$id") == nil && n.get("id") == nil && n.ptr != syntheticPointer {
		key := n.base.String() + " " + strconv.Itoa(int(n.draft)) + " " + n.v.key()
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

// synthetic registers a schema that is in no document, and has nothing that walk can refuse. It comes
// from a keyword, if that is not zero.
func (d *document) synthetic(s *value, from origin) ref {
	first := len(d.nodes)
	_ = d.walk(s, syntheticPointer, d.nodes[0].base, draft2020)
	for _, n := range d.nodes[first:] {
		n.ptr, n.from = syntheticPointer, from
	}
	return d.nodes[first].ref()
}

// Values of synthetic schemas.

func stringValue(s string) *value { return &value{kind: kindString, text: s} }

func objectValue(key string, v *value) *value {
	return &value{kind: kindObject, keys: []string{key}, items: []*value{v}}
}

// constant is a schema that an array or object is the only instance of.
func (d *document) constant(v *value, from origin) ref {
	if r, ok := d.constants[v]; ok {
		return r
	}
	s := objectValue("type", stringValue(v.kind.String()))
	list := &value{kind: kindArray}
	if v.kind == kindArray {
		for _, x := range v.items {
			list.items = append(list.items, objectValue("const", x))
		}
		s.set("prefixItems", list)
		s.set("items", &value{kind: kindBool})
		s.set("minItems", &value{kind: kindNumber, text: strconv.Itoa(len(v.items))})
	} else {
		props := &value{kind: kindObject}
		for i, key := range v.keys {
			props.set(key, objectValue("const", v.items[i]))
			list.items = append(list.items, stringValue(key))
		}
		s.set("properties", props)
		s.set("required", list)
		s.set("additionalProperties", &value{kind: kindBool})
	}
	r := d.synthetic(s, from)
	d.constants[v] = r
	return r
}
