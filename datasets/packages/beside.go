package packages

import (
	"net/url"
	"slices"
	"strings"

	"gcdbench/internal/jsontext"
)

// The files that a schema refers to, directly or through another one. A reference leads to the
// path of a file in the same package, or to the identifier of one, of the same package rather than
// of another. What leads elsewhere stays as it is: nothing is fetched.

// uriOf is what a file is called where nothing else is said.
func uriOf(path string) string { return (&url.URL{Path: "/" + path}).String() }

// identifier is what a schema calls itself, without a fragment; empty for nothing.
func identifier(v *jsontext.Value) string {
	for _, key := range []string{"$id", "id"} {
		if id := v.Get(key); id != nil && id.Kind == jsontext.String && !strings.HasPrefix(id.Text, "#") {
			name, _, _ := strings.Cut(id.Text, "#")
			return name
		}
	}
	return ""
}

// A closure finds the files beside a schema.
type closure struct {
	c     *collection
	names map[string][]string
	owns  map[string]bool // identifiers of the files so far
	list  []string
}

// beside are the paths of the files that a schema refers to.
func (c *collection) beside(path string, names map[string][]string) []string {
	q := &closure{c: c, names: names, owns: map[string]bool{}, list: []string{path}}
	for i := 0; i < len(q.list); i++ {
		root, err := jsontext.Parse(q.list[i], c.schemas[q.list[i]])
		if err != nil {
			continue
		}
		q.owns[identifier(root)] = true
		base, err := url.Parse(uriOf(q.list[i]))
		if err == nil {
			q.walk(root, base, q.list[i])
		}
	}
	return q.list[1:]
}

// walk follows the references of a value of a file.
func (q *closure) walk(v *jsontext.Value, base *url.URL, path string) {
	if id, err := url.Parse(identifier(v)); v.Kind == jsontext.Object && err == nil && id.String() != "" {
		base = base.ResolveReference(id)
	}
	if ref := v.Get("$ref"); ref != nil && ref.Kind == jsontext.String {
		if u, err := url.Parse(ref.Text); err == nil {
			q.follow(base.ResolveReference(u), path)
		}
	}
	for _, x := range v.Items {
		q.walk(x, base, path)
	}
}

// follow adds the file that a reference leads to, if there is one that is not there yet.
func (q *closure) follow(u *url.URL, from string) {
	u.Fragment = ""
	if q.owns[u.String()] {
		return
	}
	path, found := strings.CutPrefix(u.Path, "/")
	found = found && u.Host == "" && q.c.schemas[path] != nil
	for _, named := range q.names[u.String()] {
		if !found || packageOf(named) == packageOf(from) && packageOf(path) != packageOf(from) {
			path, found = named, true
		}
	}
	if !found || slices.Contains(q.list, path) {
		return
	}
	q.owns[u.String()] = true
	q.list = append(q.list, path)
}
