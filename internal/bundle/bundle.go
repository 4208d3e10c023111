// Package bundle makes one JSON schema of a schema and the files that it refers to, so that
// whoever reads it needs no other: an engine in another process, a validator, a record. The files
// become definitions with identifiers (2020-12 core, section 9.3), each under the name by which
// it is referred to first. Nothing is ever loaded: what leads elsewhere stays as it is.
package bundle

import (
	"net/url"
	"slices"
	"strings"

	"gcdbench/internal/jsontext"
)

// Of is a schema with the files that it refers to, directly or through another one. uri is what
// it is called where it does not say so itself. find has the text of the file that a URI without
// a fragment names, nil for none. A schema that refers to no file is returned as it is, byte for
// byte; so is what is no JSON. If the schema is nothing but a reference, in a draft in which that
// excludes everything else, the result has the reference in a part of its own.
func Of(schema []byte, uri string, find func(uri string) []byte) []byte {
	root, err := jsontext.Parse("", schema)
	base, err2 := url.Parse(uri)
	if err != nil || err2 != nil || root.Kind != jsontext.Object {
		return schema
	}
	b := &builder{find: find, root: root, old: isOld(root), has: map[string]bool{"": true}}
	if name := name(base); name != "" {
		b.has[name] = true
	}
	b.register(root, base)
	b.follow(root, base, base)
	if len(b.files) == 0 {
		return schema
	}
	return b.whole(base).Append(nil)
}

// A builder collects the files beside a schema.
type builder struct {
	find  func(uri string) []byte
	root  *jsontext.Value
	old   bool            // of a draft before 2019-09
	has   map[string]bool // names of what is there, without fragments
	files []*jsontext.Value
	names []string // of the files
}

// isOld tells whether a schema is of a draft in which $ref excludes other keywords, and definitions
// is the keyword for others.
func isOld(v *jsontext.Value) bool {
	says := v.Get("$schema")
	return says != nil && strings.Contains(says.Text, "/draft-0")
}

// idKeyword is the keyword of the identifier of a schema.
func idKeyword(v *jsontext.Value) string {
	says := v.Get("$schema")
	for _, old := range []string{"draft-03", "draft-04", "draft-05"} {
		if says != nil && strings.Contains(says.Text, old) {
			return "id"
		}
	}
	return "$id"
}

// Identifier is what a schema calls itself, without a fragment; empty for nothing.
func Identifier(v *jsontext.Value) string {
	for _, key := range []string{"$id", "id"} {
		if id := v.Get(key); id != nil && id.Kind == jsontext.String {
			name, _, _ := strings.Cut(id.Text, "#")
			return name
		}
	}
	return ""
}

// name is a URI without its fragment.
func name(u *url.URL) string {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	return c.String()
}

// within is the base of what is inside a value.
func within(v *jsontext.Value, base *url.URL) *url.URL {
	if id, err := url.Parse(Identifier(v)); v.Kind == jsontext.Object && err == nil && id.String() != "" {
		return base.ResolveReference(id)
	}
	return base
}

// register notes the identifiers in a file.
func (b *builder) register(v *jsontext.Value, base *url.URL) {
	if inside := within(v, base); inside != base {
		base = inside
		b.has[name(base)] = true
	}
	for _, x := range v.Items {
		b.register(x, base)
	}
}

// references are the keywords that refer to other schemas.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// follow adds the files that a value refers to, in a file at a place. What is not found by the
// identifiers is looked for beside the file, where its authors have it.
func (b *builder) follow(v *jsontext.Value, base, place *url.URL) {
	base = within(v, base)
	for i, x := range v.Items {
		if v.Kind == jsontext.Object && x.Kind == jsontext.String && slices.Contains(references, v.Keys[i]) {
			if u, err := url.Parse(x.Text); err == nil {
				b.add(base.ResolveReference(u), place.ResolveReference(u))
			}
		}
		b.follow(x, base, place)
	}
}

// add adds the file that a URI leads to, or that is at a place, if there is one and it is not
// there.
func (b *builder) add(u, place *url.URL) {
	called := name(u)
	if b.has[called] {
		return
	}
	text := b.find(called)
	if len(text) == 0 {
		text = b.find(name(place))
	}
	file, err := jsontext.Parse(called, text)
	if err != nil || file.Kind != jsontext.Object {
		return
	}
	b.has[called] = true
	if old := b.old && file.Get("$schema") == nil || isOld(file); old && file.Get("$ref") != nil {
		file = apart(file)
	}
	b.files, b.names = append(b.files, file), append(b.names, called)
	setIdentifier(file, called, b.old && idKeyword(b.root) == "id" && file.Get("$schema") == nil)
	b.register(file, u)
	b.follow(file, u, place)
}

// setIdentifier makes a name the identifier of a schema.
func setIdentifier(v *jsontext.Value, name string, id bool) {
	v.Remove("$id")
	v.Remove("id")
	keyword := idKeyword(v)
	if id {
		keyword = "id"
	}
	v.Keys = slices.Insert(v.Keys, 0, keyword)
	v.Items = slices.Insert(v.Items, 0, &jsontext.Value{Kind: jsontext.String, Text: name})
}

// whole is the schema with the files among its definitions.
func (b *builder) whole(base *url.URL) *jsontext.Value {
	root, keyword := b.root, "$defs"
	if b.old {
		keyword = "definitions"
	}
	if called := name(within(root, base)); called != "" && called != Identifier(root) {
		setIdentifier(root, called, false)
	}
	if b.old && root.Get("$ref") != nil {
		root = apart(root)
	}
	definitions := root.Get(keyword)
	if definitions == nil || definitions.Kind != jsontext.Object {
		root.Remove(keyword)
		definitions = &jsontext.Value{Kind: jsontext.Object}
		root.Set(keyword, definitions)
	}
	for i, file := range b.files {
		definitions.Set(b.names[i], file)
	}
	return root
}

// apart is a schema that refers to what another one is a reference to, in a part of its own, so
// that an identifier and definitions beside it count. What else is beside the reference says
// nothing.
func apart(root *jsontext.Value) *jsontext.Value {
	outer := &jsontext.Value{Kind: jsontext.Object}
	for i, key := range root.Keys {
		if slices.Contains([]string{"$schema", "$id", "id", "definitions", "$defs"}, key) {
			outer.Set(key, root.Items[i])
		}
	}
	part := &jsontext.Value{Kind: jsontext.Object}
	part.Set("$ref", root.Get("$ref"))
	outer.Set("allOf", &jsontext.Value{Kind: jsontext.Array, Items: []*jsontext.Value{part}})
	return outer
}
