package jsonschema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"

	"gcdbench/internal/jsontext"
)

// A File is a schema document that others may refer to.
type File struct {
	URI  string // what references to it resolve to, beside the identifiers inside: without a fragment
	Name string // for messages
	Text []byte
	// Plain says that Text is a plain schema (Glance), which OpenAll otherwise finds out.
	Plain bool
}

// A Library has schema documents by their URIs, and by all identifiers inside: a bundle of several
// schemas is known by the name of each. Nothing else is ever loaded. It is immutable.
type Library struct {
	given []File
	files map[string]*libraryFile
}

// Files are the documents, as they were given.
func (l *Library) Files() []File { return l.given }

// A libraryFile is a document that is read, and not yet part of another.
type libraryFile struct {
	uri  *url.URL
	root *jsontext.Value
}

// NewLibrary reads schema documents. Two of them must not have a name in common.
func NewLibrary(files []File) (*Library, error) {
	l := &Library{given: files, files: map[string]*libraryFile{}}
	owner := map[string]string{}
	for _, f := range files {
		root, err := parseSchema(Options{Name: f.Name}, f.Text)
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(f.URI)
		if err != nil || u.Fragment != "" {
			return nil, fmt.Errorf("%s: %q is no URI without a fragment, which a schema can be called", f.Name, f.URI)
		}
		d, err := newDocument(root, Options{URI: f.URI})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, name := range slices.Sorted(maps.Keys(d.resources)) {
			if other := owner[name]; other != "" {
				return nil, fmt.Errorf("%s and %s both have a schema called %s; leave one out", other, f.Name, name)
			}
			owner[name] = f.Name
			l.files[name] = &libraryFile{u, root}
		}
	}
	return l, nil
}

// load makes the document of a library that has a resource a part of d, if there is one. A document
// that does not say its draft is of the draft of what refers to it.
func (d *document) load(uri string, dr draft) error {
	if d.resources[uri] != nil {
		return nil
	}
	var f *libraryFile
	if d.library != nil {
		f = d.library.files[uri]
	}
	if f == nil {
		f = metaFile(uri)
	}
	if f == nil || d.byValue[f.root] != nil {
		return nil
	}
	name := withoutFragment(f.uri)
	d.resources[name] = f.root
	first := len(d.nodes)
	err := d.walk(f.root, name+"#", f.uri, dr)
	for _, n := range d.nodes[first:] {
		n.elsewhere = true
	}
	return err
}
