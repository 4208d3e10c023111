package jsonschema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gcdbench/internal/jsontext"
)

// A draft is a version of JSON Schema, by the number that orders them.
type draft int

const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
	draftV1   draft = 2026 // the first that has no date
)

// A ref is a schema or its negation: twice the node's number, plus one if negated.
type ref int32

const (
	trueRef  ref = 0 // node 0 is the schema true
	falseRef ref = 1
)

// not is the negation.
func (r ref) not() ref { return r ^ 1 }

// A node is a schema: a place of the document where one is expected.
type node struct {
	id    int // its number in the document
	v     *jsontext.Value
	ptr   string   // JSON pointer from the root of the document
	base  *url.URL // against which references are resolved
	draft draft

	elsewhere bool // in another document than the one that is compiled

	// Of dynamic.go: the number of the dynamic scope, the same schema in the empty one, and those in
	// others.
	scope   int
	outside *node
	inside  map[int]*node

	union []ref  // of a schema that is in no document: its instances are those of these
	from  origin // of a schema that is in no document: the keyword that it stands for, if any
	first *node  // the first schema that says the same; nil if that was not asked
}

func (n *node) ref() ref { return ref(n.id << 1) }

// get is the value of a keyword, or nil.
func (n *node) get(keyword string) *jsontext.Value { return n.v.Get(keyword) }

// A RefError is a reference that leads nowhere.
type RefError struct {
	Pointer string // of the keyword
	Ref     string
	Reason  string
	// Elsewhere is whether another document might have what is referred to.
	Elsewhere bool
}

// Error says where and why.
func (e *RefError) Error() string {
	return fmt.Sprintf("%s: cannot resolve the reference %q: %s", e.Pointer, e.Ref, e.Reason)
}

// A SchemaError is a keyword with a value that the specification does not allow.
type SchemaError struct {
	Pointer string
	Message string
}

// Error is pointer: message.
func (e *SchemaError) Error() string { return e.Pointer + ": " + e.Message }

// A document is a schema document with its places known.
type document struct {
	root      *jsontext.Value
	library   *Library // nil for none
	nodes     []*node  // 0 is the schema true
	byValue   map[*jsontext.Value]*node
	resources map[string]*jsontext.Value // by absolute URI without fragment
	anchors   map[string]*jsontext.Value // by URI#anchor
	dynamic   map[string]dynamicScope    // dynamic anchors, by the URI of their resource
	scopes    []dynamicScope             // 0 is the empty one
	compares  bool                       // a schema asks for unique items

	table *keywordTable
	twice string // an identifier that two schemas have; "" if there is none

	// Of schemas.go.
	byText    map[string]*node        // the first schema with a text
	key       []byte                  // scratch
	constants map[*jsontext.Value]ref // schemas that have one instance
}

// newDocument registers the schemas of a document, as far as no reference leads to others.
func newDocument(root *jsontext.Value, opt Options) (*document, error) {
	base, err := url.Parse(opt.URI)
	if err != nil {
		return nil, &SchemaError{"/", fmt.Sprintf("%q is no URI", opt.URI)}
	}
	d := &document{root: root, library: opt.Library, byValue: map[*jsontext.Value]*node{}, resources: map[string]*jsontext.Value{}, anchors: map[string]*jsontext.Value{},
		dynamic: map[string]dynamicScope{}, scopes: []dynamicScope{{}}, table: table, byText: map[string]*node{}, constants: map[*jsontext.Value]ref{}}
	d.nodes = []*node{{v: &jsontext.Value{Kind: jsontext.Bool, Truth: true}, base: &url.URL{}, draft: draft2020}}
	d.resources[withoutFragment(base)] = root
	return d, d.walk(root, "", base, draft2020)
}

// maxDepth bounds the nesting of schemas, counted as half the steps of a pointer: the pointers of
// the coverage take space quadratic in it.
const maxDepth = 1000

// walk registers the schema v and the schemas inside.
func (d *document) walk(v *jsontext.Value, ptr string, base *url.URL, dr draft) error {
	if _, known := d.byValue[v]; known || v.Kind != jsontext.Object && v.Kind != jsontext.Bool {
		return nil
	}
	if strings.Count(ptr, "/") > 2*maxDepth {
		return refusal("schemas are nested too deep", "schemas are nested more than %d deep", maxDepth).at(nil, "")
	}
	n := &node{id: len(d.nodes), v: v, ptr: ptr, base: base, draft: dr}
	d.nodes = append(d.nodes, n)
	d.byValue[v] = n
	if v.Kind == jsontext.Bool {
		return nil
	}
	if s := v.Get("$schema"); s != nil && s.Kind == jsontext.String {
		n.draft = draftOf(s.Text)
	}
	d.identify(n)
	for i, key := range v.Keys {
		d.compares = d.compares || key == "uniqueItems" && v.Items[i].Truth
		if w := d.table.byName[key]; w != nil {
			if err := d.walkKeyword(n, key, v.Items[i], w.holds); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *document) walkKeyword(n *node, key string, x *jsontext.Value, holds holding) error {
	ptr := n.ptr + "/" + escapePointer(key)
	if holds&holdsSchemas != 0 && x.Kind == jsontext.Array || holds&holdsMap != 0 && x.Kind == jsontext.Object {
		for i, y := range x.Items {
			if err := d.walk(y, ptr+"/"+tokenOf(x, i), n.base, n.draft); err != nil {
				return err
			}
		}
		return nil
	}
	if holds&holdsSchema != 0 {
		return d.walk(x, ptr, n.base, n.draft)
	}
	return nil
}

// tokenOf is the token of a pointer for item i of an array or object.
func tokenOf(v *jsontext.Value, i int) string {
	if v.Kind == jsontext.Object {
		return escapePointer(v.Keys[i])
	}
	return strconv.Itoa(i)
}

// identify follows $id (id in draft 4) and the anchors of n.
func (d *document) identify(n *node) {
	keyword := "$id"
	if n.draft == draft4 {
		keyword = "id"
	}
	if id := n.get(keyword); id != nil && id.Kind == jsontext.String && !(n.get("$ref") != nil && n.draft <= draft7) {
		u, err := url.Parse(id.Text)
		if err != nil {
			// An identifier that is no URI identifies nothing; references to it fail where they
			// stand.
			return
		}
		u = n.base.ResolveReference(u)
		if u.Fragment != "" {
			d.anchors[withoutFragment(u)+"#"+u.Fragment] = n.v
		} else {
			n.base = u
			name := withoutFragment(u)
			if old := d.resources[name]; old != nil && old != n.v {
				d.twice = name
			}
			d.resources[name] = n.v
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if a := n.get(keyword); a != nil && a.Kind == jsontext.String {
			d.anchors[withoutFragment(n.base)+"#"+a.Text] = n.v
			if keyword == "$dynamicAnchor" {
				d.addDynamic(a.Text, n)
			}
		}
	}
	if a := n.get("$recursiveAnchor"); a != nil && a.Truth && d.resources[withoutFragment(n.base)] == n.v {
		d.addDynamic(recursiveAnchor, n)
	}
}

func withoutFragment(u *url.URL) string {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	return c.String()
}

func draftOf(uri string) draft {
	for _, x := range []struct {
		part string
		d    draft
	}{{"draft-03", draft4}, {"draft-04", draft4}, {"draft-05", draft4}, {"draft-06", draft6}, {"draft-07", draft7}, {"2019-09", draft2019}, {"json-schema.org/v1", draftV1}} {
		if strings.Contains(uri, x.part) {
			return x.d
		}
	}
	return draft2020
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(key string) string { return pointerEscaper.Replace(key) }

// resolve finds the schema that a reference in n names.
func (d *document) resolve(n *node, keyword, text string) (*node, error) {
	fail := func(reason string) error { return &RefError{n.ptr + "/" + keyword, text, reason, false} }
	u, err := url.Parse(text)
	if err != nil {
		return nil, fail("it is not a URI reference")
	}
	u = n.base.ResolveReference(u)
	if err := d.load(withoutFragment(u), n.draft); err != nil {
		return nil, err
	}
	// A pointer alone means this document, also where an identifier gives the base another name
	// that nothing has.
	resource, ok := d.resources[withoutFragment(u)]
	if !ok && strings.HasPrefix(text, "#") {
		resource, ok = d.root, true
	}
	v, found := d.anchors[withoutFragment(u)+"#"+u.Fragment]
	switch {
	case found:
	case !ok:
		return nil, &RefError{n.ptr + "/" + keyword, text, "there is no schema of that name, and nothing is fetched", true}
	case n.draft >= draftV1 && keyword == "$dynamicRef" && d.scopes[n.scope][u.Fragment] != nil:
		return d.within(d.scopes[n.scope][u.Fragment], n.scope), nil
	case u.Fragment != "" && !strings.HasPrefix(u.Fragment, "/"):
		return nil, fail("there is no such anchor")
	default:
		if v = resource.At(u.Fragment); v == nil {
			return nil, fail("there is nothing at that place")
		}
	}
	if err := d.walkApart(resource, v, u.Fragment); err != nil {
		return nil, err
	}
	target := d.byValue[v]
	if target == nil {
		return nil, fail("what is there is no schema")
	}
	return d.within(d.overridden(n, keyword, u.Fragment, target), n.scope), nil
}

// walkApart registers the schema v at a place of a resource where no keyword puts one.
func (d *document) walkApart(resource, v *jsontext.Value, pointer string) error {
	if d.byValue[v] != nil {
		return nil
	}
	around, at := d.byValue[resource], 0 // the schema that is nearest to it
	for i, c := range pointer {
		if c != '/' {
			continue
		}
		if outer := resource.At(pointer[:i]); d.byValue[outer] != nil {
			around, at = d.byValue[outer], i
		}
	}
	if around == nil {
		return nil
	}
	return d.walk(v, around.ptr+pointer[at:], around.base, around.draft)
}

// A SyntaxError says where a document is not JSON.
type SyntaxError = jsontext.SyntaxError
